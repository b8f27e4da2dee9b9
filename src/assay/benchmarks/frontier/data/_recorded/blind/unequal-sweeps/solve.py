import os,sys,csv,glob,json,time,numpy as np
F=np.float32
P=5 # T,c,log a,log D,log s
def load(folder):
    N=[];C=[]
    for f in sorted(glob.glob(os.path.join(folder,'*.csv'))):
        R=list(csv.DictReader(open(f))); N.append(os.path.basename(f)[:-4])
        for m in('anchor','probe'):
            Q=[r for r in R if r['method']==m]; a=np.array([[float(r[c]) for c in('rate','valid','test')] for r in Q]).reshape(-1,3)
            a[:,0]=np.log10(np.clip(a[:,0],1e-3,1)); C.append(a)
    return N,C
def curve(x,T,c,la,lD): return T-np.minimum(np.exp(lD),np.exp(la)*(x-c)**2)
XG=((np.arange(40)+.5)/40*3-3).astype(F)
ND,NW=np.polynomial.legendre.leggauss(28)
def ndtr(z): # fast normal cdf
    z=np.clip(z,-6,6); return 1/(1+np.exp(-1.5957691216*z*(1+0.044715*z*z)))
def functional(th):
    """th (...,5) -> expected test score of best of four by validation"""
    sh=th.shape[:-1]; th=th.reshape(-1,P).astype(F); out=np.empty(len(th),F)
    for i in range(0,len(th),4000):
        t=th[i:i+4000]; T,c,la,lD,ls=[t[:,j:j+1] for j in range(P)]
        f=-np.minimum(np.exp(lD),np.exp(la)*(XG-c)**2); s=np.exp(ls)
        hi=f.max(1,keepdims=True)+4*s; lo=f.min(1,keepdims=True)-1.5*s
        lo=np.maximum(lo,np.quantile(f,.12,axis=1,keepdims=True)-2*s).astype(F)
        v=(lo+hi)/2+(hi-lo)/2*ND.astype(F); w=(hi-lo)/2*NW.astype(F)
        z=(v[:,:,None]-f[:,None,:])/s[:,:,None]
        G=ndtr(z).mean(2); ph=np.exp(-.5*z*z)*(0.39894228/s[:,:,None])
        A=ph.mean(2); B=(ph*f[:,None,:]).mean(2); K=4*G**3*w
        out[i:i+4000]=T[:,0]+(K*B).sum(1)/(K*A).sum(1)
    return out.reshape(sh)
class Model:
    def __init__(s,C,K=16,seed=1):
        s.g=np.random.default_rng(seed); s.C=C; s.S=len(C)//2; s.K=K; n=s.n=np.array([len(a) for a in C]); m=n.max()
        s.X=np.zeros((len(C),m),F);s.Y=np.zeros((len(C),m),F);s.M=np.zeros((len(C),m),F)
        for i,a in enumerate(C): s.X[i,:n[i]]=a[:,0]; s.Y[i,:n[i]]=(a[:,1]+a[:,2])/2; s.M[i,:n[i]]=1
        s.dd=np.array([((a[:,1]-a[:,2])**2).sum()/2 for a in C])
        # anchors 0::2 probes 1::2
        s.mu=np.array([80,-1.5,1.5,2.9,.7]*2,float); s.cov=np.diag(np.array([4,.8,.6,.5,.8]*2)**2)
        s.init()
    def ss(s,th,idx):
        """th (len(idx),K,5) -> 2*sum (y-f)^2"""
        if len(idx)>8 and (s.n[idx]<=48).any() and (s.n[idx]>48).any():
            o=np.empty(th.shape[:2]); k=s.n[idx]<=48
            o[k]=s.ss(th[k],idx[k]); o[~k]=s.ss(th[~k],idx[~k]); return o
        if len(idx)>60:
            return np.concatenate([s.ss(th[i:i+40],idx[i:i+40]) for i in range(0,len(idx),40)])
        m=s.n[idx].max()
        X=s.X[idx,:m][:,None,:]; t=th.astype(F); D=np.exp(t[...,3:4]); a=np.exp(t[...,2:3])
        r=X-t[...,1:2]; r*=r; r*=a; np.minimum(r,D,out=r); r+=s.Y[idx,:m][:,None,:]; r-=t[...,0:1]; r*=s.M[idx,:m][:,None,:]
        return 2*np.einsum('ijk,ijk->ij',r,r).astype(float)
    def ll(s,th,idx):
        q=s.ss(th,idx)+s.dd[idx][:,None]; return -2*s.n[idx][:,None]*th[...,4]-.5*q*np.exp(-2*th[...,4])
    def init(s):
        B=300; nc=2*s.S; th=np.zeros((nc,B,P))
        th[...,1]=s.g.uniform(-2.9,-.1,(nc,B)); th[...,2]=s.g.normal(1.5,.6,(nc,B)); th[...,3]=s.g.normal(2.8,.35,(nc,B))
        idx=np.arange(nc)
        for i in range(0,nc,40):
            j=idx[i:i+40]; t=th[j]; X=s.X[j][:,None,:]
            f=np.minimum(np.exp(t[...,3:4]),np.exp(t[...,2:3])*(X-t[...,1:2])**2); n=s.n[j][:,None]
            t[...,0]=((s.Y[j][:,None,:]+f)*s.M[j][:,None,:]).sum(2)/n; q=s.ss(t,j)+s.dd[j][:,None]
            t[...,4]=.5*np.log(q/(2*n)); l=-n*np.log(q); l/=3.; p=np.exp(l-l.max(1,keepdims=True)); p/=p.sum(1,keepdims=True)
            th[j]=t
            for a,jj in enumerate(j):
                k=s.g.choice(B,s.K,p=p[a]); th[jj,:s.K]=t[a,k]+s.g.normal(0,.03,(s.K,P))*[5,1,1,1,1]
        s.th=th[:,:s.K].copy(); s.L=s.ll(s.th,idx)
    def prior(s,a,b,Pm):
        d=np.concatenate([a,b],-1)-s.mu; return -.5*np.einsum('ijk,kl,ijl->ij',d,Pm,d)
    def em(s,nu=None):
        A=np.concatenate([s.th[0::2],s.th[1::2]],-1); Z=A.reshape(-1,2*P); n=s.S
        k0=2.; m0=np.array([80,-1.5,1.5,2.8,.7]*2); mu=(Z.mean(0)*n+k0*m0)/(n+k0)
        V=(Z-mu).T@(Z-mu)/len(Z); nu=8.; V0=np.diag(np.array([3.5,.7,.5,.35,.7]*2)**2)
        s.mu=mu; s.cov=(n*V+nu*V0)/(n+nu)
    def run(s,iters,emfrom,emevery=10,keep=None):
        K=s.K; out=[]; inv=np.linalg.inv(s.cov); acc=0
        ev=np.arange(0,2*s.S,2); od=ev+1
        for it in range(iters):
            if emfrom is not None and it>=emfrom and it%emevery==0: s.em(); inv=np.linalg.inv(s.cov)
            for me,ot in ((ev,od),(od,ev)):
                cur=s.th[me]; p1=s.g.permutation(K); sh=s.g.integers(1,K); sh2=s.g.integers(1,K)
                while sh2==sh: sh2=s.g.integers(1,K)
                i1=(np.arange(K)+sh)%K; i2=(np.arange(K)+sh2)%K
                u=s.g.random(); 
                gam=(1.0 if u<.1 else s.g.choice([.75,.5,.25]))
                mask=np.ones(P) if s.g.random()<.5 else (s.g.random(P)<.5)
                pr=cur+(gam*(cur[:,p1][:,i1]-cur[:,p1][:,i2]))[:,np.argsort(p1)]*mask+s.g.normal(0,1e-3,cur.shape)
                Lp=s.ll(pr,me); o=s.th[ot]
                if me is ev: d=s.prior(pr,o,inv)-s.prior(cur,o,inv)
                else: d=s.prior(o,pr,inv)-s.prior(o,cur,inv)
                # c bounded in the range of settings
                d=np.where((pr[...,1]>-3.3)&(pr[...,1]<.3),d,-1e9)
                ok=np.log(s.g.random(Lp.shape))<Lp-s.L[me]+d; acc+=ok.mean()/2
                cur[ok]=pr[ok]; s.th[me]=cur; l=s.L[me]; l[ok]=Lp[ok]; s.L[me]=l
            if keep and it%keep==keep-1: out.append(s.th.copy())
        s.acc=acc/iters
        return np.array(out) if keep else None
