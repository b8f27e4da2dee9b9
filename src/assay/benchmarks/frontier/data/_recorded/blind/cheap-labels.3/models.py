from core import *
ia=np.arange(2)
CA,CB,TA,TB=np.meshgrid(ia,ia,ia,ia,indexing='ij')
EA=(CA!=TA)*1;EB=(CB!=TB)*1
def errp(fa1,fa0,fb1,fb0):
    # error prob of a if ta=1: fa1...
    def one(E,T,e1,e0):
        e=np.where(T==1,e1[...,None,None,None,None],e0[...,None,None,None,None])
        return np.where(E==1,e,1-e)
    return one(EA,TA,fa1,fa0)*one(EB,TB,fb1,fb0)
def base(th): return truth(th[...,:3])[...,None,None,:,:]
def withD(C,L):
    d=sig(L);return np.stack([C*(1-d),C*d],-5)
x4=lambda v:v[...,None,None,None,None]
def m_num4(t): # 3+4+3
    C=base(t)*errp(*[sig(t[...,i]) for i in(3,4,5,6)])
    k=EA+EB
    L=np.where(k==0,x4(t[...,7]),np.where(k==1,x4(t[...,8]),x4(t[...,9])))
    return withD(C,L)
def m_num2(t): # h,l
    h,l=sig(t[...,3]),sig(t[...,4])
    C=base(t)*errp(h,l,l,h);k=EA+EB
    L=np.where(k==0,x4(t[...,5]),np.where(k==1,x4(t[...,6]),x4(t[...,7])))
    return withD(C,L)
def m_any2(t):
    h,l=sig(t[...,3]),sig(t[...,4])
    C=base(t)*errp(h,l,l,h);k=EA+EB
    L=np.where(k==0,x4(t[...,5]),x4(t[...,6]))
    return withD(C,L)
def m_lin2(t):
    h,l=sig(t[...,3]),sig(t[...,4])
    C=base(t)*errp(h,l,l,h);k=EA+EB
    return withD(C,x4(t[...,5])+k*x4(t[...,6]))
def m_any4(t):
    C=base(t)*errp(*[sig(t[...,i]) for i in(3,4,5,6)]);k=EA+EB
    L=np.where(k==0,x4(t[...,7]),x4(t[...,8]))
    return withD(C,L)
def m_noisyor2(t): # doubt: 1-(1-d0)(1-q)^k
    h,l=sig(t[...,3]),sig(t[...,4])
    C=base(t)*errp(h,l,l,h);k=EA+EB
    d=1-(1-x4(sig(t[...,5])))*(1-x4(sig(t[...,6])))**k
    return np.stack([C*(1-d),C*d],-5)
def m_doubtfirst4(t): # D indep truth; errors by D: h,l each
    C1=base(t)*errp(*[sig(t[...,i]) for i in(3,4,5,6)]);C0=base(t)*errp(*[sig(t[...,i]) for i in(7,8,9,10)])
    d=x4(sig(t[...,11]));return np.stack([C0*(1-d),C1*d],-5)
def m_hard2(t): # hidden hard; errors h,l in hard; e in easy; D noisy
    h,l,e=sig(t[...,3]),sig(t[...,4]),sig(t[...,5])
    Ch=base(t)*errp(h,l,l,h);Ce=base(t)*errp(e,e,e,e)
    r=x4(sig(t[...,6]));d1=x4(sig(t[...,7]));d0=x4(sig(t[...,8]))
    return np.stack([Ch*r*(1-d1)+Ce*(1-r)*(1-d0),Ch*r*d1+Ce*(1-r)*d0],-5)
def m_sat(t): # truth-specific doubt+ any errors by number
    h,l=sig(t[...,3]),sig(t[...,4])
    C=base(t)*errp(h,l,l,h)
    L=x4(t[...,5])+EA*x4(t[...,6])+EB*x4(t[...,7])+EA*EB*x4(t[...,8])+TA*x4(t[...,9])+TB*x4(t[...,10])
    return withD(C,L)
def m_numT(t):
    h,l=sig(t[...,3]),sig(t[...,4])
    C=base(t)*errp(h,l,l,h)
    fav=((EA==1)&(TA==1))|((EB==1)&(TB==0))  # favours b
    unf=((EA==1)&(TA==0))|((EB==1)&(TB==1))
    return withD(C,x4(t[...,5])+fav*x4(t[...,6])+unf*x4(t[...,7]))
K=dict(num4=(m_num4,10),num2=(m_num2,8),any2=(m_any2,7),lin2=(m_lin2,7),any4=(m_any4,9),noisyor2=(m_noisyor2,7),first4=(m_doubtfirst4,12),hard2=(m_hard2,9),sat=(m_sat,11),numT=(m_numT,8))
def ml(model,S,U,t0,prior_sd=3.,it=150):
    f,n=model;t=np.tile(t0,(len(S),1)).astype(float);N=S.sum((1,2,3,4,5))+U.sum((1,2,3))
    def obj(t): return loglik(f(t),S,U)-.5*((t-t0)**2).sum(1)/prior_sd**2
    cur=obj(t);lam=np.ones(len(S))*1.
    for _ in range(it):
        P=f(t);q=P.sum((-1,-2),keepdims=True)
        e=S+U[...,None,None]*P/q
        J=[]
        for j in range(n):
            tt=t.copy();tt[:,j]+=1e-4;J.append((np.log(f(tt)+1e-300)-np.log(P+1e-300))/1e-4)
        J=np.stack(J,-1)
        g=(e[...,None]*J).reshape(len(S),-1,n).sum(1)-(t-t0)/prior_sd**2
        Jf=J.reshape(len(S),-1,n);I=np.einsum('sci,sc,scj->sij',Jf,e.reshape(len(S),-1),Jf)+np.eye(n)/prior_sd**2
        step=np.linalg.solve(I,g[...,None])[...,0]
        nt=t+lam[:,None]*step;new=obj(nt);ok=new>=cur
        t[ok]=nt[ok];cur[ok]=new[ok];lam=np.where(ok,np.minimum(lam*1.3,3),lam*.4)
    return t,loglik(f(t),S,U)
