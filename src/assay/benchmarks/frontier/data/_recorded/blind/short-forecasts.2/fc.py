import os
os.environ["OPENBLAS_NUM_THREADS"]="1"
import numpy as np, warnings
warnings.filterwarnings('ignore')
def ema(A,a):
    S,T=A.shape; out=np.full((S,T),np.nan); l=np.full(S,np.nan)
    cnt=np.zeros(S)
    for t in range(T):
        x=A[:,t]; ok=~np.isnan(x); new=ok&np.isnan(l); l=np.where(new,x,l)
        cnt+=ok; aa=np.maximum(a,1/np.maximum(cnt,1))
        l=np.where(ok&~new,l+aa*(x-l),l); out[:,t]=l
    return out
def holt(A,a,b,phi):
    S,T=A.shape; l=np.full(S,np.nan); d=np.zeros(S);cnt=np.zeros(S)
    for t in range(T):
        x=A[:,t]; ok=~np.isnan(x); new=ok&np.isnan(l); l=np.where(new,x,l); up=ok&~new; cnt+=ok
        p=l+phi*d; aa=np.maximum(a,1/np.maximum(cnt,1)); nl=p+aa*(x-p); nd=phi*d+b*(nl-l-phi*d)
        l=np.where(up,nl,l); d=np.where(up,nd,d)
    return l,d
