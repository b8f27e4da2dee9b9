import numpy as np, os, csv, glob
from math import lgamma, log, pi
def read(folder):
    out={}
    for f in sorted(glob.glob(os.path.join(folder,'*.csv'))):
        a=[];b=[]
        for r in csv.DictReader(open(f)):
            try: v=float(r['value'])
            except Exception: continue
            if not np.isfinite(v): continue
            (a if r['arm'].strip()=='a' else b).append(v)
        out[os.path.splitext(os.path.basename(f))[0]]=(np.sort(a),np.sort(b))
    return out
NEG=-1e4
def pos(f):
    def g(z):
        with np.errstate(all='ignore'):
            r=f(np.maximum(z,1e-12))
        return np.where(z>0,r,NEG)
    return g
# each family: (kind, logpdf(z)) ; kind 'sym','flip'
def t(nu):
    c=lgamma((nu+1)/2)-lgamma(nu/2)-.5*log(nu*pi)
    return lambda z: c-(nu+1)/2*np.log1p(z*z/nu)
def gg(p):
    c=log(p/2)-lgamma(1/p)
    return lambda z: c-np.abs(z)**p
def beta(a):
    c=lgamma(2*a)-2*lgamma(a)-(2*a-1)*log(2)
    def f(z):
        return np.where(np.abs(z)<1,c+(a-1)*np.log(np.maximum(1-z*z,1e-9)),NEG)
    return f
def cn(e,k):
    c=-.5*log(2*pi)
    return lambda z: c+np.log((1-e)*np.exp(-.5*z*z)+e/k*np.exp(-.5*z*z/k/k)+1e-300)
def gam(k): return pos(lambda z:(k-1)*np.log(z)-z-lgamma(k))
def wei(k): return pos(lambda z:log(k)+(k-1)*np.log(z)-z**k)
def logn(s): return pos(lambda z:-np.log(z)-log(s)-.5*log(2*pi)-.5*(np.log(z)/s)**2)
FAM={'normal':lambda z:-.5*log(2*pi)-.5*z*z,
 'logistic':lambda z:-np.abs(z)-2*np.log1p(np.exp(-np.abs(z))),
 'laplace':gg(1.0),'uniform':lambda z:np.where(np.abs(z)<=1,-log(2),NEG),
 'expo':pos(lambda z:-z),'halfn':pos(lambda z:.5*log(2/pi)-.5*z*z)}
for nu in (1,1.5,2,2.5,3,4,5,7,10,20): FAM['t%g'%nu]=t(nu)
for p in (1.5,3,4,6,10,20): FAM['gg%g'%p]=gg(p)
for a in (.7,.85,1.2,1.5,2): FAM['beta%g'%a]=beta(a)
for e in (.05,.1,.15,.2,.3):
    for k in (3,4,5,6,10): FAM['cn%g_%g'%(e,k)]=cn(e,k)
for k in (.8,.9,1.1,1.25,1.5,2,3,4): FAM['gam%g'%k]=gam(k)
for k in (.8,.9,1.1,1.25,1.5,2): FAM['wei%g'%k]=wei(k)
for k in (.3,.4,.5,.6,.7,.8,.9,1): FAM['logn%g'%k]=logn(k)
FLIP={k for k in FAM if k[:3] in('exp','hal','gam','wei','log') and k!='logistic'}
def grid_ll(x,mu,s,f):
    z=(x[:,None,None]-mu[None,None,:])/s[None,:,None]
    return f(z).sum(0)-len(x)*np.log(s)[:,None]
def logsum(v,axis=None):
    m=v.max(axis=axis,keepdims=True)
    r=np.log(np.exp(v-m).sum(axis=axis,keepdims=True))+m
    return r.item() if axis is None else np.squeeze(r,axis)
def rng_of(lp,g,thr):
    i=np.nonzero(lp>lp.max()-thr)[0]
    d=g[1]-g[0]
    return g[i[0]]-d,g[i[-1]]+d
