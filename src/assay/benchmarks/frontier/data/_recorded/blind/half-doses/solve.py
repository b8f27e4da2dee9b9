"""Empirical Bayes on grids: curve shapes (lo, hi, slope) x middles of both arms; spoiled batches and overdispersion are
marginalised in a table per batch; all constants are learned from the folder by (Monte Carlo) EM."""
import numpy as np, csv, glob, os, json, sys, time
T0=time.time()
DATA=os.environ.get('ASSAY_DATA','data');VERB=os.environ.get('VERB')
def log(*a):
    if VERB: print(round(time.process_time(),1),*a,flush=True)
np.set_printoptions(precision=3,suppress=True,linewidth=180)
rng=np.random.default_rng(7)
sig=lambda z:.5*(1+np.tanh(.5*z))
NOISE=os.environ.get('NOISE','bb');SPOIL=os.environ.get('SPOIL','mult');CURVE=os.environ.get('CURVE','logit')
def load(d):
    S=[]
    for f in sorted(glob.glob(os.path.join(d,'*.csv'))):
        try:
            with open(f) as h: R=list(csv.DictReader(h))
            g=lambda c:np.array([float(r[c]) for r in R])
            S.append(dict(k=os.path.basename(f)[:-4],mix=float(R[0]['mixed']),per=int(R[0]['grader']=='person'),b=np.array([r['arm']=='b' for r in R]),
               a=np.log2(g('amount')),age=g('age').astype(int),n=g('trials').astype(int),y=g('successes').astype(int)))
        except Exception as e: print('skipped',f,e,file=sys.stderr)
    return S
def bfgs(f,x0,it=30,h=1e-3,tol=1e-2,H0=.01):
    x=np.array(x0,float);n=len(x);H=np.eye(n)*H0
    def grad(x):
        g=np.empty(n)
        for i in range(n):
            e=np.zeros(n);e[i]=h;g[i]=(f(x+e)-f(x-e))/(2*h)
        return g
    fx=f(x);g=grad(x)
    for _ in range(it):
        d=-H@g
        if d@g>=0: H=np.eye(n)*H0;d=-H@g
        t=min(1.,.7/max(np.abs(d).max(),1e-12))
        while t>1e-5:
            fn=f(x+t*d)
            if np.isfinite(fn) and fn<fx+1e-4*t*(g@d): break
            t/=3
        else: break
        s=t*d;xn=x+s;gn=grad(xn);yv=gn-g
        if s@yv>1e-10:
            r=1/(s@yv);A=np.eye(n)-r*np.outer(s,yv);H=A@H@A.T+r*np.outer(s,s)
        done=fx-fn<tol;x,fx,g=xn,fn,gn
        if done: break
    return x,fx
# ---- grids
LO=np.array([.002,.012,.03,.07,.13,.18,.22,.26,.30,.36,.44]);HI=np.array([.998,.988,.97,.93,.86,.80,.75,.70,.65,.60,.54,.46])
SL=np.exp(np.linspace(np.log(.5),np.log(4.5),8))
h=.2;U=np.arange(-75,76)*h
SH=np.array([(i,j,k) for i in range(len(LO)) for j in range(len(HI)) for k in range(len(SL)) if HI[j]-LO[i]>.15])
KP=400;ph=np.linspace(.02,np.pi/2-.02,KP);PG=np.sin(ph)**2   # arcsine grid of chances
toidx=lambda p:np.clip(np.rint((np.arcsin(np.sqrt(np.clip(p,0,1)))-.02)/(np.pi/2-.04)*(KP-1)),0,KP-1).astype(np.int32)
CU=sig(SL[:,None]*U[None,:])
if CURVE=='probit':
    import math
    CU=.5*(1+np.vectorize(math.erf)(SL[:,None]*U[None,:]/1.6/math.sqrt(2)))
