import sys,json,time
from core import *
MARGIN=8.
M=np.arange(.5,.9001,.005); Dg=np.arange(-.70,.7001,.01)
MM,DD=np.meshgrid(M,Dg,indexing='ij'); PA=MM+DD/2; PB=MM-DD/2; OK=(PA>.02)&(PA<.985)&(PB>.02)&(PB<.985)
PAc=np.clip(PA,.02,.985); PBc=np.clip(PB,.02,.985)
def cells(OR):
    if abs(OR-1)<1e-6: p11=PAc*PBc
    else:
        s=1+(PAc+PBc)*(OR-1); p11=(s-np.sqrt(s*s-4*OR*(OR-1)*PAc*PBc))/(2*(OR-1))
    return np.log(np.maximum(np.stack([p11,PAc-p11,PBc-p11,1-PAc-PBc+p11]),1e-9))
def counts(st):
    I=items(st); c=np.zeros(4); s=np.zeros(3)
    for n,seen,a,b,ab,_ in I:
        if seen: s+=[1,a/n,b/n]
        else: c+=np.array([ab,a-ab,b-ab,n-a-b+ab])/n
    return np.concatenate([c,s])
def loglik(C,OR,ka,kb,ma,mb):
    L=C[:,:4]@cells(OR).reshape(4,-1)
    sa=(C[:,5].sum()+1)/(C[:,4].sum()+2); sb=C[:,6].sum()/max(C[:,4].sum(),1)
    if ka is not None:
        q=np.clip(sa+ka*(PAc-ma),.02,.995).ravel(); L=L+C[:,5:6]*np.log(q)+(C[:,4:5]-C[:,5:6])*np.log(1-q)
    q=np.clip(sb+kb*(PBc-mb),.02,.995).ravel(); L=L+C[:,6:7]*np.log(q)+(C[:,4:5]-C[:,6:7])*np.log(1-q)
    L[:,~OK.ravel()]=-1e9
    return L
def lprior(h,wd=None):
    g=-.5*((MM-h['m0']-h['m1']*DD)/h['sm'])**2-np.log(h['sm'])
    if wd is None: g=g-.5*((DD-h['md'])/h['sd'])**2-np.log(h['sd'])
    else: g=g+np.log(wd+1e-12)[None,:]+4.6
    return g.ravel()
def marg(L,h,wd=None):
    l=L+lprior(h,wd); mx=l.max(1,keepdims=True); P=np.exp(l-mx); Z=P.sum(1,keepdims=True); return P/Z,(mx+np.log(Z)).sum()
def run(S,verbose=False):
    C=np.array([counts(st) for st in S]); return fit(C,[s[0] for s in S],verbose)
