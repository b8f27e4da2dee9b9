import os
os.environ["OPENBLAS_NUM_THREADS"]="1"
import numpy as np
from statistics import NormalDist
_nd=NormalDist()
def sig(x): return 1/(1+np.exp(-np.clip(x,-40,40)))
def ranks(v):
    o=np.argsort(v,kind='stable'); r=np.empty(len(v)); r[o]=np.arange(len(v))
    u,inv=np.unique(v,return_inverse=True)
    s=np.bincount(inv,r)/np.bincount(inv)
    return (s[inv]+.5)/len(v)
def encode(t):
    rows=t['known']+t['asked']; N=len(rows)
    D2=[];D1=[];LIN=[];ADD=[];cols=[]
    zs={}
    for j,k in enumerate(t['kinds']):
        if k=='number':
            v=[r[j] for r in rows]; miss=np.array([x is None for x in v])
            x=np.full(N,np.nan);
            if (~miss).sum()>2:
                rk=ranks(np.array([float(a) for a in v if a is not None])+0.0)
                z=np.array([_nd.inv_cdf(a) for a in rk]); x[~miss]=z/max(z.std(),1e-6)
            zs[j]=x
    js=sorted(zs); V={}
    if js:
        Z=np.array([zs[j] for j in js]).T; Mi=np.isnan(Z); q=len(js)
        S=np.eye(q); Zi=np.where(Mi,0,Z)
        for it in range(4):
            C=np.zeros((q,q)); Vv=np.zeros_like(Z)
            for i in np.where(Mi.any(1))[0]:
                m=Mi[i];o=~m
                if not o.any(): Zi[i]=0;Vv[i]=1;C+=S;continue
                B=np.linalg.solve(S[np.ix_(o,o)],S[np.ix_(o,m)])
                Zi[i,m]=Zi[i,o]@B; cc=S[np.ix_(m,m)]-S[np.ix_(m,o)]@B
                C[np.ix_(m,m)]+=cc; Vv[i,m]=np.clip(np.diag(cc),.02,1)
            S=(Zi.T@Zi+C+20*np.eye(q))/(N+20)
            dd=np.sqrt(np.diag(S));S=S/np.outer(dd,dd)
            if not Mi.any(): break
        for a,j in enumerate(js): V[j]=(Zi[:,a],Vv[:,a],Mi[:,a])
    for j,k in enumerate(t['kinds']):
        v=[r[j] for r in rows]
        if k=='number':
            x,va,miss=V[j]; off=va[:,None]+va[None,:]; np.fill_diagonal(off,0)
            u=np.array([_nd.cdf(a) for a in x]); 
            cols.append(('n',x,u,miss))
            d=x[:,None]-x[None,:]; D2.append(d*d+off)
            D1.append(np.abs(u[:,None]-u[None,:])*3.46+.5*off)
            LIN.append(np.outer(x,x)+np.diag(va)); ADD.append(np.exp(-.5*d*d/(1+off))/np.sqrt(1+off))
        else:
            lv=sorted({a for a in v if a is not None}); O=np.array([[a==l for l in lv] for a in v],float)
            miss=np.array([a is None for a in v]); O[miss]=O[~miss].mean(0)
            same=O@O.T; np.fill_diagonal(same,1)
            cols.append(('c',O,O,miss))
            D2.append(2*(1-same));D1.append(1.2*(1-same));LIN.append(same);ADD.append(same)
    return map(np.array,(D2,D1,LIN,ADD)),cols
