import numpy as np,csv,glob,os,json,math,sys,time
L10=math.log(10)
def load(folder):
    out={}
    for f in sorted(glob.glob(os.path.join(folder,'*.csv'))):
        rows=list(csv.DictReader(open(f)));d={}
        for m in ('anchor','probe'):
            r=[]
            for x in rows:
                if x['method']!=m:continue
                try:r.append((math.log10(float(x['rate'])),float(x['valid']),float(x['test'])))
                except Exception:pass
            d[m]=np.array(r)
        out[os.path.basename(f)[:-4]]=d
    return out
# QMC points for the value of a choice among four
M=377;_i=np.arange(M);QX=(_i+.5)/M;QU=((_i*233)%M+.5)/M
def ppf(u):
    from statistics import NormalDist
    n=NormalDist();return np.array([n.inv_cdf(float(v)) for v in u])
QZ=ppf(QU);QX=-3+3*QX
_r=np.arange(M,dtype=float);QW=_r*(_r-1)*(_r-2);QW[:3]=0;QW/=QW.sum()
def value(P,x0,c,D,sg):
    f=-np.minimum(c[:,None]*(QX-x0[:,None])**2,D[:,None]);v=f+sg[:,None]*QZ
    o=np.argsort(v,axis=1);return P+(np.take_along_axis(f,o,1)*QW).sum(1)
