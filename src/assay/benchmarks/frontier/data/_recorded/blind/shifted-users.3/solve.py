import os,sys,csv,glob,json
import numpy as np
from math import erf
VERB=os.environ.get('VERB');RAW=os.environ.get('RAW')
def load(folder):
    S=[]
    for f in sorted(glob.glob(os.path.join(folder,'*.csv'))):
        R=list(csv.DictReader(open(f)))
        u=[r for r in R if r['group']=='user'];t=[r for r in R if r['group']!='user']
        g=lambda q:np.array([[float(r['skill']),float(r['use'])] for r in q]).reshape(-1,2)
        S.append(dict(n=os.path.basename(f)[:-4],s=float(R[0]['strength']),x=g(u),z=g(t),a=np.array([r['arm']=='b' for r in u])*1.,
          k=np.array([float(r['sessions']) for r in u]),y=np.array([float(r['outcome']) for r in u])))
    return S
def opt(f,x0,n=400,step=.2,tol=1e-3):
    x0=np.array(x0,float);m=len(x0);st=np.broadcast_to(step,(m,));X=[x0]+[x0+st[i]*np.eye(m)[i] for i in range(m)];F=[f(x) for x in X]
    it=0
    while it<n:
        o=np.argsort(F);X=[X[i] for i in o];F=[F[i] for i in o];c=np.mean(X[:-1],0)
        if F[-1]-F[0]<tol: break
        xr=2*c-X[-1];fr=f(xr);it+=1
        if fr<F[0]:
            xe=3*c-2*X[-1];fe=f(xe);it+=1;X[-1],F[-1]=(xe,fe) if fe<fr else (xr,fr)
        elif fr<F[-2]: X[-1],F[-1]=xr,fr
        else:
            xc=(c+X[-1])/2 if fr>=F[-1] else (c+xr)/2;fc=f(xc);it+=1
            if fc<min(F[-1],fr): X[-1],F[-1]=xc,fc
            else:
                X=[X[0]]+[(x+X[0])/2 for x in X[1:]];F=[F[0]]+[f(x) for x in X[1:]];it+=m
    i=int(np.argmin(F));return X[i],F[i]
def ndtr(x):
    # vectorised normal cdf (Abramowitz-Stegun 7.1.26 refined through erfc rational, |err|<1.2e-7 relative)
    z=np.abs(x)/np.sqrt(2);t=1/(1+.5*z)
    r=t*np.exp(-z*z-1.26551223+t*(1.00002368+t*(.37409196+t*(.09678418+t*(-.18628806+t*(.27886807+t*(-1.13520398+t*(1.48851587+t*(-.82215223+t*.17087277)))))))))
    return np.where(x>=0,1-.5*r,.5*r)
def lndtr(x): return np.log(np.maximum(ndtr(x),1e-300))
GX,GW=np.polynomial.hermite_e.hermegauss(21);GW=GW/GW.sum()

# ---------------------------------------------------------------- outcome part
def shape(p,z):
    t=np.tanh(z);return (1-p[3])*t+p[3]*np.clip(z*.8,-1,1)+p[4]*(1-t*t)
def hfun(p,x):
    z=p[0]+p[1]*x[...,0]+p[2]*x[...,1]
    return shape(p,z)
