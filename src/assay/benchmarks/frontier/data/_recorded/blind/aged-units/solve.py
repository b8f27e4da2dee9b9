import csv,glob,json,os,sys,numpy as np
rng=np.random.default_rng(1)
D=os.environ.get('ASSAY_DATA','data')
MARGIN=12.0
SG=np.linspace(0.005,0.985,80); KG=np.exp(np.linspace(np.log(.7),np.log(4.5),44))
dS=SG[1]-SG[0]; dK=np.log(KG[1]/KG[0])
U=np.log(-np.log(SG))
AG=np.arange(5.5,90,1.0)
def load(f):
    R=list(csv.DictReader(open(f)))
    g=lambda c:np.array([float(r[c]) for r in R])
    return np.array([r['make']=='elm' for r in R]),g('taken_over'),g('last_age'),g('failed').astype(int)
# H(t)=exp(u)*(t/100)^k ; sum of t^k per k does it all
LI=np.log(np.exp(-np.exp(U)[:,None,None]*(AG/100)[None,None,:]**KG[None,:,None]).mean(-1)) # log int gS
def arm_ll(a,t,d):
    t=np.maximum(t,.05)/100
    H=(t[None,:]**KG[:,None]).sum(1)
    n=d.sum(); sl=np.log(t[d==1]).sum()
    old=(a>0).sum()
    ll=n*(U[:,None]+np.log(KG)[None,:])+(KG-1)[None,:]*sl-np.exp(U)[:,None]*H[None,:]-old*LI
    return ll
