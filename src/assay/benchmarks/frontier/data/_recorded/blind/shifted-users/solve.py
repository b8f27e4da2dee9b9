"""Empirical-Bayes analysis: outcome model (mixture of null/active effects, shared sigmoid shape), and target model
(Gaussian target + four selection models whose constants are learned from the folder)."""
import numpy as np, csv, glob, os, json, sys, math, time
T0=time.time()
DATA=os.environ.get('ASSAY_DATA','data'); VERB=os.environ.get('VERB')
def log(*a):
    if VERB: print(round(time.time()-T0,1),*a,flush=True)
np.set_printoptions(precision=3,suppress=True,linewidth=180)
rng=np.random.default_rng(12345)
def load(d):
    S=[]
    for f in sorted(glob.glob(os.path.join(d,'*.csv'))):
        try:
            with open(f) as h: R=list(csv.DictReader(h))
            u=[r for r in R if r['group']=='user'];t=[r for r in R if r['group']=='target']
            g=lambda rs,c:np.array([float(r[c]) for r in rs])
            S.append(dict(k=os.path.basename(f)[:-4],st=float(R[0]['strength']),x=g(u,'skill'),u=g(u,'use'),b=np.array([1.*(r['arm']=='b') for r in u]),
                n=g(u,'sessions'),y=g(u,'outcome'),tx=g(t,'skill'),tu=g(t,'use')))
        except Exception as e: print('skipped',f,e,file=sys.stderr)
    return S
def pad(S,k,fill=0.):
    m=max(len(s[k]) for s in S);A=np.full((len(S),m),fill)
    for i,s in enumerate(S): A[i,:len(s[k])]=s[k]
    return A
def bfgs(f,x0,it=60,h=1e-4,tol=1e-3):
    x=np.array(x0,float);n=len(x);H=np.eye(n)*.05
    def grad(x):
        g=np.empty(n)
        for i in range(n):
            e=np.zeros(n);e[i]=h;g[i]=(f(x+e)-f(x-e))/(2*h)
        return g
    fx=f(x);g=grad(x)
    for _ in range(it):
        d=-H@g
        if d@g>=0: H=np.eye(n)*.01;d=-H@g
        t=min(1.,.5/max(np.abs(d).max(),1e-12))
        while t>1e-6:
            fn=f(x+t*d)
            if np.isfinite(fn) and fn<fx+1e-4*t*(g@d): break
            t/=3
        else: break
        s=t*d;xn=x+s;gn=grad(xn);yv=gn-g
        if s@yv>1e-10:
            r=1/(s@yv);A=np.eye(n)-r*np.outer(s,yv);H=A@H@A.T+r*np.outer(s,s)
        done=fx-fn<tol
        x,fx,g=xn,fn,gn
        if done: break
    return x,fx
sig=lambda z:.5*(1+np.tanh(.5*z))
lsig=lambda z:-np.log1p(np.exp(-np.maximum(z,-35.)))
GX,GW=np.polynomial.hermite_e.hermegauss(24);GW=GW/GW.sum()
_erf=np.vectorize(math.erf)
Phi=lambda z:.5*(1+_erf(np.asarray(z)/math.sqrt(2)))

