import math
import numpy as np
from parts import *
OPT=dict(M=500,R=200,mh=3,wid=1.02,rb=1.0,zt=2.2,nu=4.,la=1.6,lb=.8,ep=1,le=.8,lt=.6)
def analyse_one(p,plan,res,seed=0):
    rng=np.random.default_rng(seed); L=lay(p); ns=L[0].max()+1
    PO,PV,d0=pilot_obs(p); O=PO+plan_obs(p,plan,d0); V=list(PV)+list(res)
    ob=np.array([v for v in V if v is not None],float)
    if len(ob)<4:
        s=np.std(ob)+p['rounding'][0]+1e-9; return [[0.,-3*s,3*s]]*3
    sd=np.std(ob); mad=np.median(np.abs(ob-np.median(ob)))*1.48; sd=min(sd,1.5*mad+1e-9) if mad>0 else sd
    s0=max(sd/1.9,1e-9); lost=np.array([v is None for v in V]); nl=lost.mean()
    y=np.array([np.median(ob)+OPT['la']*sd if v is None else v for v in V],float)
    mu=np.median(ob); y=(y-mu)/s0
    el=np.mean((ob-mu)/s0)+OPT['le']*sd/s0; ta=OPT['lt']*sd/s0
    m=mats(p,O,L); r=np.array(p['rounding'])/s0
    ex=(r**2/12)[m['d']]; ex=np.where(lost,(OPT['lb']*1.9)**2,ex); infl=np.ones(m['n'])
    th,on,sn=draw(OPT['M'],ns,rng)
    def ml(th,on,sn):
        K,c,v=cov(m,th,on,sn,ex,infl); t=y[None]/np.exp(th[:,9:10]); Ki=np.linalg.inv(K); al=np.einsum('pij,pj->pi',Ki,t)
        ld=np.linalg.slogdet(K)[1]
        return -.5*(t*al).sum(1)-.5*ld-m['n']*th[:,9],Ki,al,c,v
    for rnd in range(3):
        lp,Ki,al,c,v=ml(th,on,sn)
        tot=lp+lprior(th,on,sn)
        if rnd==0:
            w=np.exp((lp-lp.max())*.7)
            w/=w.sum()
        else:
            w=np.ones(len(lp))/len(lp)
        zi=al/np.sqrt(np.einsum('pii->pi',Ki)); z=np.sqrt((w[:,None]*zi**2).sum(0))
        if rnd==2: break
        nu=OPT['nu']; infl=np.maximum(1.,(infl*0+1)*np.where(z*np.sqrt(1)>2.2,OPT['rb']*(nu+z**2)/(nu+1),1.)) if rnd==0 else np.maximum(1,infl*np.where(z>OPT['zt'],z**2/OPT['zt']**2,1))
        infl=np.where(lost,1,infl)
        if lost.any() and OPT['ep']:
            S_=np.exp(th[:,9:10]); kd=np.einsum('pii->pi',Ki); lm=(y[None]/S_-al/kd)*S_; lv=(1/kd)*S_**2
            mm=(w[:,None]*lm).sum(0); vv=(w[:,None]*(lv+lm**2)).sum(0)-mm**2-ex; vv=np.maximum(vv,.05)
            for i in np.where(lost)[0]:
                q=np.sqrt(vv[i]+ta**2); z_=(mm[i]-el)/q; ph=np.exp(-.5*z_*z_)/2.5066; Ph=max(.5*(1+math.erf(z_/1.41421356)),1e-12); h=ph/Ph
                m1=mm[i]+vv[i]*h/q; v1=vv[i]-vv[i]**2*h*(z_+h)/q**2; v1=min(max(v1,.02),vv[i]*.98)
                sv=1/(1/v1-1/vv[i]); y[i]=sv*(m1/v1-mm[i]/vv[i]); ex[i]=min(max(sv,.05),400.)
                y[i]=np.clip(y[i],-8,12)
        lp=ml(th,on,sn)[0]; 
        if rnd==0:
            w=np.exp(lp-lp.max()); w/=w.sum(); ix=np.searchsorted(np.cumsum(w),(np.arange(OPT['R'])+rng.random())/OPT['R']).clip(0,len(w)-1)
            th,on,sn,lp=th[ix],on[ix],sn[ix],lp[ix]
        tot=lp+lprior(th,on,sn)
        for k in range(OPT['mh']):
            tn=th+PS*.5*rng.normal(size=th.shape)*(rng.random(th.shape)<.4); o2=np.where(rng.random(on.shape)<.2,1-on,on); s2=sn+.15*rng.normal(size=sn.shape)
            l2=ml(tn,o2,s2)[0]; t2=l2+lprior(tn,o2,s2); ac=np.log(rng.random(len(th)))<t2-tot
            th[ac],on[ac],sn[ac]=tn[ac],o2[ac],s2[ac]; tot=np.where(ac,t2,tot)
    sc=np.exp(th[:,9])*s0
    mean=np.einsum('pan,pn->pa',c,al)*sc[:,None]; var=v-np.einsum('pan,pnk,pak->pa',c,Ki,c,optimize=True); sd_=np.sqrt(np.maximum(var,1e-9))*sc[:,None]
    out=[]
    Z=NQ
    for a in range(3):
        q=np.sort((mean[:,a:a+1]+sd_[:,a:a+1]*Z[None]).ravel()); lo,md,hi=np.quantile(q,[.025,.5,.975])
        lo,hi=md+(lo-md)*OPT['wid'],md+(hi-md)*OPT['wid']; out.append([float(md),float(min(lo,md)),float(max(hi,md))])
    return out
from statistics import NormalDist
NQ=np.array([NormalDist().inv_cdf((i+.5)/40) for i in range(40)])
