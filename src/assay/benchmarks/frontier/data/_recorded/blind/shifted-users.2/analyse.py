import sys,json,time
from core import *
sg=lambda q:1/(1+np.exp(-np.clip(q,-40,40)))
V='-v' in sys.argv
GX,GW=np.polynomial.hermite_e.hermegauss(21); GW=GW/GW.sum()
# ---------- noise
RAT=np.array([.1,.15,.2,.25,.3,.36,.43,.52,.65,.85])
def noise_fit(d,p0,m0,lr):
    X=np.c_[d['X'],d['z'][:,None]*d['X']]; P=np.r_[p0,1/np.array([2.,1,1,.3,.3,.4])**2]; m=np.r_[m0,np.zeros(6)]
    best=[]
    for i,r in enumerate(RAT):
        s2=d.get('s2',1.)
        for _ in range(2):
            v0=r*r+1/d['se']; rr=d['y']-X@m; w=1/(v0*s2); H=(X.T*w)@X+np.diag(P); b=np.linalg.solve(H,(X.T*w)@rr)
            res=rr-X@b; k=np.trace(np.linalg.solve(H,(X.T*w)@X)); s2=(res*res/v0).sum()/(len(rr)-k)
        v=v0*s2; best.append((gauss(d,X,v,P,m)[0]+lr[i],s2))
    l=np.array([b[0] for b in best]); pw=np.exp(l-l.max()); pw/=pw.sum(); d['pw']=pw
    i=int(l.argmax()); d['ratio']=math.exp((pw*np.log(RAT)).sum()); d['s2']=float((pw*[b[1] for b in best]).sum())
    d['v']=(d['ratio']**2+1/d['se'])*d['s2']
def prep(d,p0,m0):
    X=d['X']; w=1/d['v']; XtW=X.T*w; H=XtW@X+np.diag(p0); r=d['y']-X@m0
    K=np.linalg.solve(H,XtW); M=np.diag(w)-XtW.T@K
    M=M*d['z'][:,None]; d['My']=M@r; d['M']=M*d['z'][None,:]
# ---------- shape of the effect : sigmoid + correction over the index
KT=np.array([-4,-2.6,-1.8,-1.2,-.8,-.4,0,.4,.8,1.2,1.8,2.6,4.])
class G: pass
def tent(t):
    B=np.empty((len(t),len(KT)))
    for j in range(len(KT)): B[:,j]=np.interp(t,KT,np.eye(len(KT))[j])
    return B
def gt(t,p,c=None):
    y=2*sg(math.exp(p[0])*t+p[2])+p[3]
    if c is not None: y=y+np.interp(t,KT,c)
    return y
def idx(p,a,b): return math.cos(p[1])*a+math.sin(p[1])*b
SA=1.5
def shape(D,p):
    def f(p):
        t=0
        for d in D:
            g=gt(idx(p,d['sk'],d['us']),p); q=g@d['My']; r=g@(d['M']@g)
            t-=.5*q*q/(r+1/SA**2)-.5*math.log(1+SA*SA*r)
        return t+.5*((p[0]-1.2)/.6)**2+.5*((p[3]+.66)/.5)**2+.5*(p[2]/1.)**2
    p,y=nm(f,p,[.15,.1,.2,.15],70); return p,-y
def correct(D,p,c,prior,its=6):
    D2=np.diff(np.eye(len(KT)),2,axis=0); Q=np.eye(len(KT))/.15**2+D2.T@D2/.15**2
    B=[tent(idx(p,d['sk'],d['us'])) for d in D]; BM=[b.T@d['M'] for b,d in zip(B,D)]; BMB=[m@b for m,b in zip(BM,B)]; By=[b.T@d['My'] for b,d in zip(B,D)]
    g0=[gt(idx(p,d['sk'],d['us']),p) for d in D]
    Bg=[m@g for m,g in zip(BM,g0)]; gg=[(g@d['My'],g@(d['M']@g)) for g,d in zip(g0,D)]
    for _ in range(its):
        H=Q.copy(); r=np.zeros(len(KT))
        for d,bmb,by,bg,(gy,gMg) in zip(D,BMB,By,Bg,gg):
            q=gy+c@by; rr=gMg+2*c@bg+c@bmb@c
            mu,var=prior(d); v=1/(rr+1/var); A=v*(q+mu/var); A2=A*A+v
            H+=A2*bmb; r+=A*by-A2*bg
        c=np.linalg.solve(H,r)
    for d,bmb,by,bg,(gy,gMg) in zip(D,BMB,By,Bg,gg):
        q=gy+c@by; rr=gMg+2*c@bg+c@bmb@c; d['q'],d['r']=q,max(rr,1e-6)
    return c