IDX=toidx(LO[SH[:,0]][:,None]+(HI[SH[:,1]]-LO[SH[:,0]])[:,None]*CU[SH[:,2]]).astype(np.int16)   # shape x u
IDXT=np.ascontiguousarray(IDX.T.astype(np.intp))                                                # u x shape
DF=np.arange(-200,201)*.02       # fine grid of differences
GZ,GZW=np.polynomial.hermite_e.hermegauss(11);GZW=GZW/GZW.sum()
def bbtab(par,P):
    """log chance of y of n (without the binomial coefficient) at chances P -> [y, n-y, P] as parts"""
    if NOISE=='bb':
        kap=np.exp(-par)  # rho ~ 1/(1+kap)
        j=np.arange(31)[:,None]
        z=np.zeros((1,len(P)))
        A=np.r_[z,np.cumsum(np.log(P*kap+j),0)];B=np.r_[z,np.cumsum(np.log((1-P)*kap+j),0)];C=np.r_[0,np.cumsum(np.log(kap+np.arange(31)))]
        return ('bb',A,B,C)
    s=np.exp(par);q=sig(np.log(P/(1-P))[:,None]+s*GZ)
    return ('ln',np.log(q),np.log1p(-q),None)
def bbval(t,y,n):
    if t[0]=='bb': return t[1][y]+t[2][n-y]-t[3][n][:,None]
    m=y[:,None,None]*t[1]+(n-y)[:,None,None]*t[2];return np.log(np.exp(m)@GZW+1e-300)
