import csv,glob,os,numpy as np
ZG=np.linspace(-7,7,281); DZ=ZG[1]-ZG[0]
BS=np.array([0,1,2,3,4,5.5,8,14.])
QS=np.array([1e-3,.005,.01,.015,.02,.03,.04,.05,.06,.08,.10,.12,.14,.16,.18,.2,.22,.24,.26,.28,.3,.33,.36,.39,.42,.45,.48,.52,.55,.6,.65,.7,.75,.8,.85,.9])
def load(folder):
    out=[]
    for f in sorted(glob.glob(os.path.join(folder,'*.csv'))):
        with open(f) as fh: R=list(csv.DictReader(fh))
        n=int(R[0]['planned']); d={}
        for o in('calm','bold'):
            L=[r for r in R if r['optimiser']==o]
            y=np.log([float(r['loss']) for r in L if r['status']=='done']) if L else np.array([])
            nd=sum(r['status']=='node' for r in L)
            d[o]=(np.asarray(y),n-len(L),nd,n)
        out.append((os.path.basename(f)[:-4],d))
    return out
def base(eps,dl):
    # sinh-arcsinh: x=sinh(dl*asinh(z)-eps) ~ N(0,1)
    t=dl*np.arcsinh(ZG)-eps; x=np.sinh(t)
    g=np.exp(-x*x/2)*dl*np.cosh(t)/np.sqrt(1+ZG**2)
    g=np.maximum(g,1e-300)/ (g.sum()*DZ)
    return g
def sig(x): return 1/(1+np.exp(-np.clip(x,-500,500)))
def table(g,bs=BS,qs=QS):
    # returns logK [nb,nq,nz] = log g*(1-fail), zmed [nb,nq]
    K=np.empty((len(bs),len(qs),len(ZG))); zm=np.full((len(bs),len(qs)),np.nan)
    w=g*DZ
    for i,b in enumerate(bs):
        lo=np.full(len(qs),-200.);hi=np.full(len(qs),200.)
        for _ in range(60):
            m=(lo+hi)/2; q=(sig(m[:,None]+b*ZG)*w).sum(1)
            up=q<qs; lo=np.where(up,m,lo); hi=np.where(up,hi,m)
        a=(lo+hi)/2
        s1=sig(-(a[:,None]+b*ZG))
        K[i]=np.log(np.maximum(g*s1,1e-200))
        for j in range(len(qs)):
            c=np.cumsum(g*s1[j])*DZ; c=c-.5*g*s1[j]*DZ
            if qs[j]<.5: zm[i,j]=np.interp(.5,c,ZG)
    return K,zm
MU=np.round(np.arange(-.3,.9,.02),3)
def armLL(arm,K,s,mus):
    y,nf,nd,n=arm
    nb,nq,nz=K.shape
    u=((y[:,None]-mus)/s-ZG[0])/DZ
    u=np.clip(u,0,nz-1.001); k=u.astype(int); fr=u-k
    nm=len(mus); C=np.zeros(nz*nm); col=np.broadcast_to(np.arange(nm),k.shape)
    C+=np.bincount((k*nm+col).ravel(),(1-fr).ravel(),nz*nm)
    C+=np.bincount(((k+1)*nm+col).ravel(),fr.ravel(),nz*nm)
    LL=(K.reshape(nb*nq,nz)@C.reshape(nz,nm)).reshape(nb,nq,nm)
    LL+=nf*np.log(QS)[None,:,None]-len(y)*np.log(s)
    return LL
