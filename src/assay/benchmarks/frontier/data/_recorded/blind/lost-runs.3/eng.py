import numpy as np, csv, glob, os
from math import lgamma
def load(folder):
    out={}
    for f in sorted(glob.glob(os.path.join(folder,'*.csv'))):
        R=list(csv.DictReader(open(f)));P=int(R[0]['planned']) if R else 0
        X={}
        for o in('calm','bold'):
            d=[float(r['loss']) for r in R if r['optimiser']==o and r['status']=='done' and r['loss'] not in('',None)]
            nn=len({r['seed'] for r in R if r['optimiser']==o});X[o]=(np.log(np.array([v for v in d if np.isfinite(v) and v>0])),max(P-nn,0))
        out[os.path.splitext(os.path.basename(f))[0]]=X
    return out
MG=np.arange(-1.6,2.61,.02)      # location of the latent log loss
DG=np.arange(-3.,6.01,.1)        # c - m
def latent(kind,s):
    # log density of u=z-m ; kind: 0 normal, else shape k of a gamma (m = log of its mean-ish location, scaled to sd s by k alone)
    if kind==0: return lambda u:-.5*(u/s)**2-np.log(s)-.919
    k=kind
    # generalised gamma: u = s*(log G(k)-psi)/sqrt(trigamma)
    h=1e-3;ps=(lgamma(k+h)-lgamma(k-h))/2/h;tg=(lgamma(k+h)-2*lgamma(k)+lgamma(k-h))/h/h
    r=np.sqrt(tg)/s
    def f(u):
        v=u*r+ps;return k*v-np.exp(np.minimum(v,50))-lgamma(k)+np.log(r)
    return f
def lsurv(fam,b):
    if fam=='logit': return lambda y:-np.logaddexp(0,b*y)          # y=z-c
    if fam=='clog': return lambda y:-np.exp(np.minimum(b*y,50))
class Law:
    def __init__(self,kind,s,fam,b):
        self.f=latent(kind,s);self.b=b;self.fam=fam
        u=np.linspace(-6*s-1,5*s+.6,1200);du=u[1]-u[0];fu=np.exp(self.f(u));fu/=fu.sum()*du
        if fam=='indep':
            # fail prob independent of loss: d maps to logit of q
            q=1/(1+np.exp(DG));S=np.tile((1-q)[:,None],(1,len(u)))
        else: S=np.exp(lsurv(fam,b)(u[None]-DG[:,None]))
        W=fu*S*du;tot=W.sum(1);self.q=1-tot;self.lq=np.log(np.maximum(1-tot,1e-12))
        cum=np.cumsum(W,1);self.h=np.full(len(DG),np.nan)
        for i in range(len(DG)):
            if tot[i]>.5: self.h[i]=np.interp(.5,cum[i],u+du/2)
    def grid(self,x,miss):
        """log lik on MG x DG"""
        A=self.f(x[None]-MG[:,None]).sum(1)
        if self.fam=='indep': L=A[:,None]+(len(x)*np.log(1-self.q)+miss*self.lq)[None]
        else:
            # c = m+d on a global grid with step .02 -> table
            c=np.arange(MG[0]+DG[0],MG[-1]+DG[-1]+.021,.02)
            B=lsurv(self.fam,self.b)(x[None]-c[:,None]).sum(1)
            idx=np.rint((MG[:,None]+DG[None]-c[0])/.02).astype(int)
            L=A[:,None]+B[idx]+miss*self.lq[None]
        return L
def smooth(w,bw):
    k=np.exp(-.5*(np.arange(-30,31)/bw)**2);k/=k.sum();return np.convolve(np.pad(w,30,mode='edge'),k,'valid')
def arms(D,law,it=12,keep=False):
    """evidence with learned priors of d (histogram) and m (normal), per optimiser"""
    tot=0;pri={};Ls={}
    for o in('calm','bold'):
        L=[law.grid(*D[k][o]) for k in D];mx=[l.max() for l in L];E=[np.exp(l-m_) for l,m_ in zip(L,mx)]
        N=len(E);wd=np.ones(len(DG))/len(DG);mm,ms=.2,.5
        for i in range(it):
            pm=np.exp(-.5*((MG-mm)/ms)**2);pm/=pm.sum()
            sd=np.zeros(len(DG));sm=np.zeros(len(MG));ev=0
            for e,m_ in zip(E,mx):
                p=e*pm[:,None]*wd[None];Z=p.sum();ev+=np.log(Z)+m_;sd+=p.sum(0)/Z;sm+=p.sum(1)/Z
            wd=smooth(sd,4 if N<50 else 2.5)+.02;wd/=wd.sum()
            mm=(sm*MG).sum()/N;ms=np.sqrt(((sm*(MG-mm)**2).sum()+.1)/(N+1))
        tot+=ev;pri[o]=(wd,mm,ms);
        if keep: Ls[o]=E
    return (tot,pri,Ls)