# ---------- prior of the size
KN=np.linspace(0,1,6)
def basis(m):
    u=np.clip(np.atleast_1d(np.asarray(m,float)),0,1)*5; j=np.minimum(u.astype(int),4); f=u-j
    B=np.zeros((len(u),6)); r=np.arange(len(u)); B[r,j]=1-f; B[r,j+1]+=f; return B
class Pr: q=.45; t0=.1; t1=.4; mu=.1+2*KN
def comps(P,Ah,se2,s):
    mu=(basis(s)@P.mu); out=[]
    for w,m,v in ((P.q,0*mu,P.t0**2),(1-P.q,mu,P.t1**2)):
        tv=v+se2; out.append((w*np.exp(-.5*(Ah-m)**2/tv)/np.sqrt(tv),(Ah/se2+m/v)/(1/se2+1/v),1/(1/se2+1/v)))
    Z=out[0][0]+out[1][0]+1e-300; return [(a/Z,b,c) for a,b,c in out]
def sizes(P,D,its=60):
    r=np.array([d['r'] for d in D]); Ah=np.array([d['q'] for d in D])/r; se2=1/r; s=np.array([d['s'] for d in D]); B=basis(s); N=len(D); D2=np.diff(np.eye(6),2,axis=0)
    for _ in range(its):
        (w0,m0,v0),(w1,m1,v1)=comps(P,Ah,se2,s); P.q=(w0.sum()+3)/(N+6.5)
        P.t0=math.sqrt(((w0*(m0**2+v0)).sum()+4*.08**2)/(w0.sum()+4))
        W=w1/P.t1**2; best=None
        for sm in (.05,.2,.6):
            Q=D2.T@D2/sm**2+np.eye(6)*.05; H=B.T@(W[:,None]*B)+Q; bv=B.T@(W*m1); x=np.linalg.solve(H,bv); ev=.5*np.linalg.slogdet(Q)[1]-.5*np.linalg.slogdet(H)[1]+.5*bv@x
            if best is None or ev>best[0]: best=(ev,x,sm)
        P.mu,P.sm=best[1],best[2]; mu=B@P.mu
        P.t1=math.sqrt(((w1*((m1-mu)**2+v1)).sum()+4*.35**2)/(w1.sum()+4))
    return comps(P,Ah,se2,s)
# ---------- target distribution
class S:
    m=np.array([0.,0.]); ms=np.array([.8,.8]); l=0.; ls=.11; dl=0.; dls=.025; c=.18; cs=.12; a=np.array([-.95,2.05,1.2]); as_=np.array([.4,.35,.25])
