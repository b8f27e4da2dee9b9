import time
import numpy as np
from parts import roles
from prior import D,G
import os,json
OPT=dict(M=40,gam=.8,vis=dict(a=2,c=2,e=2,d=1,f=1),A=1.0,kap=0.0,ell=.7,mh=2,tsc=.45,tau=10,relf=0,dc=.06,ec=.25,ac=.5,ella=.5)
class Search:
    def __init__(s,problem):
        s.t0=time.process_time(); s.P=problem; s.cost=np.array(problem['costs']); s.U,s.C,R,s.k,lc=roles(problem); s.R=R; s.N=len(s.U)
        s.rng=np.random.default_rng(0); s.rows=[];s.y=[];s.fr=[];s.fv=[]
        d=s.U.shape[1]; k=s.k
        pr=np.array([D.get((k,t),D.get((k,t.rstrip('+')),[.5,0,.15,.15,.15,0,.05])) for t in R]).reshape(d,7)
        s.pi,s.ml,s.mq,s.sl,s.sq,s.fl,s.fs=pr.T; s.res,s.nz,s.frate,s.csd=G[k]
        s.Q=s.U**2-1/3; s.d=d; s.nc=s.C.shape[1]; M=s.M=OPT['M']; r=s.rng
        s.le=np.array([np.log(OPT['ella'] if k=='a' and t=='log' else OPT['ell']) for t in R])
        lg=s.lg=[j for j,t in enumerate(R) if t=='log'] if k in 'ab' else []
        if lg:
            for j in lg: s.pi[j]=.5; s.ml[j]=0. if k=='a' else -.12; s.mq[j]=.1 if k=='a' else -.03; s.sl[j]=.08 if k=='a' else .15; s.sq[j]=.1
        s.rel=(r.random((M,d))<s.pi).astype(float)
        s.ix=np.array(lg)[r.integers(0,len(lg),M)] if lg else np.zeros(M,int)
        s.slc,s.sqc=dict(a=(.04,.04),c=(.15,.3),d=(OPT['dc'],OPT['dc']),e=(OPT['ec'],OPT['ec'])).get(k,(.04,.04))
        s.lh=s.draw(M); s.lw=np.zeros(M); s.post=None; s.fit()
    def par(s,rel,ix):
        p=len(rel); o=lambda x:np.repeat(np.asarray(x)[None],p,0)
        ML,MQ,SL,SQ=o(s.ml)*rel,o(s.mq)*rel,o(s.sl)*rel,o(s.sq)*rel; LC=s.slc*rel; QC=s.sqc*rel
        if s.lg:
            q=np.arange(p)
            if s.k=='a': v=(0.,1.1,.3,.35,OPT['ac'],.2)
            else: v=(-.22,.95,.35,.25,0,0)
            for A,x in zip((ML,MQ,SL,SQ,LC,QC),v): A[q,ix]=x
        return ML,MQ,SL**2,SQ**2,LC**2,QC**2
    def draw(s,M):
        r=s.rng; # columns: log scale, log noise, log A, then log ell (d), cat theta log(nc), log csd
        return np.concatenate([r.normal(0,.35,(M,1)),r.normal(np.log(s.nz+.02),.6,(M,1)),r.normal(np.log(s.res*OPT['A']),.4,(M,1)),r.normal(s.le,.5,(M,s.d)),r.normal(-.5,.8,(M,s.nc)),r.normal(np.log(max(s.csd,.05)*1.3),.5,(M,1))],1)
    def lprior(s,lh,rel):
        m=np.concatenate([[0,np.log(s.nz+.02),np.log(s.res*OPT['A'])],s.le,np.full(s.nc,-.5),[np.log(max(s.csd,.05)*1.3)]])
        sd=np.concatenate([[.35,.6,.4],np.full(s.d,.5),np.full(s.nc,.8),[.5]])
        return -.5*(((lh-m)/sd)**2).sum(1)+(rel*np.log(s.pi+1e-3)+(1-rel)*np.log(1-s.pi+1e-3)).sum(1)
    def kern(s,lh,rel,a,b,ix,pr):
        U,Q,C=s.U,s.Q,s.C; d=s.d
        p,n,m=len(lh),len(a),len(b)
        rel=rel.copy()
        if s.lg: rel[np.arange(p),ix]=1
        w=rel*np.exp(-2*lh[:,3:3+d])*.5
        Ua,Ub=U[a],U[b]
        D2=((Ua[:,None]-Ub[None])**2).reshape(n*m,d).T
        PU=(Ua[:,None]*Ub[None]).reshape(n*m,d).T; PQ=(Q[a][:,None]*Q[b][None]).reshape(n*m,d).T
        ML,MQ,L2,Q2,C2,G2=pr
        E=-(w@D2); K=L2@PU+Q2@PQ
        if s.nc:
            NE=np.stack([(C[a][:,c][:,None]!=C[b][:,c][None]).ravel() for c in range(s.nc)])*1.
            K+=(C2@PU+G2@PQ)*(1-NE[0])
            E-=np.exp(lh[:,3+d:3+d+s.nc])@NE; K+=np.exp(2*lh[:,-1])[:,None]*(s.nc-NE.sum(0))
        np.exp(E,out=E); E*=np.exp(2*lh[:,2])[:,None]; K+=E; K+=1.0
        K=K.reshape(p,n,m)
        return K
    def kdiag(s,lh,rel,pr):
        ML,MQ,L2,Q2,C2,G2=pr; cc=1. if s.nc else 0.
        return (L2+cc*C2)@(s.U**2).T+(Q2+cc*G2)@(s.Q**2).T+np.exp(2*lh[:,2])[:,None]+1+s.nc*np.exp(2*lh[:,-1])[:,None]
    def mean(s,pr,a): return pr[0]@s.U[a].T+pr[1]@s.Q[a].T+.9
    def ml_(s,lh,rel,ix):
        pr=s.par(rel,ix); a=np.array(s.rows); K=s.kern(lh,rel,a,a,ix,pr); n=len(a); sc=s.sc0*np.exp(lh[:,0])
        K+=np.exp(2*lh[:,1])[:,None,None]*np.eye(n)
        t=(s.z-s.off)[None]/sc[:,None]+.9-s.mean(pr,a)
        L=np.linalg.cholesky(K+1e-8*np.eye(n)); al=np.linalg.solve(K,t[:,:,None])[:,:,0]
        return -.5*(t*al).sum(1)-np.log(np.einsum('pii->pi',L)).sum(1)-n*np.log(sc),K,t,al,sc
    def fit(s):
        N=s.N; al_=np.arange(N); n=len(s.rows)
        if n==0:
            m=np.average(s.mean(s.par(s.rel,s.ix),al_),axis=0); s.m=m; s.v=np.full(N,.3); s.tau=np.sort(m)[9]; s.mid=.9; s.scl=1.
        else:
            y=np.array(s.y); 
            if n>=3:
                md=np.median(y); lo=y.min(); s0=max(md-lo,1e-9*abs(md)+1e-12); z=np.where(y>md,md+s0*np.log1p(np.maximum(y-md,0)/s0),y)
            else: z=y
            s.z=z
            if n>=3: s.sc0=np.std(z)/OPT['tsc']+1e-12
            elif n==2: s.sc0=abs(z[0]-z[1])/.6+1e-12
            else: s.sc0=max(abs(z[0])*.2,1e-9)
            s.off=z.mean()
            lp,K,t,al,sc=s.ml_(s.lh,s.rel,s.ix); tot=lp+s.lprior(s.lh,s.rel)
            if n>=2:
                lw=lp-s.last_lp if s.last_lp is not None and len(s.last_lp)==len(lp) else lp
                w=np.exp(lw-lw.max()); w/=w.sum(); idx=(np.searchsorted(np.cumsum(w),(np.arange(s.M)+s.rng.random())/s.M)).clip(0,s.M-1)
                s.lh=s.lh[idx];s.rel=s.rel[idx];s.ix=s.ix[idx];lp=lp[idx];tot=tot[idx]
                for it in range(OPT['mh'] if time.process_time()-s.t0<.7 else 0):
                    nl=s.lh+s.rng.normal(size=s.lh.shape)*.35*(s.rng.random(s.lh.shape)<.5); nr=s.rel.copy()
                    if s.d:
                        fl=s.rng.random(nr.shape)<.8/s.d; nr=np.where(fl,1-nr,nr)
                    ni=s.ix.copy()
                    if len(s.lg)>1:
                        fl=s.rng.random(s.M)<.3; ni=np.where(fl,np.array(s.lg)[s.rng.integers(0,len(s.lg),s.M)],ni)
                    l2=s.ml_(nl,nr,ni)[0]; t2=l2+s.lprior(nl,nr); acc=np.log(s.rng.random(s.M))<t2-tot
                    s.lh[acc]=nl[acc];s.rel[acc]=nr[acc];s.ix[acc]=ni[acc];lp=np.where(acc,l2,lp);tot=np.where(acc,t2,tot)
                lp,K,t,al,sc=s.ml_(s.lh,s.rel,s.ix)
            s.last_lp=lp if n>=2 else None
            a=np.array(s.rows); pr=s.par(s.rel,s.ix); Kx=s.kern(s.lh,s.rel,al_,a,s.ix,pr); mu=s.mean(pr,al_)+np.einsum('pnm,pm->pn',Kx,al)
            Ki=np.linalg.inv(K); v=s.kdiag(s.lh,s.rel,pr)-np.einsum('pnm,pnm->pn',Kx@Ki,Kx); v=np.maximum(v,1e-6)
            mu=(mu-.9)*sc[:,None]+s.off; v=v*sc[:,None]**2
            s.m=mu.mean(0); s.v=v.mean(0)+mu.var(0); s.mu=mu; s.pv=v
            s.mid=np.median(s.m); s.scl=max(s.mid-np.sort(s.m)[:10].mean(),1e-12)
        # failures
        pf=np.zeros(N)
        if s.k in 'ac':
            if not hasattr(s,'FZ'):
                Z=[];W=[]
                wp=[j for j,t in enumerate(s.R) if t=='whole+'] if s.k=='a' else []
                cand=[j for j,t in enumerate(s.R) if t=='log'] if s.k=='a' else [j for j,t in enumerate(s.R) if t in('log+','log')]
                for j in cand:
                    for dc in ((.3,.45,.6) if wp else (0,)):
                        for t in (np.linspace(.1,1.3,13) if s.k=='a' else np.linspace(.7,1.6,10)):
                            z=s.U[:,j]+(dc*s.U[:,wp[0]] if wp else 0)-t; Z.append(9*z); W.append(-.5*((t-.8)/.35)**2 if s.k=='a' else (0 if s.R[j]=='log+' else -1.5))
                s.FZ=np.clip(np.array(Z).reshape(-1,N),-30,30); s.FW=np.array(W)
            if len(s.FZ):
                lw=s.FW.copy()
                for i,f in zip(s.fr,s.fv): lw=lw-np.logaddexp(0,-s.FZ[:,i] if f else s.FZ[:,i])
                w=np.exp(lw-lw.max()); w/=w.sum(); pf=w@(1/(1+np.exp(-s.FZ)))
                if OPT['relf'] and s.k=='a': s.pfw=w
        elif s.frate>0 or any(s.fv):
            pf=np.clip(s.frate+s.U@s.fl,0.,.9)
            if s.fr and s.d:
                a=np.array(s.fr); W=1/(.6**2)*.5
                kk=lambda i,j:(s.U[i]*s.fs**2)@s.U[j].T+.2**2*np.exp(-W*(((s.U[i][:,None]-s.U[j][None])**2)*(s.fs>.04)).sum(2))+.03**2
                K=kk(a,a)+.15**2*np.eye(len(a)); pf=np.clip(pf+kk(al_,a)@np.linalg.solve(K,np.array(s.fv,float)-pf[a]),0,1)
        for i,f in zip(s.fr,s.fv): pf[i]=f
        s.pf=pf
        s.u=s.m+pf*np.maximum(s.mid+.0*s.scl-s.m,0)*1.0+ (pf>.5)*10*s.scl*0
        s.u=np.where(pf>=1,s.mid+10*s.scl,s.u)
        s.order=np.argsort(s.u)
    def shortlist(s): return [int(i) for i in s.order[:10]]
    def choose(s):
        n=len(s.rows)
        if n<1:
            v=s.u+.25*np.log(s.cost); 
            for i in s.fr: v[i]=9
            return int(np.argmin(v))
        tau=s.u[s.order[OPT['tau']-1]]
        sd=np.sqrt(s.pv) if hasattr(s,'pv') else np.sqrt(s.v)[None]; mu=s.mu
        q=(tau-mu)/sd; 
        ei=sd*(q*.5*(1+erf(q/1.41421356))+np.exp(-.5*q*q)*.39894)
        e=ei.mean(0)*(1-s.pf)/s.cost**OPT['gam']
        for i in s.fr: 
            if s.pf[i]>=1: e[i]=-1
        for i in s.rows: e[i]*=.3
        if s.fv[-1]: e[s.fr[-1]]=-1
        if s.nc:
            lev=s.C.max(0)+1; c=int(np.argmax(lev)); L=lev[c]; nv=np.bincount(s.C[s.fr,c],minlength=L)
            if len(s.fr)<OPT['vis'].get(s.k,0)*L:
                e=np.where(nv[s.C[:,c]]==nv.min(),e,-2+0*e)
        return int(np.argmax(e))
    last_lp=None
    def tell(s,row,loss):
        s.fr.append(row); s.fv.append(1. if loss is None else 0.)
        if loss is not None: s.rows.append(row); s.y.append(float(loss))
        el=time.process_time()-s.t0
        if el>.75 and len(s.fr)%(2 if el<.95 else 4): s.order=[i for i in s.order if s.fv[-1]<1 or i!=row]; return
        try: s.fit()
        except np.linalg.LinAlgError: pass
def erf(x):
    t=1/(1+.3275911*np.abs(x)); y=1-(((((1.061405429*t-1.453152027)*t)+1.421413741)*t-.284496736)*t+.254829592)*t*np.exp(-x*x)
    return np.sign(x)*y
