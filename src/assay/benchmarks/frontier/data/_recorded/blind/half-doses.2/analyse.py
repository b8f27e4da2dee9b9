import os, sys, csv, json, glob, math, time
import numpy as np
F=np.float32
H=0.125
LO=np.array([0,.015,.03,.06,.1,.15,.2,.225,.25,.275,.3,.35,.4,.5])
HI=np.array([1,.985,.97,.94,.9,.85,.8,.75,.7,.65,.6,.55,.5,.45,.4])
W=np.geomspace(0.28,2.1,9)
R=5.0
MID=np.arange(-R,R+H/2,H); M=len(MID)
OFFMAX=R+4.5
OFF=np.arange(-OFFMAX,OFFMAX+H/2,H)     # x-mid
NP_=257
# p grid : uniform in arcsin-sqrt
TH=np.linspace(0,1,NP_); PG=np.sin(TH*np.pi/2)**2
FN=np.array([.05,.15,.25,.35,.45,.55,.65,.75,.85])
CURVE=os.environ.get('CURVE','logit')
def erf(x):
    t=1/(1+0.3275911*np.abs(x)); y=1-(((((1.061405429*t-1.453152027)*t)+1.421413741)*t-0.284496736)*t+0.254829592)*t*np.exp(-x*x)
    return np.sign(x)*y
def curve(z):
    if CURVE=='logit': return 1/(1+np.exp(-z))
    return 0.5*(1+erf(z*0.6/np.sqrt(2)))
LG=np.array([math.lgamma(i) if i>0 else 0 for i in range(60)])
RC={}
PF=np.clip(PG[None,:]*np.r_[1,FN][:,None],1e-4,1-1e-4)
def rising(rho):
    """log rising factorials of the beta-binomial: for (1, FN...) x k x p"""
    if rho not in RC:
        sz=1/max(rho,1e-7)-1
        i=np.arange(40)[None,:,None]
        z=np.zeros((len(PF),1,NP_))
        la=np.concatenate([z,np.cumsum(np.log(PF[:,None,:]*sz+i),1)],1); lb=np.concatenate([z,np.cumsum(np.log((1-PF)[:,None,:]*sz+i),1)],1)
        ls=np.r_[0,np.cumsum(np.log(sz+np.arange(40)))]
        RC[rho]=(la,lb,ls)
    return RC[rho]
GX,GW=np.polynomial.hermite_e.hermegauss(9); GW=GW/GW.sum()
LOGIT=np.log(PF/(1-PF)); TC={}
def bbt(n,k,rho):
    """table over (1, FN...) x p; rho>=0: beta-binomial, rho<0: normal shift of the log odds with sd -rho"""
    key=(rho,n,k)
    if key not in TC:
        if rho>=0:
            la,lb,ls=rising(rho); t=np.exp(LG[n+1]-LG[k+1]-LG[n-k+1]-ls[n]+la[:,k]+lb[:,n-k])
        else:
            t=0
            for x,w in zip(GX,GW):
                if (rho,x) not in RC: e=LOGIT-rho*x; RC[rho,x]=(-np.log1p(np.exp(-e)),-np.log1p(np.exp(e)))
                l1,l0=RC[rho,x]; t=t+w*np.exp(LG[n+1]-LG[k+1]-LG[n-k+1]+k*l1+(n-k)*l0)
        TC[key]=t.astype(F)
    return TC[key]
