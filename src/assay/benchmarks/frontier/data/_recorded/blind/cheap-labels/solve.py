import sys,json,time
from core import *
T0=time.process_time()
folder=os.environ.get('ASSAY_DATA') or 'data'
NOPRIOR=os.environ.get('NOPRIOR')
names,N1,N0,ch=load(folder)
K=len(names);d=10
rng=np.random.default_rng(7)
mu0=np.array([0,0,.6,-1.5,-1.5,-1.5,-1.5,-1.7,1,2.]);S0=np.diag([1,1,1,2,2,2,2,.5,1,1.])
t,H,c=fit(modelA,N1,N0,mu0,S0)
ori=(t[:,3]-t[:,4]-t[:,5]+t[:,6]>0)
X1,X0=swap(N1,N0)
O1=np.where(ori[:,None,None,None],N1,X1);O0=np.where(ori[:,None,None],N0,X0)

from math import lgamma,log,pi
def PCf(la,lb):
    ra=sg(la);rb=sg(lb)
    return np.where(errA,ra[...,None,:],1-ra[...,None,:])*np.where(errB,rb[...,None,:],1-rb[...,None,:])
def ext(t):
    """8 basic parameters (t: disc, balance, concordant, big1, eps, big2, q0, q1) + 8: q0 offset at 00, 9,10: error rates depend on the other answer"""
    p=pE(t);z=t[...,3:4]
    la=np.where(Ea==0,t[...,3:4],t[...,4:5])+t[...,9:10]*((Ea==0)&(Eb==1))
    lb=np.where(Eb==0,t[...,4:5],t[...,5:6])+t[...,10:11]*((Eb==1)&(Ea==0))
    lq=np.where(nerr==0,t[...,6][...,None,None],t[...,7][...,None,None])
    o=np.zeros((4,4));o[0,0]=1
    lq=lq+t[...,8][...,None,None]*o
    J=PCf(la,lb)*p[...,None,:];qd=sg(lq);return np.stack([J*(1-qd),J*qd],-2)
B10=np.array([0,.3,.6,-.8,-3.2,-3.2,-.9,-1.75,1.1,1.3]);V10=np.array([.04,.15,.06,.06,.15,.15,.06,.01,.06,.1])
i8=[0,1,2,3,4,6,7,8]
def m8(t): return modelA(t[...,[0,1,2,3,4,4,5,6,7,7]])
def m8x(cols):
    def m(t):
        f=np.zeros(t.shape[:-1]+(11,));f[...,:8]=t[...,:8]
        for j,c in enumerate(cols): f[...,c]=t[...,8+j]
        return ext(f)
    return m
MOD={'m8':(m8,B10[i8],V10[i8]),
 'm9':(lambda t:modelA(t[...,[0,1,2,3,4,4,5,6,7,8]]),np.delete(B10,5),np.delete(V10,5)),
 'm10':(modelA,B10,V10),
 'm8q':(m8x([8]),np.r_[B10[i8],0],np.r_[V10[i8],.02]),
 'm8d':(m8x([9,10]),np.r_[B10[i8],0,0],np.r_[V10[i8],.02,.02])}
def m7(t):
    qa=sg(t[...,0]);qb=sg(t[...,1])
    p=np.stack([(1-qa)*(1-qb),(1-qa)*qb,qa*(1-qb),qa*qb],-1)
    q=sg(t[...,[5,6,6]])
    J=PCf(np.where(Ea==0,t[...,2:3],t[...,3:4]),np.where(Eb==0,t[...,3:4],t[...,4:5]))*p[...,None,:]
    qd=q[...,nerr];return np.stack([J*(1-qd),J*qd],-2)