class Out:
    def __init__(o,S):
        n=len(S);N=max(len(d['y']) for d in S);o.n=n;o.N=N
        pad=lambda v,c=0.:np.concatenate([v,np.full((N-len(v),)+v.shape[1:],c)])
        o.x=np.stack([pad(d['x']) for d in S]);o.a=np.stack([pad(d['a']) for d in S]);o.k=np.stack([pad(d['k'],1.) for d in S])
        o.m=np.stack([pad(np.ones(len(d['y']))) for d in S]);o.s=np.array([d['s'] for d in S])
        o.y=np.stack([pad(d['y']-d['y'].mean()) for d in S]);o.nn=o.m.sum(1)
        s,u=o.x[...,0],o.x[...,1]
        o.B=np.stack([s**(t-j)*u**j for t in range(4) for j in range(t+1)],-1)*o.m[...,None];o.q=o.B.shape[-1]
        o.gm=np.zeros(o.q);o.gm[1]=1;o.gm[2]=.4
        v=np.full(o.q,.1**2);v[0]=100;v[1:3]=.5**2;v[3:6]=.25**2;o.gV=np.diag(v)
        o.lam=np.log(o.y.var(1)*.5);o.c=.07
        o.p=np.array([-.35,1.6,1.17,0.,0.])
        # e: a0,a1,b0,b1, ln sda, ln sdb, rho(atanh), kappa_a,kappa_b, ln null sda, ln null sdb, logit pi
        o.e0=np.array([0,.4,0,1.75,np.log(.6),np.log(.4),.3,.8,.8,np.log(.06),np.log(.05),.3,0,0]);
        o.es=np.array([.3,1,.3,1,.7,.7,.7,.3,.3,.5,.5,.7,.5,.5]);o.e=o.e0.copy()
    def w(o): return o.m/(np.exp(o.lam)[:,None]*(o.c+1/o.k))
    def prep(o):
        w=o.w();P0=np.linalg.inv(o.gV);o.W=w
        o.BW=o.B*w[...,None]
        o.G=np.swapaxes(o.BW,1,2)@o.B+P0;o.Gi=np.linalg.inv(o.G)
        o.r0=o.y-o.B@o.gm
        b=np.einsum('nij,ni->nj',o.BW,o.r0)
        o.b=b;o.const=-.5*(w*o.r0**2).sum(1)+.5*np.einsum('ni,nij,nj->n',b,o.Gi,b)+.5*np.linalg.slogdet(P0)[1]-.5*np.linalg.slogdet(o.G)[1]+.5*np.log(np.where(o.m>0,w,1)).sum(1)
    def suff(o,p):
        E=np.stack([o.a,o.a*hfun(p,o.x)],-1)*o.m[...,None]
        EW=E*o.W[...,None];C=np.swapaxes(o.BW,1,2)@E
        GC=o.Gi@C
        Sm=np.swapaxes(EW,1,2)@E-np.swapaxes(C,1,2)@GC
        t=np.einsum('nij,ni->nj',EW,o.r0)-np.einsum('nij,ni->nj',GC,o.b)
        return Sm,t,E,C
    def prior(o,e):
        s=o.s
        mu=np.stack([e[0]+e[1]*s+e[12]*s*(1-s)*2,e[2]+e[3]*s+e[13]*s*(1-s)*2],-1);
        sa=np.exp(e[4])*s.clip(.02)**e[7];sb=np.exp(e[5])*s.clip(.02)**e[8];r=np.tanh(e[6])
        V1=np.empty((o.n,2,2));V1[:,0,0]=sa**2+1e-4;V1[:,1,1]=sb**2+1e-4;V1[:,0,1]=V1[:,1,0]=r*sa*sb
        V0=np.zeros((o.n,2,2));V0[:,0,0]=np.exp(2*e[9]);V0[:,1,1]=np.exp(2*e[10])
        return [(np.zeros((o.n,2)),V0),(mu,V1)]
    def comps(o,Sm,t,e):
        L=[];post=[]
        lp=-np.log1p(np.exp(e[11])),-np.log1p(np.exp(-e[11]))
        for k,(mu,V) in enumerate(o.prior(e)):
            P=np.linalg.inv(V);A=Sm+P;Ai=np.linalg.inv(A);eta=t+np.einsum('nij,nj->ni',P,mu)
            mm=np.einsum('nij,nj->ni',Ai,eta)
            L.append(lp[k]-.5*np.log(np.linalg.det(V))-.5*np.log(np.linalg.det(A))+.5*(eta*mm).sum(1)-.5*np.einsum('ni,nij,nj->n',mu,P,mu))
            post.append((mm,Ai))
        L=np.stack(L,1);mx=L.max(1,keepdims=True);ll=mx[:,0]+np.log(np.exp(L-mx).sum(1))
        return ll,np.exp(L-ll[:,None]),post
    def pen(o,e): return .5*(((e-o.e0)/o.es)**2).sum()
    def fit(o,rounds=4):
        for r in range(rounds):
            for it in range(8 if r else 15):
                o.prep();Sm,t,E,C=o.suff(o.p)
                ll,R,post=o.comps(Sm,t,o.e)
                sg=np.zeros((o.n,o.N));gm=np.zeros((o.n,o.q));gg=np.zeros((o.n,o.q,o.q))
                GC=o.Gi@C;BGB=np.einsum('nij,njk,nik->ni',o.B,o.Gi,o.B)
                for k in range(2):
                    mm,Ai=post[k];rk=R[:,k]
                    dm=np.einsum('nij,nj->ni',o.Gi,o.b)-np.einsum('nij,nj->ni',GC,mm)
                    D=E-o.B@GC
                    var=BGB+np.einsum('nij,njk,nik->ni',D,Ai,D)
                    res=o.r0-np.einsum('nij,nj->ni',o.B,dm)-np.einsum('nij,nj->ni',E,mm)
                    sg+=rk[:,None]*(res**2+var)*o.m
                    gm+=rk[:,None]*dm;gg+=rk[:,None,None]*(dm[:,:,None]*dm[:,None,:]+o.Gi+GC@Ai@np.swapaxes(GC,1,2))
                o.gm=o.gm+np.r_[0,gm.mean(0)[1:]]*(o.n/(o.n+1.))
                d=np.r_[0,gm.mean(0)[1:]]*(o.n/(o.n+1.))
                M=gg.sum(0)-d[:,None]*gm.sum(0)-gm.sum(0)[:,None]*d+o.n*np.outer(d,d)
                v=np.full(o.q,.05**2);v[1:3]=.4**2;v[3:6]=.15**2
                V=(M+6*np.diag(v))/(o.n+6);V[0,:]=0;V[:,0]=0;V[0,0]=100;o.gV=V
                ms=o.lam.mean();ps=1/max(o.lam.var(),.05)
                # sigma: newton on log-scale with normal prior
                q=(sg/(o.c+1/o.k)).sum(1)
                for _ in range(5):
                    g=.5*q*np.exp(-o.lam)-.5*o.nn-ps*(o.lam-ms);H=.5*q*np.exp(-o.lam)+ps;o.lam=o.lam+np.clip(g/H,-1,1)
                def fc(lc):
                    v=np.exp(o.lam)[:,None]*(np.exp(lc)+1/o.k);return (o.m*(.5*np.log(v)+.5*sg/v)).sum()
                lc=np.log(o.c)+np.linspace(-.3,.3,13);o.c=np.exp(lc[np.argmin([fc(l) for l in lc])])
                if it%4==3 and (r or it>6): o.e,_=opt(lambda e:o.pen(e)-o.comps(Sm,t,e)[0].sum(),o.e,250,.1)
            o.prep()
            pf=lambda p:-o.comps(*o.suff(p)[:2],o.e)[0].sum()+.5*(((p-np.array([-.35,1.6,1.17,0,0]))/np.array([.5,.8,.8,.5,.1]))**2).sum()
            o.p,_=opt(pf,o.p,40 if r<rounds-1 else 90,np.array([.08,.08,.08,.2,.05]),.02)
            Sm,t,E,C=o.suff(o.p);o.e,f=opt(lambda e:o.pen(e)-o.comps(Sm,t,e)[0].sum(),o.e,600,.15)
            ll,o.R,o.post=o.comps(Sm,t,o.e);o.ll=(o.const+ll).sum()
            if VERB: print(r,'ll %.2f'%o.ll,'p',o.p,'c',o.c,'e',o.e,'gm',o.gm[1:],flush=True)
        o.Sm,o.t=Sm,t

