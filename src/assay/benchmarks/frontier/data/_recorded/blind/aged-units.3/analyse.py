import numpy as np,glob,csv,os,json
from statistics import NormalDist
M=2000
phi=1.0
for _ in range(60):phi=(1+phi)**(1/5)
u=(.5+np.outer(np.arange(1,M+1),phi**-np.arange(1,5)))%1
inv=np.vectorize(NormalDist().inv_cdf)
U=inv(np.clip(u,1e-6,1-1e-6))
INF=1.25
L100=np.log(100)
MU0=np.array([4.65,.6]);SD0=np.array([.45,.38])
def load(d):
    names=[];S=[]
    for f in sorted(glob.glob(os.path.join(d,'*.csv'))):
        r=list(csv.DictReader(open(f)));g=lambda k:np.array([float(x[k]) for x in r])
        e=np.array([x['make']=='elm' for x in r]);a,b,d=g('taken_over'),g('last_age'),g('failed')
        mk=[(a[e==m],np.maximum(b[e==m],.05),d[e==m]) for m in(0,1)]
        S.append(mk);names.append(os.path.basename(f)[:-4])
    return names,S
def ll(P,mk):
    a,b,d=mk;lb=np.log(b);la=np.log(a[a>0]);D=d.sum();sl=(d*lb).sum()
    l=P[:,0];k=np.exp(P[:,1])
    H=np.exp(np.minimum(k[:,None]*(lb-l[:,None]),60)).sum(1)-np.exp(np.minimum(k[:,None]*(la-l[:,None]),60)).sum(1)
    return D*(P[:,1]-k*l)+(k-1)*sl-H
def laplace(mk):
    f=lambda P:ll(P,mk)-.5*(((P-MU0)/SD0)**2).sum(1)
    x=MU0.copy();h=1e-3;E=np.eye(2)
    def gh(x):
        pts=[x]+[x+h*s*E[i] for i in(0,1) for s in(1,-1)]+[x+h*(s*E[0]+t*E[1]) for s in(1,-1) for t in(1,-1)]
        v=f(np.array(pts))
        g=np.array([(v[1]-v[2])/(2*h),(v[3]-v[4])/(2*h)])
        H=np.array([[(v[1]+v[2]-2*v[0])/h**2,0],[0,(v[3]+v[4]-2*v[0])/h**2]]);H[0,1]=H[1,0]=(v[5]-v[6]-v[7]+v[8])/(4*h*h)
        return v[0],g,-H
    lam=0.
    v,g,H=gh(x)
    for _ in range(40):
        ev,Q=np.linalg.eigh(H);Hp=(Q*np.maximum(ev,2.))@Q.T
        st=np.linalg.solve(Hp,g);st*=min(1,.5/abs(st).max());s=1.
        while s>1e-3:
            if f((x+s*st)[None])[0]>=v-1e-9:break
            s/=2
        x=x+s*st;v,g,H=gh(x)
        if abs(s*st).max()<1e-5:break
    ev,Q=np.linalg.eigh(H);return x,(Q/np.maximum(ev,2.))@Q.T
def lmvn(X,m,C):
    Lc=np.linalg.cholesky(C);z=(X-m)@np.linalg.inv(Lc).T
    return -.5*(z*z).sum(-1)-np.log(np.diag(Lc)).sum()-3.675754
def lse(z,ax):
    m=z.max(ax,keepdims=True);return (m+np.log(np.exp(z-m).sum(ax,keepdims=True))).squeeze(ax)
def em(X,LW,K,it,m0,C0,nu,seed=0,comps=None):
    J=len(X);d=4
    if K==1:ms=[m0.copy()];Cs=[C0.copy()];pi=np.ones(1)
    else:
        r=np.random.default_rng(seed);w=np.exp(LW+lmvn(X,*comps)-lse(LW+lmvn(X,*comps),1)[:,None]);pm=np.einsum('jm,jmd->jd',w,X)
        z=pm@np.linalg.inv(np.linalg.cholesky(comps[1])).T;ix=[r.integers(J)]
        for _ in range(K-1):
            dd=np.min([((z-z[i])**2).sum(1) for i in ix],0);ix.append(r.choice(J,p=dd/dd.sum()))
        ms=[.7*pm[i]+.3*comps[0] for i in ix];Cs=[comps[1]*.5 for _ in ix];pi=np.ones(K)/K
    for _ in range(it):
        lp=np.stack([np.log(p)+lmvn(X,m,C) for p,m,C in zip(pi,ms,Cs)],-1)+LW[...,None]
        ev=lse(lp.reshape(J,-1),1);w=np.exp(lp-ev[:,None,None])
        for k in range(K):
            wk=w[...,k];n=wk.sum();Xw=np.einsum('jm,jmd->d',wk,X)
            ms[k]=(Xw+nu*.3*m0)/(n+nu*.3);dx=(X-ms[k]).reshape(-1,d)
            Cs[k]=((dx*wk.reshape(-1,1)).T@dx+nu*C0*(1 if K==1 else .4))/(n+nu)
        pi=(w.sum((0,1))+1)/(J+K)
    return pi,ms,Cs
