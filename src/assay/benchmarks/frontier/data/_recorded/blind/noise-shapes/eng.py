import numpy as np, csv, glob, os, math
lg=math.lgamma
erfc=np.vectorize(math.erfc)
def fam(name,p):
    """returns logf(z) vectorised, standard scale 1"""
    if name=='t':
        c=lg((p+1)/2)-lg(p/2)-.5*math.log(p*math.pi)
        return lambda z: c-(p+1)/2*np.log1p(z*z/p)
    if name=='gn':
        c=math.log(p/2)-lg(1/p)
        return lambda z: c-np.abs(z)**p
    if name=='norm':
        return lambda z: -.5*z*z-.9189385332
    if name=='logis':
        return lambda z: -np.abs(z)-2*np.log1p(np.exp(-np.abs(z)))
    if name=='gumb':
        return lambda z: -z-np.exp(-np.clip(z,-30,None))
    if name=='unif':
        return lambda z: np.where(np.abs(z)<=.5,0.,-1e4)
    if name=='beta':   # on (-.5,.5)
        c=lg(2*p)-2*lg(p)
        def f(z):
            y=.25-z*z
            return np.where(y>0,c+(p-1)*np.log(np.maximum(y,1e-12)),-1e4)
        return f
    if name=='exp':
        return lambda z: np.where(z>=0,-z,-1e4)
    if name=='gam':
        c=-lg(p)
        return lambda z: np.where(z>0,c+(p-1)*np.log(np.maximum(z,1e-9))-z,-1e4)
    if name=='wei':
        c=math.log(p)
        return lambda z: np.where(z>0,c+(p-1)*np.log(np.maximum(z,1e-9))-np.maximum(z,0)**p,-1e4)
    if name=='logn':   # lognormal sigma p
        c=-.9189385332-math.log(p)
        def f(z):
            l=np.log(np.maximum(z,1e-9)); return np.where(z>0,c-l-.5*(l/p)**2,-1e4)
        return f
    if name=='emg':  # exp(1)+ p*N  
        from math import sqrt
        zg=np.linspace(-8*p,-8*p+60,60001); 
        # density exp(p^2/2 - z) * Phi(z/p - p)
        x=zg/p-p
        lphi=np.where(x>-5,np.log(np.maximum(.5*erfc(-np.maximum(x,-5)/sqrt(2)),1e-300)),-.5*x*x-np.log(np.maximum(-x,1))-.9189385+np.log1p(-1/np.maximum(x*x,25)+3/np.maximum(x*x,25)**2))
        tab=p*p/2-zg+lphi; h=zg[1]-zg[0]
        def f(z):
            i=((z-zg[0])/h+.5).astype(int)
            return np.where(i<0,-50-.5*(z/p)**2,tab[np.clip(i,0,60000)])
        return f
    if name=='un': # uniform(-.5,.5)+pN
        zg=np.linspace(-1.5,1.5,30001)
        d=np.maximum(.5*(erfc((np.abs(zg)-.5)/p/2**.5)-erfc((np.abs(zg)+.5)/p/2**.5)),1e-30)
        tab=np.log(d)
        def f(z):
            i=((z+1.5)/1e-4+.5).astype(int)
            return np.where((i<0)|(i>30000),-200.,tab[np.clip(i,0,30000)])
        return f
    if name=='cn':
        e,k=p
        return lambda z: np.log((1-e)*np.exp(-.5*z*z)+e/k*np.exp(-.5*(z/k)**2)+1e-300)-.9189385332
    if name=='gg': # generalized gamma: k, power
        k,q=p
        c=math.log(q)-lg(k)
        return lambda z: np.where(z>0,c+(k*q-1)*np.log(np.maximum(z,1e-9))-np.maximum(z,0)**q,-1e4)
    if name=='pareto': # lomax alpha=p
        return lambda z: np.where(z>=0,math.log(p)-(p+1)*np.log1p(np.maximum(z,0)),-1e4)
    if name=='hn':
        return lambda z: np.where(z>=0,-.2257913526-.5*z*z,-1e4)
ONE={'gg','exp','gam','wei','logn','pareto','hn','emg'}
TWO={'unif','beta','un'}
def load(folder):
    D={}
    for f in sorted(glob.glob(os.path.join(folder,'*.csv'))):
        a=[];b=[]
        for r in csv.DictReader(open(f)):
            try: v=float(r['value'])
            except Exception: continue
            if not math.isfinite(v): continue
            (a if r['arm'].strip()=='a' else b).append(v)
        D[os.path.basename(f)[:-4]]=(np.array(a),np.array(b))
    return D
def arm(x,f,mus,ss):
    # mus (S,M), ss (S,) -> loglik (S,M)
    return f((x[None,None,:]-mus[:,:,None])/ss[:,None,None]).sum(-1)-len(x)*np.log(ss)[:,None]