# ---------------------------------------------------------------- target part
class Tar:
    """target ~ N(mu, sd^2 I); four ways of taking part, in standardised coordinates"""
    def __init__(o,S):
        o.S=S;o.n=n=len(S);N=max(len(d['x']) for d in S);M=max(len(d['z']) for d in S)
        pad=lambda v,L:np.concatenate([v,np.zeros((L-len(v),2))])
        o.x=np.stack([pad(d['x'],N) for d in S]);o.z=np.stack([pad(d['z'],M) for d in S])
        o.mx=np.stack([np.r_[np.ones(len(d['x'])),np.zeros(N-len(d['x']))] for d in S]);o.nx=o.mx.sum(1)
        nz=np.array([len(d['z']) for d in S])
        o.nz=nz;o.zm=np.stack([d['z'].mean(0) for d in S]);o.zs=np.stack([((d['z']-d['z'].mean(0))**2).sum(0) for d in S])
        o.xm=np.stack([d['x'].mean(0) for d in S]);o.xs=np.stack([((d['x']-d['x'].mean(0))**2).sum(0) for d in S])
        o.tmin=np.array([d['x'][:,0].min() for d in S])
        o.pm=np.array([0,0,0.]);o.ps=np.array([1.,1.,.2])
        # way params: 1: tilt (d_s,d_u); 2: q, ln omega, tilt use; 3: c,ls,lu ; 4: c,ls,lu
        o.h=[np.array([0.,0.]),np.array([.15,-2.7,0.,.5]),np.array([-.9,2.3,1.4]),np.array([-.8,-2.1,-1.1])]
    def lp(o,t,w,h):
        """t (n,3) -> log posterior density up to 2pi"""
        mu=t[:,:2];sd=np.exp(t[:,2])
        l=-2*o.nz*t[:,2]-.5*((o.zs.sum(1))+o.nz*((o.zm-mu)**2).sum(1))/sd**2
        l+=-.5*(((t-o.pm)/o.ps)**2).sum(1)-np.log(o.ps).sum()
        sh=np.zeros((o.n,2))
        if w==0: sh=h[:2]*sd[:,None]
        l+=-2*o.nx*t[:,2]-.5*(o.xs.sum(1)+o.nx*((o.xm-mu-sh)**2).sum(1))/sd**2
        if w==1:
            q=(o.tmin-mu[:,0])/sd
            # given threshold T (just below the minimum): density; T marginalised: T|mu ~ N(mu+q sd, (om sd)^2)
            haz=np.exp(-.5*q*q)/2.5066/np.maximum(ndtr(-q),1e-12)
            T=q-1/(o.nx*haz)
            l+=-o.nx*lndtr(-q)-.5*((T-h[0])*np.exp(-h[1]))**2-h[1]-.9189-np.log(o.nx*haz)
            l+=o.sel((o.x[...,1]-mu[:,1:])/sd[:,None],h[2],h[3])
        if w>=2:
            zz=(o.x-mu[:,None])/sd[:,None,None]
            r=np.hypot(h[1],h[2])
            if RAW: l+=o.sel((o.x@h[1:]),h[0],1.,mu@h[1:],sd*r)
            else: l+=o.sel(zz@(h[1:]/r),h[0],r)
        return l
    def sel(o,z,c,r,m=0.,sd=1.):
        v=c+r*z
        Z=(GW/(1+np.exp(-(c+r*(np.asarray(m)[...,None]+np.asarray(sd)[...,None]*GX))))).sum(-1)
        return (o.mx*-np.logaddexp(0,-v)).sum(1)-o.nx*np.log(Z)
    def lap(o,w,h,t0,it=6):
        t=t0.copy();e=np.array([.02,.02,.02])
        I=np.eye(3)
        f0=o.lp(t,w,h)
        for k in range(it):
            fp=[o.lp(t+e*I[i],w,h) for i in range(3)];fm=[o.lp(t-e*I[i],w,h) for i in range(3)]
            g=np.stack([(fp[i]-fm[i])/(2*e[i]) for i in range(3)],1);H=np.zeros((o.n,3,3))
            for i in range(3):
                H[:,i,i]=-(fp[i]-2*f0+fm[i])/e[i]**2
                for j in range(i):
                    fpp=o.lp(t+e*I[i]+e*I[j],w,h);H[:,i,j]=H[:,j,i]=-(fpp-fp[i]-fp[j]+f0)/e[i]/e[j]
            ev,U=np.linalg.eigh(H);ev=np.maximum(ev,5.);H=np.einsum('nij,nj,nkj->nik',U,ev,U)
            if k==it-1: break
            st=np.linalg.solve(H,g[...,None])[...,0];st=np.clip(st,-.4,.4)
            sc=np.ones(o.n)
            for _ in range(4):
                tn=t+st*sc[:,None];fn=o.lp(tn,w,h);bad=fn<f0-1e-9
                if not bad.any(): break
                sc=np.where(bad,sc*.4,sc)
            ok=fn>=f0;t=np.where(ok[:,None],tn,t);f0=np.where(ok,fn,f0)
        return f0-.5*np.log(np.linalg.det(H)),t,H
    def fit(o,rounds=3):
        T=[np.c_[o.zm,.5*np.log(o.zs.sum(1)/2/o.nz)] for _ in range(4)]
        for r in range(rounds+1):
            L=[];Hs=[]
            for w in range(4):
                l,T[w],H=o.lap(w,o.h[w],T[w],8 if r==0 else 5);L.append(l);Hs.append(H)
            L=np.stack(L,1);mx=L.max(1,keepdims=True);R=np.exp(L-mx);o.ll=(mx[:,0]+np.log(R.sum(1))).sum();R/=R.sum(1,keepdims=True)
            o.R,o.T,o.H=R,T,Hs
            if VERB: print('tar',r,'ll %.2f'%o.ll,[x.round(3) for x in o.h],o.pm,o.ps,R.sum(0),flush=True)
            if r==rounds: break
            m=sum(R[:,w,None]*T[w] for w in range(4))
            vv=sum(R[:,w,None]*np.stack([np.linalg.inv(Hs[w])[:,i,i] for i in range(3)],1) for w in range(4))
            o.pm=m.sum(0)/(o.n+1);o.ps=np.sqrt((((m-o.pm)**2+vv).sum(0)+2*np.array([.7,.7,.17])**2)/(o.n+2))
            h0=[np.zeros(2),np.array([.15,-2.7,0.,.5]),np.array([-.9,2.3,1.4]),np.array([-.8,-2.1,-1.1])]
            hs=[np.array([.1,.1]),np.array([.3,1.,.7,.4]),np.array([1.,1,1]),np.array([1.,1,1])]
            for w in range(4):
                sub=np.where(R[:,w]>.3)[0]
                if len(sub)==0: continue
                q=o.sub(sub);t0=T[w][sub]
                f=lambda h:-(R[sub,w]*q.lap(w,h,t0,3)[0]).sum()+.5*(((h-h0[w])/hs[w])**2).sum()
                o.h[w],_=opt(f,o.h[w],40,.15,.02)
    def sub(o,i):
        q=object.__new__(Tar);q.__dict__.update(o.__dict__);q.n=len(i)
        for a in ['x','z','mx','nx','nz','zm','zs','xm','xs','tmin']: setattr(q,a,getattr(o,a)[i])
        return q