def run(D,K=int(os.environ.get("KK","3")),verbose=False):
    files=sorted(glob.glob(os.path.join(D,'*.csv'))); names=[os.path.basename(f)[:-4] for f in files]
    LL=[];ori=[];grp=[]
    for f in files:
        m,a,t,d=load(f)
        l=[arm_ll(a[m==k],t[m==k],d[m==k]) for k in (False,True)]
        o=1 if a[m].mean()>=a[~m].mean() else 0   # is elm the older arm
        LL.append((l[1-o],l[o])); ori.append(o)
        dur=(t-a)[d==0]; lng=len(dur)>0 and dur.max()>92
        grp.append(2*int(lng)+int(len(t)>400))
    N=len(files); ori=np.array(ori); grp=np.array(grp)
    # default weak prior per arm
    def gridprior(mS,sS,mk,sk):
        return -.5*((SG[:,None]-mS)/sS)**2-.5*((np.log(KG)[None,:]-mk)/sk)**2
    prop=[gridprior(.4,.35,.6,.35)]*2
    mu0=np.array([.42,.6,.38,.6]); C0=np.diag([.22,.22,.22,.22])**2
    comps=None
    for r,(M,iters) in enumerate([(300,40),(500,30),(4000,1)]):
        X=np.empty((N,M,4)); 
        LQ=np.empty((N,M))
        mm=M
        for i in range(N):
            for j in (0,1):
                w=LL[i][j]+prop[j]; w=np.exp(w-w.max()).ravel(); c=np.cumsum(w); c/=c[-1]
                uu=(np.arange(mm)+rng.random(mm))/mm
                ix=np.minimum(np.searchsorted(c,uu),len(c)-1); rng.shuffle(ix)
                a,b=np.unravel_index(ix,(len(SG),len(KG)))
                X[i,:,2*j]=SG[a]+(rng.random(mm)-.5)*dS; X[i,:,2*j+1]=np.log(KG[b])+(rng.random(mm)-.5)*dK
                lp=prop[j][a,b]
                LQ[i]=lp if j==0 else LQ[i]+lp
        if comps is None:
            nk=K if N>=100 else 1
            # init with posterior means
            pm=X.mean(1); dd=pm[:,2]-pm[:,0]
            if nk==1: mus=[(pm.sum(0)+8*mu0)/(N+8)]; Cs=[C0.copy()]
            else:
                c=pm.mean(0); mus=[];Cs=[]
                for v in np.quantile(dd,(np.arange(nk)+.5)/nk):
                    m_=c.copy(); h=(c[0]+c[2])/2; m_[0]=h-v/2; m_[2]=h+v/2; mus.append(m_)
                    C=np.diag([0,.04,0,.04]); sm,sdf=.2**2,.1**2
                    C[0,0]=C[2,2]=sm+sdf/4; C[0,2]=C[2,0]=sm-sdf/4; Cs.append(C)
                R0=Cs[0].copy()
            comps=(mus,Cs,np.ones((4,nk))/nk)
        mus,Cs,pi=comps
        for it in range(iters):
            lps=[]
            for m_,C in zip(mus,Cs):
                Li=np.linalg.inv(np.linalg.cholesky(C)); z=(X-m_)@Li.T
                lps.append(-.5*(z*z).sum(-1)+np.log(np.diag(Li)).sum())
            lps=np.stack(lps,-1)+np.log(pi[grp])[:,None,:]-LQ[:,:,None]
            mx=lps.max((1,2),keepdims=True); w=np.exp(lps-mx); tot=w.sum((1,2),keepdims=True); w/=tot
            obj=(np.log(tot)+mx).sum()
            if it==iters-1: break
            nk=len(mus); ni=8
            pool=w.sum((0,1))/N
            for g in range(4):
                s=grp==g; pi[g]=(w[s].sum((0,1))+6*pool)/(s.sum()+6)
            for c in range(nk):
                wc=w[:,:,c]; W=wc.sum(); n0=ni if nk==1 else 1e-6
                m_=((wc[:,:,None]*X).sum((0,1))+n0*mu0)/(W+n0)
                Z=X-m_; C=np.einsum('nm,nmi,nmj->ij',wc,Z,Z,optimize=True)
                Cs[c]=(C+8*(C0 if nk==1 else R0))/(W+8); mus[c]=m_
        comps=(mus,Cs,pi)
        if verbose:
            print('round',r,'obj',obj)
            for m_,C in zip(mus,Cs): print('  mu',m_.round(2),'sd',np.sqrt(np.diag(C)).round(2),'sd diff %.3f'%np.sqrt(C[0,0]+C[2,2]-2*C[0,2]),'corr',np.corrcoef(np.eye(4))[0,0] and (C/np.sqrt(np.outer(np.diag(C),np.diag(C))))[np.triu_indices(4,1)].round(2))
            print(pi.round(2),np.bincount(grp,minlength=4))
        # new proposals: marginal moments of prior, widened
        P=pi[grp].mean(0); P=P/P.sum(); gm=sum(p*m_ for p,m_ in zip(P,mus)); gC=sum(p*(C+np.outer(m_-gm,m_-gm)) for p,m_,C in zip(P,mus,Cs))
        sd=1.15*np.sqrt(np.diag(gC)); prop=[gridprior(gm[0],sd[0],gm[1],sd[1]),gridprior(gm[2],sd[2],gm[3],sd[3])]
    W=w.sum(-1); diff=100*(X[:,:,2]-X[:,:,0])*np.where(ori==1,1,-1)[:,None]
    out=[]
    for i in range(N):
        o=np.argsort(diff[i]); c=np.cumsum(W[i][o]); q=lambda p:float(np.interp(p,c-W[i][o]/2,diff[i][o]))
        out.append((names[i],float((W[i]*diff[i]).sum()),q(.025),q(.975)))
    if verbose: print('ESS pct',np.percentile(1/(W**2).sum(1),[0,5,50]).round(0))
    return out
def answer(lo,hi):
    if lo>-MARGIN and hi<MARGIN: return 'same'
    return 'higher' if lo>0 else 'lower' if hi<0 else 'open'
if __name__=='__main__':
    out=run(D,verbose='-v' in sys.argv)
    with open('answers.csv','w') as f:
        f.write('study,estimate,low,high,answer\n')
        for n,e,lo,hi in out: f.write(f'{n},{e:.3f},{lo:.3f},{hi:.3f},{answer(round(lo,3),round(hi,3))}\n')
    E=[round(o[1],3) for o in out]
    json.dump({'studies':len(out),'mean_estimate':float(np.mean(E)),'mean_width':float(np.mean([round(o[3],3)-round(o[2],3) for o in out])),'estimates':{o[0]:e for o,e in zip(out,E)}},open('results.json','w'),indent=1)