def suff(x): return len(x),x.mean(0),((x-x.mean(0))**2).mean(0)
def target(d,rng,nd=300):
    U=np.c_[d['sk'],d['us']]; nu,mu_,vu=suff(U); nt,mt,vt=suff(d['t'])
    def sc(th): return np.array([math.exp(2*(th[2]+th[3])),math.exp(2*(th[2]-th[3]))])
    def base(th):
        m=th[:2]; s2=sc(th); o=0
        for n,a,v in ((nt,mt,vt),(nu,mu_,vu)): o+=(n*(.5*np.log(s2)+.5*(v+(a-m)**2)/s2)).sum()
        return o+.5*((th[2]-S.l)/S.ls)**2+.5*((th[3]-S.dl)/S.dls)**2+.5*(((m-S.m)/S.ms)**2).sum()
    c=U[:,0].min()-.7/nu
    def f1(th): return base(th)
    def f2(th):
        a=(c-th[0])*math.exp(-th[2]-th[3]); return base(th)+nu*math.log(max(.5*math.erfc(a/1.41421356),1e-12))+.5*((a-S.c)/S.cs)**2
    def mk(sign):
        def f(th):
            b=sign*th[5:7]; e=th[4]+(U-th[:2])@b; s2=sc(th); sd=math.sqrt((b*b*s2).sum()); z=(GW*sg(th[4]+sd*GX)).sum()
            return base(th)+np.log1p(np.exp(-np.clip(e,-30,30))).sum()+nu*math.log(z+1e-300)+.5*(((th[4:7]-S.a)/S.as_)**2).sum()+np.log(S.as_).sum()
        return f
    x4=np.r_[mt,.25*np.log(vt).sum(),S.dl]; cand=[]
    t2=(d['t'][:,0]<c).mean()>.3
    w=np.array([.86,.5]); zz=abs(((mu_-mt)*w).sum())/math.sqrt((w*w*(vt/nt+vu/nu)).sum())
    if t2:
        x,y=nm(f2,x4,[.1,.1,.05,.03],50); cand.append((y,2,x,f2))
    else:
        if zz<3.6:
            x,y=nm(f1,np.r_[(mt*nt+mu_*nu)/(nt+nu),.25*np.log(vu).sum(),S.dl],[.05,.05,.05,.03],40); cand.append((y,1,x,f1))
        if zz>1.3:
            sgn=1 if ((mu_-mt)*w).sum()>0 else -1; f=mk(sgn); st=d['th'] if 'th' in d and len(d['th'])==7 else np.r_[x4,S.a]
            x,y=nm(f,st,[.1,.1,.05,.03]+[.15]*3,90); cand.append((y,3 if sgn>0 else 4,x,f))
    best=None
    res=[]
    for y,ty,x,f in cand:
        if y>min(q[0] for q in cand)+8: continue
        n=len(x); h=np.r_[.03,.03,.02,.02,.04,.04,.04][:n]; H=np.zeros((n,n)); f0=f(x); e=np.eye(n)*h
        fp=[f(x+e[i]) for i in range(n)]; fm=[f(x-e[i]) for i in range(n)]
        for i in range(n):
            H[i,i]=max((fp[i]+fm[i]-2*f0)/h[i]**2,1e-2)
            for j in range(i):
                H[i,j]=H[j,i]=(f(x+e[i]+e[j])-fp[i]-fp[j]+f0)/(h[i]*h[j])*.5+(f(x-e[i]-e[j])-fm[i]-fm[j]+f0)/(h[i]*h[j])*.5
        w,Q=np.linalg.eigh(H); w=np.maximum(w,.05); ev=-y-.5*np.log(w).sum()+.5*(n-4)*0
        res.append((ev,ty,x,Q/np.sqrt(w)))
    k=np.array([r[0] for r in res]); k=np.exp(k-k.max()); k/=k.sum(); dr=[]
    for w,(ev,ty,x,L) in zip(k,res):
        nn=int(round(w*nd))
        if nn: dr.append((x+rng.normal(size=(nn,len(x)))@L.T)[:,:4])
    d['type']=res[int(k.argmax())][1]; d['th']=res[int(k.argmax())][2]; L=res[int(k.argmax())][3]; d['pv']=(L*L).sum(1); d['c']=c; d['draws']=np.concatenate(dr)