def Hmean(p,t):
    mu=t[...,:2];sd=np.exp(t[...,2])
    z=p[0]+mu@p[1:3];v=sd*np.sqrt(p[1]**2+p[2]**2)
    return (shape(p,z[...,None]+v[...,None]*GX)*GW).sum(-1)
def answer(lo,hi):
    if -.3<lo and hi<.3: return 'same'
    return 'higher' if lo>0 else 'lower' if hi<0 else 'open'
def analyse(S,K=8000):
    o=Out(S);o.fit();q=Tar(S);q.fit()
    rng=np.random.default_rng(1);out=[]
    for i in range(len(S)):
        kk=(rng.random(K)<o.R[i,1]).astype(int);ab=np.empty((K,2))
        for c in range(2):
            m,V=o.post[c][0][i],o.post[c][1][i];s=kk==c
            ab[s]=m+rng.standard_normal((s.sum(),2))@np.linalg.cholesky(V).T
        ww=rng.choice(4,K,p=q.R[i]);t=np.empty((K,3))
        for w in range(4):
            s=ww==w
            if s.any(): t[s]=q.T[w][i]+rng.standard_normal((s.sum(),3))@np.linalg.cholesky(np.linalg.inv(q.H[w][i])).T
        th=ab[:,0]+ab[:,1]*Hmean(o.p,t)
        out.append((np.mean(th),*np.quantile(th,[.025,.975])))
    return out,o,q
def main():
    S=load(os.environ.get('ASSAY_DATA') or 'data')
    out,o,q=analyse(S);E={}
    with open('answers.csv','w') as f:
        f.write('study,estimate,low,high,answer\n')
        for d,(e,lo,hi) in zip(S,out):
            e,lo,hi=round(e,5),round(lo,5),round(hi,5);E[d['n']]=e
            f.write(f"{d['n']},{e},{lo},{hi},{answer(lo,hi)}\n")
            if VERB: print(d['n'],d['s'],e,lo,hi,answer(lo,hi),'pnon',o.R[[x['n'] for x in S].index(d['n']),1].round(3))
    W=[round(hi,5)-round(lo,5) for _,lo,hi in out]
    json.dump({"studies":len(S),"mean_estimate":float(np.mean(list(E.values()))),"mean_width":float(np.mean(W)),"estimates":E},open('results.json','w'),indent=1)
    if VERB: print(q.R.round(2))
if __name__=='__main__': main()
