import numpy as np
LV=np.array([.1,.5,.9])
def cat(D):
    c=lambda k:np.concatenate([d[k] for d in D])
    d={k:c(k) for k in ('x','B','anc','s','rr','Y','scl','cmp','w')}
    d['log']=np.concatenate([np.full(len(q['x']),q['log']) for q in D]); d['gid']=np.concatenate([np.full(len(q['x']),i) for i,q in enumerate(D)])
    return d
def init(nin,K,hid,rng):
    return [rng.normal(size=(nin,hid))*.7/np.sqrt(nin),np.zeros(hid),rng.normal(size=(hid,K+3))*.03,np.concatenate([np.zeros(K),[0.,0.3,.3]]),np.zeros((nin,3)), np.array([2.0,2.0])]
def fwd(P,x,B,rr,drop=None):
    W1,b1,W2,b2,W3,c=P; K=B.shape[1]
    a=np.tanh(x@W1+b1)
    if drop is not None: a=a*drop
    o=a@W2+b2; o[:,K:]+=x@W3
    return a,o
def head(o,B,rr,Lx,P):
    K=B.shape[1]; c=P[5]
    lg=o[:,:K]-c[0]*Lx[0]-c[1]*Lx[1]; lg=lg-lg.max(1,keepdims=True); p=np.exp(lg); p/=p.sum(1,keepdims=True)
    med=(p*B).sum(1)+np.clip(o[:,K],-3,3)*.3*rr; lo=np.exp(np.clip(o[:,K+1],-4,3))*rr; hi=np.exp(np.clip(o[:,K+2],-4,3))*rr
    return p,med,lo,hi
def quant(P,d,mu,sd):
    x=np.clip((d['x']-mu)/sd,-4,4); K=d['B'].shape[1]; Lx=(d['x'][:,K:2*K],d['x'][:,2*K:3*K])
    a,o=fwd(P,x,d['B'],d['rr']); p,med,lo,hi=head(o,d['B'],d['rr'],Lx,P)
    return np.stack([med-lo,med,med+hi],1)
def toval(q,d):
    v=d['anc'][:,None]+d['s'][:,None]*q
    return np.where(d['log'][:,None],np.exp(np.clip(v,-50,50)),v)
def pin(v,d):
    u=d['Y'][:,:,None]-v[:,None]; return np.maximum(LV*u,(LV-1)*u).mean((1,2))/d['scl']
def score(v,d): 
    ng=d['gid'].max()+1
    return 100*((pin(d['cmp'],d)-pin(v,d))*d['w']).sum()/ng
def train(d,rng,mu,sd,hid=32,ep=60,lr=.004,wd=2e-4,pd=.2,bs=512,xn=.15,val=None):
    x0=np.clip((d['x']-mu)/sd,-4,4); n,nin=x0.shape; K=d['B'].shape[1]
    P=init(nin,K,hid,rng); m=[np.zeros_like(q) for q in P]; v=[np.zeros_like(q) for q in P]; t=0; avg=None
    w=d['w']/d['w'].mean()
    nst=ep*(n//bs)
    for e in range(ep):
        perm=rng.permutation(n)
        for b in range(n//bs):
            i=perm[b*bs:(b+1)*bs]; x=x0[i]+xn*rng.normal(size=(len(i),nin)); B=d['B'][i]; rr=d['rr'][i]; Lx=(d['x'][i][:,K:2*K],d['x'][i][:,2*K:3*K])
            dm=(rng.random((len(i),hid))>pd)/(1-pd)
            a,o=fwd(P,x,B,rr,dm); p,med,lo,hi=head(o,B,rr,Lx,P)
            q=np.stack([med-lo,med,med+hi],1); s=d['s'][i][:,None]
            val_=d['anc'][i][:,None]+s*q; lg=d['log'][i][:,None]; vv=np.where(lg,np.exp(np.clip(val_,-50,50)),val_)
            below=(d['Y'][i][:,:,None]<vv[:,None]).mean(1) # dL/dv = F(v)-level
            g=(below-LV)*w[i][:,None]/d['scl'][i][:,None]*np.where(lg,vv,1)*s/len(i)
            gm=g.sum(1); glo=-g[:,0]*lo; ghi=g[:,2]*hi
            go=np.zeros_like(o); gp=gm[:,None]*(B-(p*B).sum(1,keepdims=True))*p
            go[:,:K]=gp; go[:,K]=gm*.3*rr; go[:,K+1]=glo; go[:,K+2]=ghi
            gc=np.array([-(gp*Lx[0]).sum(),-(gp*Lx[1]).sum()])
            ga=(go@P[2].T)*dm; th=np.where(dm>0,a/np.maximum(dm,1e-9),0); gz=ga*(1-th**2)
            G=[x.T@gz,gz.sum(0),a.T@go,go.sum(0),x.T@go[:,K:],gc]
            t+=1; l=lr*min(1,t/50)*(.5+.5*np.cos(np.pi*t/nst))
            for k in range(6):
                m[k]=.9*m[k]+.1*G[k]; v[k]=.995*v[k]+.005*G[k]**2
                P[k]=P[k]-l*(m[k]/(1-.9**t))/(np.sqrt(v[k]/(1-.995**t))+1e-8)
                if k in (0,2,4): P[k]=P[k]*(1-l*wd*50)
        if val is not None and (e%15==14 or e==ep-1): print(e,'val %.3f tr %.3f'%(score(toval(quant(P,val,mu,sd),val),val),score(toval(quant(P,d,mu,sd),d),d)),P[5].round(2),flush=True)
    return P