def lprior(X,P):
    return lse(np.stack([np.log(p)+lmvn(X,m,C) for p,m,C in zip(*P)],-1),-1)
def solve(S,verbose=False):
    J=len(S);X=np.empty((J,M,4));LW=np.empty((J,M));flip=np.zeros(J,bool)
    for j,mk in enumerate(S):
        flip[j]=(mk[0][0]>0).mean()>(mk[1][0]>0).mean()     # role 0: the make that came mostly new
        o=mk[::-1] if flip[j] else mk
        lw=INF**2*0
        for i in(0,1):
            x,C=laplace(o[i]);Lc=np.linalg.cholesky(C)*INF;z=U[:,2*i:2*i+2]
            P=x+z@Lc.T;P[:,1]=np.clip(P[:,1],-2,2.5);X[j,:,2*i:2*i+2]=P
            lw=lw+ll(P,o[i])+.5*(z*z).sum(1)
        LW[j]=lw-lw.max()
    m0=np.array([4.65,.6,4.65,.6]);C0=np.diag([.3,.25,.3,.25])**2
    sub=slice(0,800)
    P1=em(X[:,:600],LW[:,:600],1,25,m0,C0,5. if J>=40 else 8.);best=P1
    if verbose:print('mean',P1[1][0].round(3),'sd',np.sqrt(np.diag(P1[2][0])).round(3));c=P1[2][0];s=np.sqrt(np.diag(c));print((c/np.outer(s,s)).round(2))
    if J>=60:
        m1,C1=P1[1][0],P1[2][0];fold=np.random.default_rng(0).permutation(J)%3;bs=None
        for K in(1,2,3,5):
            sc=0
            for f in range(3):
                tr=fold!=f;P=em(X[tr][:,:400],LW[tr][:,:400],K,20,m1,C1,5.,comps=(m1,C1));te=~tr
                sc+=lse(LW[te][:,:1000]+lprior(X[te][:,:1000],P),1).sum()
            if verbose:print('cv K',K,round(sc,2))
            if bs is None or sc>bs[0]+.08*J:bs=(sc,K)
        if bs[1]>1:best=em(X[:,sub],LW[:,sub],bs[1],35,m1,C1,5.,comps=(m1,C1))
        if verbose:
            print(best[0].round(2),np.array(best[1]).round(2),[np.sqrt(np.diag(c)).round(2) for c in best[2]])
    lw=LW+lprior(X,best);w=np.exp(lw-lse(lw,1)[:,None])
    if verbose:print('ess',np.quantile(1/(w**2).sum(1),[0,.05,.5]))
    s100=np.exp(-np.exp(np.exp(X[...,1::2])*(L100-X[...,0::2])))*100
    D=np.where(flip[:,None],s100[...,0]-s100[...,1],s100[...,1]-s100[...,0])
    res=[]
    for j in range(J):
        o=np.argsort(D[j]);c=np.cumsum(w[j][o])-.5*w[j][o];t=D[j][o];res.append(((w[j]*D[j]).sum(),np.interp(.025,c,t),np.interp(.975,c,t)))
    solve.raw=(X,w,flip,LW,P1,D)
    return np.array(res)
def answer(lo,hi):
    if lo>-12 and hi<12:return 'same'
    return 'higher' if lo>0 else 'lower' if hi<0 else 'open'
if __name__=='__main__':
    names,S=load(os.environ.get('ASSAY_DATA') or 'data')
    R=np.round(solve(S,True),3)
    with open('answers.csv','w') as f:
        f.write('study,estimate,low,high,answer\n')
        for nme,r in zip(names,R):f.write('%s,%.3f,%.3f,%.3f,%s\n'%(nme,*r,answer(r[1],r[2])))
    json.dump({'studies':len(names),'mean_estimate':float(R[:,0].mean()),'mean_width':float((R[:,2]-R[:,1]).mean()),'estimates':{a:float(b) for a,b in zip(names,R[:,0])}},open('results.json','w'),indent=1)
