import os,glob,csv,json,math
import numpy as np
DATA=os.environ.get('ASSAY_DATA','data');MARGIN=3.
def ndtri(p):
    p=np.clip(p,1e-300,1-1e-16)
    a=[-3.969683028665376e+01,2.209460984245205e+02,-2.759285104469687e+02,1.383577518672690e+02,-3.066479806614716e+01,2.506628277459239e+00]
    b=[-5.447609879822406e+01,1.615858368580409e+02,-1.556989798598866e+02,6.680131188771972e+01,-1.328068155288572e+01]
    c=[-7.784894002430293e-03,-3.223964580411365e-01,-2.400758277161838e+00,-2.549732539343734e+00,4.374664141464968e+00,2.938163982698783e+00]
    d=[7.784695709041462e-03,3.224671290700398e-01,2.445134137142996e+00,3.754408661907416e+00]
    q=p-.5;r=q*q
    x=(((((a[0]*r+a[1])*r+a[2])*r+a[3])*r+a[4])*r+a[5])*q/(((((b[0]*r+b[1])*r+b[2])*r+b[3])*r+b[4])*r+1)
    for m,pp,s in((p<.02425,p,1),(p>1-.02425,1-p,-1)):
        if m.any():
            t=np.sqrt(-2*np.log(pp[m]));x[m]=s*(((((c[0]*t+c[1])*t+c[2])*t+c[3])*t+c[4])*t+c[5])/((((d[0]*t+d[1])*t+d[2])*t+d[3])*t+1)
    return x
_erfc=np.frompyfunc(math.erfc,1,1)
def upper(z): return .5*_erfc(z/2**.5).astype(float)
class Lab: pass
def load(f):
    R=list(csv.DictReader(open(f)));L=Lab();L.name=os.path.basename(f)[:-4]
    def g(k):
        return np.array([float(r[k]) if r[k] not in('',None) else np.nan for r in R])
    b,a,day=g('before'),g('after'),g('day');T=np.array([r['arm']=='b' for r in R])*1.
    rm=np.unique([r['room'] for r in R],return_inverse=True)[1];u=np.unique([r['unit'] for r in R],return_inverse=True)[1]
    # duplicates of one record under new unit numbers
    n=len(b);cross=len(set(u))<n
    L.dup=False
    if not cross:
        S=(np.abs(b[:,None]-b)<.13)&(np.abs(a[:,None]-a)<.13)&(rm[:,None]==rm)&(day[:,None]==day)&(T[:,None]==T)
        if S.sum()-n>20:
            L.dup=True;lab=np.arange(n)
            while 1:
                nw=np.array([lab[S[i]].min() for i in range(n)])
                if (nw==lab).all(): break
                lab=nw
            ids=np.unique(lab);av=lambda z:np.array([z[lab==i].mean() for i in ids])
            b,a,day,T,rm,u=av(b),av(a),av(day),av(T),np.array([rm[i] for i in ids]),ids
    ok=np.isfinite(a)&np.isfinite(b)&(a>-5)&(b>-5);b,a,day,T,rm,u=b[ok],a[ok],day[ok],T[ok],rm[ok],u[ok]
    # rooms with half points
    L.half=0
    for q in set(rm):
        m=rm==q
        if np.median(np.concatenate([b[m]]))<36.5 and np.mean(b[m])<37.5: b[m]*=2;a[m]*=2;L.half+=1
    L.b,L.y,L.day,L.T=b,a,day,T;L.rm=np.unique(rm,return_inverse=True)[1];L.u=np.unique(u,return_inverse=True)[1];L.cross=cross
    L.n=len(b);mx=a.max();L.cens=np.abs(a-mx)<1e-9
    if L.cens.sum()<3 and not (L.cens.sum()==2 and mx==round(mx)): L.cens[:]=False
    L.isc=L.cens.any();L.ceil=mx
    L.step=np.corrcoef(day,T)[0,1] if T.std()>0 and day.std()>0 else 0;L.hasstep=abs(L.step)>.33
    ra=set(L.rm[T==0]);rb=set(L.rm[T==1]);L.cluster=not(ra&rb)
    L.bad=len(ra)==0 or len(rb)==0 or (L.cluster and min(len(ra),len(rb))<2)
    R_=L.rm.max()+1
    base=np.column_stack([np.ones(L.n),T]+[L.rm==q for q in range(R_)]).astype(float)
    L.kind=[(None,base)] if not L.hasstep else [(k,np.column_stack([base,(day>=k)*1.])) for k in range(2,7)]
    if cross: 
        U=np.zeros((L.n,L.u.max()+1));U[np.arange(L.n),L.u]=1
        L.kind=[(k,np.column_stack([X,U])) for k,X in L.kind]
    L.R=R_;L.mats=[(k,X,X.T@X) for k,X in L.kind]
    return L