# ---------------------------------------------------------------- outcome model
class Outcome:
    def __init__(s,S):
        s.N=len(S);s.x=pad(S,'x');s.u=pad(S,'u');s.b=pad(S,'b');s.n=pad(S,'n',1.);s.y=pad(S,'y')
        s.mask=np.array([[i<len(q['x']) for i in range(s.x.shape[1])] for q in S],float)
        s.cnt=s.mask.sum(1);s.st=np.array([q['st'] for q in S])
        s.y0=(s.y*s.mask).sum(1)/s.cnt;s.yc=(s.y-s.y0[:,None])*s.mask
        s.Z=np.c_[np.ones(s.N),s.st,s.st**2]
        s.shape=np.array([np.log(3.),.8,.3]);s.lr=np.full(s.N,np.log(.06/.94))   # log k, c, d ; logit r per study
        s.lrm,s.lrs=np.log(.06/.94),.3
        s.s2=np.full(s.N,1.2)
        s.mb=np.array([0,.9,.35,.2]);s.Vb=np.diag([100.,.2,.1,.05])
        s.M=np.array([[-.4,0,0],[.4,2.8,0]]);s.Va=np.tile(np.diag([.06,.1]),(s.N,1,1));s.V0=np.diag([.01,.01]);s.pi=np.full(s.N,.6);s.pw=np.array([.4,0.,0.])
        s.K=np.exp(-.5*((s.st[:,None]-s.st[None,:])/.15)**2)
    def design(s,sh):
        k,c,d=np.exp(sh[0]),sh[1],sh[2]
        g=sig(k*(s.x+c*s.u-d))
        return np.stack([np.ones_like(s.x),s.x,s.u,s.x**2,s.b,s.b*g],2)
    def stats(s,sh,lr):
        B=s.design(sh);r=sig(lr)[:,None];v=r+(1-r)/s.n;w=s.mask/v
        Bt=np.ascontiguousarray((B*w[:,:,None]).transpose(0,2,1))
        return Bt@B,(Bt@s.yc[:,:,None])[:,:,0],np.sum(w*s.yc**2,1),np.sum(s.mask*np.log(v),1)
    def post(s,P,s2):
        XX,Xy,yy,lv=P;out=[]
        for j in (0,1):
            V=np.zeros((s.N,6,6));V[:,:4,:4]=s.Vb;V[:,4:,4:]=s.Va if j else s.V0
            m=np.tile(np.r_[s.mb,0,0],(s.N,1))
            if j: m[:,4:]=s.Z@s.M.T
            Vi=np.linalg.inv(V)
            A=XX/s2[:,None,None]+Vi;rhs=Xy/s2[:,None]+np.einsum('sj,sjk->sk',m,Vi)
            C=np.linalg.inv(A);be=np.einsum('sjk,sk->sj',C,rhs)
            q=yy/s2+np.einsum('sj,sjk,sk->s',m,Vi,m)-np.sum(be*rhs,1)
            ll=-.5*(q+lv+s.cnt*np.log(s2)+np.linalg.slogdet(V)[1]+np.linalg.slogdet(A)[1])
            out.append((be,C,ll+np.log(s.pi if j else 1-s.pi)))
        L=np.logaddexp(out[0][2],out[1][2]);R=np.exp(out[1][2]-L)
        return out,L,R
    fixV0=False
    def em(s,it):
        P=s.stats(s.shape,s.lr)
        for _ in range(it):
            out,L,R=s.post(P,s.s2)
            W=[1-R,R]
            # noise
            ss=0
            for j in (0,1):
                be,C,_l=out[j]
                ss=ss+W[j]*(P[2]-2*np.sum(be*P[1],1)+np.einsum('sjk,sjk->s',P[0],C+be[:,:,None]*be[:,None,:]))
            s.s2=ss/s.cnt
            mb=sum(W[j][:,None]*out[j][0][:,:4] for j in (0,1)).sum(0)/s.N
            V=0
            for j in (0,1):
                d=out[j][0][:,:4]-mb;V=V+np.einsum('s,sjk->jk',W[j],out[j][1][:,:4,:4]+d[:,:,None]*d[:,None,:])
            V0=np.diag([1,.1,.05,.03]);s.mb=mb;s.Vb=(V+2*V0)/(s.N+2);s.Vb[0,:]=0;s.Vb[:,0]=0;s.Vb[0,0]=400.;s.mb[0]=0
            be,C,_l=out[1]
            ZZ=(s.Z*R[:,None]).T@s.Z+np.diag([1e-3,1e-3,.3]);s.M=np.linalg.solve(ZZ,(s.Z*R[:,None]).T@be[:,4:]).T
            d=be[:,4:]-s.Z@s.M.T
            Q=C[:,4:,4:]+d[:,:,None]*d[:,None,:]
            Vg=(np.einsum('s,sjk->jk',R,Q)+np.diag([.05,.08]))/(R.sum()+1);s.Vg=Vg
            KR=s.K*R[None,:];s.Va=(np.einsum('ts,sjk->tjk',KR,Q)+12*Vg)/(KR.sum(1)+12)[:,None,None]
            be,C,_l=out[0];d=be[:,4:]
            if not s.fixV0: s.V0=(np.einsum('s,sjk->jk',1-R,C[:,4:,4:]+d[:,:,None]*d[:,None,:])+np.diag([.005,.005]))/((1-R).sum()+1)
            Zc=np.c_[np.ones(s.N),s.st-.5,(s.st-.5)**2];pr=np.diag([.05,1.,.3])
            for _k in range(3):
                p=sig(Zc@s.pw);s.pw=s.pw+np.linalg.solve((Zc*(p*(1-p))[:,None]).T@Zc+pr,Zc.T@(R-p)-pr@s.pw)
            s.pi=sig(Zc@s.pw)
        return L.sum()
    def fit(s):
        s.em(60)
        for rnd in range(2):
            def f(p):
                return -s.post(s.stats(p[:3],s.lr*0+p[3]),s.s2)[1].sum()
            p,fx=bfgs(f,np.r_[s.shape,s.lrm],tol=.02);s.shape=p[:3];s.lrm=p[3];s.lr[:]=p[3]
            ll=s.em(60 if rnd<1 else 100);log('outcome',rnd,-fx,ll,'k,c,d',np.exp(s.shape[0]),s.shape[1:],'r',sig(s.lrm))
        s.fixV0=True;P=s.stats(s.shape,s.lr)
        def mk(p):
            a,b,r=np.exp(p[0])+.004,np.exp(p[1])+.004,.98*np.tanh(p[2]);return np.array([[a*a,r*a*b],[r*a*b,b*b]])
        p=np.array([np.log(.04),np.log(.04),0.])
        for rnd in range(3):
            def f(p):
                s.V0=mk(p);return -s.post(P,s.s2)[1].sum()+.5*p[2]**2+.5*np.sum((p[:2]-np.log(.03))**2)/4
            p,fx=bfgs(f,p,tol=.01);s.V0=mk(p);ll=s.em(25);log('V0',np.sqrt(np.diag(s.V0)),p,ll)
        log('mb',s.mb,'sdb',np.sqrt(np.diag(s.Vb)),'corr',s.Vb[1:,1:]);log('M',s.M,'Va',s.Vg,s.Va[s.st.argmin()].ravel(),s.Va[s.st.argmax()].ravel(),'V0',s.V0,'pi',s.pw)
    def draw(s,D):
        P=s.stats(s.shape,s.lr)
        out,L,R=s.post(P,s.s2);J=rng.random((s.N,D))<R[:,None]
        res=np.empty((s.N,D,2))
        for j in (0,1):
            be,C,_l=out[j];Ch=np.linalg.cholesky(C[:,4:,4:])
            # t-like inflation for the unknown noise scale
            z=rng.standard_normal((s.N,D,2))*np.sqrt((s.cnt-4)[:,None]/rng.chisquare((s.cnt-4)[:,None],(s.N,D)))[:,:,None]
            v=be[:,None,4:]+z@Ch.transpose(0,2,1);m=J==bool(j);res[m]=v[m]
        s.R=R
        return res