def main():
    T0=time.process_time(); D=read(os.environ.get('ASSAY_DATA','data')); rng=np.random.default_rng(3)
    p0,m0=P0.copy(),M0.copy(); lr=-.5*((np.log(RAT)-math.log(.28))/.35)**2
    for it in range(2):
        for d in D: noise_fit(d,p0,m0,lr)
        if it==0:
            lr=np.log((sum(d['pw'] for d in D)+5*np.exp(lr)/np.exp(lr).sum())/(len(D)+5)); lr=np.convolve(np.r_[lr[0],lr,lr[-1]],[.2,.6,.2],'valid')
            bs=[];vs=[]
            for d in D:
                X=np.c_[d['X'],d['z'][:,None]*d['X']]; l,b,C=gauss(d,X,d['v'],np.r_[p0,1/np.array([2.,1,1,.3,.3,.4])**2],np.r_[m0,np.zeros(6)]); bs.append(b[1:6]);vs.append(np.diag(C)[1:6])
            bs=np.array(bs);vs=np.array(vs); m0=np.r_[0,bs.mean(0)]; sd2=((bs-m0[1:])**2+vs).mean(0); p0=np.r_[1/25.,1/(sd2+.01)]
    for d in D: prep(d,p0,m0)
    if V: print('noise',round(time.process_time()-T0,1),'baseline',m0,1/np.sqrt(p0),'ratios',[round(d['ratio'],2) for d in D][:16])
    p,y=shape(D[:100],np.array([1.25,.645,-.5,-.66]))
    if len(D)>100: p,y=shape(D,p)
    if V: print('shape',p,round(y,2),round(time.process_time()-T0,1))
    c=np.zeros(len(KT)); P=Pr(); pri=lambda d:(0.,SA**2)
    for it in range(4):
        c=correct(D,p,c,pri); cs=sizes(P,D)
        for i,d in enumerate(D):
            (w0,a0,v0),(w1,a1,v1)=[(q[0][i],q[1][i],q[2][i]) for q in cs]
            # gaussian prior that matches the prior mixture given which part it is in
            mu=float((basis(d['s'])@P.mu)[0]); d['pr']=(0.,P.t0**2) if w0>.5 else (mu,P.t1**2)
        pri=lambda d:d['pr']
    if V: print('corr',c,'\ng',gt(KT,p,c),'\nprior q %.2f t0 %.3f t1 %.2f'%(P.q,P.t0,P.t1),P.mu,P.sm,round(time.process_time()-T0,1))
    NP_=4 if len(D)>60 else 6; kept=[]
    def em(x,pv,m,s,k0,s0,floor):
        x=np.asarray(x);pv=np.asarray(pv)
        if len(x)==0: return m,s
        mm=(x.sum(0)+k0*m)/(len(x)+k0); return mm,np.maximum(floor,np.sqrt((((x-mm)**2+pv).sum(0)+k0*s0**2)/(len(x)+k0)))
    I=S(); pri0=dict(a=S.a,c=S.c)
    for it in range(NP_+1):
        sub=D if it==NP_ or len(D)<=110 else D[:110]
        for d in sub: target(d,rng,400)
        if it==NP_: break
        th=np.array([d['th'][:4] for d in sub]); pv=np.array([d['pv'][:4] for d in sub])
        S.m,S.ms=em(th[:,:2],pv[:,:2],np.zeros(2),S.ms,2,.8,.2)
        S.l,S.ls=em(th[:,2],pv[:,2],0.,S.ls,2,.1,.02); S.dl,S.dls=em(th[:,3],pv[:,3],0.,S.dls,2,.04,.01)
        tl=[d for d in sub if d['type']>2]; S.a,S.as_=em([d['th'][4:7] for d in tl],[d['pv'][4:7] for d in tl],S.a,S.as_,2,S.as_*.7,np.array([.08,.08,.08]))
        t2=[d for d in sub if d['type']==2]; S.c,S.cs=em([(d['c']-d['th'][0])*math.exp(-d['th'][2]-d['th'][3]) for d in t2],[d['pv'][0] for d in t2],S.c,S.cs,2,S.cs*.7,.03)
        if V: print('target',S.m,S.ms,'l %.2f %.3f dl %.2f %.3f c %.2f %.2f'%(S.l,S.ls,S.dl,S.dls,S.c,S.cs),S.a,S.as_,[sum(d['type']==k for d in sub) for k in (1,2,3,4)],round(time.process_time()-T0,1))
    rows=[]
    for i,d in enumerate(D):
        th=d['draws']; s2=np.exp(2*np.c_[th[:,2]+th[:,3],th[:,2]-th[:,3]]); m=idx(p,th[:,0],th[:,1]); sd=np.sqrt(math.cos(p[1])**2*s2[:,0]+math.sin(p[1])**2*s2[:,1])
        E=(gt((m[:,None]+sd[:,None]*GX).ravel(),p,c).reshape(-1,len(GX))*GW).sum(1)
        (w0,a0,v0),(w1,a1,v1)=[(q[0][i],q[1][i],q[2][i]) for q in cs]
        n=12000; k=rng.random(n)<w0; A=np.where(k,a0+math.sqrt(v0)*rng.normal(size=n),a1+math.sqrt(v1)*rng.normal(size=n))
        x=A*E[rng.integers(len(E),size=n)]
        lo,e,hi=[round(float(q),4) for q in np.quantile(x,[.025,.5,.975])]
        ans='same' if lo>-.3 and hi<.3 else 'higher' if lo>0 else 'lower' if hi<0 else 'open'
        rows.append((d['name'],e,lo,hi,ans))
        if V and i<40: print(d['name'],d['s'],'ty',d['type'],d['th'].round(2),'A %.2f se %.2f w0 %.2f'%(d['q']/d['r'],d['r']**-.5,w0),'E %.2f %.2f'%(E.mean(),E.std()),*rows[-1][1:])
    with open('answers.csv','w') as f:
        f.write('study,estimate,low,high,answer\n')
        for r in rows: f.write('%s,%.4f,%.4f,%.4f,%s\n'%r)
    json.dump({"studies":len(rows),"mean_estimate":float(np.mean([r[1] for r in rows])),"mean_width":float(np.mean([r[3]-r[2] for r in rows])),"estimates":{r[0]:r[1] for r in rows}},open('results.json','w'),indent=1)
    if V: print(time.process_time()-T0)
np.set_printoptions(precision=2,suppress=True,linewidth=180)
if __name__=='__main__': main()
