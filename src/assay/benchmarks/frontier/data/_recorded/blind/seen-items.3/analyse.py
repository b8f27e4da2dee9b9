import os,glob,csv,json
import numpy as np
DATA=os.environ.get('ASSAY_DATA','data');MARGIN=8.
def load(f):
    R=list(csv.DictReader(open(f)))
    X=np.array([[float(r['x%d'%k]) for k in range(1,6)] for r in R]);west=np.array([r['source']=='west' for r in R]);te=np.array([r['part']=='test' for r in R])
    X=X/np.where(west,1000.,1.)[:,None]
    a=np.array([int(r['right_a']) if r['right_a'] not in('',None) else 0 for r in R]);b=np.array([int(r['right_b']) if r['right_b'] not in('',None) else 0 for r in R])
    return X,te,a,b
def clus(X,thr=.11):
    o=np.argsort(X[:,0]);n=len(X);par=list(range(n));xs=X[o,0]
    def find(i):
        while par[i]!=i:
            par[i]=par[par[i]];i=par[i]
        return i
    hi=np.searchsorted(xs,xs+thr,side='right')
    for p in range(n):
        if hi[p]>p+1:
            q=o[p+1:hi[p]];d=((X[q]-X[o[p]])**2).sum(1)
            for j in q[d<thr*thr]:
                r,s=find(o[p]),find(j)
                if r!=s: par[s]=r
    return np.unique([find(i) for i in range(n)],return_inverse=True)[1]
def counts(f):
    X,te,a,b=load(f);L=clus(X);K=L.max()+1
    ntr=np.bincount(L,~te,K);nte=np.bincount(L,te,K)
    sa=np.bincount(L,te*a,K)/np.maximum(nte,1);sb=np.bincount(L,te*b,K)/np.maximum(nte,1)
    un=(ntr==0)&(nte>0);se=(ntr>0)&(nte>0)
    return dict(n=int(un.sum()),a=sa[un].sum(),b=sb[un].sum(),ab=(sa*sb)[un].sum(),m=int(se.sum()),sb=sb[se].sum(),sa=sa[se].sum(),multi=((nte>1)&un).sum()/max(un.sum(),1))
def fit(S,iters=500):
    """Normal hierarchy of theta=(pa,pb on new items, pb on seen items); mean linear in study covariates."""
    N=len(S);n=np.array([s['n'] for s in S],float);m=np.array([s['m'] for s in S],float)
    Y=np.stack([[s['a']/max(s['n'],1) for s in S],[s['b']/max(s['n'],1) for s in S],[s['sb']/max(s['m'],1) for s in S]],1)
    g=np.array([s['multi'] for s in S])>.12;fr=m/np.maximum(n+m,1)
    Z=np.column_stack([np.ones(N),g-g.mean(),(fr-fr.mean())*3])
    B=np.zeros((3,3));B[0]=np.average(Y,axis=0,weights=n)
    V=np.diag([.12,.08,.06])**2+0.
    phi=0.;nu=1. if len(S)>=60 else 4.;V0=np.diag([.1,.08,.05])**2
    th=np.clip(Y*.7+.3*B[0],.03,.97);cvar=np.zeros((N,3))
    ab=np.array([s['ab'] for s in S])
    for it in range(iters):
        p=np.clip(th,.03,.97);v=p*(1-p)-0*cvar
        phi=np.clip(((ab/np.maximum(n,1)-Y[:,0]*Y[:,1])*n).sum()/(np.sqrt(v[:,0]*v[:,1])*n).sum()*N/(N+.0),-.5,.5)*N/(N+20)
        M=Z@B;Vi=np.linalg.inv(V)
        R=np.zeros((N,3,3));nn=np.maximum(n,1e-6);mm=np.maximum(m,1e-6)
        R[:,0,0]=v[:,0]/nn;R[:,1,1]=v[:,1]/nn;R[:,0,1]=R[:,1,0]=phi*np.sqrt(v[:,0]*v[:,1])/nn;R[:,2,2]=v[:,2]/mm
        Ri=np.linalg.inv(R);P=np.linalg.inv(Ri+Vi)
        th=np.einsum('nij,nj->ni',P,np.einsum('nij,nj->ni',Ri,Y)+M@Vi)
        cvar=np.einsum('nii->ni',P)
        lam=np.diag([1e-6,4.,4.]);B=np.linalg.solve(Z.T@Z+lam,Z.T@th)
        E=th-Z@B;V=(E.T@E+P.sum(0)+nu*V0)/(N+nu)
    c=np.array([1.,-1,0]);mu=th@c;sd=np.sqrt(np.einsum('i,nij,j->n',c,P,c));pm=(Z@B)@c;ps=np.sqrt(c@V@c)
    fit.info=dict(B=B,V=V,phi=phi,corr=V/np.sqrt(np.outer(np.diag(V),np.diag(V))),ps=ps)
    return mu,sd,pm,ps