def fit(C,names,verbose=False):
    N=len(C); h=dict(m0=.70,m1=0.,sm=.04,md=-.03,sd=.15)
    d=DD.ravel(); m=MM.ravel()
    def em(L,h,it):
        h=dict(h)
        for _ in range(it):
            P,ll=marg(L,h); w=P.sum(0)
            n0=3.; h['md']=((w@d)+1*-.03)/(N+1); h['sd']=np.sqrt((w@(d-h['md'])**2+n0*.14**2)/(N+n0))
            a11=w@(d*d)+.14**2*6; a01=w@d; a00=N+2; r0=w@m+2*.7; r1=w@(m*d)
            det=a00*a11-a01**2; h['m0']=(r0*a11-r1*a01)/det; h['m1']=(r1*a00-r0*a01)/det
            h['sm']=max(.006,np.sqrt((w@(m-h['m0']-h['m1']*d)**2+3*.03**2)/(N+3)))
        return h,ll
    OR,ka,kb=1.,0.,0.
    pm=lambda h:(h['m0']+h['md']*(h['m1']+.5),h['m0']+h['md']*(h['m1']-.5))
    L=loglik(C,OR,ka,kb,*pm(h)); h,ll=em(L,h,8)
    for rnd in range(2):
        lls=[]; ors=np.array([.4,.5,.6,.7,.8,.9,1.,1.1,1.25,1.5,2.])
        for o in ors: lls.append(marg(loglik(C,o,ka,kb,*pm(h)),h)[1]-.5*(np.log(o)/.15)**2)
        OR=ors[int(np.argmax(lls))]
        lk=[marg(loglik(C,OR,ka,k,*pm(h)),h)[1]-(1.5 if k else 0) for k in(0,.25,.5,.75,1.)]; kb=(0,.25,.5,.75,1.)[int(np.argmax(lk))]
        la=[marg(loglik(C,OR,k,kb,*pm(h)),h)[1]-(1.5 if k else 0) for k in(0,.05,.1,.2,.4)]; ka=(0,.05,.1,.2,.4)[int(np.argmax(la))]
        L=loglik(C,OR,ka,kb,*pm(h)); h,ll=em(L,h,15)
        if verbose: print('OR',OR,np.round(np.array(lls)-max(lls),1),'kb',kb,np.round(np.array(lk)-max(lk),1),'ka',ka,np.round(np.array(la)-max(la),1),h,ll,file=sys.stderr)
    # sm direct search (EM is slow)
    pen=1. if N<100 else .05
    f_=lambda g: marg(L,g)[1]-pen*(1.5*(.03/g['sm'])**2+3*np.log(g['sm']))
    v0=f_(h)
    for f in(.5,.7,.85,1.2,1.4):
        while True:
            g=dict(h); g['sm']=h['sm']*f
            if not .004<g['sm']<.15: break
            v=f_(g)
            if v>v0: h=g; v0=v
            else: break
    wd=None
    if N>=60:
        # likelihood of d with m integrated out
        g=-.5*((MM-h['m0']-h['m1']*DD)/h['sm'])**2; l=(L+g.ravel()).reshape(N,*MM.shape)
        mx=l.max((1,2)); Ld=np.exp(l-mx[:,None,None]).sum(1)/np.exp(g).sum(0)
        Ld/=Ld.max(1,keepdims=True)
        LLw=lambda w: np.log(np.maximum(Ld@(w/w.sum()),1e-300)).sum()
        from math import erf
        Phi=lambda x: .5*(1+np.vectorize(erf)(x/np.sqrt(2)))
        fam=[]
        def su(p): return np.maximum(Phi((Dg-p[0])/p[2])-Phi((Dg-p[1])/p[2]),1e-12)
        for soft in(.004,.015,.03,.06,.1,.14):
            w3=h['sd']**2-soft**2
            if w3<=.0004: continue
            r=np.sqrt(3*w3); p=[h['md']-r,h['md']+r,soft]; b=LLw(su(p)); st=.02
            while st>.003:
                mv=False
                for k in(0,1):
                    for sg in(1,-1):
                        q=list(p); q[k]+=sg*st
                        if q[1]-q[0]<.02: continue
                        v=LLw(su(q))
                        if v>b: p,b,mv=q,v,True
                if not mv: st/=2
            fam.append((b-3-(.0),'soft%.3f'%soft,su(p)/su(p).sum(),p))
        w=np.exp(-.5*((Dg-h['md'])/h['sd'])**2); fam.append((LLw(w)-2,'norm',w/w.sum(),None))
        for K in(2,3,4,5):
            for s0 in(.012,.03,.05,.08):
                mu=h['md']+h['sd']*np.linspace(-1.4,1.4,K); sk=s0; wt=np.full(K,1./K)
                for _ in range(150):
                    comp=np.exp(-.5*((Dg-mu[:,None])/sk)**2); comp/=comp.sum(1,keepdims=True)
                    A=Ld@comp.T*wt; Rr=A/A.sum(1,keepdims=True)
                    E=np.array([(Ld*comp[k])@Dg/np.maximum((Ld*comp[k]).sum(1),1e-300) for k in range(K)]).T
                    wt=Rr.sum(0)/N; mu=(Rr*E).sum(0)/np.maximum(Rr.sum(0),1e-9)
                comp=np.exp(-.5*((Dg-mu[:,None])/sk)**2); comp/=comp.sum(1,keepdims=True)
                w=wt@comp; fam.append((LLw(w)-(2*K)*1.3-1,'mix%d_%.3f'%(K,s0),w/w.sum(),(mu,wt)))
        b=max(f[0] for f in fam); ws=np.array([np.exp(f[0]-b) for f in fam]); ws/=ws.sum()
        wd=sum(a*f[2] for a,f in zip(ws,fam))
        if verbose:
            for a,f in sorted(zip(ws,fam),key=lambda t:-t[0])[:5]: print('   fam',round(float(a),3),f[1],round(f[0]-b,2),f[3],file=sys.stderr)
    if verbose: print(h,file=sys.stderr)
    P,_=marg(L,h,wd); out=[]
    for i in range(N):
        pd=P[i].reshape(MM.shape).sum(0); cdf=np.concatenate([[0],np.cumsum(pd)]); e=np.concatenate([Dg-.005,[Dg[-1]+.005]])
        lo,md,hi=[round(100*float(v),2) for v in np.interp([.025,.5,.975],cdf,e)]
        est=round(100*float(pd@Dg),2)
        ans='same' if lo>-MARGIN and hi<MARGIN else 'higher' if lo>0 else 'lower' if hi<0 else 'open'
        out.append((names[i],md,lo,hi,ans))
    return out
if __name__=='__main__':
    S=load(os.environ.get('ASSAY_DATA') or 'data'); out=run(S,verbose=True)
    with open('answers.csv','w') as f:
        f.write('study,estimate,low,high,answer\n')
        for o in out: f.write(','.join([o[0]]+[repr(v) for v in o[1:4]]+[o[4]])+'\n')
    e={o[0]:o[1] for o in out}
    json.dump(dict(studies=len(out),mean_estimate=float(np.mean(list(e.values()))),mean_width=float(np.mean([o[3]-o[2] for o in out])),estimates=e),open('results.json','w'),indent=1)
    print('cpu',time.process_time(),file=sys.stderr)
