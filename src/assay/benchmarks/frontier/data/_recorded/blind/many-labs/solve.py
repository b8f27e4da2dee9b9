import os,sys,json,csv,math,numpy as np
from model import *
GR=np.arange(-30,30.001,0.05)
SMAX2=144.
erfc=np.vectorize(math.erfc)
def logcdfn(x): # log Phi(x), vector
    t=np.abs(x)/2**.5; s=0.5*erfc(t)
    return np.where(x>0,np.log1p(-s),np.log(np.maximum(s,1e-300)))
def gauss_lik(S,hp,k=None):
    """log-lik of delta (quadratic) with step k; returns mean,se,logevidence"""
    R=S['rows']; um=S['um'][R['room']]
    y=R['y']-hp['beta']*R['b']-hp['mu']*R['one']-hp['gam']*um*R['one']
    loc=study_cols(S,k); cols=loc+[R['one']]
    XX,ld=fisher(S,hp,cols,y); p=len(cols)
    P=XX[:p,:p].copy(); P[-1,-1]+=1/hp['tl2']
    if k is not None: P[1,1]+=1/SMAX2
    P[0,0]+=1/100.  # only for evidence
    c=XX[:p,p]; ev=-0.5*(np.linalg.slogdet(P)[1]-c@np.linalg.solve(P,c))
    P[0,0]-=1/100.
    m=np.linalg.solve(P,c); return m[0],np.linalg.inv(P)[0,0]**.5,ev,(m[1] if k is not None else 0)
def cap_lik(S,hp,k=None,fast=False):
    R=S['rows'];n=len(R['y']);nr=S['nr']; s=hp['st2']**.5; cap=S['cap']; ce=S['cens']
    D=hp['tw2']+hp['gam']**2*S['uV']
    off=hp['beta']*R['b']+hp['mu']+hp['gam']*S['um'][R['room']]
    Z=np.zeros((n,nr)); Z[np.arange(n),R['room']]=1
    X=[R['z'],np.ones(n)]; pr=[0.,1/hp['tl2']]
    if k is not None: X.append((R['day']>=k)*1.); pr.append(1/SMAX2)
    X=np.column_stack(X+[Z]); pr=np.array(pr+list(1/D)); y=R['y']-off
    def newton(th,free,prec,its):
        for _ in range(its):
            e=(y-X@th)/s
            # censored: y*>cap : prob Phi(-(cap-mean)/s)= Phi(-e)
            lc=logcdfn(-e[ce]); lam=np.exp(-0.5*e[ce]**2-0.9189385332-lc)
            g=e/s; g=g.copy(); g[ce]=lam/s
            h=np.full(n,1/s**2); h[ce]=lam*(lam-e[ce])/s**2
            G=X.T@g-prec*th; H=(X.T*h)@X+np.diag(prec)
            st=np.linalg.solve(H[np.ix_(free,free)],G[free]); th=th.copy(); th[free]+=np.clip(st,-15,15)
            if np.abs(st).max()<1e-4: break
        e=(y-X@th)/s; lc=logcdfn(-e[ce])
        lp=-0.5*(e[~ce]**2).sum()+lc.sum()-0.5*(prec*th*th).sum()
        h[ce]=(lambda l:l*(l-e[ce])/s**2)(np.exp(-0.5*e[ce]**2-0.9189385332-lc))
        H=(X.T*h)@X+np.diag(prec); return th,lp,H
    p=X.shape[1]; allf=np.arange(p); pe=pr.copy(); pe[0]=1/100.
    th,lp,H=newton(np.zeros(p),allf,pe,40)
    ev=lp-0.5*np.linalg.slogdet(H)[1]+0.5*(np.log(pr[2:3].sum()) if k is not None else 0)
    if fast: return ev
    se=np.linalg.inv(H)[0,0]**.5; free=allf[1:]; gr=th[0]+se*np.linspace(-6,6,37); L=[]
    t=th.copy()
    order=list(range(18,37))+list(range(17,-1,-1)); L=np.zeros(37)
    for i in order:
        if i==17: t=th.copy()
        t[0]=gr[i]; t,l,H=newton(t,free,pr,12); L[i]=l-0.5*np.linalg.slogdet(H[1:,1:])[1]
    # quadratic tail + interpolation of (L + .5 z^2)
    zz=(GR-th[0])/se; base=L+0.5*((gr-th[0])/se)**2
    out=np.interp(zz,np.linspace(-6,6,37),base)-0.5*zz**2
    return out,ev,th[0],se,(th[2] if k is not None else 0)
def logsum(a,w):
    m=a.max(0); return m+np.log((w[:,None]*np.exp(a-m)).sum(0))
def study_liks(A,hp):
    pk={k:0.2 for k in range(2,7)}
    EV={}
    st=[S for S in A if S['step'] and not S['two']]
    for S in st: EV[S['name']]=np.array([ (cap_lik(S,hp,k,True) if S['cap'] is not None else gauss_lik(S,hp,k)[2]) for k in range(2,7)])
    w=np.ones(5)/5
    for _ in range(50):
        c=np.ones(5)*.1
        for S in st:
            q=np.log(w)+EV[S['name']]; q=np.exp(q-q.max()); c+=q/q.sum()
        w=c/c.sum()
    for S in A:
        if S['two']: continue
        if S['step']:
            q=np.log(w)+EV[S['name']]; q=np.exp(q-q.max()); q/=q.sum(); S['kw']=q
            ls=[];ws=[]
            for k in range(2,7):
                if q[k-2]<0.003: continue
                if S['cap'] is not None: l,_,m,se,stp=cap_lik(S,hp,k); 
                else: m,se,_,stp=gauss_lik(S,hp,k); l=-0.5*((GR-m)/se)**2
                l=l-l.max(); l-=np.log(np.exp(l).sum()); ls.append(l);ws.append(q[k-2]); S['stepsize']=stp
            l=logsum(np.array(ls),np.array(ws))
        elif S['cap'] is not None: l=cap_lik(S,hp)[0]
        else: m,se,_,_=gauss_lik(S,hp); l=-0.5*((GR-m)/se)**2
        l=l-l.max(); S['lik']=l; p=np.exp(l);p/=p.sum(); S['mle']=(p*GR).sum(); S['mse']=((p*GR*GR).sum()-S['mle']**2)**.5
    return w