class Model:
    def __init__(s,S):
        s.S=S;s.N=len(S)
        s.y=np.concatenate([q['y'] for q in S]);s.n=np.concatenate([q['n'] for q in S]);s.age=np.concatenate([q['age'] for q in S])
        s.per=np.concatenate([np.full(len(q['y']),q['per']) for q in S]);s.st=np.cumsum([0]+[len(q['y']) for q in S])
        s.mix=np.array([q['mix'] for q in S])
        key=s.y*100+s.n;u,s.pair=np.unique(key,return_inverse=True);s.uy,s.un=u//100,u%100
        s.th=np.array([-4.,-1.9,-2.4,.25,-.8,0.])  # noise program, noise person, spoil a0, a1(age), logit factor
        wl=np.ones(len(LO));wh=np.ones(len(HI));s.wlh=np.outer(wl,wh)/(len(LO)*len(HI));s.wsl=np.ones(len(SL))/len(SL)
        s.mm,s.ms=0.,1.2
        s.nul,s.s0=.4,.06;s.db=np.array([-.9,-.5,0.,0.,0.]);c=2*s.mix-1
        s.Zx=np.c_[np.ones(s.N),c,1.5*c**2-.5,2.5*c**3-1.5*c,(35*c**4-30*c**2+3)/8]
        s.ds=np.full(s.N,.7);s.K=np.exp(-.5*((s.mix[:,None]-s.mix[None,:])/.12)**2)
        s.keep=[np.arange(len(SH)) for q in S];s.cache=[None]*s.N;s.freeze=False;s.full=True
        # M grids
        s.M=[];
        for q in S:
            lo,hi=q['a'].min(),q['a'].max();s.M.append(lo-1+h*np.arange(int(round((hi-lo+2.8)/h))+1))
            q['mid']=(lo+hi)/2
    def tables(s,th):
        f=sig(th[4]);Ps=f*PG if SPOIL=='mult' else sig(np.log(PG/(1-PG))-np.exp(th[4]))
        V=[];W=[]
        for g in (0,1):
            V.append(bbval(bbtab(th[g],PG),s.uy,s.un));W.append(bbval(bbtab(th[g],Ps),s.uy,s.un))
        return V,W
    def table(s,th):
        V,W=s.tables(th);V=np.stack(V);W=np.stack(W)
        pi=sig(th[2]+th[3]*(s.age-4.5)+th[5]*((s.age-4.5)**2-8.25)/10)[:,None]
        return np.logaddexp(np.log(1-pi)+V[s.per,s.pair],np.log(pi)+W[s.per,s.pair]).astype(np.float32)
    def arms(s,i,T):
        q=s.S[i];M=s.M[i];out=[]
        for arm in (False,True):
            L=np.zeros((len(M),len(s.keep[i])),np.float32)
            for b in np.where(q['b']==arm)[0]:
                u0=int(round((q['a'][b]-M[0])/h))+75   # u index for M[0]; decreases with M
                r=IDXT[u0-len(M)+1:u0+1]
                L+=np.take(T[s.st[i]+b],r if s.full else r[:,s.keep[i]])
            out.append(L[::-1])
        return out
    def dprior(s,i):
        m=s.Zx[i]@s.db
        g=lambda mu,sd:np.exp(-.5*((DF-mu)/sd)**2)/sd
        a,b=g(m,s.ds[i]),g(0,max(s.s0,.012));a/=a.sum();b/=b.sum()
        return s.nul*b,(1-s.nul)*a
    def fitd(s,it):
        rg=np.diag([.05,.1,.3,.6,1.])
        for _ in range(it):
            m=s.Zx@s.db
            A=np.exp(-.5*((DF[None]-m[:,None])/s.ds[:,None])**2);A/=A.sum(1,keepdims=True);B=np.exp(-.5*(DF/s.s0)**2);B/=B.sum()
            j1=(1-s.nul)*A*s.prof;j0=s.nul*B*s.prof;z1,z0=j1.sum(1),j0.sum(1);W=z1/(z1+z0)
            m1=j1@DF/z1;v1=j1@DF**2/z1-m1**2
            s.nul=(np.sum(1-W)+1)/(s.N+2.5)
            e0=np.sum((1-W)*(j0@DF**2)/z0);s.s0=max(np.sqrt((e0+.002)/(np.sum(1-W)+1)),.012)
            s.db=np.linalg.solve((s.Zx*(W/s.ds**2)[:,None]).T@s.Zx+4*rg,(s.Zx*(W/s.ds**2)[:,None]).T@m1)
            Q=(m1-s.Zx@s.db)**2+v1;vg=(np.sum(W*Q)+.4)/(W.sum()+1)
            s.ds=np.sqrt((s.K@(W*Q)+12*vg)/(s.K@W+12))
        s.rn=1-W
    def hyper(s,steps=1400):
        """average over the constants of the prior on the difference (random-walk Metropolis)"""
        D=DF[::2].astype(np.float32);P=np.ascontiguousarray(s.prof[:,::2],dtype=np.float32);ratio=s.ds/s.ds.mean()
        pm=np.array([-.4,np.log(.06),np.log(.4),0,0,0,0,0]);ps=np.array([.6,.6,.7,1.5,1,1,.5,.35])
        def lk(p):
            sd=(np.exp(p[2])*ratio)[:,None].astype(np.float32);m=(s.Zx@p[3:])[:,None].astype(np.float32)
            A=np.exp(-.5*((D-m)/sd)**2)*P;A/=sd*2.5066/.04
            s0=np.exp(p[1]);B=np.exp(-.5*(D/s0)**2);B/=B.sum();nu=1/(1+np.exp(-p[0]))
            return A,B,nu
        def ll(p):
            A,B,nu=lk(p);return np.log((1-nu)*A.sum(1)+nu*(P@B)+1e-30).sum()-.5*np.sum(((p-pm)/ps)**2)
        p=np.r_[np.log(s.nul/(1-s.nul)),np.log(max(s.s0,.02)),np.log(s.ds.mean()),s.db]
        sc=np.array([.25,.4,.3,.1,.15,.2,.2,.2])*min(3.,np.sqrt(400/s.N));g=.6;f=ll(p);acc=0;out=np.zeros(P.shape);k=0;hist=[];C=None
        for it in range(steps):
            if it==500: C=np.linalg.cholesky(np.cov(np.array(hist[150:]).T)+1e-5*np.eye(8));g=.8
            z=rng.standard_normal(8);q=p+g*((C@z) if C is not None else sc*z)
            fq=ll(q) if np.log(.018)<q[1]<np.log(.3) and abs(q[2])<4 else -1e30
            ok=np.log(rng.random())<fq-f
            if ok: p,f=q,fq
            acc+=ok;g=np.clip(g*np.exp((ok-.27)*.05),.05,2.5);hist.append(p)
            if it>=550 and it%6==0:
                A,B,nu=lk(p);J=(1-nu)*A+nu*B*P;out+=J/J.sum(1,keepdims=True);k+=1
        hh=np.array(hist[550:]);log('hyper acc',acc/steps,'mean',hh.mean(0),'sd',hh.std(0),'ds',np.exp(hh[:,2]).mean(),np.exp(hh[:,2]).std())
        return D.astype(float),out/k
    def shapew(s):
        w=s.wlh[SH[:,0],SH[:,1]]*s.wsl[SH[:,2]];return w/w.sum()
    prune=False
    def estep(s,draws=12):
        T=None if s.freeze and s.cache[0] is not None else s.table(s.th);wfull=s.shapew().astype(np.float32);prune=s.prune
        tot=0;nl=np.zeros_like(s.wlh);ns=np.zeros(len(SL));mm=[];ms=[];s.post=np.empty((s.N,len(DF)));rn=np.empty(s.N);an=np.empty((s.N,3));s0=0
        PI=[];PB=[];newk=list(s.keep);s.prof=np.empty((s.N,len(DF)))
        for i in range(s.N):
            M=s.M[i];kp=s.keep[i];w=wfull[kp];shp=SH[kp]
            if s.freeze and s.cache[i] is not None: Ea,Eb,ca,cb=s.cache[i]
            else:
                La,Lb=s.arms(i,T)
                ca,cb=La.max(),Lb.max();Ea=np.exp(La-ca);Eb=np.exp(Lb-cb)
                if s.freeze: s.cache[i]=(Ea,Eb,ca,cb)
            pm=np.exp(-.5*((M-s.S[i]['mid']-s.mm)/s.ms)**2);pm/=pm.sum()
            Ea=Ea*pm[:,None].astype(np.float32)
            G=(Ea*w)@Eb.T                     # Ma x Mb
            nM=len(M);D=np.array([np.trace(G,k) for k in range(-20,21)])
            lp=np.log(np.maximum(D,1e-30))
            prof=cubic(np.arange(-20,21)*h,lp,DF);prof=np.exp(prof-prof.max());mxl=prof.max()
            p0,p1=s.dprior(i);j0,j1=p0*prof,p1*prof
            z=j0.sum()+j1.sum();tot+=np.log(z)+ca+cb+cubicmax(lp,D,prof)
            s.post[i]=(j0+j1)/z;s.prof[i]=prof
            rn[i]=j0.sum()/z;m1=(j1@DF)/max(j1.sum(),1e-300);an[i]=(1-rn[i],m1,(j1@(DF-m1)**2)/max(j1.sum(),1e-300));s0+=(j0@DF**2)/z
            # coarse prior on the difference for the shape posterior: cells of width h
            pr=p0+p1;k=np.clip(np.rint(DF/h).astype(int)+20,0,40);pc=np.bincount(k,pr,41)
            dd=np.arange(nM)[None,:]-np.arange(nM)[:,None];K=np.where(np.abs(dd)<=20,pc[np.clip(dd+20,0,40)],0).astype(np.float32)
            KE=K@Eb                           # Ma x shape
            J=Ea*KE*w;sh=J.sum(0);sm=J.sum(1);zz=sh.sum();sh=sh/zz;sm=sm/zz
            nl+=np.bincount(shp[:,0]*len(HI)+shp[:,1],sh,nl.size).reshape(nl.shape);ns+=np.bincount(shp[:,2],sh,len(SL))
            e=sm@(M-s.S[i]['mid']);mm.append(e);ms.append(sm@(M-s.S[i]['mid'])**2)
            if prune:
                te=sh/np.sqrt(w+1e-12);te=te/te.sum();o=np.argsort(-te);c=np.cumsum(te[o]);newk[i]=np.sort(kp[o[:max(20,np.searchsorted(c,.9995)+1)]])
            if draws:
                q=s.S[i];sd=rng.choice(len(sh),draws,p=sh.astype(float)/sh.astype(float).sum())
                for c in sd:
                    pa=J[:,c].astype(float);ia=rng.choice(nM,p=pa/pa.sum());pb=(K[ia]*Eb[:,c]).astype(float);ib=rng.choice(nM,p=pb/pb.sum())
                    u=np.rint((q['a']-np.where(q['b'],M[ib],M[ia]))/h).astype(int)+75
                    PI.append(IDX[kp[c],u]);PB.append(np.arange(s.st[i],s.st[i+1]))
        s.rn=rn;s.an=an
        if prune: s.keep=newk;s.full=False;s.prune=False;log('kept',np.mean([len(k) for k in newk]),len(SH))
        s.suff=(nl,ns,np.mean(mm),np.mean(ms),s0)
        if draws: s.PI=np.concatenate(PI);s.PB=np.concatenate(PB)
        return tot
    def mstep(s,fast=False):
        nl,ns,mm,ms,s0=s.suff
        ml,mh=nl.sum(1),nl.sum(0)
        sm=lambda v,e:np.convolve(np.r_[v[0],v,v[-1]],[e,1-2*e,e],'valid')
        def sm(v,e):
            o=v*(1-2*e);o[1:]+=e*v[:-1];o[:-1]+=e*v[1:];o[0]+=e*v[0];o[-1]+=e*v[-1];return o
        pl=sm(ml+.02,.04);phh=sm(mh+.02,.04)
        prod=np.outer(pl/pl.sum(),phh/phh.sum())
        s.wlh=(nl+30*prod)/(s.N+30)
        v=sm(ns+.05,.05);s.wsl=v/v.sum()
        s.mm=mm;s.ms=np.sqrt(max(ms-mm**2,.05))
        s.fitd(60)
        if not s.freeze:
            nd=len(s.PI)/len(s.y);pr,pa,ag=s.per[s.PB],s.pair[s.PB],s.age[s.PB]-4.5
            def f(th):
                V,W=s.tables(th);v=np.where(pr==0,V[0][pa,s.PI],V[1][pa,s.PI]);w=np.where(pr==0,W[0][pa,s.PI],W[1][pa,s.PI])
                pi=sig(th[2]+th[3]*ag+th[5]*(ag**2-8.25)/10)
                return -np.logaddexp(np.log(1-pi)+v,np.log(pi)+w).sum()/nd+.5*np.sum((th-np.array([-3.5,-2,-2.5,0,-1.,0]))**2/np.array([1,1,1,.3,1.,.3])**2)
            s.th,_=bfgs(f,s.th,it=4,H0=.005)