def marg(a,b,name,p,sgn=1,fine=False,f=None,sp=None):
    """log marginal (flat mu_a,d, log s) and posterior of d: (grid, prob)"""
    f=f or fam(name,p)
    a=a*sgn;b=b*sgn
    one=name in ONE; two=name in TWO
    n=min(len(a),len(b))
    MA=0;N1=40 if not fine else 50
    iq=np.subtract(*np.percentile(np.r_[a-np.median(a),b-np.median(b)],[75,25]))
    # parametrise location by anchor: edge kinds anchor at min / midrange; mu = anchor(x) - c
    if one: aa,ab=a.min(),b.min()
    elif two: aa,ab=(a.min()+a.max())/2,(b.min()+b.max())/2
    else: aa,ab=np.median(a),np.median(b)
    # stage 1 coarse
    if two:
        r=max(np.ptp(a),np.ptp(b))
        ss=r*(1+np.geomspace(1e-4,.6,34)) if name!='un' else r*(.85+np.geomspace(.01,.5,34))
    else: ss=iq*np.geomspace(.12,6,34)
    if one: u=-np.r_[np.geomspace(2e-4,1.,60)]*iq*2; u=u if name in('exp','pareto','hn') else np.r_[u,-np.geomspace(2.1,12,12)*iq]
    elif two: u=np.sinh(np.linspace(-6,6,81))/np.sinh(6)*.6*iq*2*.5
    else: u=np.linspace(-1,1,41)*iq*1.2
    if name=='emg': u=np.r_[u,np.geomspace(2e-4,.5,30)*iq*2]
    u=np.sort(u)
    S=len(ss)
    w=np.gradient(u); ws=np.gradient(np.log(ss))
    def m(x,an):
        L=arm(x,f,np.broadcast_to(an+u,(S,len(u))),ss)
        return L
    LA=m(a,aa);LB=m(b,ab)
    def lse(L,w):
        M=L.max(-1,keepdims=True); return (np.log((np.exp(L-M)*w).sum(-1))+M[...,0])
    la=lse(LA,w);lb=lse(LB,w)
    tot=la+lb+np.log(ws)
    M=tot.max(); lm=M+np.log(np.exp(tot-M).sum())
    if not fine: return lm
    cut=11
    ok=np.where(tot-np.log(ws)>(tot-np.log(ws)).max()-cut)[0]
    s0,s1=ss[max(ok[0]-1,0)],ss[min(ok[-1]+1,S-1)]
    # mu range
    TA=(LA+lb[:,None]).max(0);TB=(LB+la[:,None]).max(0)
    T=TA
    def rng(T):
        o=np.where(T>T.max()-cut)[0]; return u[max(o[0]-1,0)],u[min(o[-1]+1,len(u)-1)]
    ra,rb=rng(TA),rng(TB)
    if one and name!='emg': ra=(ra[0],min(0,ra[1]) if ra[1]<u[-1] else 0.);rb=(rb[0],0. if rb[1]>=u[-1] else rb[1])
    K=240 if (one or two) else 90
    W=max(ra[1]-ra[0],rb[1]-rb[0]); h=W/K
    if two: sf=s0+(s1-s0)*(np.arange(60)+.5)/60; wl=1/sf.copy()
    else: sf=np.geomspace(s0,s1,24); wl=np.ones(24)
    if sp is not None: wl=wl*np.exp(-.5*((np.log(sf)-sp[0])/sp[1])**2)/sp[1]/2.5066
    ga=np.arange(K+1)*h+ra[0]+ (h/2 if 1 else 0); gb=np.arange(K+1)*h+rb[0]+h/2
    LA=arm(a,f,np.broadcast_to(aa+ga,(len(sf),K+1)),sf)
    LB=arm(b,f,np.broadcast_to(ab+gb,(len(sf),K+1)),sf)
    M1=LA.max(1);M2=LB.max(1); tt=M1+M2+np.log(wl); M=tt.max()
    A=np.exp(LA-M1[:,None]);B=np.exp(LB-M2[:,None]);wt=np.exp(tt-M)
    nf=2048 if False else 1<<int(np.ceil(np.log2(2*K+2)))
    C=np.fft.irfft((np.fft.rfft(B,nf)*np.conj(np.fft.rfft(A,nf))*wt[:,None]).sum(0),nf)
    C=np.r_[C[-K:],C[:K+1]]; C=np.maximum(C,0)
    dg=np.arange(-K,K+1)*h+(gb[0]-ga[0])+(ab-aa)
    if sgn<0: dg=-dg[::-1];C=C[::-1]
    step=(np.log(s1/s0)/23 if not two else (s1-s0)/60)
    lmf=M+np.log(C.sum()*h*h*step)
    smean=(wt*A.sum(1)*B.sum(1)*sf).sum()/(wt*A.sum(1)*B.sum(1)).sum()
    return lmf,dg,C/C.sum(),smean
