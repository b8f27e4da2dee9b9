"""Sources with sticky regimes, a mixture of lags and an echo on a clock: EM with tables shrunk to shared ones."""
import os
os.environ["OPENBLAS_NUM_THREADS"]="1"
import json,time
from pathlib import Path
import numpy as np
OFF=6
def fit(X,Ln,nr=2,P=6,seed=0,sched=((1e5,40),(20,30)),al=.3,la=.6,lamr=True,share_r=True,echo=None):
    S,n,T=X.shape;rng=np.random.default_rng(seed);Xc=np.maximum(X,0)
    valid=(np.arange(T)[None,None]<Ln[:,:,None])[:,:,OFF:]
    code=np.zeros((S,6,n,T-OFF),np.int64)
    for l in range(1,7): code[:,l-1]=Xc[:,:,OFF-l:T-l]*4+Xc[:,:,OFF:]
    TT=T-OFF
    ec=np.zeros((S,n,TT),bool);match=np.zeros((S,n,TT));rho=np.full(S,.9);nxt=np.full((S,n),-1)
    for i in range(S):
        if echo[i] is not None:
            p,ph,c=echo[i];tt=np.arange(OFF,T);ec[i]=valid[i]&((tt%p==ph)[None]);match[i]=Xc[i][:,OFF:T]==Xc[i][:,OFF-c:T-c]
            rho[i]=np.clip((match[i][ec[i]].sum()+1)/(ec[i].sum()+1.5)-.08,.05,.98)
            for j in range(n):
                L=Ln[i,j]
                if L%p==ph: nxt[i,j]=X[i,j,L-c]
    ecf=ec*1.;rh=rho[:,None,None]*ecf
    M=rng.dirichlet(np.ones(4)*1.5,size=(P,nr,6,4)) # shared
    for l in range(6):
        c=np.bincount(code[:,l][valid],minlength=16).reshape(4,4)+1.;c/=c.sum(1,keepdims=True);M[:,:,l]=.4*M[:,:,l]+.6*c
    E=np.broadcast_to(M[:,None],(P,S,nr,6,4,4)).copy()
    lam=np.full((P,S,nr,6),1/6.);R=np.full((P,S,nr,nr),.06/max(1,nr-1));R[...,np.arange(nr),np.arange(nr)]=.94;pi=np.full((P,S,nr),1/nr)
    ii=(np.arange(S)[:,None,None,None]*6+np.arange(6)[None,:,None,None])*16+code # S,6,n,TT
    for kap,iters in list(sched)+[(None,1)]:
        for it in range(iters):
            # B: P,nr,S,6,n,TT
            Er=np.swapaxes(E,1,2).reshape(P,nr,-1)
            B6=Er[:,:,ii]*np.swapaxes(lam,1,2)[...,None,None]
            B=B6.sum(3) # P,nr,S,n,TT
            Bq=(1-rh)*B+rh*match;Bt=np.where(valid,Bq,1.).transpose(0,2,3,4,1) # P,S,n,TT,nr
            alp=np.zeros_like(Bt);sc=np.ones(Bt.shape[:4])
            for t in range(TT):
                pr=np.broadcast_to(pi[:,:,None],Bt.shape[:3]+(nr,)) if t==0 else np.matmul(alp[...,t-1,:],R)
                a=pr*Bt[...,t,:];c=a.sum(-1);sc[...,t]=c;alp[...,t,:]=a/c[...,None]
            ll=np.log(sc).sum((2,3))
            if kap is None:break
            G=np.zeros_like(Bt);be=np.ones(Bt.shape[:3]+(nr,));xi=np.zeros_like(R);RT=np.swapaxes(R,-1,-2)
            for t in range(TT-1,-1,-1):
                G[...,t,:]=alp[...,t,:]*be*valid[:,:,t,None]
                if t:
                    bb=Bt[...,t,:]*be/sc[...,t,None];xi+=np.matmul(np.swapaxes(alp[...,t-1,:]*valid[:,:,t,None],-1,-2),bb)*R;be=np.matmul(bb,RT)
            W=B6*(G.transpose(0,4,1,2,3)*(1-rh)/np.maximum(Bq,1e-9))[:,:,:,None] # P,nr,S,6,n,TT
            off=np.arange(P*nr).reshape(P,nr,1,1,1,1)*(S*96)
            cnt=np.bincount((ii+off).ravel(),weights=W.ravel(),minlength=P*nr*S*96).reshape(P,nr,S,6,4,4).transpose(0,2,1,3,4,5)
            tot=cnt.sum(-1).sum(-1) # P,S,nr,6
            if not lamr: tot=np.broadcast_to(tot.sum(2,keepdims=True),tot.shape)
            lam=tot+la;lam/=lam.sum(-1,keepdims=True)
            M=cnt.sum(1)+.7
            if not share_r: M=np.broadcast_to(M.sum(1,keepdims=True),M.shape)
            M=M/M.sum(-1,keepdims=True)
            E=cnt+al+kap*M[:,None];E/=E.sum(-1,keepdims=True)
            xi=xi+np.eye(nr)*8+.3;R=xi/xi.sum(-1,keepdims=True);pi=G[:,:,:,0].sum(2)+2;pi/=pi.sum(-1,keepdims=True)
    pred=np.zeros((P,S,n,4))
    for i in range(S):
        for j in range(n):
            L=Ln[i,j];pm=np.matmul(alp[:,i,j,L-1-OFF][:,None],R[:,i])[:,0]
            for l in range(6): pred[:,i,j]+=np.einsum('pr,pr,pra->pa',pm,lam[:,i,:,l],E[:,i,:,l,X[i,j,L-1-l]])
            if nxt[i,j]>=0:
                pred[:,i,j]*=1-rho[i];pred[:,i,j,nxt[i,j]]+=rho[i]
    return dict(E=E,M=M,lam=lam,R=R,pi=pi,ll=ll,pred=pred)