# params: whitened; u_j per column then globals
GM=np.array([np.log(1.0),np.log(.6),np.log(1.0),np.log(1.0),np.log(.5),np.log(.2),np.log(.6),np.log(.6)])
# A0 const, A1 lin, A2 rbf, A3 L1, A4 add, A5 quad(lin^2), c2, c3
GS=np.array([.7,1.2,1.2,1.2,1.2,1.2,.7,.7])
UM,US=-.7,1.1
class GP:
    def __init__(s,t,h=None):
        (s.D2,s.D1,s.LIN,s.ADD),s.cols=encode(t)
        s.y=np.array(t['labels'],float); s.n=len(s.y); n=s.n
        s.d=len(s.D2)
        s.h=dict(GM=GM,GS=GS,UM=UM,US=US); s.h.update(h or {})
        f=lambda A:np.ascontiguousarray(A[:,:n,:n]).reshape(s.d,-1)
        s.T=[f(A) for A in (s.D2,s.D1,s.LIN,s.ADD)]
        g=lambda A:np.ascontiguousarray(A[:,n:,:n]).reshape(s.d,-1)
        s.X=[g(A) for A in (s.D2,s.D1,s.LIN,s.ADD)]
        s.dg=np.array([np.diag(A)[n:] for A in s.LIN])
        s.f0=np.zeros(n)
    def unpack(s,p):
        u=s.h['UM']+s.h['US']*p[:s.d]; g=s.h['GM']+s.h['GS']*p[s.d:]
        return np.exp(u),np.exp(g)
    def kern(s,r,g,T):
        D2,D1,LIN,ADD=T; r2=r*r
        e2=np.exp(-.5*g[6]*(r2@D2)); e1=np.exp(-g[7]*(r@D1))
        L=r2@LIN; A=r2@ADD
        return e2,e1,L,A
    def comb(s,g,e2,e1,L,A): return g[0]+g[1]*L+g[2]*e2+g[3]*e1+g[4]*A+g[5]*L*L
    def ev(s,p,grad=True):
        n=s.n; r,g=s.unpack(p); D2,D1,LIN,ADD=s.T; r2=r*r
        e2,e1,L,A=s.kern(r,g,s.T)
        K=s.comb(g,e2,e1,L,A).reshape(n,n)
        f=s.f0; y=s.y; a=None; last=-1e30
        pi=sig(f)
        for it in range(30):
            W=pi*(1-pi)+1e-9; sw=np.sqrt(W)
            B=np.eye(n)+sw[:,None]*K*sw
            b=W*f+y-pi
            q=sw*(K@b)
            a=b-sw*np.linalg.solve(B,q)
            fn=K@a
            mx=np.abs(fn-f).max()
            if mx>4: # damp
                fn=f+(fn-f)*(4/mx)
            f=fn; pi=sig(f)
            if mx<2e-2: break
        s.f0=f
        W=pi*(1-pi)+1e-9; sw=np.sqrt(W); B=np.eye(n)+sw[:,None]*K*sw; Li=np.linalg.cholesky(B); Binv=np.linalg.inv(B)
        ll=-.5*a@f+np.sum(y*f-np.logaddexp(0,f))-np.log(np.diag(Li)).sum()
        lp=ll-.5*p@p
        st=(r,g,a,f,sw,Binv)
        if not grad: return lp,None,st
        R=sw[:,None]*Binv*sw
        KR=K@R
        post=np.diag(K)-np.einsum('ij,ji->i',KR,K)
        s2=-.5*post*(W*(1-2*pi))
        gg=s2-KR.T@s2
        aa=y-pi
        M=.5*np.outer(aa,aa)-.5*R+np.outer(gg,aa)
        M=(.5*(M+M.T)).ravel()
        G=np.empty(len(p))
        Me2=M*e2;Me1=M*e1;ML=M*L
        G[:s.d]=s.h['US']*(-g[2]*g[6]*r2*(D2@Me2)-g[3]*g[7]*r*(D1@Me1)+2*r2*(g[1]*(LIN@M)+g[4]*(ADD@M)+2*g[5]*(LIN@ML)))
        G[s.d:]=s.h['GS']*np.array([g[0]*M.sum(),g[1]*ML.sum(),g[2]*Me2.sum(),g[3]*Me1.sum(),g[4]*(M@A),g[5]*(ML@L),
            -.5*g[2]*g[6]*(Me2@(r2@D2)),-g[3]*g[7]*(Me1@(r@D1))])
        return lp,G-p,st
    def pred(s,st):
        r,g,a,f,sw,Binv=st; n=s.n
        k=s.kern(r,g,s.X); Kx=s.comb(g,*k).reshape(-1,n)
        Ld=(r*r)@s.dg; kd=g[0]+g[1]*Ld+g[2]+g[3]+g[4]*(r*r).sum()+g[5]*Ld*Ld
        mu=Kx@(s.y-sig(f))
        V=Kx*sw
        v=np.maximum(kd-np.einsum('ij,ij->i',V@Binv,V),1e-9)
        return mu,v,sig(mu/np.sqrt(1+np.pi*v/8))
    def loocv(s,st):
        r,g,a,f,sw,Binv=st; n=s.n; pi=sig(f); W=pi*(1-pi)+1e-9
        K=s.comb(g,*s.kern(r,g,s.T)).reshape(n,n)
        # post cov = W^-1 - W^-1/2 Binv W^-1/2
        S=np.maximum((1-np.diag(Binv))/W,1e-6)
        z=f+(s.y-pi)/W
        v=1/np.maximum(1/S-W,1e-6); m=v*(f/S-W*z)
        return sig(m/np.sqrt(1+np.pi*v/8))
    def run(s,rng,nopt=20,nsamp=20,lf=4,eps=.35,burn=5):
        p=np.zeros(s.d+len(s.h['GM'])); 
        lp,G,st=s.ev(p)
        m=np.zeros_like(p);v=np.zeros_like(p)
        for i in range(nopt):
            m=.8*m+.2*G; v=.9*v+.1*G*G
            p=p+.25*(m/(1-.8**(i+1)))/(np.sqrt(v/(1-.9**(i+1)))+.3)
            lp,G,st=s.ev(p)
        mapp=s.pred(st)[2]
        out=[];acc=0;s.loos=[]
        for k in range(nsamp+burn):
            q=rng.normal(size=len(p)); H=lp-.5*q@q
            e=eps*rng.uniform(.6,1.2)
            pn,Gn=p,G
            q=q+.5*e*Gn
            for l in range(lf):
                pn=pn+e*q
                lpn,Gn,stn=s.ev(pn)
                q=q+(e if l<lf-1 else .5*e)*Gn
            if np.log(rng.uniform())<lpn-.5*q@q-H:
                p,lp,G,st=pn,lpn,Gn,stn; acc+=1
            if k>=burn: out.append(s.pred(st)[2]); s.loos.append(s.loocv(st))
        s.loo=np.mean(s.loos,0) if out else None
        s.acc=acc/(nsamp+burn)
        return mapp,np.mean(out,0) if out else mapp