MOD['m7']=(m7,np.array([.5,.2,-.8,-3.3,-1,-1.75,1.1]),np.array([.06,.06,.04,.15,.06,.01,.08]))
def m8o(t):   # as m7, with a log odds ratio of the two truths
    pa=sg(t[...,0]);pb=sg(t[...,1]);w=np.exp(t[...,7])-1
    w=np.where(np.abs(w)<1e-6,1e-6,w)
    b_=1+(pa+pb)*w;p11=(b_-np.sqrt(b_*b_-4*w*(w+1)*pa*pb))/(2*w)
    p=np.clip(np.stack([1-pa-pb+p11,pb-p11,pa-p11,p11],-1),1e-9,1)
    q=sg(t[...,[5,6,6]])
    J=PCf(np.where(Ea==0,t[...,2:3],t[...,3:4]),np.where(Eb==0,t[...,3:4],t[...,4:5]))*p[...,None,:]
    qd=q[...,nerr];return np.stack([J*(1-qd),J*qd],-2)
MOD['m8o']=(m8o,np.r_[MOD['m7'][1],0.],np.r_[MOD['m7'][2],.02])
NS=1500
def delta7(t): return 100*(sg(t[...,0])-sg(t[...,1]))
def delta8(t): return 100*sg(t[...,0])*(2*sg(t[...,1])-1)
def IS(model,mu,S,n1,n0,t,H):
    d=len(mu);Si=np.linalg.inv(S);ldS=np.linalg.slogdet(S)[1]
    V=np.linalg.inv(H)*1.15;L=np.linalg.cholesky(V);nu_=7
    z=rng.standard_normal((NS//2,d));z=np.r_[z,-z];g=rng.chisquare(nu_,NS//2)/nu_;g=np.r_[g,g]
    y=z/np.sqrt(g)[:,None]
    x=t[:,None]+np.einsum('kij,sj->ksi',L,y)
    lq=-(nu_+d)/2*np.log1p((y**2).sum(1)/nu_)-np.log(np.einsum('kii->ki',L)).sum(1)[:,None]
    lq=lq+lgamma((nu_+d)/2)-lgamma(nu_/2)-d/2*log(nu_*pi)
    l=ll(model(x),n1[:,None],n0[:,None])
    e=x-mu;lp=-.5*((e@Si)*e).sum(-1)-.5*ldS-d/2*log(2*pi)
    return x,l+lp-lq
def EB(key):
    global delta
    delta=delta7 if key in('m7','m8o') else delta8
    model,mu,v=MOD[key];Sp=np.diag(v);S=Sp*2.5;mup=mu.copy();nu=6.;kap=.5;t=None
    for it in range(NIT):
        t,H,c=fit(model,O1,O0,mu,S,t0=t,it=25 if it==0 else 3)
        V=np.linalg.inv(H)
        mu=(t.sum(0)+kap*mup)/(K+kap); dd=t-mu
        S=(V.sum(0)+dd.T@dd+nu*Sp)/(K+nu)
    t,H,c=fit(model,O1,O0,mu,S,t0=t,it=6)
    W=np.full((K,2,NS),-1e9);DL=np.zeros((K,2,NS))
    for i in range(0,K,24):
        sl=slice(i,min(K,i+24)); x,lw=IS(model,mu,S,O1[sl],O0[sl],t[sl],H[sl]);DL[sl,0]=delta(x);W[sl,0]=lw
    M=W[:,0].max(1);ev=(M+np.log(np.exp(W[:,0]-M[:,None]).mean(1))).sum()
    print(key,'evidence',round(ev,2),'mu',mu,'sd',np.sqrt(np.diag(S)),time.process_time()-T0,file=sys.stderr)
    return ev,model,mu,S,t,H,c,W,DL
np.set_printoptions(linewidth=170,precision=3,suppress=True)
NIT=int(os.environ.get('NIT','30'))
keys=os.environ.get('MODELS','m7,m8o,m8,m10,m8d').split(',')
res={}
for k_ in keys:
    if time.process_time()-T0>60: break
    res[k_]=EB(k_)
pen=10. if K>50 else 3.
bestk=max(res,key=lambda k:res[k][0]-pen*len(res[k][2]))
print('chosen',bestk,file=sys.stderr)
ev,model,mu,S,t,H,c,W,DL=res[bestk];d=len(mu)
delta=delta7 if bestk in('m7','m8o') else delta8
NS=6000;W=np.full((K,2,NS),-1e9);DL=np.zeros((K,2,NS))
for i in range(0,K,8):
    sl=slice(i,min(K,i+8)); x,lw=IS(model,mu,S,O1[sl],O0[sl],t[sl],H[sl]);DL[sl,0]=delta(x);W[sl,0]=lw
sd=np.sqrt(np.diag(S));print(S/sd[:,None]/sd,file=sys.stderr)
z=rng.multivariate_normal(mu,S,200000);bd=delta(z)
edges=np.arange(-80,80.01,.5);mid=(edges[1:]+edges[:-1])/2
m0,s0=bd.mean(),bd.std()
hb=np.histogram(bd,edges)[0]/len(bd)/.5
k=np.exp(-.5*(np.arange(-8,9)*.5/1.2)**2);k/=k.sum();hb=np.convolve(hb,k,'same');hb=np.maximum(hb,1e-6)
Q1,Q0=swap(O1,O0)
t2,H2,c2=fit(model,Q1,Q0,mu,S,it=25)
ix=np.where(c2>c-12)[0]
for i in range(0,len(ix),8):
    j=ix[i:i+8]; x,lw=IS(model,mu,S,Q1[j],Q0[j],t2[j],H2[j]);DL[j,1]=delta(x);W[j,1]=lw
W=np.exp(W-W.max((1,2),keepdims=True));W/=W.sum((1,2),keepdims=True)
print('swapped mass>1%:',(W[:,1].sum(1)>.01).sum(),'ESS min/med',np.sort(1/(W.reshape(K,-1)**2).sum(1))[[0,K//2]],time.process_time()-T0,file=sys.stderr)
# learn distribution of oriented delta
comps=[(m,s) for s in(1.5,3.,6.) for m in np.arange(-40,40.1,s)]+[(m0,s0)]
w0=np.array([(s*np.exp(-.5*((m-m0)/(1.3*s0))**2)) for m,s in comps]);w0/=w0.sum();w0[-1]=.3;w0/=w0.sum()
bi=np.clip(((DL+80)/.5).astype(int),0,len(mid)-1)
Wb=W/hb[bi]
Hm=np.zeros((K,len(mid)))
for i in range(K): Hm[i]=np.bincount(bi[i].ravel(),Wb[i].ravel(),len(mid))
G=np.array([np.exp(-.5*((mid-m)/s)**2)/s/2.5066 for m,s in comps])
P=Hm@G.T
w=w0.copy()
al=float(os.environ.get('AL','1')) if K>50 else 4.
for _ in range(int(os.environ.get('EMI','250' if K>50 else '150'))):
    g=P*w;g/=g.sum(1,keepdims=True);w=g.sum(0)+al*w0;w/=w.sum()
gd=w@G
print('delta prior',{float(m):round(float(v),4) for m,v in zip(mid[60:260:4],gd[60:260:4])},file=sys.stderr)
if NOPRIOR: gd=hb
rows=[];est={}
sgn=np.where(ori,1,-1)
for i,n in enumerate(names):
    ww=(Wb[i]*np.interp(DL[i],mid,gd)).ravel()
    x=np.concatenate([DL[i,0]*sgn[i],-DL[i,1]*sgn[i]])
    o=np.argsort(x);x=x[o];cw=np.cumsum(ww[o]);cw=(cw-ww[o]/2)/cw[-1]
    lo,md,hi=[round(float(np.interp(q,cw,x)),3) for q in(.025,.5,.975)]
    a='same' if lo>-8 and hi<8 else 'higher' if lo>0 else 'lower' if hi<0 else 'open'
    rows.append((n,md,lo,hi,a));est[n]=md
with open('answers.csv','w') as f:
    f.write('study,estimate,low,high,answer\n')
    for r in rows: f.write(','.join(map(str,r))+'\n')
json.dump({'studies':K,'mean_estimate':float(np.mean(list(est.values()))),'mean_width':float(np.mean([r[3]-r[2] for r in rows])),'estimates':est},open('results.json','w'),indent=1)
print('cpu',time.process_time()-T0,file=sys.stderr)