# parameters: P, x0, log c, log D, log sigma
def analyse(D,KC=1,seed=1,sweeps=700,block=2600,keep=200,verbose=True):
    rng=np.random.default_rng(seed);names=list(D);S=len(names)
    sets=[];order=[]
    for k in names:
        a,p=D[k]['anchor'],D[k]['probe'];big=0 if len(a)>=len(p) else 1
        order.append(big);sets+= [a,p] if big==0 else [p,a]
    N=2*S;n=np.array([len(s) for s in sets]);mx=n.max()
    X=np.zeros((N,mx));Y=np.zeros((N,mx));W=np.zeros((N,mx));DD=np.zeros(N)
    for i,s in enumerate(sets):
        X[i,:n[i]]=s[:,0];Y[i,:n[i]]=(s[:,1]+s[:,2])/2;W[i,:n[i]]=1;DD[i]=((s[:,1]-s[:,2])**2).sum()
    def rss(th):
        f=th[:,0:1]-np.minimum(np.exp(th[:,2:3])*(X-th[:,1:2])**2,np.exp(th[:,3:4]))
        r=(Y-f)*W;return np.einsum('ij,ij->i',r,r)
    def lik(th,R=None):
        if R is None:R=rss(th)
        # mean of valid and test: variance s^2/2; difference: 2 s^2
        s2=np.exp(2*th[:,4]);return -(2*n)*th[:,4]-R/s2-DD/(4*s2)
    # start: grid
    best=np.full(N,np.inf);th=np.zeros((N,5))
    for x0 in np.linspace(-3.1,.1,15):
        for c in (1.5,2.5,4,6,9,13):
            for Dp in (8,12,16,22,32):
                g=-np.minimum(c*(X-x0)**2,Dp);P=((Y-g)*W).sum(1)/n;r=(((Y-g-P[:,None])*W)**2).sum(1)
                r=r+.3*((x0+1.5)**2+(math.log(Dp/16))**2*4)*r/n
                b=r<best;best[b]=r[b];th[b,0]=P[b];th[b,1]=x0;th[b,2]=math.log(c);th[b,3]=math.log(Dp)
    th[:,4]=.5*np.log((DD/2+2*rss(th))/(2*n)+.01)
    mu=np.tile([79.,-1.5,1.5,2.75,.8],2);C0=np.diag(np.tile([3.5,.8,.5,.3,.7],2)**2)
    nu0=14.;mus=np.tile(mu,(KC,1));Cs=np.tile(C0,(KC,1,1));Cis=np.tile(np.linalg.inv(C0),(KC,1,1))
    sgm=th.reshape(S,10)[:,4]+th.reshape(S,10)[:,9];zl=np.argsort(np.argsort(sgm))*KC//S;pi=np.ones(KC)/KC
    mz=mus[zl];Cz=Cis[zl]
    def lprior(th):
        z=th.reshape(S,10)-mz;return -.5*((Cz@z[:,:,None])[:,:,0]*z).sum(1)
    sc=np.tile([.5,.15,.2,.2,.12],(N,1));acc=np.zeros((N,5));L=lik(th)
    draws=[];hist=[]
    mu0=np.tile([79.,-1.5,1.5,2.75,.8],2);V0i=np.diag(1/np.tile([4,.8,.6,.4,1],2)**2)
    def gibbs(labels=True):
        nonlocal zl,mz,Cz,pi
        z=th.reshape(S,10)
        if KC>1 and labels:
            lp=np.empty((S,KC))
            for k in range(KC):
                q=z-mus[k];lp[:,k]=math.log(pi[k])+.5*np.linalg.slogdet(Cis[k])[1]-.5*((q@Cis[k])*q).sum(1)
            zl=(lp-np.log(-np.log(rng.random((S,KC))))).argmax(1)
            pi=rng.dirichlet(np.bincount(zl,minlength=KC)+2.)
        for k in range(KC):
            zk=z[zl==k];nk=len(zk);m=zk.mean(0) if nk else mu0
            A=np.linalg.inv(V0i+nk*Cis[k]);A=(A+A.T)/2;mus[k]=A@(V0i@mu0+nk*Cis[k]@m)+np.linalg.cholesky(A)@rng.normal(size=10)
            zz=zk-mus[k];Sc=C0*(nu0-11)+zz.T@zz;df=nu0+nk
            Lc=np.linalg.cholesky(np.linalg.inv(Sc));B=np.zeros((10,10))
            for i in range(10):
                B[i,i]=math.sqrt(rng.chisquare(df-i));B[i,:i]=rng.normal(size=i)
            G=Lc@B;Cis[k]=G@G.T
        mz=mus[zl];Cz=Cis[zl]
    ev=np.arange(N)%2
    t0=time.process_time()
    for it in range(sweeps):
        for k in range(5):
            # both members move in turn, likelihood evaluated together
            prop=th.copy();prop[:,k]+=sc[:,k]*rng.normal(size=N)
            Lp=lik(prop)
            for h in (0,1):
                p2=th.copy();p2[h::2]=prop[h::2];d=lprior(p2)-lprior(th)+(Lp-L)[h::2]
                ok=np.log(rng.random(S))<d;j=np.arange(h,N,2)[ok];th[j]=prop[j];L[j]=Lp[j]
                if it<sweeps*.8:
                    sc[h::2,k]*=np.exp((ok-.4)*min(.3,3/(it+5)**.6))
        if it>30:gibbs(it>150)
        if it>=sweeps//3:hist.append(th.copy())
    Hh=np.array(hist);cen=Hh-Hh.mean(0);Cv=np.einsum('tni,tnj->nij',cen,cen)/len(Hh)+np.eye(5)*1e-8
    Ch=np.linalg.cholesky(Cv);fac=np.full(N,1.05);acc=np.zeros(N)
    tk=[]
    for it in range(block):
        st=fac*(1 if it%3 else .4)
        prop=th+st[:,None]*np.einsum('nij,nj->ni',Ch,rng.normal(size=(N,5)))
        Lp=lik(prop)
        for h in (0,1):
            p2=th.copy();p2[h::2]=prop[h::2];d=lprior(p2)-lprior(th)+(Lp-L)[h::2]
            ok=np.log(rng.random(S))<d;j=np.arange(h,N,2)[ok];th[j]=prop[j];L[j]=Lp[j];acc[j]+=1
        if it%4==0:gibbs()
        if (it+1)%(block//keep)==0:tk.append(th.copy())
    if verbose:
        print('accept',(acc/block).mean().round(2),np.quantile(acc/block,[0,.1,.5]).round(2),'cpu',time.process_time()-t0)
        print('mu',mus.round(2),'pi',pi.round(2));print('sd',[np.sqrt(np.diag(np.linalg.inv(c))).round(2) for c in Cis])
        T0=np.array(tk);rr=rss(T0.mean(0));print('noise ratio',((2*rr).sum()/1)/1 if 0 else (rr/(DD/4)).mean().round(3))
    T0=np.array(tk);K=len(T0);V=np.empty((K,N))
    for q in range(K):
        t=T0[q];V[q]=value(t[:,0],t[:,1],np.exp(t[:,2]),np.exp(t[:,3]),np.exp(t[:,4]))
    sg=np.array([1 if o==0 else -1 for o in order])
    d=(V[:,1::2]-V[:,0::2])*sg   # second (small) minus first (big); big==anchor -> probe-anchor
    return names,d,T0,V
def answer(lo,hi,m=2):
    if lo>-m and hi<m:return 'same'
    if lo>0:return 'higher'
    if hi<0:return 'lower'
    return 'open'
if __name__=='__main__':
    D=load(os.environ.get('ASSAY_DATA') or 'data')
    small=len(D)<60
    names,d,T0,V=analyse(D,KC=1 if small else 2,sweeps=1500 if small else 900,block=16000 if small else 6000,keep=1000 if small else 500)
    E={};Wd=[]
    with open('answers.csv','w') as f:
        f.write('study,estimate,low,high,answer\n')
        for i,k in enumerate(names):
            x=d[:,i];e=x.mean();lo,hi=np.quantile(x,[.025,.975])
            if not small:
                s=x.std();lo=.5*lo+.5*(e-1.96*s);hi=.5*hi+.5*(e+1.96*s)
            e,lo,hi=round(float(e),4),round(float(lo),4),round(float(hi),4);E[k]=e;Wd.append(hi-lo)
            f.write(f'{k},{e},{lo},{hi},{answer(lo,hi)}\n')
    json.dump({"studies":len(names),"mean_estimate":round(float(np.mean(list(E.values()))),6),"mean_width":round(float(np.mean(Wd)),6),"estimates":E},open('results.json','w'),indent=1)