def fit(a,b,fam,final=(24,160),passes=((20,40),(20,40),(16,40))):
    """returns log evidence, mu step, s grid, La,Lb arrays on common-step grids"""
    f=FAM[fam]
    ra=a[-1]-a[0];rb=b[-1]-b[0]
    iq=np.subtract(*np.percentile(a,[75,25]))
    ls=(np.log(iq*.15),np.log(max(iq*3,1.3*max(ra,rb) if fam=='uniform' or fam[:4]=='beta' else 0)))
    if fam=='uniform' or fam[:4]=='beta':
        lo=np.log(max(ra,rb)/2*1.000001); ls=(lo,lo+.4)
    def m0(x):
        if fam in FLIP:
            return (x[0]-1.5*iq-(5*iq if fam[:3] =='log' else 0),x[0])
        m=np.median(x);mid=(x[0]+x[-1])/2
        if fam=='uniform' or fam[:4]=='beta': return (mid-.25*(x[-1]-x[0]),mid+.25*(x[-1]-x[0]))
        return (m-iq,m+iq)
    A=m0(a);B=m0(b)
    allp=list(passes)+[final]
    for k,(S,G) in enumerate(allp):
        s=np.exp(np.linspace(ls[0],ls[1],S))
        if k==len(allp)-1:
            w=max(A[1]-A[0],B[1]-B[0]); h=w/(G-1)
            ma=A[0]+h*np.arange(G);mb=B[0]+h*np.arange(G)
        else:
            ma=np.linspace(*A,G);mb=np.linspace(*B,G)
        La=grid_ll(a,ma,s,f);Lb=grid_ll(b,mb,s,f)
        if k<len(allp)-1:
            J=logsum(La,1)+logsum(Lb,1)
            pa=logsum(La+logsum(Lb,1)[:,None],0);pb=logsum(Lb+logsum(La,1)[:,None],0)
            if J.max()<-9e3: 
                # empty grid: keep
                continue
            thr=12
            ls=rng_of(J,np.log(s),thr);na=rng_of(pa,ma,thr);nb=rng_of(pb,mb,thr)
            if fam in FLIP: na=(na[0],min(na[1],a[0]));nb=(nb[0],min(nb[1],b[0]))
            A,B=na,nb
    J=logsum(La,1)+logsum(Lb,1)
    ev=logsum(J)+2*np.log(h)+np.log(np.log(s[1]/s[0]))
    return ev,h,ma[0],mb[0],s,La,Lb
def fitd(a,b,fam,**kw):
    """with direction: returns list of fits"""
    r=[(1,fit(a,b,fam,**kw))]
    if fam in FLIP: r.append((-1,fit(-a[::-1],-b[::-1],fam,**kw)))
    return r
def evid(a,b,fam,**kw):
    r=fitd(a,b,fam,**kw)
    return logsum(np.array([q[1][0] for q in r]))-np.log(len(r))
def dpost(ft,lsprior=None):
    """density of delta (mb-ma) on a grid"""
    ev,h,a0,b0,s,La,Lb=ft
    J=logsum(La,1)+logsum(Lb,1)
    if lsprior is not None: J=J+lsprior(np.log(s))
    w=np.exp(J-J.max());w/=w.sum()
    pa=np.exp(La-La.max(1,keepdims=True));pa/=pa.sum(1,keepdims=True)
    pb=np.exp(Lb-Lb.max(1,keepdims=True));pb/=pb.sum(1,keepdims=True)
    G=pa.shape[1];n=2*G
    c=np.fft.irfft(np.conj(np.fft.rfft(pa,n,axis=1))*np.fft.rfft(pb,n,axis=1),n,axis=1)
    c=np.concatenate([c[:,-(G-1):],c[:,:G]],1)
    p=np.maximum((c*w[:,None]).sum(0),0)
    d=b0-a0+h*np.arange(-(G-1),G)
    return d,p/p.sum()