# hyper: mu0, om, beta, tau, sg, rho, sd (delta), md, S (step), pk
def prec(L,h,k):
    p=[1/h['om']**2,1/h['sd']**2]+[1/h['tau']**2]*L.R
    if k is not None: p.append(1/h['S']**2)
    if L.cross: p+= [1/(h['rho']*h['sg']**2)]*(L.u.max()+1)
    return np.array(p)
def post(L,h,y=None,full=True):
    """for each step day: log marginal, mean, cov of coefficients"""
    y=L.y if y is None else y;r=y-h['mu0']-h['beta']*(L.b-50)-h['md']*L.T
    s2=h['sg']**2*((1-h['rho']) if L.cross else 1.);out=[]
    for k,X,XX in L.mats:
        p=prec(L,h,k);A=XX/s2+np.diag(p);v=X.T@r/s2
        C=np.linalg.cholesky(A);z=np.linalg.solve(C,v)
        lm=-.5*(r@r/s2-z@z)-.5*L.n*math.log(s2)+.5*np.log(p).sum()-np.log(np.diag(C)).sum()
        if k is not None: lm+=math.log(h['pk'][k-2])
        if full:
            Ci=np.linalg.inv(C);V=Ci.T@Ci;out.append((lm,V@v,V))
        else: out.append(lm)
    return out
def logml(L,h):
    o=post(L,h,full=False);m=max(o);return m+math.log(sum(math.exp(q-m) for q in o))
def gibbs(L,h,iters=900,burn=150,seed=0):
    r=np.random.default_rng(seed+L.n);s2=h['sg']**2*((1-h['rho']) if L.cross else 1.);s=math.sqrt(s2)
    pre=[]
    for k,X,XX in L.mats:
        p=prec(L,h,k);A=XX/s2+np.diag(p);V=np.linalg.inv(A);V=(V+V.T)/2
        pre.append((X,V,np.linalg.cholesky(V),.5*np.log(p).sum()+.5*np.linalg.slogdet(V)[1]+(0 if k is None else math.log(h['pk'][k-2]))))
    off=h['mu0']+h['beta']*(L.b-50)+h['md']*L.T;c=L.cens;y=L.y.copy();y[c]+=3
    M=[];Vd=[];w=0;K=np.zeros(len(pre))
    for it in range(iters):
        q=y-off;ms=[];lw=[]
        for X,V,C,l0 in pre:
            v=X.T@q/s2;m=V@v;ms.append(m);lw.append(l0+.5*v@m)
        lw=np.array(lw);lw=np.exp(lw-lw.max());lw/=lw.sum();j=r.choice(len(pre),p=lw) if len(pre)>1 else 0
        X,V,C,_=pre[j];th=ms[j]+C@r.normal(size=len(ms[j]))
        mu=(off+X@th)[c];al=(L.ceil-mu)/s
        t=upper(al);y[c]=mu-s*ndtri(r.random(c.sum())*t)
        if it>=burn:
            K+=lw
            M.append(ms[j][1]);Vd.append(V[1,1])
    M=np.array(M);return np.full(len(M),1/len(M)),M,np.array(Vd),K/K.sum()
def quants(w,m,v,qs):
    s=np.sqrt(v);out=[]
    for q in qs:
        lo,hi=(m-6*s).min(),(m+6*s).max()
        for _ in range(30):
            c=(lo+hi)/2
            if (w*(1-upper((c-m)/s))).sum()<q: lo=c
            else: hi=c
        out.append((lo+hi)/2)
    return out
