import numpy as np
def pack(S,NL=6,extra=None):
    nS=len(S);TT=22;N=45
    F=np.zeros((nS,N,TT,1+4*NL));Y=np.zeros((nS,N,TT),int);M=np.zeros((nS,N,TT));Q=np.zeros((nS,N,1+4*NL))
    pos=np.zeros((nS,N),int)
    for s in range(nS):
        for n,t in enumerate(S[s]):
            L=len(t);pos[s,n]=L
            for i in range(6,L+1):
                f=np.zeros(1+4*NL);f[0]=1
                for l in range(1,NL+1): f[1+4*(l-1)+t[i-l]]=1
                if i<L: F[s,n,i-6]=f;Y[s,n,i-6]=t[i];M[s,n,i-6]=1
                else: Q[s,n]=f
    return F,Y,M,Q,pos
def softmax(z): z=z-z.max(-1,keepdims=True);e=np.exp(z);return e/e.sum(-1,keepdims=True)
sg=lambda x:1/(1+np.exp(-x))
def run(S,K=2,its=600,seed=0,lr=.03,lamD=6.,lamU=.7,lamB=1.,share=True,cb=None,extra=None,stay0=2.8,lamDm=None,modefree=True):
    rng=np.random.default_rng(seed)
    F,Y,M,Q,pos=pack(S);nS,N,T=Y.shape
    H=F.reshape(nS,-1,25);HT=np.ascontiguousarray(np.swapaxes(H,1,2));y1=np.eye(4)[Y]
    P=dict(M=rng.normal(size=(K,6,4,4))*.4,u=np.full((nS,6),.5),bm=np.zeros((K,4)),D=np.zeros((nS,K,6,4,4)),b=np.zeros((nS,K,4)),b0=np.zeros((nS,4)),
           D0=np.zeros((nS,6,4,4)),st=np.full((nS,K),stay0),pi=np.zeros((nS,K)),ep=np.full(nS,-3.))
    mo={k:np.zeros_like(v) for k,v in P.items()};ve={k:np.zeros_like(v) for k,v in P.items()}
    def weights():
        A=P['M'][None]*P['u'][:,None,:,None,None]+P['D0'][:,None]+P['D']
        W=np.concatenate([(P['b0'][:,None]+P['b']+P['bm'])[:,:,None,:],A.reshape(nS,K,24,4)],2) # s,K,25,4
        return W
    def trans():
        a=sg(P['st']);Tm=np.zeros((nS,K,K))
        for i in range(K):
            for j in range(K): Tm[:,i,j]=a[:,i] if i==j else (1-a[:,i])/(K-1) if K>1 else 0
        if K==1: Tm[:]=1
        return Tm
    def filt(p,Tm,pi):
        # p (s,n,t,K)
        al=np.zeros((nS,N,T,K));c=np.ones((nS,N,T));cur=np.repeat(pi[:,None],N,1)
        pred_end=cur.copy()
        for t in range(T):
            if t: cur=al[:,:,t-1]@Tm
            q=cur*p[:,:,t];c_=q.sum(-1);al[:,:,t]=q/c_[...,None];c[:,:,t]=c_
        return al,c
    for it in range(its):
        W=weights();z=(H[:,None]@W).reshape(nS,K,N,T,4);q=softmax(z).transpose(0,2,3,1,4) # s,n,t,K,4
        eps=sg(P['ep'])[:,None,None,None]
        qy=(q*y1[:,:,:,None]).sum(-1);p=(1-eps)*qy+eps/4;p=np.where(M[...,None]>0,p,1.)
        Tm=trans();pi=softmax(P['pi']);al,c=filt(p,Tm,pi)
        be=np.ones((nS,N,K));gam=np.zeros_like(al);xi=np.zeros((nS,K,K))
        for t in range(T-1,-1,-1):
            gam[:,:,t]=al[:,:,t]*be
            g=gam[:,:,t].sum(-1,keepdims=True);gam[:,:,t]/=g
            if t:
                w=p[:,:,t]*be
                x=al[:,:,t-1][...,:,None]*Tm[:,None]*w[...,None,:];x/=x.sum((-1,-2),keepdims=True)
                xi+=(x*M[:,:,t][...,None,None]).sum(1)
                be=np.einsum('sij,snj->sni',Tm,w);be/=be.sum(-1,keepdims=True)
        ll=(np.log(c)*M).sum()
        r=gam*M[...,None]*((1-eps)*qy/p)
        dz=r[...,None]*(y1[:,:,:,None]-q) # s,n,t,K,4
        dW=HT[:,None]@dz.transpose(0,3,1,2,4).reshape(nS,K,-1,4)
        G={};db=dW[:,:,0];dA=dW[:,:,1:].reshape(nS,K,6,4,4)
        G['b']=db-P['b']*6.;G['b0']=db.sum(1)-P['b0']*lamB
        G['M']=(dA*P['u'][:,None,:,None,None]).sum(0)-P['M']*1.;G['u']=(dA*P['M']).sum((1,-1,-2))-lamU*(P['u']-.3);G['bm']=db.sum(0)-P['bm']*2
        G['D']=dA-(lamDm or lamD)*P['D'];G['D0']=dA.sum(1)-lamD*P['D0']
        e=eps[:,0,0,0];G['ep']=((gam*M[...,None])*(0.25-qy)/p).sum((1,2,3))*e*(1-e)-(P['ep']+3)
        a=sg(P['st']);d=np.einsum('sii->si',xi);G['st']=d*(1-a)-(xi.sum(2)-d)*a-2.*(P['st']-stay0)
        G['pi']=gam[:,:,0].sum(1)-N*pi-2*P['pi']
        if K==1: G['st']*=0
        l=lr*min(1,3*(1-it/its))
        for k in P:
            mo[k]=.9*mo[k]+.1*G[k];ve[k]=.98*ve[k]+.02*G[k]**2
            P[k]=P[k]+l*mo[k]/(1-.9**(it+1))/(np.sqrt(ve[k]/(1-.98**(it+1)))+1e-8)
        if cb and (it+1)%cb[0]==0: cb[1](it,ll/M.sum()/np.log(2),predict(P,K,nS,N,T,Q,al,M,weights(),Tm,pi))
    return predict(P,K,nS,N,T,Q,al,M,weights(),Tm,pi),P,(np.log(c)*M).sum((1,2))
def predict(P,K,nS,N,T,Q,al,M,W,Tm,pi):
    last=M.sum(2).astype(int)-1
    f=np.take_along_axis(al,last[:,:,None,None],2)[:,:,0]@Tm
    q=softmax(np.einsum('snf,skfc->snkc',Q,W));e=sg(P['ep'])[:,None,None]
    return (1-e)*(f[...,None]*q).sum(2)+e/4
