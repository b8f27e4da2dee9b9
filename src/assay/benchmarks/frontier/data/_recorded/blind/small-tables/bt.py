import numpy as np
from gp import sig
def indicators(cols,N):
    F=[]
    for k,x,u,m in cols:
        if k=='n':
            un=np.unique(np.round(x,6)); 
            if len(un)<2: continue
            mids=(un[1:]+un[:-1])/2
            if len(mids)>20: mids=np.quantile(x,np.linspace(.04,.96,20))
            F+=[x>c for c in mids]
        else: F+=[x[:,c]>.5 for c in range(x.shape[1]) if x[:,c].sum()>1.5]
    return np.array(F,dtype=np.float32).T
def boost(cols,y,N,rng,bags=16,depth=3,rounds=50,lr=.1,lam=2.0,keep=.4,sub=.7,snaps=()):
    Ind=indicators(cols,N); n=len(y); F=Ind.shape[1]; I=np.ascontiguousarray(Ind[:n])
    f0=np.log((y.sum()+1)/(n-y.sum()+1)); f=np.full((bags,N),f0); res=[]
    for t in range(rounds):
        p=sig(f[:,:n]); w=rng.random((bags,n))<sub
        g=(y-p)*w; h=p*(1-p)*w
        idx=np.zeros((bags,N),int)
        for d in range(depth):
            k=2**d
            Mk=(idx[:,None,:n]==np.arange(k)[None,:,None])
            gm=(Mk*g[:,None]).reshape(-1,n).astype(np.float32);hm=(Mk*h[:,None]).reshape(-1,n).astype(np.float32)
            GL=gm@I;HL=hm@I;G=gm.sum(1)[:,None];H=hm.sum(1)[:,None]
            gain=GL**2/(HL+lam)+(G-GL)**2/(H-HL+lam)-G**2/(H+lam)
            gain[(HL<.5)|(H-HL<.5)]=0
            gain*=rng.random(gain.shape)<keep
            b=gain.argmax(1).reshape(bags,k)
            ok=gain.max(1).reshape(bags,k)>1e-6
            ft=np.take_along_axis(b,idx,1); o=np.take_along_axis(ok,idx,1)
            go=Ind[np.arange(N)[None,:],ft]*o
            idx=2*idx+go.astype(int)
        k=2**depth
        Mk=(idx[:,None,:n]==np.arange(k)[None,:,None])
        v=(Mk*g[:,None]).sum(2)/((Mk*h[:,None]).sum(2)+lam)
        f=f+lr*np.take_along_axis(v,idx,1)
        if t+1 in snaps: res.append(sig(f[:,n:]).mean(0))
    return res if snaps else sig(f[:,n:]).mean(0)
