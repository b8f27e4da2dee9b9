import csv,glob,json,os,sys,numpy as np
from collections import defaultdict
rng=np.random.default_rng(3)
D=os.environ.get('ASSAY_DATA','data'); MARGIN=.5
KK=int(os.environ.get('KK','3')); COV=int(os.environ.get('COV','1'))
def load(f):
    k=defaultdict(float);n=defaultdict(float);X={}
    for r in csv.DictReader(open(f)):
        p=r['pair']; n[p]+=1; k[p]+=r['preferred']=='new'
        X[p]=(1. if r['first']=='new' else -1.,float(r['words_new'])-float(r['words_old']))
    ps=list(n); k=np.array([k[p] for p in ps]); n=np.array([n[p] for p in ps]); X=np.array([X[p] for p in ps])
    fr=k/n
    # intra-pair correlation (1 when all judges of a pair agree)
    m=n>1; rho=1.
    if m.sum()>=5:
        b=fitw(np.c_[np.ones(len(n)),X],np.ones(len(n)),fr,np.zeros(3),np.diag([.05,.5,.5]))[0]
        p=1/(1+np.exp(-np.c_[np.ones(len(n)),X]@b))
        dis=(2*k*(n-k)/(n*np.maximum(n-1,1)))[m].sum(); ex=(2*p*(1-p))[m].sum()
        rho=float(np.clip(1-dis/max(ex,1e-9),0,1))
    w=n/(1+(n-1)*rho)
    s=1. if X[:,1].mean()>=0 else -1.
    X=np.c_[np.ones(len(n)),X]
    if s<0: X[:,1:]*=-1; fr=1-fr     # orient: new is the longer one
    sh=(X[:,1]>0).mean()
    return X,fr,w,s,[X[:,2].mean(),np.log((sh*len(n)+.5)/((1-sh)*len(n)+.5))],int(n.max()>2)
def fitw(X,w,y,m0,P0,it=25):
    b=m0.copy().astype(float)
    for _ in range(it):
        p=1/(1+np.exp(-np.clip(X@b,-30,30))); H=(X*(w*p*(1-p))[:,None]).T@X+P0
        st=np.linalg.solve(H,X.T@(w*(y-p))-P0@(b-m0)); nrm=np.abs(st).max(); b=b+st*min(1,2/max(nrm,1e-9))
        if nrm<1e-7: break
    return b,H
