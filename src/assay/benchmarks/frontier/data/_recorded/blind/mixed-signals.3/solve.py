import os
os.environ["OPENBLAS_NUM_THREADS"]="1"
import json,time
from pathlib import Path
import numpy as np
N=500
def svprec(phi,sg):
    Q=np.zeros((N,N));i=np.arange(N);Q[i,i]=1+phi*phi;Q[0,0]=Q[-1,-1]=1;Q[i[:-1],i[1:]]=-phi;Q[i[1:],i[:-1]]=-phi
    return Q/sg**2
PHI,SG=.96,.55;KAP=float(os.environ.get('KAP','.1'))
QS=svprec(PHI,SG);LDQ=-2*N*np.log(SG)+np.log(1-PHI**2)
QS[0,0]=QS[0,0]
def thomas(d,o,r):
    """symmetric tridiagonal: diagonal d, constant off-diagonal o"""
    n=len(d);c=[0.]*n;x=[0.]*n;b=d[0];c[0]=o/b;x[0]=r[0]/b;ld=np.log(b)
    import math
    ld=math.log(b)
    for i in range(1,n):
        m=d[i]-o*c[i-1];ld+=math.log(m);c[i]=o/m;x[i]=(r[i]-o*x[i-1])/m
    for i in range(n-2,-1,-1): x[i]-=c[i]*x[i+1]
    return np.array(x),ld
DQ=np.full(N,(1+PHI**2)/SG**2);DQ[0]=DQ[-1]=1/SG**2;OQ=-PHI/SG**2
def Qm(h):
    r=DQ*h;r[1:]+=OQ*h[:-1];r[:-1]+=OQ*h[1:];return r
def svh(s,h=None,mu=None,iters=12):
    s2=s*s+1e-5*(s@s)/N
    if h is None: 
        mu=np.log(s2).mean()+1.27;h=np.full(N,mu)
    for it in range(iters):
        e=.5*s2*np.exp(-h);g=-.5+e-Qm(h-mu)
        st,ld=thomas((e+DQ).tolist(),OQ,g.tolist());m=abs(st).max();h=h+st*min(1,2.5/m)
        mu=mu+.7*((h-mu).mean())
        if m<.05: break
    e=.5*s2*np.exp(-h);_,ld=thomas((e+DQ).tolist(),OQ,e.tolist())
    ll=-.5*(np.log(2*np.pi)*N+h.sum()+(s2*np.exp(-h)).sum())-.5*(h-mu)@Qm(h-mu)+.5*LDQ-.5*ld
    return h,mu,ll
def arfit(s,p=2):
    r=np.array([s[:N-k]@s[k:] for k in range(p+1)])
    A=np.column_stack([s[p-1-k:N-1-k] for k in range(p)]);a=np.linalg.lstsq(A,s[p:],rcond=None)[0]
    e=s[p:]-A@a;return a,(e@e)/(N-p)
def lls(s):
    """log likelihoods: uniform, laplace, AR2, SV"""
    a=(s.max()-s.min())/2;b=abs(s-np.median(s)).mean();ar,v=arfit(s)
    return [-N*np.log(2*a),-N*(np.log(2*b)+1),-N*.5*(np.log(2*np.pi*v)+1)-5,svh(s)[2]]
def lp_row(X,c,w):
    """maximise n log c.w + kappa sum log(1-(w.x+m)^2)"""
    X=np.vstack([X,np.ones(N)]);c=np.r_[c,0.];w=np.r_[w,0.];y=w@X;w[-1]=-(y.max()+y.min())/2
    w=w/(abs(w@X).max()*1.05)
    if c@w<0: c=-c
    t=20./(c@w);tf=N/KAP/(c@w)
    for k in range(12):
        for it in range(6):
            if t>=tf*.99: t=tf=N/KAP/(c@w)
            y=w@X;d=1/(1-y*y)
            g=t*c-X@(2*y*d);H=(X*(2*d+4*y*y*d*d))@X.T
            st=np.linalg.solve(H,g);al=1.
            while (abs((w+al*st)@X)>=1).any(): al*=.5
            if al<1: al*=.9
            w=w+al*st
            if g@st<.01: break
        if t>=tf*.99: break
        t=min(t*4,tf)
    w=w[:-1];return w/(w@X[:-1]).std()
def qrow(V,c):
    u=np.linalg.solve(V,np.r_[c,0.]);return u/np.sqrt(u@V@u)