def find_echo(X,Ln):
    out=[]
    for i in range(len(X)):
        D=[(t,X[i,j,t-6:t+1]) for j in range(X.shape[1]) for t in range(6,Ln[i,j])]
        t=np.array([d[0] for d in D]);Z=np.array([d[1] for d in D]);y=Z[:,6]
        best=(0,None)
        for c in range(1,7):
            n=np.ones((4,4))*.5;np.add.at(n,(Z[:,6-c],y),1);f=n/n.sum(1,keepdims=True);base=np.log(f[Z[:,6-c],y]);mt=Z[:,6-c]==y
            for p in range(2,9):
                for ph in (0,):
                    m=t%p==ph;k=mt[m].sum();N=m.sum();r=min(.97,max(.3,(k-.25*N)/(.75*N+1e-9)))
                    g=(np.log(np.where(mt[m],r+(1-r)*np.exp(base[m]),(1-r)*np.exp(base[m])))-base[m]).sum()
                    if g>best[0]:best=(g,(p,ph,c))
        out.append(best)
    return out
def arrays(sources):
    S=len(sources);n=len(sources[0]);Lm=max(len(x) for s in sources for x in s)+1
    X=np.full((S,n,Lm),-1);Ln=np.zeros((S,n),int)
    for i in range(S):
        for j in range(n):
            x=list(map(int,sources[i][j]));X[i,j,:len(x)]=x;Ln[i,j]=len(x)
    return X,Ln
def ensemble(X,Ln,echo,temp=20.):
    ps,ls=[],[]
    for kw in KWS:
        d=fit(X,Ln,echo=echo,**kw);ps.append(d["pred"]);ls.append(d["ll"]-kw.get("pen",0))
    ps=np.concatenate(ps);l=np.concatenate(ls)/temp;w=np.exp(l-l.max(0));w/=w.sum(0)
    p=np.einsum("ps,psna->sna",w,ps);p=np.maximum(p,.003);return p/p.sum(-1,keepdims=True)
def main():
    X,Ln=arrays(json.loads(Path("problem.json").read_text())["sources"])
    echo=[b[1] if b[0]>3.5 else None for b in find_echo(X,Ln)]
    p=ensemble(X,Ln,echo)
    Path("answers.json").write_text(json.dumps({"odds":p.round(6).tolist()}))
KWS=[dict(P=4,sched=((10,30),(2,40)),la=.2),dict(P=2,sched=((1e5,40),(2,40)),la=.3,seed=5),dict(P=3,sched=((4,30),(1.5,40)),la=.1,seed=9)]
if __name__=="__main__":
    main()