def nm(f,x0,st,iters=160):
    n=len(x0);P=[np.array(x0,float)]+[np.array(x0,float)+np.eye(n)[i]*st[i] for i in range(n)];F=[f(p) for p in P]
    for _ in range(iters):
        o=np.argsort(F);P=[P[i] for i in o];F=[F[i] for i in o];c=np.mean(P[:-1],0);x=c+(c-P[-1]);fx=f(x)
        if fx<F[0]:
            e=c+2*(c-P[-1]);fe=f(e)
            if fe<fx: P[-1],F[-1]=e,fe
            else: P[-1],F[-1]=x,fx
        elif fx<F[-2]: P[-1],F[-1]=x,fx
        else:
            k=c+.5*(P[-1]-c);fk=f(k)
            if fk<F[-1]: P[-1],F[-1]=k,fk
            else:
                P=[P[0]]+[P[0]+.5*(p-P[0]) for p in P[1:]];F=[F[0]]+[f(p) for p in P[1:]]
        if F[-1]-F[0]<.01 and _>40: break
    return P[int(np.argmin(F))]
def hyper(labs):
    h=dict(mu0=49.,om=1.,beta=.6,tau=4.,sg=5.8,rho=.6,sd=10.,md=0.,S=10.,pk=np.array([.1,.2,.4,.2,.1]))
    g=[L for L in labs if not L.isc and not L.cross][:90]
    if g:
        def setx(x): return dict(h,mu0=x[0],om=math.exp(np.clip(x[1],-3,2)),beta=x[2],tau=math.exp(x[3]),sg=math.exp(x[4]),sd=math.exp(np.clip(x[5],.5,4)))
        def obj(x):
            hh=setx(x);return -sum(logml(L,hh) for L in g)+.5*((x[0]-50)/5)**2+.5*((x[1]-0)/1.5)**2+.5*((x[5]-2)/.7)**2
        h=setx(nm(obj,[49,0,.6,1.4,1.75,2.1],[1,1,.05,.2,.05,.3]))
    c=[L for L in labs if not L.isc and L.cross][:20]
    if c:
        rs=np.arange(.3,.86,.05);f=[sum(logml(L,dict(h,rho=q)) for L in c) for q in rs];i=int(np.argmax(f))
        if 0<i<len(rs)-1:
            d=(f[i+1]-f[i-1])/(2*(2*f[i]-f[i+1]-f[i-1]));h['rho']=rs[i]+.05*d
        else: h['rho']=rs[i]
    st=[L for L in labs if L.hasstep and not L.isc]
    for _ in range(4):
        if not st: break
        K=np.full(5,.6);S2=0;
        for L in st:
            o=post(L,h);lw=np.array([q[0] for q in o]);lw=np.exp(lw-lw.max());lw/=lw.sum();K+=lw
            j=2+L.R;S2+=sum(w*(q[1][j]**2+q[2][j,j]) for w,q in zip(lw,o))
        h['pk']=K/K.sum();h['S']=math.sqrt((S2+3*81)/(len(st)+3))
    return h