def row_update(X,W,i,kind,state):
    c=np.linalg.inv(W)[:,i];w=W[i]
    if kind==0: return lp_row(X,c,w)
    X1=np.vstack([X,np.ones(N)]);w=np.r_[w,0.]
    if kind==1:
        for _ in range(3):
            s=w@X1;b=abs(s).mean();wt=1/(np.sqrt(s*s+1e-5*b*b)*b);w=qrow((X1*wt)@X1.T/N,c)
        return w[:-1]
    if kind==2:
        for _ in range(2):
            s=w[:-1]@X;a,v=ar12(s-s.mean());Z=X1[:,2:]-a[0]*X1[:,1:-1]-a[1]*X1[:,:-2];w=qrow(Z@Z.T/(N-2)/v,c)
        return w[:-1]
    s=w@X1
    if state.get(i) is None: state[i]=svh(s)[:2]
    else: state[i]=svh(s,state[i][0],state[i][1],2)[:2]
    w=qrow((X1*np.exp(-state[i][0]))@X1.T/N,c)
    return w[:-1]
def ar12(s):
    a,v=arfit(s,2);a1,v1=arfit(s,1)
    if 250*np.log(v1/v)<3: return np.array([a1[0],0.]),v1
    return a,v
def total(X,W):
    Y=W@X;return N*np.linalg.slogdet(W)[1],np.array([lls(y) for y in Y])
def run(X,W,sweeps=25,re=(0,3,8,14)):
    state={};kinds=None
    for sw in range(sweeps):
        if sw in re:
            L=total(X,W)[1];nk=L.argmax(1)
            if kinds is None or (nk!=kinds).any(): state={}
            elif sw>3: pass
            kinds=nk
        W0=W.copy()
        for i in range(6): W=W.copy();W[i]=row_update(X,W,i,kinds[i],state)
        Y=W@X
        D=W@np.linalg.inv(W0);D=D/np.diag(D)[:,None]
        if sw>4 and abs(D-np.eye(6)).max()<2e-3: break
    ld,L=total(X,W);return ld+L.max(1).sum(),W,L.argmax(1)
def white(x):
    x=x-x.mean(1,keepdims=True);v,U=np.linalg.eigh(np.cov(x));return (U/np.sqrt(v)).T@x
def jade_like(X,lags=(1,2,3,4,6)):
    """joint diagonalisation by Jacobi of lagged covariances, local covariances and cumulant slices"""
    M=[]
    for l in lags: C=X[:,l:]@X[:,:-l].T/N;M.append(2*(C+C.T)/2)
    for k in range(10): Z=X[:,k*50:k*50+50];M.append((Z@Z.T/50-np.eye(6))*.5)
    for i in range(6):
        for j in range(i+1):
            E=np.zeros((6,6));E[i,j]+=.5;E[j,i]+=.5
            C=(X*(X[i]*X[j]))@X.T/N-(np.eye(6)*(i==j)+2*E);M.append(C*(1 if i==j else 1.4)*.4)
    M=np.array(M);V=np.eye(6)
    for sw in range(30):
        mx=0
        for p in range(5):
            for q in range(p+1,6):
                g=np.array([M[:,p,p]-M[:,q,q],M[:,p,q]+M[:,q,p]]);G=g@g.T
                th=.5*np.arctan2(2*G[0,1],G[0,0]-G[1,1]+np.sqrt((G[0,0]-G[1,1])**2+4*G[0,1]**2))
                c,s=np.cos(th),np.sin(th);mx=max(mx,abs(s))
                R=np.eye(6);R[p,p]=R[q,q]=c;R[p,q]=-s;R[q,p]=s
                M=R.T@M@R;V=V@R
        if mx<1e-4: break
    return V.T
def ica(X,rng):
    W=np.linalg.qr(rng.normal(size=(6,6)))[0]
    for _ in range(60):
        b=np.tanh(W@X);W=b@X.T/N-(1-b*b).mean(1)[:,None]*W;l,_,r=np.linalg.svd(W);W=l@r
    return W
def separate(x,rng,budget=1e9,info=None):
    X=white(np.array(x));t0=time.process_time();best=None;hist=[]
    k=0
    while k<4 and (k<1 or time.process_time()-t0<budget):
        W0=jade_like(X) if k==0 else ica(X,rng) if k==1 else (best[1] if k>1 else None)
        if k>=2:
            # perturb the best: mix two or three rows
            R=np.eye(6);idx=rng.choice(6,3,replace=False);q=np.linalg.qr(rng.normal(size=(3,3)))[0];R[np.ix_(idx,idx)]=q;W0=R@best[1]
        try: r=run(X,W0)
        except np.linalg.LinAlgError: r=None
        if r is not None and np.isfinite(r[0]):
            hist.append(round(r[0],1))
            if best is None or r[0]>best[0]: best=r
        k+=1
    if info is not None: info.append((hist,best[2].tolist(),time.process_time()-t0))
    return best[1]@X
def main():
    rng=np.random.default_rng(1);M=json.loads(Path("problem.json").read_text())["mixed"];out=[];t0=time.process_time()
    for i,m in enumerate(M):
        b=(26-(time.process_time()-t0))/(len(M)-i)*.8
        out.append(separate(m,rng,b).round(4).tolist())
    Path("answers.json").write_text(json.dumps({"signals":out}))
if __name__=="__main__": main()
