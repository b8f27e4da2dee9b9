import numpy as np
from prep import load,loadall,kind
def before_hyper(A):
    # variance components of before: within-room sd, room sd, mean
    sw=0;dw=0;M=[];N=[]
    for S in A:
        b,r=S['b'],S['room']
        if S['cross']:
            _,i=np.unique(S['unit'],return_index=True); b=b[i];r=r[i]
        S['bm']=np.array([b[r==k].mean() if (r==k).any() else np.nan for k in range(S['nr'])]); S['bn']=np.bincount(r,minlength=S['nr'])
        sw+=((b-S['bm'][r])**2).sum(); dw+=len(b)-S['nr']; M+=list(S['bm']); N+=list(S['bn'])
    M=np.array(M);N=np.array(N); s2=sw/dw; t2=10.
    for _ in range(100):
        w=1/(t2+s2/N); mu=(w*M).sum()/w.sum(); t2=max(0.1,t2+ (w**2*((M-mu)**2-1/w)).sum()/(w**2).sum())
    for S in A:
        V=1/(1/t2+S['bn']/s2); S['um']=V*S['bn']/s2*(S['bm']-mu); S['uV']=V
    return mu,t2,s2
def rows(S):
    """independent rows: y, b, z, day, one, room, class(0 single,1 sum,2 diff)"""
    if not S['cross']:
        n=len(S['a']); return dict(y=S['a'],b=S['b']-50,z=S['z'],one=np.ones(n),room=S['room'],cl=np.zeros(n,int),day=S['day'])
    Y=[]
    u=S['unit'];o=np.argsort(u,kind='stable');q=2**-.5
    i=0
    while i<len(o):
        j=i
        while j<len(o) and u[o[j]]==u[o[i]]: j+=1
        g=o[i:j]
        if j-i==2:
            a1,a2=g; 
            Y.append((q*(S['a'][a1]+S['a'][a2]),q*(S['b'][a1]+S['b'][a2]-100),q*(S['z'][a1]+S['z'][a2]),2*q,S['room'][a1],1,0))
            Y.append((q*(S['a'][a1]-S['a'][a2]),q*(S['b'][a1]-S['b'][a2]),q*(S['z'][a1]-S['z'][a2]),0,S['room'][a1],2,0))
        else:
            for k in g: Y.append((S['a'][k],S['b'][k]-50,S['z'][k],1,S['room'][k],0,0))
        i=j
    Y=np.array(Y)
    return dict(y=Y[:,0],b=Y[:,1],z=Y[:,2],one=Y[:,3],room=Y[:,4].astype(int),cl=Y[:,5].astype(int),day=Y[:,6])
def rowvar(cl,st2,sd2):
    # single: st2 = su2+s2 ; diff var sd2 = s2 ; sum var = s2+2su2 = 2 st2 - sd2
    return np.array([st2,2*st2-sd2,sd2])[cl]
def fisher(S,hp,cols,y):
    """returns X'V^-1X, X'V^-1 y, y'V^-1y, logdetV with room REs (var D_r) and lab RE handled"""
    st2,sd2,tw2,tl2,gam=hp['st2'],hp['sd2'],hp['tw2'],hp['tl2'],hp['gam']
    R=S['rows']; v=rowvar(R['cl'],st2,sd2); w=1/v
    X=np.column_stack(cols+[y])
    D=tw2+gam**2*S['uV']
    nr=S['nr']; one=R['one']
    Zw=np.zeros((nr,X.shape[1])); np.add.at(Zw,R['room'],X*(one*w)[:,None])
    Zone=np.bincount(R['room'],one*one*w,minlength=nr)
    A=Zone+1/D
    XX=(X*w[:,None]).T@X-(Zw/A[:,None]).T@Zw
    ld=np.log(v).sum()+np.log(A).sum()+np.log(D).sum()
    return XX,ld
def study_cols(S,k=None):
    R=S['rows']; c=[R['z']]
    if k is not None: c.append((R['day']>=k)*1.)
    return c
def hyper_ll(U,hp,full=False):
    # global linear params: beta, mu, gam(coef of um) ; local: delta, step, lambda(ran)
    G=np.zeros((3,3));g=np.zeros(3);yy=0;ld=0
    for S in U:
        R=S['rows']; loc=study_cols(S,S.get('k'))
        p=len(loc)+1
        cols=[R['b'],R['one'],R['one']*S['um'][R['room']]]+loc+[R['one']]
        XX,l=fisher(S,hp,cols,R['y'])
        L=np.arange(3,3+p); E=np.r_[0,1,2,3+p]
        P=XX[np.ix_(L,L)].copy(); P[-1,-1]+=1/hp['tl2']
        for q in range(len(loc)): P[q,q]+=1e-4
        C=XX[np.ix_(L,E)]
        T=XX[np.ix_(E,E)]-C.T@np.linalg.solve(P,C)
        ld+=l+np.linalg.slogdet(P)[1]+np.log(hp['tl2'])
        G+=T[:3,:3];g+=T[:3,3];yy+=T[3,3]
    be=np.linalg.solve(G,g)
    ll=-0.5*(ld+np.linalg.slogdet(G)[1]+yy-g@be)
    return (ll,be,np.linalg.inv(G)) if full else ll
def fit_hyper(A):
    U=[S for S in A if S['cap'] is None and not S['two']]
    if len(U)>160: U=U[::2] if len(U)<320 else U[::3]
    x=np.log([35.,13.,20.,.5]); gam=0.3
    def mk(x): e=np.exp(x); return dict(st2=e[0],sd2=min(e[1],1.9*e[0]),tw2=e[2],tl2=e[3]+1e-4,gam=gam)
    step=np.array([.1,.15,.25,1.]); best=hyper_ll(U,mk(x))
    for it in range(7):
        for q in range(4):
            f0=best; xs=[x[q]-step[q],x[q],x[q]+step[q]]; t=x.copy(); t[q]=xs[0]; fm=hyper_ll(U,mk(t)); t[q]=xs[2]; fp=hyper_ll(U,mk(t))
            den=fm-2*f0+fp
            cand=x[q]+ (0.5*(fm-fp)/den*step[q] if den<0 else step[q]*np.sign(fp-fm))
            cand=np.clip(cand,x[q]-3*step[q],x[q]+3*step[q]); cand=max(cand,-6)
            t[q]=cand; fc=hyper_ll(U,mk(t))
            i=np.argmax([fm,f0,fp,fc]); x[q]=[*xs,cand][i]; best=[fm,f0,fp,fc][i]
        step=np.maximum(step*.6,.03); ll,be,C=hyper_ll(U,mk(x),True); gam=be[2]; best=hyper_ll(U,mk(x))
    hp=mk(x); hp.update(beta=be[0],mu=be[1],C=C); return hp