def dictionary(fine):
    comps=[];base=[]
    for sd,cs,wt in ((0.25,[0.],.3*fine),(0.5,np.arange(-16,16.1,0.5),1.*fine),(2.,np.arange(-16,16.1,1.),1.),(7.,[0.],3.)):
        for c in cs: d=np.exp(-0.5*((GR-c)/sd)**2); comps.append(d/d.sum()); base.append(wt*np.exp(-0.5*(c/9.)**2)/(len(cs)*.6) if len(cs)>1 else wt)
    base=np.array(base); return np.array(comps),base/base.sum()
def eb(A,alpha=None,c0=None,verbose=False):
    L=[S for S in A if not S['two']]
    M=np.array([np.exp(S['lik']-np.log(np.exp(S['lik']).sum())) for S in L]); n=len(L)
    kd=np.array([S['kind'] for S in L]); best=None
    Cm,base=dictionary(1.); F=M@Cm.T; F=F/F.max(1,keepdims=True)
    raw=(M@Cm.T).max(1)
    def glob(c0):
        w=base.copy()
        for _ in range(120):
            r=F*w; r/=r.sum(1,keepdims=True); w=r.sum(0)+c0*base; w/=w.sum()
        W=r.sum(0)+c0*base-r; W/=W.sum(1,keepdims=True)   # leave-one-out, n x comps
        return W,w
    for c in ([c0] if c0 else (4.,10.,25.,60.,200.)):
        W,w=glob(c); sc=np.log((F*W).sum(1)).sum()
        if verbose: print('c0',c,round(sc,2))
        if best is None or sc>best[0]: best=(sc,c,W,w)
    _,c0,W,w=best; bb=None
    for al in ([alpha] if alpha else (5.,10.,20.,40.,100.,1e5)):
        P=np.zeros_like(F)
        for k in np.unique(kd):
            I=np.where(kd==k)[0]; wk=w.copy()
            for _ in range(60):
                r=F[I]*wk; r/=r.sum(1,keepdims=True); wk=r.sum(0)+al*w; wk/=wk.sum()
            Q=r.sum(0)-r+al*W[I]; P[I]=Q/Q.sum(1,keepdims=True)
        sc=np.log((F*P).sum(1)).sum()
        if verbose: print('alpha',al,round(sc,2))
        if bb is None or sc>bb[0]: bb=(sc,al,P)
    P=bb[2]
    for i,S in enumerate(L):
        p=M[i]*(P[i]@Cm); S['post']=p/p.sum()
    return w@Cm,c0,bb[1]
def quant(p,q):
    c=np.cumsum(p)-0.5*p; return float(np.interp(q,c,GR))
def analyse(folder,alpha=None):
    A=loadall(folder); before_hyper(A)
    for S in A:
        S['rows']=rows(S); S['kind']=kind(S)
    hp0=dict(st2=36.,sd2=13.,tw2=17.,tl2=1.,gam=.4,beta=.6,mu=49.6)
    for S in A:
        if S['step'] and S['cap'] is None: S['k']=2+int(np.argmax([gauss_lik(S,hp0,k)[2] for k in range(2,7)]))
    hp=fit_hyper(A)
    w=study_liks(A,hp); g=eb(A,alpha or 30.,12.)
    for S in A:
        if S['two']: S['est']=S['lo']=S['hi']=None;continue
        p=S['post']; S['est']=float((p*GR).sum()); S['lo']=quant(p,.025);S['hi']=quant(p,.975)
    return A,hp,w,g
def answer(lo,hi):
    if lo>-3 and hi<3: return 'same'
    if lo>0: return 'higher'
    if hi<0: return 'lower'
    return 'open'
def main():
    A,hp,w,g=analyse(os.environ.get('ASSAY_DATA','data'))
    E={};W=[]
    with open('answers.csv','w',newline='') as f:
        c=csv.writer(f); c.writerow(['study','estimate','low','high','answer'])
        for S in A:
            if S['two']: c.writerow([S['name'],'','','','open']); continue
            e,l,h=round(S['est'],4),round(S['lo'],4),round(S['hi'],4)
            c.writerow([S['name'],e,l,h,answer(l,h)]); E[S['name']]=e; W.append(h-l)
    json.dump(dict(studies=len(A),mean_estimate=round(float(np.mean(list(E.values()))),6),mean_width=round(float(np.mean(W)),6),estimates=E),open('results.json','w'),indent=1)
    if '-v' in sys.argv:
        print({k:v for k,v in hp.items() if k!='C'},w)
        for S in A:
            if not S['two']: print(S['name'],S['kind'],'%.2f (%.2f)  eb %.2f [%.2f %.2f] w %.2f vs %.2f'%(S['mle'],S['mse'],S['est'],S['lo'],S['hi'],S['hi']-S['lo'],3.92*S['mse']),S.get('kw',''),S.get('stepsize',''))
if __name__=='__main__': main()