def analyse(folder,burn=600,main=1300,keep=26,seed=1,verbose=False):
    N,C=load(folder); m=Model(C,16,seed); t=time.process_time()
    m.run(burn,250); 
    if verbose: print('burn',time.process_time()-t,'acc',m.acc)
    o=m.run(main,0,10,keep) # (k,2S,K,5)
    if verbose: print('main',time.process_time()-t,'acc',m.acc)
    fu=functional(o); d=(fu[:,1::2]-fu[:,0::2]).transpose(1,0,2).reshape(m.S,-1).astype(float)
    if verbose: print('func',time.process_time()-t)
    return N,d,m,o
def interval(d):
    """per row of draws: Cornish-Fisher quantiles, averaged with the empirical ones"""
    m=d.mean(1,keepdims=True); s=d.std(1,keepdims=True); z=(d-m)/s; g=np.clip((np.clip(z,-4,4)**3).mean(1),-1,1); k=np.clip((np.clip(z,-4.5,4.5)**4).mean(1)-3,-.6,2)
    out=[]
    for q,p in((-1.96,.025),(1.96,.975)):
        cf=q+(q*q-1)*g/6+(q**3-3*q)*k/24-(2*q**3-5*q)*g*g/36
        out.append(m[:,0]+s[:,0]*(.7*cf+.3*np.quantile(z,p,axis=1)))
    return out
def answer(lo,hi):
    if lo>-2 and hi<2: return 'same'
    if lo>0: return 'higher'
    if hi<0: return 'lower'
    return 'open'
def main():
    N,d,m,o=analyse(os.environ.get('ASSAY_DATA','data'),verbose='-v' in sys.argv)
    E={};W=[]; LO,HI=interval(d)
    with open('answers.csv','w',newline='') as f:
        c=csv.writer(f); c.writerow(['study','estimate','low','high','answer'])
        for i,n in enumerate(N):
            e=round(float(d[i].mean()),4); l,h=round(float(LO[i]),4),round(float(HI[i]),4)
            c.writerow([n,e,l,h,answer(l,h)]); E[n]=e; W.append(h-l)
    json.dump(dict(studies=len(N),mean_estimate=round(float(np.mean(list(E.values()))),6),mean_width=round(float(np.mean(W)),6),estimates=E),open('results.json','w'),indent=1)
    if '-v' in sys.argv:
        np.set_printoptions(precision=2,suppress=True,linewidth=200)
        print(m.mu,np.sqrt(np.diag(m.cov))); print(m.cov/np.sqrt(np.outer(np.diag(m.cov),np.diag(m.cov))))
        for i,n in enumerate(N): print(n,m.n[2*i:2*i+2],o[:,2*i].mean((0,1)),o[:,2*i+1].mean((0,1)))
if __name__=='__main__': main()