def bbv(n,k,pi_,f,rho):
    if rho>=0:
        la,lb,ls=rising(rho); return np.exp(LG[n+1]-LG[k+1]-LG[n-k+1]-ls[n]+la[f,k,pi_]+lb[f,n-k,pi_])
    u,inv=np.unique(n*1000+k,return_inverse=True)
    T=np.array([bbt(int(z//1000),int(z%1000),rho)[f] for z in u]); return T[inv,pi_].astype(float)
OD=os.environ.get('OD','bb')
PG_=[.0005,.01,.02,.03,.04,.05,.06,.07,.08,.09,.1,.11,.125,.14,.16,.18,.22] if OD=='bb' else [-.05,-.2,-.3,-.4,-.5,-.6,-.7,-.8,-.9,-1,-1.1,-1.2,-1.4,-1.6]
def read(folder):
    out=[]
    for f in sorted(glob.glob(os.path.join(folder,'*.csv'))):
        r=list(csv.DictReader(open(f)))
        if not r: continue
        x=np.log2([float(q['amount']) for q in r])
        out.append(dict(name=os.path.basename(f)[:-4],mixed=float(r[0]['mixed']),g=int(r[0]['grader']=='person'),
          b=np.array([q['arm']=='b' for q in r]),x=x,c=(x.min()+x.max())/2,nx=len(set(x)),age=np.array([int(float(q['age'])) for q in r]),
          n=np.array([int(q['trials']) for q in r]),k=np.array([int(q['successes']) for q in r])))
    return out
cl,chh,cw=[a.ravel() for a in np.meshgrid(np.arange(len(LO)),np.arange(len(HI)),np.arange(len(W)),indexing='ij')]
ok=(HI[chh]-LO[cl])>=0.15
cl,chh,cw=cl[ok],chh[ok],cw[ok]; C=len(cl)
PT=LO[cl][:,None]+(HI[chh]-LO[cl])[:,None]*curve(OFF[None,:]/W[cw][:,None])
IDX=np.rint(np.arcsin(np.sqrt(PT))*2/np.pi*(NP_-1)).astype(np.intp)
IDXR=np.ascontiguousarray(IDX[:,::-1].T)   # row j <-> offset OFF[-1-j]
KN=np.linspace(0,1,9)
def basis(m):
    u=np.clip(np.atleast_1d(np.asarray(m,float)),0,1)*8; j=np.minimum(u.astype(int),7); f=u-j
    B=np.zeros((len(u),9)); r=np.arange(len(u)); B[r,j]=1-f; B[r,j+1]+=f; return B
class Model:
    def __init__(s):
        s.rho=[0.003,0.07 if OD=='bb' else -.7]; s.pi=np.full(10,.08); s.fw=np.exp(-((FN-.35)/.2)**2); s.fw/=s.fw.sum()
        s.lo=np.array([.25,.15,.1,.02,.02,.05,.07,.07,.08,.07,.05,.03,.02,.01]); s.lo/=s.lo.sum()
        s.hi=np.array([.25,.15,.1,.03,.03,.05,.07,.09,.09,.08,.07,.05,.03,.02,.01]); s.hi/=s.hi.sum()
        s.joint=np.outer(s.lo,s.hi)
        s.w=np.ones(len(W))/len(W)
        s.pm=np.exp(-.5*((MID-.5)/1.3)**2); s.pm/=s.pm.sum()
        s.q=.3; s.t0=.08; s.mu=-4*KN*(1-KN); s.t1=.5; s.t2=.2
    def tables(s,keys):
        L0={};L1={}
        for (n,k,g) in keys:
            r=s.rho[g]
            t=bbt(n,k,r); L0[n,k,g]=t[0]; L1[n,k,g]=s.fw@t[1:]
        s.L0,s.L1=L0,L1
    def dens(s,d,m):
        mu=float((basis(m)@s.mu)[0]); sd=math.sqrt(s.t1**2+(s.t2*mu)**2)
        return s.q*np.exp(-.5*(d/s.t0)**2)/s.t0/2.5066283+(1-s.q)*np.exp(-.5*((d-mu)/sd)**2)/sd/2.5066283
DG=np.arange(-(M-1),M)*H
FD=np.arange(-5,5.00001,0.02)
ii=np.arange(M)
DIFF=(ii[None,:]-ii[:,None])+M-1     # mb-ma index into DG
TRI=None
def massgrid(md,m):
    # integrate density against triangular kernel on DG
    d=md.dens(FD,m)*0.02
    u=(FD+(M-1)*H)/H; j=np.floor(u).astype(int); fr=u-j
    out=np.zeros(2*M-1); np.add.at(out,j,d*(1-fr)); np.add.at(out,np.minimum(j+1,2*M-2),d*fr)
    return out
class X: pass
def prune(md):
    wc=md.joint[cl,chh]*md.w[cw]; wc/=wc.sum(); o=np.argsort(-wc); cs=np.cumsum(wc[o]); keep=np.sort(o[:int(np.searchsorted(cs,PRUNE))+1])
    X.cl,X.chh,X.cw,X.C=cl[keep],chh[keep],cw[keep],len(keep)
    X.I=np.ascontiguousarray(IDXR[:,keep]); X.buf=np.empty((M,X.C),F)
PRUNE=.998
def arms(md,st):
    C=X.C; IDXR=X.I; BUF=X.buf
    A=[np.zeros((M,C),F),np.zeros((M,C),F)]
    for x,b,a,n,k in zip(st['x'],st['b'],st['age'],st['n'],st['k']):
        key=(n,k,st['g']); L=np.log((1-md.pi[a])*md.L0[key]+md.pi[a]*md.L1[key]+1e-12).astype(F)
        j0=int(round((OFFMAX-(x-st['c']+R))/H))
        if j0<0 or j0+M>len(OFF): I=IDXR[np.clip(np.arange(j0,j0+M),0,len(OFF)-1)]
        else: I=IDXR[j0:j0+M]
        L.take(I,out=BUF,mode='clip'); A[int(b)]+=BUF
    lm=[]
    for i in (0,1):
        m=A[i].max(); A[i]-=m; np.exp(A[i],out=A[i]); lm.append(float(m))
    st['lm']=lm
    return A
def finelik(G,pm):
    Ld=np.bincount(DIFF.ravel(),weights=(G*pm[:,None]).ravel(),minlength=2*M-1)
    cnt=np.bincount(DIFF.ravel(),weights=np.repeat(pm,M),minlength=2*M-1)
    lg=np.log(Ld/np.maximum(cnt,1e-9)+1e-300)
    u=(FD+(M-1)*H)/H; j=np.clip(np.floor(u).astype(int),1,2*M-4); t=u-j
    a,b_,c_,d_=lg[j-1],lg[j],lg[j+1],lg[j+2]
    v=b_+.5*t*(c_-a+t*(2*a-5*b_+4*c_-d_+t*(3*(b_-c_)+d_-a)))
    return np.exp(v-v.max())
def estep(md,studies,rng,nd=4,final=False):
    md.tables({(n,k,s['g']) for s in studies for n,k in zip(s['n'],s['k'])})
    prune(md); cl,chh,cw,C=X.cl,X.chh,X.cw,X.C; wc=(md.joint[cl,chh]*md.w[cw]); wc=(wc/wc.sum()).astype(F)
    pm=md.pm
    ll=0; S=dict(joint=np.zeros((len(LO),len(HI))),w=np.zeros(len(W)),draw=[],pm=np.zeros(M),fl=[],mx=[],lc=[],keep=(cl,chh,cw)); res=[]
    for st in studies:
        A,B=arms(md,st)
        G=((A*wc)@B.T).astype(float)
        fl=finelik(G,pm)
        if final:
            post=fl*md.dens(FD,st['mixed'])
            f2=np.arange(-5,5.0001,.005); post=np.interp(f2,FD,fl)*md.dens(f2,st['mixed'])
            cum=np.cumsum(post); cum=(cum-post/2)/cum[-1]
            st['q']=np.interp([.025,.5,.975],cum,f2)
            st['raw']=(fl*FD).sum()/fl.sum(); st['rawsd']=math.sqrt((fl*FD*FD).sum()/fl.sum()-st['raw']**2)
            st['fl']=fl; res.append(st); continue
        S['fl'].append(fl); S['mx'].append(st['mixed'])
        PR=pm[:,None]*massgrid(md,st['mixed'])[DIFF]; J=G*PR
        l=np.einsum('mc,mc->c',A,PR.astype(F)@B).astype(float); S['lc'].append(l/l.max())
        Z=J.sum(); ll+=math.log(Z)+st['lm'][0]+st['lm'][1]; J/=Z
        S['pm']+=J.sum(1); cj=np.cumsum(J.ravel())
        for u in rng.random(nd):
            ma,mb=divmod(min(int(np.searchsorted(cj,u*cj[-1])),M*M-1),M)
            rc=wc*A[ma]*B[mb]; cd=np.cumsum(rc,dtype=float); rc=rc/cd[-1]/nd
            c=min(int(np.searchsorted(cd,rng.random()*cd[-1])),C-1)
            mid=np.where(st['b'],MID[mb],MID[ma])
            p=LO[cl[c]]+(HI[chh[c]]-LO[cl[c]])*curve((st['x']-st['c']-mid)/W[cw[c]])
            S['draw'].append((p,st))
    return ll,S,res
def bayes(md,res,rng,steps=1600,burn=400,thin=8):
    """posterior of the constants of the prior of the true number; intervals averaged over it"""
    sl=slice(0,len(FD),2); D=FD[sl].astype(F); FL=np.array([s['fl'] for s in res])[:,sl].astype(F); mx=np.array([s['mixed'] for s in res])
    mu0=basis(mx)@md.mu
    lp=lambda x,m,sd:.5*((x-m)/sd)**2
    def unpack(v):
        q=1/(1+math.exp(-v[0])); mu=mu0*(1+v[4])+v[5]*mx+v[6]*mx*mx
        return q,math.exp(v[1]),np.sqrt(math.exp(2*v[2])+math.exp(2*v[3])*mu*mu),mu
    def parts(v):
        q,t0,sd,mu=unpack(v)
        # spike by its own grid weights
        d=FL*(q/t0*np.exp(F(-.5/t0**2)*D*D)+((1-q)/sd)[:,None].astype(F)*np.exp(-.5*((D-mu[:,None].astype(F))/sd[:,None].astype(F))**2))
        return d
    def logp(v):
        d=parts(v); return float(np.log(d.sum(1,dtype=float)+1e-300).sum())-lp(v[0],-.7,.7)-lp(v[1],math.log(.065),.35)-lp(v[2],math.log(.42),.3)-lp(v[3],math.log(.15),.7)-lp(v[4],0,.3)-lp(v[5],0,.4)-lp(v[6],0,.4)
    v=np.array([math.log(md.q/(1-md.q)),math.log(md.t0),math.log(md.t1),math.log(md.t2),0,0,0]); cur=logp(v)
    s0=np.array([.25,.3,.25,.6,.1,.25,.25]); acc=np.zeros(FL.shape); n=0; hist=[]; cov=np.diag(s0**2); Lc=np.diag(s0)
    for it in range(steps):
        if it in (200,burn): 
            Cv=np.cov(np.array(hist[it//3:]).T)+np.diag((.1*s0)**2); Lc=np.linalg.cholesky(Cv)
        w=v+.85*(Lc@rng.normal(size=7))*(.6 if it<200 else 1)
        if -3.9<w[1]<0: 
            lw=logp(w)
            if math.log(rng.random())<lw-cur: v,cur=w,lw
        hist.append(v)
        if it>=burn and it%thin==0:
            d=parts(v); acc+=d/d.sum(1,keepdims=True); n+=1
    h=np.array(hist[burn:]); md.h=(h.mean(0),h.std(0))
    for s,p in zip(res,acc):
        f2=np.arange(D[0],D[-1],.004); p2=np.interp(f2,D,p); cum=np.cumsum(p2); cum=(cum-p2/2)/cum[-1]
        s['q']=np.interp([.025,.5,.975],cum,f2)
def nm(f,x0,step,it=120):
    n=len(x0); X=[np.array(x0,float)]+[np.array(x0,float)+np.eye(n)[i]*step[i] for i in range(n)]; Y=[f(x) for x in X]
    for _ in range(it):
        o=np.argsort(Y); X=[X[i] for i in o]; Y=[Y[i] for i in o]; c=np.mean(X[:-1],0)
        r=c+(c-X[-1]); fr=f(r)
        if fr<Y[0]:
            e=c+2*(c-X[-1]); fe=f(e)
            X[-1],Y[-1]=(e,fe) if fe<fr else (r,fr)
        elif fr<Y[-2]: X[-1],Y[-1]=r,fr
        else:
            k=c+.5*(X[-1]-c); fk=f(k)
            if fk<Y[-1]: X[-1],Y[-1]=k,fk
            else:
                for i in range(1,n+1): X[i]=X[0]+.5*(X[i]-X[0]); Y[i]=f(X[i])
    i=int(np.argmin(Y)); return X[i],Y[i]
PRI=Model()
def mstep(md,S,nst,nd=4,ageflex=True):
    LC=np.array(S['lc']); kl,kh,kw=S['keep']; nL,nH=len(LO),len(HI)
    for _ in range(6):
        wc=md.joint[kl,kh]*md.w[kw]; r=LC*wc; r=(r/r.sum(1,keepdims=True)).sum(0)
        J=np.bincount(kl*nH+kh,r,nL*nH).reshape(nL,nH); sw=np.bincount(kw,r,len(W))
        l=J.sum(1)+3*PRI.lo; h=J.sum(0)+3*PRI.hi; md.lo=l/l.sum(); md.hi=h/h.sum()
        md.joint=J+60*np.outer(md.lo,md.hi); md.joint/=md.joint.sum()
        md.w=sw+.3; md.w=np.convolve(np.r_[md.w[0],md.w,md.w[-1]],[.07,.86,.07],'valid'); md.w/=md.w.sum()
    pmm=S['pm']/S['pm'].sum(); mm=(pmm*MID).sum(); ms=max(.3,math.sqrt((pmm*(MID-mm)**2).sum()))
    gs=np.exp(-.5*((MID-mm)/ms)**2); gs/=gs.sum(); md.mm,md.ms=mm,ms
    ker=np.exp(-.5*(np.arange(-8,9)*H/.2)**2); ker/=ker.sum()
    md.pm=np.convolve(S['pm'],ker,'same')+30*gs; md.pm/=md.pm.sum()
    # batch level
    P=np.concatenate([d[0] for d in S['draw']]); n=np.concatenate([d[1]['n'] for d in S['draw']]); k=np.concatenate([d[1]['k'] for d in S['draw']])
    age=np.concatenate([d[1]['age'] for d in S['draw']]); g=np.concatenate([np.full(len(d[1]['n']),d[1]['g']) for d in S['draw']])
    PI=np.rint(np.arcsin(np.sqrt(P))*2/np.pi*(NP_-1)).astype(np.intp)
    # rho by grid search
    newrho=[]
    for gg,grid in ((0,[.0005,.003,.006,.01,.015,.02,.03,.045,.06,.08]),(1,PG_)):
        q=g==gg
        if q.sum()==0: newrho.append(md.rho[gg]); continue
        sub=np.flatnonzero(q)[::max(1,q.sum()//6000)]
        best=[]
        for r in grid:
            l0=bbv(n[sub],k[sub],PI[sub],0,r); l1=sum(fw*bbv(n[sub],k[sub],PI[sub],f+1,r) for f,fw in enumerate(md.fw))
            best.append(np.log((1-md.pi[age[sub]])*l0+md.pi[age[sub]]*l1+1e-12).sum())
        newrho.append(grid[int(np.argmax(best))])
    md.rho=newrho
    sub=np.arange(0,len(P),max(1,len(P)//12000))
    rr=np.array(md.rho)
    l0=np.zeros(len(sub)); l1=np.zeros((len(sub),len(FN)))
    for gg in (0,1):
        q=g[sub]==gg; s2=sub[q]
        l0[q]=bbv(n[s2],k[s2],PI[s2],0,md.rho[gg])
        for i,f in enumerate(FN): l1[q,i]=bbv(n[s2],k[s2],PI[s2],i+1,md.rho[gg])
    eff=len(sub)/nd
    sc=(sum(len(d[1]['n']) for d in S['draw'])/nd)/len(sub)
    for _ in range(3):
        a=l0*(1-md.pi[age[sub]]); bm=l1*md.fw*md.pi[age[sub]][:,None]; t=a+bm.sum(1)+1e-12
        rs=bm/t[:,None]; rsum=rs.sum(1)
        md.fw=rs.sum(0)*sc+3*PRI.fw; md.fw=np.convolve(np.r_[md.fw[0],md.fw,md.fw[-1]],[.05,.9,.05],'valid'); md.fw/=md.fw.sum()
        tot=rsum.mean()
        num=np.bincount(age[sub],rsum,10)*sc; den=np.bincount(age[sub],minlength=10)*sc
        md.agestat=(num/den)
        ag=np.arange(10.); d0=den+1e-9; am=(d0*ag).sum()/d0.sum(); sl=(num*(ag-am)).sum()/((d0*(ag-am)**2).sum()+200)
        line=np.clip(tot+sl*(ag-am),.003,.9)
        md.pi=np.clip((num+300*line)/(den+300),.002,.6)
    # delta prior: exact EM on the fine likelihoods
    FL=np.array(S['fl']); mx=np.array(S['mx']); Bm=basis(mx); D3=np.diff(np.eye(9),3,axis=0); E0=np.diag(np.r_[1/.15**2,np.full(8,.1)]); N=len(mx)
    for rep in range(3):
      for _ in range(6):
        mu=Bm@md.mu; sd=np.sqrt(md.t1**2+(md.t2*mu)**2)
        d0=FL*(md.q*np.exp(-.5*(FD/md.t0)**2)/md.t0); d1=FL*((1-md.q)*np.exp(-.5*((FD-mu[:,None])/sd[:,None])**2)/sd[:,None])
        Z=d0.sum(1)+d1.sum(1)+1e-300; r0=d0.sum(1)/Z; r1=1-r0
        md.q=(r0.sum()+3)/(N+10)
        md.t0=math.sqrt(((d0*FD**2).sum(1)/Z).sum()/(r0.sum()+6)+6*.07**2/(r0.sum()+6))
        e1=(d1*FD).sum(1)/np.maximum(d1.sum(1),1e-300); e2=(d1*FD**2).sum(1)/np.maximum(d1.sum(1),1e-300)
        wt=r1/sd**2
        BB=Bm.T@(wt[:,None]*Bm); bv=Bm.T@(wt*e1); best=None
        for sm in (.04,.1,.25,.6):
            Q=D3.T@D3/sm**2+E0; Hm=BB+Q; x=np.linalg.solve(Hm,bv)
            ev=.5*np.linalg.slogdet(Q)[1]-.5*np.linalg.slogdet(Hm)[1]+.5*bv@x
            if best is None or ev>best[0]: best=(ev,x,sm)
        md.mu=best[1]; md.sm=best[2]
      mu=Bm@md.mu; d0=(FL*(md.q*np.exp(-.5*(FD/md.t0)**2)/md.t0)).sum(1)
      def obj(v):
        sd=np.sqrt(math.exp(2*v[0])+math.exp(2*v[1])*mu*mu)
        return -np.log(d0+((1-md.q)*FL*np.exp(-.5*((FD-mu[:,None])/sd[:,None])**2)).sum(1)/sd+1e-300).sum()+.5*((v[0]+.9)/.5)**2+.5*((v[1]+1.5)/.7)**2
      v,_=nm(obj,[math.log(md.t1),math.log(md.t2)],[.2,.2],15); md.t1,md.t2=math.exp(v[0]),math.exp(v[1])
    S['ed']=(r1,e1,e2)
def fit(studies,iters=8,verbose=False,sub=120):
    rng=np.random.default_rng(1); md=Model()
    for it in range(iters):
        ss=studies if len(studies)<=sub or it>=iters-2 else [studies[i] for i in rng.choice(len(studies),sub,replace=False)]
        nd=4 if len(studies)>100 else 16
        ll,S,_=estep(md,ss,rng,nd); mstep(md,S,len(ss),nd)
        if verbose: print(it,round(ll,2),'rho',md.rho,'pi',md.pi.round(3)[[0,3,6,9]],'mid',round(md.mm,2),round(md.ms,2),'d',[round(float(z),2) for z in (md.q,md.t0,md.t1,md.t2,*md.mu)],md.sm,X.C,round(time.process_time(),1),file=sys.stderr)
    return md,S
if __name__=='__main__':
    t=time.process_time(); st=read(os.environ.get('ASSAY_DATA','data')); V='-v' in sys.argv
    md,S=fit(st,verbose=V,iters=15 if len(st)<60 else 9)
    if V:
        np.set_printoptions(precision=2,suppress=True,linewidth=160)
        print(md.lo,md.hi,md.w,md.fw,md.agestat,sep='\n')
    _,_,res=estep(md,st,np.random.default_rng(0),final=True)
    bayes(md,res,np.random.default_rng(5))
    if V: print(md.h)
    rows=[]
    for s in res:
        lo,med,hi=s['q']; e=med
        lo,hi,e=round(lo,4),round(hi,4),round(e,4)
        ans='same' if lo>-.3 and hi<.3 else 'higher' if lo>0 else 'lower' if hi<0 else 'open'
        rows.append((s['name'],e,lo,hi,ans))
        if V: print(s['name'],s['mixed'],s['g'],e,lo,hi,ans,'raw %.2f %.2f'%(s['raw'],s['rawsd']))
    with open('answers.csv','w') as f:
        f.write('study,estimate,low,high,answer\n')
        for r in rows: f.write('%s,%.4f,%.4f,%.4f,%s\n'%r)
    json.dump({"studies":len(rows),"mean_estimate":float(np.mean([r[1] for r in rows])),"mean_width":float(np.mean([r[3]-r[2] for r in rows])),
      "estimates":{r[0]:r[1] for r in rows}},open('results.json','w'),indent=1)
    if V: print(time.process_time()-t)