def cubic(x,y,xn):
    """natural cubic spline"""
    n=len(x);hh=x[1]-x[0];r=np.zeros(n);r[1:-1]=6*(y[2:]-2*y[1:-1]+y[:-2])/hh**2
    m=SPL@r
    k=np.clip(((xn-x[0])/hh).astype(int),0,n-2);a=(x[k+1]-xn)/hh;b=1-a
    return a*y[k]+b*y[k+1]+((a**3-a)*m[k]+(b**3-b)*m[k+1])*hh**2/6
A_=np.eye(41)*4+np.eye(41,k=1)+np.eye(41,k=-1);A_[0]=0;A_[-1]=0;A_[0,0]=A_[-1,-1]=1;SPL=np.linalg.inv(A_)
def cubicmax(lp,D,prof):
    # constant that was removed: scale of the profile (value at the coarse maximum)
    k=lp.argmax();return lp[k]-np.log(prof[np.argmin(np.abs(DF-(k-20)*h))])
def answer(lo,hi):
    return 'same' if lo>-.3 and hi<.3 else 'higher' if lo>0 else 'lower' if hi<0 else 'open'
def main():
    S=load(DATA);m=Model(S);log('loaded',len(S))
    n_it=int(os.environ.get('ITERS',13))
    for it in range(n_it):
        m.prune=it==1
        if it==6: m.freeze=True
        last=it==n_it-1
        ll=m.estep((12 if len(S)<100 else 6) if it<6 else 0)
        if not last: m.mstep()
        log(it,'ll',ll,'th',m.th,'rho',1/(1+np.exp(-m.th[:2])),'f',sig(m.th[4]),'M',m.mm,m.ms,'null',m.nul,m.s0,'db',m.db,'active mean at 0,.25,.5,.75,1',np.polynomial.legendre.legval(np.array([-1,-.5,0,.5,1]),m.db),'sd',m.ds.min(),m.ds.max(),m.ds.mean())
    log('lo',np.c_[LO,m.wlh.sum(1)].T);log('hi',np.c_[HI,m.wlh.sum(0)].T);log('slope',np.c_[SL,m.wsl].T)
    D,post=m.hyper();log('hyper done')
    rows=[]
    for i,s in enumerate(S):
        c=np.cumsum(post[i]);c=np.r_[0,c/c[-1]];e=np.r_[D-.02,D[-1]+.02]
        q=np.interp([.025,.5,.975],c,e);l,md,hi=[round(float(v),4) for v in q]
        rows.append((s['k'],md,l,hi,answer(l,hi)))
        if VERB and len(S)<50: log(rows[-1],'mix',s['mix'],'null',m.rn[i])
    with open('answers.csv','w') as f:
        f.write('study,estimate,low,high,answer\n')
        for r in rows: f.write('%s,%.4f,%.4f,%.4f,%s\n'%r)
    json.dump({'studies':len(rows),'mean_estimate':float(np.mean([r[1] for r in rows])),'mean_width':float(np.mean([r[3]-r[2] for r in rows])),'estimates':{r[0]:r[1] for r in rows}},open('results.json','w'),indent=1)
if __name__=='__main__': main()