# ---------------------------------------------------------------- target model
class Target:
    """phi = (mx, mu, mean log sd, half difference of log sd)."""
    def __init__(s,S):
        s.N=len(S);s.x=pad(S,'x');s.u=pad(S,'u');s.mk=np.array([[i<len(q['x']) for i in range(s.x.shape[1])] for q in S],float)
        s.nx=s.mk.sum(1)
        mom=lambda a:np.array([len(a),a.sum(),(a*a).sum()])
        s.tx=np.array([mom(q['tx']) for q in S]);s.tu=np.array([mom(q['tu']) for q in S])
        s.ux=np.array([mom(q['x']) for q in S]);s.uu=np.array([mom(q['u']) for q in S])
        s.minx=np.array([q['x'].min() for q in S])
        mx=s.tx[:,1]/s.tx[:,0];mu=s.tu[:,1]/s.tu[:,0]
        sx=.5*np.log(s.tx[:,2]/s.tx[:,0]-mx**2);su=.5*np.log(s.tu[:,2]/s.tu[:,0]-mu**2)
        s.phi0=np.c_[mx,mu,(sx+su)/2,(sx-su)/4]
        s.prior=dict(m=np.array([mx.mean(),mu.mean(),0.,0.]),v=np.array([1.,1.,.03,.004]))
        s.kap=1.
        s.eta={1:np.array([.14,-1.6,0.,.26,0.]),2:np.array([-.7,2.3,1.3]),3:np.array([-.7,-2.3,-1.3]),4:np.array([0.,0.])}
        s.phi={w:s.phi0.copy() for w in (1,2,3,4)}
        # eta1: c, log tau, -, exp tilt in use, log-curvature(unused)
    def nll(s,phi,w,eta,idx):
        """phi: (n,K,4) -> (n,K)"""
        mx,mu=phi[...,0],phi[...,1];lx=phi[...,2]+phi[...,3];lu=phi[...,2]-phi[...,3];sx,su=np.exp(lx),np.exp(lu)
        def ng(M,m,l,sd):
            M=M[idx][:,:,None];return .5*(M[:,2]-2*m*M[:,1]+M[:,0]*m*m)/sd**2+M[:,0]*l
        v=ng(s.tx,mx,lx,sx)+ng(s.tu,mu,lu,su)+ng(s.ux,mx,lx,sx)+ng(s.uu,mu,lu,su)
        v=v+np.sum((phi-s.prior['m'])**2/s.prior['v'],-1)/2
        n=s.nx[idx][:,None];hx,hu=sx**s.kap,su**s.kap
        if w in (2,3):
            a,b1,b2=eta;B1,B2=b1/hx,b2/hu
            z=a+B1[:,:,None]*(s.x[idx][:,None,:]-mx[:,:,None])+B2[:,:,None]*(s.u[idx][:,None,:]-mu[:,:,None])
            v=v-np.sum(lsig(z)*s.mk[idx][:,None,:],-1)
            tau=np.hypot(B1*sx,B2*su)
            v=v+n*np.log(np.sum(GW*sig(a+tau[:,:,None]*GX),-1))
        elif w==4:
            B1,B2=eta[0]/hx,eta[1]/hu
            v=v-B1*(s.ux[idx][:,1:2]-n*mx)-B2*(s.uu[idx][:,1:2]-n*mu)+n*((B1*sx)**2+(B2*su)**2)/2
        else:
            c,lt,c2,b2,a2=eta
            hz=np.exp(-c*c/2)/2.5066/max(1e-6,.5*math.erfc(c/math.sqrt(2)))
            gap=1/(hz*n)
            t=s.minx[idx][:,None]-gap*sx
            zt=(t-mx)/sx
            tt=np.exp(2*lt)+gap**2
            B1=c2/hx
            v=v-B1*(s.ux[idx][:,1:2]-n*mx)+n*(B1*sx)**2/2
            v=v+n*np.log(np.maximum(Phi(B1*sx-zt),1e-12))+.5*((t-mx)/hx-c)**2/tt+.5*np.log(tt)-np.log(n*hz)
            B2=b2/hu
            v=v-B2*(s.uu[idx][:,1:2]-n*mu)+n*(B2*su)**2/2
        return v
    def mode(s,w,eta,idx,it=6):
        phi=s.phi[w][idx].copy();h=1e-3
        E=np.eye(4)*h
        pts=[np.zeros(4)]+[E[i] for i in range(4)]+[-E[i] for i in range(4)]+[E[i]+E[j] for i in range(4) for j in range(i)]
        pts=np.array(pts)
        for k in range(it+1):
            F=s.nll(phi[:,None,:]+pts,w,eta,idx)
            f0=F[:,0];g=(F[:,1:5]-F[:,5:9])/(2*h);H=np.empty((len(idx),4,4))
            for i in range(4): H[:,i,i]=(F[:,1+i]+F[:,5+i]-2*f0)/h**2
            q=9
            for i in range(4):
                for j in range(i):
                    H[:,i,j]=H[:,j,i]=(F[:,q]-F[:,1+i]-F[:,1+j]+f0)/h**2;q+=1
            ev,U=np.linalg.eigh(H);ev=np.maximum(ev,5.);Hi=np.einsum('sij,sj,skj->sik',U,1/ev,U)
            d=-np.einsum('sij,sj->si',Hi,g)
            if k==it or np.abs(d).max()<2e-3:
                break
            d=np.clip(d,-.5,.5)
            st=np.array([1.,.5,.2,.05,0.])
            F=s.nll(phi[:,None,:]+st[None,:,None]*d[:,None,:],w,eta,idx)
            phi=phi+st[np.argmin(F,1)][:,None]*d
        s.phi[w][idx]=phi
        ev_nll=f0-np.minimum(.5*np.einsum('si,sij,sj->s',g,Hi,g),.02)+.5*np.sum(np.log(ev),1)
        return phi,Hi,ev_nll
    def evid(s):
        idx=np.arange(s.N)
        return np.stack([s.mode(w,s.eta[w],idx,8)[2] for w in (1,2,3,4)],1)
    def own(s):
        return sum(s.mode(w,s.eta[w],np.where(s.way==w)[0],6)[2].sum() for w in (1,2,3,4) if np.any(s.way==w))
    def fit(s):
        for rnd in range(3):
            if rnd!=1: E=s.evid();s.way=E.argmin(1)+1;s.E=E
            if VERB: log('ways',np.bincount(s.way,minlength=5)[1:],'evidence',E.min(1).sum(),'ambiguous',np.sum(np.sort(E,1)[:,1]-E.min(1)<3))
            for w in (1,2,3,4):
                idx=np.where(s.way==w)[0]
                if len(idx)<2: continue
                def f(p):
                    return s.mode(w,p,idx,4)[2].sum()+.5*np.sum(p**2)/25
                s.eta[w],fx=bfgs(f,s.eta[w]);log('way',w,s.eta[w],fx)
            if rnd==1: # scale of the selection: absolute or in units of the target's sd
                tot={}
                for kap in (0.,1.):
                    s.kap=kap;tot[kap]=s.own()
                s.kap=min(tot,key=tot.get);log('kappa',tot)
            # prior by EM
            for _ in range(3):
                m=np.empty((s.N,4));V=np.empty((s.N,4))
                for w in (1,2,3,4):
                    idx=np.where(s.way==w)[0]
                    if len(idx)==0: continue
                    a,Hi,_=s.mode(w,s.eta[w],idx,6);m[idx]=a;V[idx]=np.einsum('sii->si',Hi)
                mm=m.mean(0);mm[3]=0
                s.prior['m']=mm;v=(np.sum((m-mm)**2+V,0)+np.array([1,1,.03,.002]))/(s.N+1);s.prior['v']=v
            log('prior',s.prior['m'],np.sqrt(s.prior['v']))
    def draw(s,D):
        E=s.E;p=np.exp(-(E-E.min(1,keepdims=True)));p/=p.sum(1,keepdims=True)
        J=(rng.random((s.N,D,1))>np.cumsum(p,1)[:,None,:3]).sum(-1)+1
        out=np.empty((s.N,D,4));idx=np.arange(s.N)
        for w in (1,2,3,4):
            idx=np.where(np.any(J==w,1))[0]
            if len(idx)==0: continue
            a,Hi,_=s.mode(w,s.eta[w],idx,6);Ch=np.linalg.cholesky(Hi)
            v=a[:,None,:]+rng.standard_normal((len(idx),D,4))@Ch.transpose(0,2,1);m=J[idx]==w;o=out[idx];o[m]=v[m];out[idx]=o
        s.p=p
        return out