AL=[.1,.25,.5,.8,1.0]; CB=[(a,b,f,0) for a in AL for b,f in ((0,1.),(.05,.9),(.05,1.),(.2,.8),(.2,.95),(.5,.85))]+[(a,0,1.,r) for a in AL for r in (.7,.85,.95)]
CA=np.array(CB)
def ets(A,s1,H):
    S,T=A.shape; C=len(CA); a0,b,phi,rho=[CA[:,i][:,None] for i in range(4)]
    l=np.full((C,S),np.nan);d=np.zeros((C,S));mu=np.full(S,np.nan);cnt=np.zeros(S); Ls=np.zeros((T,C,S));Ds=np.zeros((T,C,S));Ms=np.zeros((T,S))
    for t in range(T):
        x=A[:,t]; ok=~np.isnan(x); new=ok&np.isnan(mu); cnt+=ok
        mu=np.where(new,x,mu); mu=np.where(ok&~new,mu+np.maximum(.03,1/np.maximum(cnt,1))*(x-mu),mu)
        p=l+phi*d; aa=np.maximum(a0,1/np.maximum(cnt,1)); nl=p+aa*(x-p); nd=phi*d+b*(nl-p)
        up=ok&~new
        l=np.where(up,nl,np.where(new,x,l)); d=np.where(up,nd,d)
        Ls[t]=l;Ds[t]=d;Ms[t]=mu
    h=np.arange(1,H+1.); cum=np.where(CA[:,3:4]>0,0,np.cumsum(CA[:,2:3]**h,1)); rev=np.where(CA[:,3:4]>0,1-np.maximum(CA[:,3:4],1e-9)**h,0) # C,H
    fc=lambda t:Ls[t][:,:,None]+Ds[t][:,:,None]*cum[:,None]+(Ms[t][None]-Ls[t])[:,:,None]*rev[:,None]
    Er=np.zeros((C,S,H));N=np.zeros((S,H))
    t0=max(4,min(T//4,12)); age=np.cumsum(~np.isnan(A),1)
    for t in range(t0,T-1):
        m=min(H,T-1-t); f=fc(t)[:,:,:m]; y=A[:,t+1:t+1+m]; ok=(age[:,t]>=8)[:,None]&~np.isnan(y); w=.985**(T-t)
        e=np.where(ok,np.minimum(np.abs(f-y)/s1[:,None],12),0); Er[:,:,:m]+=w*e; N[:,:m]+=w*ok
    g=Er.sum(1)/np.maximum(N.sum(0),1e-6) # C,H
    gm=g.mean(1); out=[]
    n0=25.; se=(Er+n0*g[:,None])/(N+n0)[None] # C,S,H
    F=fc(T-1)
    for q,tau in ((np.repeat(gm[:,None],S,1),60.),(se.mean(2),40.)):
        w=np.exp(-tau*(q/q.min(0)-1)); w/=w.sum(0); out.append((w[:,:,None]*F).sum(0))
    width=(w[:,:,None]*se).sum(0)
    rel=np.log(gm.min()/gm[[4*6,0]])
    return out,width,np.repeat(np.array([rel[0],rel[1],gm.min()])[None],S,0)
def trendma(X,p):
    S,T=X.shape; k=p//2; w=np.ones(2*k+1)
    if p%2==0: w[0]=w[-1]=.5
    out=np.zeros((S,T))
    ok=~np.isnan(X); Z=np.where(ok,X,0)
    num=np.zeros((S,T));den=np.zeros((S,T))
    for j in range(-k,k+1):
        a=max(0,-j);b=min(T,T-j)
        num[:,a:b]+=w[j+k]*Z[:,a+j:b+j]; den[:,a:b]+=w[j+k]*ok[:,a+j:b+j]
    out=np.where(den>.9,num/np.maximum(den,1e-9),np.nan); full=den>p-.01
    return out,full
def decompose(X,ph,p,mk,sc):
    S,T=X.shape; X=X/sc[:,None]; ok=~np.isnan(X)
    seas=np.zeros((S,p)); me=np.zeros((S,len(mk))); strength=np.zeros(S)
    for it in range(2):
        Y=X-me@mk-seas[:,ph]
        tr,full=trendma(Y,p)
        D=np.where(full&ok,X-me@mk-tr,np.nan)
        s2=np.nanvar(D,1)
        Si=np.zeros((S,p));n=np.zeros((S,p)); v=np.zeros(S)
        for k in range(p):
            d=D[:,ph==k]; m=~np.isnan(d); n[:,k]=m.sum(1)
            # trimmed: use median/mean mix
            Si[:,k]=np.where(n[:,k]>0,.5*np.nanmean(np.where(m,d,np.nan),1)+.5*np.nanmedian(np.where(m,d,np.nan),1),0)
        Si=np.nan_to_num(Si); Si-=Si.mean(1,keepdims=True)
        R=D-Si[:,ph]; v=np.nanvar(R,1)+1e-9; v=np.nan_to_num(v,nan=1.); nn=np.maximum(n.mean(1),.5); ev=v*1.3/nn
        wt=1/(ev+1e-6); Sg=(wt[:,None]*Si).sum(0)/wt.sum(); egv=1/wt.sum()
        tau=max(np.mean(((Si-Sg)**2).mean(1)-ev),0)
        w=ev/(ev+tau+1e-9); B=w[:,None]*Sg+(1-w[:,None])*Si
        pv=(Sg**2).mean(); shg=max(0,1-egv/(pv+1e-9))
        pvi=(B**2).mean(1); evb=w*egv+(1-w)*ev; sh=np.clip(1-evb/(pvi+1e-9),0,1)
        seas=B*sh[:,None]; strength=sh
        if mk.any():
            Y=X-seas[:,ph]; tr,full=trendma(np.where(mk.any(0)[None],np.nan,Y),p); tr=np.where(full|True,tr,tr); D2=np.where(ok,Y-tr,np.nan)
            an=mk.any(0); vm=np.nanvar(D2[:,~an],1)+1e-9; mi=np.zeros((S,len(mk))); nm=np.zeros((S,len(mk)))
            for i in range(S):
                o=~np.isnan(D2[i])&(ok[i]); MM=mk[:,o]; nm[i]=MM.sum(1)
                mi[i]=np.linalg.solve(MM@MM.T+.3*np.eye(len(mk)),MM@D2[i,o])
            e=vm[:,None]*1.2/np.maximum(nm,.5); wt=1/(e+1e-6); g=(wt*mi).sum(0)/wt.sum(0); eg=1/wt.sum(0)
            tau=np.maximum(np.mean((mi-g)**2-e,0),0); w=e/(e+tau+1e-9); me=w*g+(1-w)*mi; ev=w*eg+(1-w)*e; me*=np.clip(1-ev/(np.mean(me**2,0)+1e-9),0,1)
    return seas*sc[:,None],me*sc[:,None],strength
def prep(g):
    T=max(len(s) for s in g['series']); X=np.full((len(g['series']),T),np.nan)
    for i,s in enumerate(g['series']): X[i,T-len(s):]=s
    mn=np.nanmin(X); 
    cnt=bool(np.nanmax(np.abs(X-np.round(X)))<1e-9 and (X==0).mean()>.02)
    log=mn>0 and not cnt
    return X,log,cnt
NBASE=19
def forecast(Z,ph0,p,H,mk,log):
    """Z transformed (S,T). returns bases (S,H,K), dict"""
    S,T=Z.shape; ph=(ph0+np.arange(T))%p; pf=(ph0+T+np.arange(H))%p; m0=mk[:T+H] if len(mk) else np.zeros(T+H); ML=np.stack([np.concatenate([np.zeros(k),m0[:len(m0)-k]]) for k in range(2)]); mh=ML[:,:T]; mf=ML[:,T:T+H]
    sc=np.ones(S) if log else np.nanstd(Z,1)+1e-6*np.nanmax(np.abs(Z))+1e-9
    seas,me,st=decompose(Z,ph,p,mh,sc)
    A=Z-seas[:,ph]-me@mh
    add=seas[:,pf]+me@mf
    h=np.arange(1,H+1.)[None]; B=[]
    d1=np.diff(A,axis=1); s1=np.nanmedian(np.abs(d1),1)*1.0+.3*np.nanmean(np.abs(d1),1)+1e-9; s1=np.maximum(s1,.05*np.nanmedian(s1/sc)*sc)
    last=A[:,-1]; E={}
    c=lambda x:np.repeat(x[:,None],H,1)
    for a in (.03,.1,.2,.4,.7): E[a]=ema(A,a)
    B+= [c(last)+add]+[c(E[a][:,-1])+add for a in (.1,.4,.7)]
    for a,b,f in ((.3,.1,.9),(.5,.2,.97)):
        l,d=holt(A,a,b,f); cum=np.cumsum(f**h,1); B.append(l[:,None]+d[:,None]*cum+add)
    # linear trend, last 2p..
    for n in (max(2*p,12),):
        t=np.arange(T)-T+1.; w=(np.arange(T)>=T-n)&~np.isnan(A); n_=w.sum(1); tm=(w*t).sum(1)/n_; am=np.nansum(np.where(w,A,0),1)/n_
        b=np.nansum(np.where(w,(t-tm[:,None])*(np.nan_to_num(A)-am[:,None]),0),1)/np.maximum((w*(t-tm[:,None])**2).sum(1),1)
        B.append((am+b*(0-tm))[:,None]+b[:,None]*h+add)
    # seasonal naive with mark corrections, mean of last two seasons
    idx=T-p+(np.arange(H)%p); Zm=Z-me@mh
    sn=Zm[:,idx]; B.append(sn+me@mf)
    idx2=np.maximum(idx-p,0); s2=Zm[:,idx2]; B.append(np.where(np.isnan(s2),sn,.5*(sn+s2))+me@mf)
    # raw mean
    B.append(c(np.nanmean(A,1))+add)
    # life: aligned by age
    ok=~np.isnan(A); age=ok.sum(1); life=np.zeros((S,H)); nl=np.zeros(S)
    fb=B[4]-add
    for i in range(S):
        num=np.zeros(H);den=np.zeros(H)
        for j in range(S):
            if age[j]<=age[i]+1: continue
            y=A[j,T-age[j]:]; a0=age[i]-1; m=min(H,age[j]-age[i])
            lo=max(0,a0-2); ref=y[lo:a0+1].mean(); own=A[i,-3:].mean()
            k=sc[i]/sc[j] if not log else 1.
            num[:m]+=(y[a0+1:a0+1+m]-ref)*k; den[:m]+=1
        dl=np.where(den>0,num/np.maximum(den,1),np.nan)
        ext=np.nan_to_num(np.where(den>0,A[i,-3:].mean()+dl,fb[i]),nan=0.)
        life[i]=ext; nl[i]=den[0]
    B.append(life+add)
    # pooled ridge
    z=A/s1[:,None]; zf=z
    e1,e2,e3=E[.1]/s1[:,None],E[.4]/s1[:,None],E[.03]/s1[:,None]
    lag=lambda q,k:np.concatenate([np.full((S,k),np.nan),q[:,:-k]],1)
    dd=z-lag(z,1); gm=lambda q:np.repeat(np.nanmean(q,0)[None],S,0)
    F0=[z-e1,z-e2,e1-e3,dd,lag(dd,1),z-lag(z,p)]; F1=[gm(dd),gm(lag(dd,1)),gm(z-e1),gm(lag(dd,2))]
    sdh=np.zeros((S,H)); rr=np.zeros((S,H))
    for ver,F in enumerate((F0,F0+F1)):
        F=np.clip(np.array(F),-8,8); out=np.zeros((S,H)); 
        for k in range(1,H+1):
            y=z[:,k:]-z[:,:-k]; f=F[:,:,:T-k]; m=~np.isnan(y)&~np.isnan(f).any(0); m[:,:min(8,T//4)]=False
            if ver==0:
                sdh[:,k-1]=np.nanmean(np.abs(y),1)
            yy=np.clip(y[m],-20,20); ff=f[:,m].T
            if len(yy)<20: out[:,k-1]=z[:,-1]; continue
            b=np.linalg.solve(ff.T@ff+(10+.1*len(yy))*np.eye(len(F)),ff.T@yy)
            fl=np.nan_to_num(F[:,:,-1]).T; out[:,k-1]=z[:,-1]+fl@b
            if ver==0:
                r=np.where(m,np.abs(y-np.tensordot(b,np.nan_to_num(f),1)),np.nan); rr[:,k-1]=np.nanmean(r,1)
        B.append(out*s1[:,None]+add)
    eo,wid,ef=ets(A,s1,H); B+=[x+add for x in eo]
    Bk=np.stack(B,2)
    sdh=np.nan_to_num(sdh,nan=1.);rr=np.where(rr>0,rr,sdh); rr=np.nan_to_num(rr,nan=1.)
    # smooth noise: fast vs slow
    dn=np.nanmean(np.abs(d1),1)
    rec=np.nanmean(np.abs(d1[:,-8:]),1)/np.maximum(dn,1e-9)
    ac=np.nansum(d1[:,1:]*d1[:,:-1],1)/np.maximum(np.nansum(d1**2,1),1e-12)
    kur=np.nanmax(np.abs(d1),1)/np.maximum(dn,1e-9)
    ss=np.nanmean(np.abs(seas),1)/s1
    r1=np.abs(last-E[.1][:,-1])/s1
    lastj=(d1[:,-1])/s1; lastj2=np.nanmax(np.abs(d1[:,-4:]),1)/s1
    glast=np.repeat(np.mean(d1[:,-1]/s1),S)
    feats=np.stack([np.log(age),np.full(S,p/12.),ac,np.log1p(kur),np.log(rec+.05),st,np.log1p(ss),np.log1p(r1),np.clip(lastj,-6,6)/3,np.log1p(lastj2),np.clip(glast,-6,6)/3,(nl>0)*1.,np.full(S,float(len(mk)>0)),np.full(S,float(len(set(age.tolist()))>1)),
       np.log(np.nanstd(A,1)/s1+.01),np.log(s1/(np.abs(np.nanmean(Z,1)) if not log else 1)+1e-4)*.3,np.full(S,float(log))],1); feats=np.concatenate([feats,ef],1)
    return Bk,dict(s1=s1,sdh=sdh*s1[:,None],rr=wid*s1[:,None],r2=rr*s1[:,None],feats=feats)
def build(g,norig=2):
    X,log,cnt=prep(g); Z=np.log(X) if log else X; p=g['period'];H=g['horizon'];mk=np.array(g['marks'],float); T=X.shape[1]
    B,I=forecast(Z,g['first'],p,H,mk,log)
    S=len(X); K=B.shape[2]
    # backtest
    L=np.zeros((S,K));W=np.zeros(S)
    for q in range(norig):
        cut=H//2+q*max(H//2,4) if q else max(3,H//3)
        Tc=T-cut; Zc=Z[:,:Tc]; ok=(~np.isnan(Zc)).sum(1)>=max(14,p+4)
        if ok.sum()<1: continue
        Hc=min(H,cut); st=0
        Zs=Zc[ok]; 
        f0=np.where(~np.isnan(Zs).all(0))[0][0]; 
        Bq,_=forecast(Zs[:,f0:],(g['first']+f0)%p,p,Hc,mk[f0:] if len(mk) else mk,log)
        e=np.abs(Bq-Z[ok][:,Tc:Tc+Hc,None])/I['s1'][ok][:,None,None]
        L[ok]+=np.minimum(e,15).sum(1); W[ok]+=Hc
    gl=L.sum(0)/max(W.sum(),1); sl=(L+4*gl)/(W+4)[:,None]
    I.update(L=sl,gl=np.repeat(gl[None],S,0),log=log,cnt=cnt,B=np.nan_to_num(B))
    return I
def rows(I):
    """inputs per (series,step)"""
    B=I['B'];S,H,K=B.shape; s=I['s1'][:,None]
    anc=np.median(B,2); n=lambda x:np.sign(x)*np.log1p(np.abs(x))
    Bn=(B-anc[:,:,None])/s[:,:,None]
    sp=np.log(Bn.std(2)+.05)
    Lm=I['L'].min(1,keepdims=True); Lr=np.log((I['L']+.1)/(Lm+.1)); Gr=np.log((I['gl']+.1)/(I['gl'].min(1,keepdims=True)+.1))
    h=np.arange(1,H+1.)
    per=np.concatenate([np.minimum(Lr,2),np.minimum(Gr,2),I['feats'],np.log(Lm+.1),np.full((S,1),float(I['cnt']))],1)
    per=np.repeat(per[:,None],H,1)
    hh=np.repeat(np.stack([h/10,np.log(h),np.full(H,H/10.)],1)[None],S,0)
    wd=np.stack([np.log(I['sdh']/s+.01),np.log(I['rr']/s+.01),np.log(I['r2']/s+.01),sp],2)
    x=np.concatenate([n(Bn),per,hh,wd],2)
    return x.reshape(S*H,-1),Bn.reshape(S*H,K),anc.ravel(),np.repeat(I['s1'],H),(I['rr']/s).ravel()