GN=np.concatenate([np.arange(-30,-1.5,.05),np.arange(-1.5,1.5,.01),np.arange(1.5,30.001,.05)]);GW=np.gradient(GN)
SG=np.arange(0,30.01,.25)
def refine(dens,sd):
    """dens: list of (w,m,v) posteriors under N(0,sd^2).  Learns the distribution of the effects: a peak at 0 and a smooth
    part of |effect|, and returns quantiles under it."""
    N=len(dens);Lk=np.zeros((N,len(GN)))
    for i,(w,m,v) in enumerate(dens):
        if len(m)>60:
            mm=np.average(m,weights=w);o=np.argsort(m);m,v,w=m[o],v[o],w[o];g=(np.arange(len(m))*60//len(m));W=np.bincount(g,w,60);m2=np.bincount(g,w*m,60)/W;v2=np.bincount(g,w*v,60)/W+np.maximum(np.bincount(g,w*m*m,60)/W-m2**2,0);w,m,v=W,m2,v2
        p=(w[:,None]*np.exp(-.5*(GN-m[:,None])**2/v[:,None])/np.sqrt(v[:,None])).sum(0)
        # divide by prior; stay within the range where the posterior is known
        l=p*np.exp(.5*GN**2/sd**2);l[p<p.max()*1e-9]=0;Lk[i]=l/(l*GW).sum()
    S0=np.array([.02,.05,.1,.2,.3,.45,.6,.8,1.,1.3,1.7]);sp=np.array([np.exp(-.5*(GN/q)**2) for q in S0]);sp/=(sp*GW).sum(1,keepdims=True)
    l0=Lk@(sp*GW).T                     # N x S0
    # slab on |delta| as histogram of triangular bins
    B=np.maximum(0,1-np.abs(np.abs(GN)[None]-SG[:,None])/.25)
    Bp=B*(GN>0);Bm=B*(GN<0);Bp/=np.maximum((Bp*GW).sum(1,keepdims=True),1e-9);Bm/=np.maximum((Bm*GW).sum(1,keepdims=True),1e-9)
    lp=Lk@(Bp*GW).T;lm=Lk@(Bm*GW).T
    f0=np.exp(-.5*((SG-8.5)/3.)**2);f0/=f0.sum();K=np.exp(-.5*((SG[:,None]-SG)/.5)**2);K/=K.sum(0)
    best=[]
    for j in range(len(S0)):
        pi,pp,f=.33,.5,f0.copy()
        for it in range(60):
            a=pi*l0[:,j];b=(1-pi)*pp*lp*f;c=(1-pi)*(1-pp)*lm*f;z=a+b.sum(1)+c.sum(1)
            a=a/z;b=b/z[:,None];c=c/z[:,None]
            pi=(a.sum()+1)/(N+3.);pp=(b.sum()+3)/(b.sum()+c.sum()+6);f=K@(b+c).sum(0)+4*f0;f/=f.sum()
        best.append((np.log(z).sum(),pi,pp,f))
    ll=np.array([q[0] for q in best]);wt=np.exp(ll-ll.max());wt/=wt.sum()
    refine.info=dict(s0=dict(zip(S0,wt.round(3))),pi=best[int(ll.argmax())][1],pp=best[int(ll.argmax())][2],slab=dict(zip(SG[::4],best[int(ll.argmax())][3][::4].round(4))))
    post=np.zeros_like(Lk)
    for j in range(len(S0)):
        _,pi,pp,f=best[j];pr=pi*sp[j]+(1-pi)*(pp*(f@Bp)+(1-pp)*(f@Bm));q=Lk*pr*GW;post+=wt[j]*q/q.sum(1,keepdims=True)
    C=np.cumsum(post,1)-post/2;C/=post.sum(1)[:,None]
    return [[float(np.interp(q,c,GN)) for q in (.5,.025,.975)] for c in C]
def answer(lo,hi):
    if lo>-MARGIN and hi<MARGIN: return 'same'
    return 'higher' if lo>0 else 'lower' if hi<0 else 'open'
def main():
    fs=sorted(glob.glob(os.path.join(DATA,'*.csv')));labs=[load(f) for f in fs]
    h=hyper([L for L in labs if not L.bad] or labs);rows=[]
    if os.environ.get('V'): print(h)
    dens=[]
    h['sd']=12.
    for L in labs:
        if L.bad: continue
        if L.isc: w,m,v,K=gibbs(L,h)
        else:
            o=post(L,h);w=np.array([q[0] for q in o]);w=np.exp(w-w.max());w/=w.sum();m=np.array([q[1][1] for q in o]);v=np.array([q[2][1,1] for q in o]);K=w
        dens.append((w,m,v))
    Q=refine(dens,h['sd']) if dens else [];i=0
    if os.environ.get('V'): print(refine.info)
    for L in labs:
        if L.bad: rows.append((L.name,None));continue
        md,lo,hi=[round(q,4) for q in Q[i]];w,m,v=dens[i];i+=1;rows.append((L.name,(md,lo,hi)))
        if os.environ.get('V'): print(L.name,L.n,'dup' if L.dup else '','cross' if L.cross else '','cens' if L.isc else '','step %.2f'%L.step if L.hasstep else '','cluster' if L.cluster else '','half%d'%L.half,'raw %.2f'%(w@m),md,lo,hi)
    with open('answers.csv','w',newline='') as f:
        wr=csv.writer(f);wr.writerow(['study','estimate','low','high','answer'])
        for nme,r in rows: wr.writerow([nme,'','','','open'] if r is None else [nme,*r,answer(r[1],r[2])])
    E={n:r[0] for n,r in rows if r};W=[r[2]-r[1] for n,r in rows if r]
    json.dump(dict(studies=len(rows),mean_estimate=float(np.mean(list(E.values()))),mean_width=float(np.mean(W)),estimates=E),open('results.json','w'),indent=1)
if __name__=='__main__': main()