def refine(mu,sd,pm,ps,iters=30):
    """Replace the normal prior of the difference by a smooth one learned from all studies."""
    N=len(mu);G=np.arange(-.7,.7001,.005)
    lv=1/(1/sd**2-1/ps**2);lm=lv*(mu/sd**2-pm/ps**2)
    L=np.exp(-.5*(G-lm[:,None])**2/lv[:,None])
    base=np.exp(-.5*(G-pm[:,None])**2/ps**2);base/=base.sum(1,keepdims=True)
    dens=np.ones(len(G))
    if N>=60:
        f=base.mean(0);i=np.arange(len(G));K=np.exp(-.5*((i[:,None]-i)*.005/.02)**2);K/=K.sum(0)
        f0=f.copy()
        for _ in range(iters):
            q=L*f*base/f0;q/=q.sum(1,keepdims=True);f=K@q.sum(0)+10*f0;f/=f.sum()
        dens=f/f0
        q=base*dens;q/=q.sum(1,keepdims=True);lln=np.log((L*q).sum(1)).sum()
        from math import erf
        E=np.vectorize(erf);md,sp=np.median(pm),ps
        F=[];
        for t in (.003,.015,.03,.05,.08,.11,.14,.18):
            cdf=.5*(1+E(np.arange(-1.4,1.4001,.005)/t/2**.5))
            cs=np.cumsum(cdf)*.005;x0=np.arange(-1.4,1.4001,.005)
            for l in np.arange(md-2.6*sp,md+.3*sp,.01):
                for u in np.arange(max(l+.01,md-.3*sp),md+2.6*sp,.01):
                    if t>=.05 and u-l<.02 or u-l>=.08:
                        F.append((np.interp(G-l,x0,cdf)-np.interp(G-u,x0,cdf))/(u-l))
        F=np.array(F);F/=F.sum(1,keepdims=True)
        ll=np.log(L@F.T+1e-300).sum(0);w=np.exp(ll-ll.max());w/=w.sum()
        refine.info=(lln,ll.max(),len(F))
        if lln-ll.max()<6:
            base=np.tile(w@F,(N,1));dens=np.ones(len(G))
    q=L*base*dens;q/=q.sum(1,keepdims=True);C=np.cumsum(q,1)-q/2
    out=[]
    for c in C:
        out.append([np.interp(.5,c,G),np.interp(.025,c,G),np.interp(.975,c,G)])
    return np.array(out)*100
def answer(lo,hi):
    if lo>-MARGIN and hi<MARGIN: return 'same'
    return 'higher' if lo>0 else 'lower' if hi<0 else 'open'
def main():
    fs=sorted(glob.glob(os.path.join(DATA,'*.csv')));names=[os.path.basename(f)[:-4] for f in fs]
    S=[counts(f) for f in fs];res=refine(*fit(S)).round(4)
    with open('answers.csv','w',newline='') as h:
        w=csv.writer(h);w.writerow(['study','estimate','low','high','answer'])
        for nm,(e,l,u) in zip(names,res): w.writerow([nm,e,l,u,answer(l,u)])
    json.dump(dict(studies=len(fs),mean_estimate=float(res[:,0].mean()),mean_width=float((res[:,2]-res[:,1]).mean()),estimates={k:float(r[0]) for k,r in zip(names,res)}),open('results.json','w'),indent=1)
if __name__=='__main__':
    main()
    if os.environ.get('V'): print(fit.info)