def answer(lo,hi):
    return 'same' if lo>-.3 and hi<.3 else 'higher' if lo>0 else 'lower' if hi<0 else 'open'
def main():
    S=load(DATA);log('loaded',len(S))
    o=Outcome(S);o.fit()
    t=Target(S);t.fit()
    D=3000
    eff=o.draw(D);log('drawn');phi=t.draw(D);log('drawn')
    k,c,d=np.exp(o.shape[0]),o.shape[1],o.shape[2]
    sx=np.exp(phi[...,2]+phi[...,3]);su=np.exp(phi[...,2]-phi[...,3])
    mz=k*(phi[...,0]+c*phi[...,1]-d);sz=k*np.hypot(sx,c*su)
    G=np.zeros_like(mz)
    for xg,wg in zip(GX,GW): G+=wg*sig(mz+sz*xg)
    val=eff[...,0]+eff[...,1]*G
    lo,hi=np.quantile(val,[.025,.975],axis=1);est=np.median(val,1)
    rows=[]
    for i,s in enumerate(S):
        l,h,e=round(float(lo[i]),4),round(float(hi[i]),4),round(float(est[i]),4)
        rows.append((s['k'],e,l,h,answer(l,h)))
    with open('answers.csv','w') as f:
        f.write('study,estimate,low,high,answer\n')
        for r in rows: f.write('%s,%.4f,%.4f,%.4f,%s\n'%r)
    json.dump({'studies':len(rows),'mean_estimate':float(np.mean([r[1] for r in rows])),'mean_width':float(np.mean([r[3]-r[2] for r in rows])),'estimates':{r[0]:r[1] for r in rows}},open('results.json','w'),indent=1)
    if VERB:
        for i,r in enumerate(rows): log(r,'way',t.way[i],t.p[i].max(),'active',o.R[i],'sdG',G[i].std(),'sd eff',val[i].std())
    np.savez('/tmp/dbg.npz',val=val) if VERB else None
if __name__=='__main__': main()
