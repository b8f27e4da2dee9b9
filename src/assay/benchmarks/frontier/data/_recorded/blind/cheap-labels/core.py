import numpy as np,csv,glob,os
# E index: 0=00,1=01,2=10,3=11 (a,b); C same
Ea=np.array([0,0,1,1]);Eb=np.array([0,1,0,1])
def load(folder):
    names=[];N1=[];N0=[];ch=[]
    for f in sorted(glob.glob(os.path.join(folder,'*.csv'))):
        sent=np.zeros((4,2,4));un=np.zeros((4,2));c=np.full(2,np.nan)
        for r in csv.DictReader(open(f)):
            try: C=2*int(r['cheap_a'])+int(r['cheap_b']);d=int(r['doubt'])
            except Exception: continue
            if r['expert_a'].strip()!='' and r['expert_b'].strip()!='':
                sent[C,d,2*int(float(r['expert_a']))+int(float(r['expert_b']))]+=1
            else: un[C,d]+=1
            try:c[d]=float(r['chance'])
            except Exception: pass
        names.append(os.path.basename(f)[:-4]);N1.append(sent);N0.append(un);ch.append(c)
    return names,np.array(N1),np.array(N0),np.array(ch)
SW=[0,2,1,3]
def swap(N1,N0): return N1[:,SW][:,:,:,SW],N0[:,SW]
sg=lambda x:1/(1+np.exp(-x))
errA=(Ea[:,None]!=Ea[None,:]).astype(int) # [C,E]
errB=(Eb[:,None]!=Eb[None,:]).astype(int)
nerr=errA+errB
def softp(t):
    l=np.concatenate([np.zeros(t.shape[:-1]+(1,)),t],-1); l=np.exp(l-l.max(-1,keepdims=True)); return l/l.sum(-1,keepdims=True)
def pE(t):
    d=sg(t[...,0]);x=sg(t[...,1]);y=sg(t[...,2])   # discordant share, a|discordant, right|concordant
    return np.stack([(1-d)*(1-y),d*(1-x),d*x,(1-d)*y],-1)
def modelA(t):
    """t[...,0:3] p logits (vs 00), 3:7 error logits a|wrong,a|right,b|wrong,b|right, 7:10 doubt logits by # errors"""
    p=pE(t); r=sg(t[...,3:7]); q=sg(t[...,7:10])
    ra=r[...,[0,1]][...,Ea]; rb=r[...,[2,3]][...,Eb]   # [...,E]
    PC=np.where(errA,ra[...,None,:],1-ra[...,None,:])*np.where(errB,rb[...,None,:],1-rb[...,None,:]) # [...,C,E]
    qd=q[...,nerr]
    J=PC*p[...,None,:]
    return np.stack([J*(1-qd),J*qd],-2)  # C,D,E
def ll(P,N1,N0):
    return (N1*np.log(P+1e-12)).sum((-1,-2,-3))+(N0*np.log(P.sum(-1)+1e-12)).sum((-1,-2))
def fit(model,N1,N0,mu,S,t0=None,it=40):
    K=len(N1);d=len(mu);Si=np.linalg.inv(S)
    t=np.tile(mu,(K,1)) if t0 is None else t0.copy(); lam=np.full(K,1e-3)
    def obj(t):
        P=model(t);dd=t-mu
        return ll(P,N1,N0)-.5*np.einsum('ki,ij,kj->k',dd,Si,dd)
    cur=obj(t)
    def gh(t):
        P=model(t);h=1e-4
        dP=np.stack([(model(t+h*e)-model(t-h*e))/(2*h) for e in np.eye(d)],1) # K,d,4,2,4
        l1=(dP/(P+1e-12)[:,None]).reshape(K,d,-1);l0=(dP.sum(-1)/(P.sum(-1)+1e-12)[:,None]).reshape(K,d,-1)
        n1=N1.reshape(K,-1);n0=N0.reshape(K,-1)
        g=(l1*n1[:,None]).sum(-1)+(l0*n0[:,None]).sum(-1)-(t-mu)@Si
        tot=(N1.sum((1,2,3))+N0.sum((1,2)))
        H=np.einsum('kic,kjc,kc->kij',l1,l1,n1)+np.einsum('kic,kjc,kc->kij',l0,l0,n0)+Si
        return g,H
    for _ in range(it):
        g,H=gh(t)
        st=np.linalg.solve(H+lam[:,None,None]*np.eye(d)*np.einsum('kii->k',H)[:,None,None]/d,g[...,None])[...,0]
        st=np.clip(st,-1.5,1.5)
        new=obj(t+st);ok=new>=cur-1e-9
        t=np.where(ok[:,None],t+st,t);ch=np.abs(np.where(ok,new-cur,1)).max();cur=np.where(ok,new,cur)
        lam=np.where(ok,lam/5,np.minimum(lam*10,1e3))
        if ch<1e-6: break
    g,H=gh(t)
    return t,H,cur