def run(D,K=KK,verbose=False):
    files=sorted(glob.glob(os.path.join(D,'*.csv'))); N=len(files); S=[load(f) for f in files]
    sg=np.array([s[3] for s in S]); cov=np.array([s[4] for s in S]); grp=np.array([2*s[5]+(s[3]>0) for s in S]).astype(int)
    cz=(cov-cov.mean(0))/(cov.std(0)+1e-6)
    m3=np.array([0.,.6,.85]); sd3=np.array([1.3,.35,.35])
    comps=None; nc=2 if COV and N>=100 else 0
    mp,sp=m3,np.array([1.5,.5,.5])
    for r,(M,iters) in enumerate([(250,40),(400,25),(2400,1)]):
        X=np.empty((N,M,3+nc)); LQ=np.empty((N,M))
        for i,(A,y,w,_,_,_) in enumerate(S):
            b,H=fitw(A,w,y,mp,np.diag(1/sp**2)); L=np.linalg.cholesky(np.linalg.inv(H))
            z=rng.standard_normal((M//2,3)); z=np.r_[z,-z]; q=np.sqrt(rng.chisquare(8,M//2)/8); q=np.r_[q,q]
            B=b+(z/q[:,None])@L.T
            eta=B@A.T; ll=eta@(w*y)-np.log1p(np.exp(np.clip(eta,-30,30)))@w
            lq=-(8+3)/2*np.log1p(((z/q[:,None])**2).sum(1)/8)
            X[i,:,:3]=B; X[i,:,3:]=cz[i,:nc]; LQ[i]=lq-ll
        d=3+nc
        if comps is None:
            nk=K if N>=100 else 1
            if nk==1:
                mus=[np.r_[m3,np.zeros(nc)]]; Cs=[np.diag(np.r_[sd3,np.ones(nc)]**2)]
            else:
                pm=X.mean(1)[:,0]; mus=[np.r_[v,m3[1:],np.zeros(nc)] for v in np.quantile(pm,(np.arange(nk)+.5)/nk)]
                Cs=[np.diag(np.r_[1.2/nk,sd3[1:],np.ones(nc)]**2) for _ in range(nk)]
            R0=Cs[0].copy(); M0=mus[0].copy(); pi=np.ones((4,nk))/nk; comps=1
        for it in range(iters):
            lps=[]
            for m_,C in zip(mus,Cs):
                Li=np.linalg.inv(np.linalg.cholesky(C)); z=(X-m_)@Li.T
                lps.append(-.5*(z*z).sum(-1)+np.log(np.diag(Li)).sum())
            lps=np.stack(lps,-1)+np.log(pi[grp])[:,None,:]-LQ[:,:,None]
            mx=lps.max((1,2),keepdims=True); w=np.exp(lps-mx); w/=w.sum((1,2),keepdims=True)
            if it==iters-1: break
            pool=w.sum((0,1))/N
            for g in range(4):
                s=grp==g; pi[g]=(w[s].sum((0,1))+10*pool)/(s.sum()+10)
            for c in range(nk):
                wc=w[:,:,c]; W=wc.sum(); n0=4 if nk==1 and N<100 else 1e-6
                m_=((wc[:,:,None]*X).sum((0,1))+n0*M0)/(W+n0); Z=X-m_
                C=(np.einsum('nm,nmi,nmj->ij',wc,Z,Z,optimize=True)+(6 if N<100 else 3)*R0)/(W+(6 if N<100 else 3))
                mus[c]=m_; Cs[c]=C
        P=pi[grp].mean(0); gm=sum(p*m_ for p,m_ in zip(P,mus)); gC=sum(p*(C+np.outer(m_-gm,m_-gm)) for p,m_,C in zip(P,mus,Cs))
        mp=gm[:3]; sp=1.1*np.sqrt(np.diag(gC))[:3]
        if verbose and r>0:
            for m_,C in zip(mus,Cs): sd=np.sqrt(np.diag(C)); print('  mu',m_.round(2),'sd',sd.round(2),'corr',(C/np.outer(sd,sd))[np.triu_indices(d,1)].round(2))
            print(pi.round(2),np.bincount(grp,minlength=2))
    W=w.sum(-1); v=X[:,:,0]*sg[:,None]; out=[]
    for i in range(N):
        o=np.argsort(v[i]); c=np.cumsum(W[i][o])-W[i][o]/2; q=lambda p:float(np.interp(p,c,v[i][o]))
        out.append((os.path.basename(files[i])[:-4],float((W[i]*v[i]).sum()),q(.025),q(.975)))
    if verbose: print('ESS',np.percentile(1/(W**2).sum(1),[0,5,50]).round(0))
    return out
def answer(lo,hi):
    if lo>-MARGIN and hi<MARGIN: return 'same'
    return 'higher' if lo>0 else 'lower' if hi<0 else 'open'
if __name__=='__main__':
    out=run(D,verbose='-v' in sys.argv)
    with open('answers.csv','w') as f:
        f.write('study,estimate,low,high,answer\n')
        for n,e,lo,hi in out: f.write(f'{n},{e:.4f},{lo:.4f},{hi:.4f},{answer(round(lo,4),round(hi,4))}\n')
    E=[round(o[1],4) for o in out]
    json.dump({'studies':len(out),'mean_estimate':float(np.mean(E)),'mean_width':float(np.mean([round(o[3],4)-round(o[2],4) for o in out])),'estimates':{o[0]:e for o,e in zip(out,E)}},open('results.json','w'),indent=1)
