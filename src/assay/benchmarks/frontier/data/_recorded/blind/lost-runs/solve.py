import sys,json
from core import *
MARGIN=.25
def lse(x,axis=None):
    m=x.max(axis=axis,keepdims=True); return np.squeeze(m,axis=axis)+np.log(np.exp(x-m).sum(axis=axis)) if axis is not None else float(m.max()+np.log(np.exp(x-m.max()).sum()))
def run(S,verbose=False,seed=0):
    rng=np.random.default_rng(seed)
    # use empty arms safely
    def mus_of(arm): return (arm[0].mean() if len(arm[0]) else 0.)+MU
    N=len(S); nq=len(QS); nb=len(BS)
    arms=[(d['calm'],d['bold']) for _,d in S]
    mc=np.array([mus_of(a[0]) for a in arms]); mb=np.array([mus_of(a[1]) for a in arms])
    pri=dict(wb=np.array([.3,.6,1,1.5,1.5,1,.6,.3]),)
    wb=pri['wb']/pri['wb'].sum()
    # q weights smooth over a kernel in logit scale
    cell=np.gradient(QS)
    wqc=cell/(QS+.01)**1.2; wqc/=wqc.sum(); wqb=cell.copy(); wqb/=wqb.sum()
    lq=np.log((QS+.01)/(1.01-QS)); KS=np.exp(-.5*((lq[:,None]-lq)/.25)**2)*cell; KS/=KS.sum(0)  # KS[new, old]
    KS=KS
    h=dict(m=.12,t=.15,al=-.1,be=1.,ga=0.,tb=.25)
    def LLs(sh,idx):
        s,eps,dl=sh; K,zm=table(base(eps,dl))
        return [(armLL(arms[i][0],K,s,mc[i]),armLL(arms[i][1],K,s,mb[i])) for i in idx],zm
    def em(L,idx,wb,wqc,wqb,h,it):
        lik=0
        for k in range(it):
            nwb=pri['wb']*.5; nqc=np.zeros(nq); nqb=np.zeros(nq); A=np.zeros((3,3));r=np.zeros(3);ss=0.;W=0.;M=[];lik=0
            for (lc,lb),i in zip(L,idx):
                c0=lc.max();b0=lb.max()
                ec=np.exp(lc-c0)*wb[:,None,None]*wqc[None,:,None]; eb=np.exp(lb-b0)*wb[:,None,None]*wqb[None,:,None]
                pc=ec.sum((0,1))*np.exp(-.5*((mc[i]-h['m'])/h['t'])**2)/h['t']
                B=eb.sum(0) # q,mu
                # joint over mu_c, q, mu_b
                mean=h['al']+h['be']*mc[i][:,None]+h['ga']*QS[None,:] # nc,nq
                G=np.exp(-.5*((mb[i][None,None,:]-mean[:,:,None])/h['tb'])**2)/h['tb']
                J=pc[:,None,None]*B[None]*G
                Z=J.sum(); lik+=np.log(Z)+c0+b0; J/=Z
                Jc=J.sum((1,2)); Jqm=J.sum(0); Jcq=J.sum(2)
                Pc=ec*(Jc/np.maximum(ec.sum((0,1)),1e-300)); Pb=eb*(Jqm/np.maximum(B,1e-300))[None]
                nwb=nwb+Pc.sum((1,2))*0+Pb.sum((1,2))
                nwb=nwb+Pc.sum((1,2))
                nqc+=Pc.sum((0,2)); nqb+=Jqm.sum(1)
                e1=(Jc*mc[i]).sum(); M.append((e1,(Jc*mc[i]**2).sum()))
                # regression of mu_b on (1,mu_c,q), only bold q<.5
                ok=(QS<.5); w=Jcq*ok
                x1=np.broadcast_to(mc[i][:,None],w.shape); x2=np.broadcast_to(QS[None],w.shape)
                X=[np.ones_like(w),x1,x2]; eyb=(J*mb[i]).sum(2)*ok
                for a in range(3):
                    r[a]+=(X[a]*eyb).sum()
                    for b_ in range(3): A[a,b_]+=(w*X[a]*X[b_]).sum()
                ss+=((J*mb[i]**2).sum(2)*ok).sum(); W+=w.sum()
            M=np.array(M); wb=nwb/nwb.sum()
            p=4.
            h=dict(h); h['m']=(M[:,0].sum()+p*.12)/(len(M)+p); h['t']=float(np.sqrt((M[:,1].sum()-2*h['m']*M[:,0].sum()+len(M)*h['m']**2+p*.15**2)/(len(M)+p)))
            R=np.diag([1.,1.,2.])*1.0; pr=np.array([-.1,.8,.0])
            co=np.linalg.solve(A+R*.5,r+R@pr*.5); h['al'],h['be'],h['ga']=co
            rss=ss-2*co@r+co@A@co; h['tb']=float(np.sqrt((rss+p*.25**2)/(W+p)))
            for nm,v,fl in(('c',nqc,None),('b',nqb,None)):
                v=KS@(v+ (1.5*cell/cell.sum() if nm=='b' else 1.5*(cell/(QS+.01)**1.2)/(cell/(QS+.01)**1.2).sum())); v/=v.sum()
                if nm=='c': wqc=v
                else: wqb=v
        return wb,wqc,wqb,h,lik
    def prior(sh): return -.5*((np.log(sh[0]/.44)/.3)**2+(sh[1]/.12)**2+(np.log(sh[2])/.12)**2)
    sub=np.arange(N) if N<=120 else rng.choice(N,120,replace=False)
    sh=np.array([.45,0.,1.])
    L,zm=LLs(sh,sub); wb,wqc,wqb,h,l=em(L,sub,wb,wqc,wqb,h,3)
    def obj(sh): 
        L,zm=LLs(sh,sub); t=0
        for (lc,lb),i in zip(L,sub):
            c0=lc.max();b0=lb.max()
            pc=(np.exp(lc-c0)*wb[:,None,None]*wqc[None,:,None]).sum((0,1))*np.exp(-.5*((mc[i]-h['m'])/h['t'])**2)
            mch=(pc*mc[i]).sum()/pc.sum()
            G=np.exp(-.5*((mb[i][None,:]-(h['al']+h['be']*mch+h['ga']*QS)[:,None])/np.hypot(h['tb'],.05))**2)
            pb=(np.exp(lb-b0)*wb[:,None,None]*wqb[None,:,None]).sum(0)*G
            t+=np.log(pc.sum())+np.log(pb.sum())+c0+b0
        return t+prior(sh)
    step=np.array([.03,.06,.06]); best=obj(sh)
    for rnd in range(5):
        for k in range(3):
            for sg in(1,-1):
                moved=False
                for _ in range(3):
                    t=sh.copy(); t[k]+=sg*step[k]; v=obj(t)
                    if v>best: sh,best,moved=t,v,True
                    else: break
                if moved: break
            # joint s/dl move
            if k==2:
                for sg in(1,-1):
                    t=sh.copy(); t[2]+=sg*step[2]; t[0]*=1+sg*step[2]; v=obj(t)
                    if v>best: sh,best=t,v; break
        step*=.6
        if rnd in(1,3): L,zm=LLs(sh,sub); wb,wqc,wqb,h,l=em(L,sub,wb,wqc,wqb,h,2); best=obj(sh)
        if verbose: print(rnd,np.round(sh,3),round(best,2),np.round(wb,2),{k:round(float(v),3) for k,v in h.items()},file=sys.stderr)
    idx=np.arange(N); L,zm=LLs(sh,idx); wb,wqc,wqb,h,l=em(L,idx,wb,wqc,wqb,h,10)
    if verbose: print('final',np.round(wb,3),{k:round(float(v),3) for k,v in h.items()},'\n qc',np.round(wqc/cell,2),'\n qb',np.round(wqb/cell,2),file=sys.stderr)
    out=[]; s=sh[0]; dm=MU[1]-MU[0]
    for (lc,lb),i in zip(L,idx):
        ec=np.exp(lc-lc.max())*wb[:,None,None]*wqc[None,:,None]; eb=np.exp(lb-lb.max())*wb[:,None,None]*wqb[None,:,None]
        pund_num=eb.sum()
        pc=ec.sum((0,1))*np.exp(-.5*((mc[i]-h['m'])/h['t'])**2)
        mean=h['al']+h['be']*mc[i][:,None]+h['ga']*QS[None,:]
        G=np.exp(-.5*((mb[i][None,None,:]-mean[:,:,None])/h['tb'])**2)
        J=pc[:,None,None]*eb.sum(0)[None]*G; J/=J.sum()
        pq=J.sum((0,2)); ok=QS<.5; pe=pq[ok].sum()
        pqc=ec.sum((0,2)); pe*=pqc[ok].sum()/pqc.sum()
        if pe<.5: out.append((S[i][0],None,None,None,'open',pe)); continue
        J[:,~ok,:]=0; J/=J.sum(); n=16000
        u=(np.arange(n)+rng.random(n))/n
        k=np.searchsorted(np.cumsum(J.ravel()),u*.9999999); a,q,m=np.unravel_index(np.minimum(k,J.size-1),J.shape)
        # b given q, mu_b
        cb=np.cumsum(eb,0); cb=cb/cb[-1]; bi=(rng.random(n)[None]>cb[:,q,m]).sum(0)
        bi=np.minimum(bi,nb-1)
        MB=mb[i][m]+(rng.random(n)-.5)*dm+s*zm[bi,q]
        e2=ec*ok[None,:,None]; e2=e2.reshape(nb*nq,-1); cc=np.cumsum(e2,0); cc=cc/cc[-1]
        ki=np.minimum((rng.random(n)[None]>cc[:,a]).sum(0),nb*nq-1); 
        zc=zm.ravel()[ki]; MC=mc[i][a]+(rng.random(n)-.5)*dm+s*zc
        d=np.exp(MB)-np.exp(MC); d=d[np.isfinite(d)]
        lo,md,hi=np.quantile(d,[.025,.5,.975])
        lo,md,hi=round(lo,4),round(md,4),round(hi,4)
        ans='same' if lo>-MARGIN and hi<MARGIN else 'higher' if lo>0 else 'lower' if hi<0 else 'open'
        out.append((S[i][0],md,lo,hi,ans,pe))
    return out
if __name__=='__main__':
    S=load(os.environ.get('ASSAY_DATA') or 'data')
    out=run(S,verbose=True)
    with open('answers.csv','w') as f:
        f.write('study,estimate,low,high,answer\n')
        for o in out: f.write(','.join([o[0]]+['' if v is None else repr(float(v)) for v in o[1:4]]+[o[4]])+'\n')
    e={o[0]:float(o[1]) for o in out if o[1] is not None}
    w=[o[3]-o[2] for o in out if o[1] is not None]
    json.dump(dict(studies=len(out),mean_estimate=float(np.mean(list(e.values()))) if e else None,mean_width=float(np.mean(w)) if w else None,estimates=e),open('results.json','w'),indent=1)
