import numpy as np,glob,os,json,csv,math
def load(folder):
    out={}
    for f in sorted(glob.glob(os.path.join(folder,'*.csv'))):
        rows=list(csv.DictReader(open(f)))
        def g(k):
            r=[]
            for x in rows:
                try:r.append(float(x[k]))
                except Exception:r.append(np.nan)
            return np.array(r)
        out[os.path.basename(f)[:-4]]=dict(unit=np.array([r['unit'] for r in rows]),room=np.array([r['room'] for r in rows]),day=g('day'),arm=np.array([r['arm'].strip()=='b' for r in rows]).astype(float),b=g('before'),y=g('after'))
    return out
def clean(d):
    unit,room,day,arm,b,y=(d[k].copy() for k in ('unit','room','day','arm','b','y'))
    ok=np.isfinite(y)&np.isfinite(b)&~(np.abs(y+9)<.3)
    unit,room,day,arm,b,y=(v[ok] for v in (unit,room,day,arm,b,y))
    # near copies of a line
    n=len(y);rid=np.unique(room,return_inverse=True)[1];close=(rid[:,None]==rid)&(day[:,None]==day)&(arm[:,None]==arm)&(np.abs(b[:,None]-b)<.25)&(np.abs(y[:,None]-y)<.25)
    first=np.zeros(n,int)-1;grp=[]
    for i in range(n):
        if first[i]>=0:continue
        st=[i];first[i]=len(grp);mem=[i]
        while st:
            k=st.pop()
            for q in np.where(close[k]&(first<0))[0]:
                first[q]=len(grp);st.append(q);mem.append(q)
        grp.append(mem)
    ncopy=n-len(grp)
    if ncopy>.15*n:
        sel=[m[0] for m in grp];b=np.array([b[m].mean() for m in grp]);y=np.array([y[m].mean() for m in grp])
        unit,room,day,arm=(v[sel] for v in (unit,room,day,arm))
    # rooms with half points
    rs=sorted(set(room));half=[]
    for x in rs:
        k=room==x
        if b[k].mean()<37.5 and (k.sum()>2 or b[k].mean()<33):
            half.append(x);b[k]*=2;y[k]*=2
    cap=None
    if not half and (y==y.max()).sum()>=3:cap=y.max()
    R=np.array([room==x for x in rs]).T.astype(float)
    pure=all(arm[room==x].min()==arm[room==x].max() for x in rs)
    na=sum(arm[room==x].max()==0 for x in rs);nb=sum(arm[room==x].min()==1 for x in rs)
    undec=pure and (na<2 or nb<2)
    if arm.min()==arm.max():undec=True
    r=np.corrcoef(day,arm)[0,1] if arm.std()>0 else 0
    us=sorted(set(unit));pairs=None
    if len(us)<.8*len(unit):
        dd={}
        for q,u in enumerate(unit):dd.setdefault(u,[]).append(q)
        pp=[v[:2] for v in dd.values() if len(v)>=2]
        pairs=(np.array([v[0] for v in pp]),np.array([v[1] for v in pp]))
    stepp=1.0 if r*math.sqrt(len(y))>4.5 else (.02 if abs(r)*math.sqrt(len(y))<3 else .4)
    return dict(R=R,day=day,arm=arm,b=b,y=y,cap=cap,undec=undec,pure=pure,stepp=stepp,pairs=pairs,half=len(half),ncopy=ncopy,unit=unit)
def prior(s,c,H):
    k=s['R'].shape[1];pm=[H['a'],H['be']]+[0]*(k+1+(c>0));pp=[1/H['om']**2,1/H['eta']**2]+[1/H['tau']**2]*k+([1/H['st']**2] if c else [])+[1/225.]
    return np.array(pm,float),np.array(pp)
def design(s,c,H):
    cols=[np.ones_like(s['y']),s['b']-50];pm=[H['a'],H['be']];pp=[1/H['om']**2,1/H['eta']**2]
    X=np.c_[cols[0],cols[1],s['R']];pm+= [0]*s['R'].shape[1];pp+=[1/H['tau']**2]*s['R'].shape[1]
    if c: X=np.c_[X,(s['day']>=c)];pm.append(0);pp.append(1/H['st']**2)
    X=np.c_[X,s['arm']];pm.append(0);pp.append(1/15.**2)
    return X,np.array(pm,float),np.array(pp)
def whiten(s,X,y,H):
    # two lines of a unit in cross-over labs: correlated errors
    if s['pairs'] is None:return X,y,0.
    i,j=s['pairs'];r=H['rho'];X=X.copy();y=y.copy()
    for M in (X,y):
        p=(M[i]+M[j])/math.sqrt(2*(1+r));q=(M[i]-M[j])/math.sqrt(2*(1-r));M[i]=p;M[j]=q
    return X,y,-.5*len(i)*math.log(1-r*r)
def gauss(s,c,H):
    pm,pp=prior(s,c,H);i2=1/H['sg']**2
    key=('xx',c,H['rho'] if s['pairs'] is not None else 0)
    if key not in s:
        X,y,ld=whiten(s,design(s,c,H)[0],s['y'],H);s[key]=(X.T@X,X.T@y,y@y,ld)
    XX,Xy,yy,ld=s[key]
    A=XX*i2+np.diag(pp);rhs=Xy*i2+pp*pm;Ai=np.linalg.inv(A);m=Ai@rhs
    n=len(s['y'])
    ev=ld-.5*n*math.log(2*math.pi)-n*math.log(H['sg'])+.5*np.log(pp).sum()-.5*np.linalg.slogdet(A)[1]-.5*(yy*i2+(pp*pm*pm).sum()-m@rhs)
    return ev,m[-1],Ai[-1,-1],m
_Z=np.arange(-38,38.001,.01)
_LP=np.array([math.log(.5*math.erfc(-v/math.sqrt(2))) if v>-37 else -.5*v*v-math.log(-v*2.5066282746)  for v in _Z])
def logPhi(z):
    z=np.clip(z,-37.5,37.5);i=(z+38)/.01;j=i.astype(int);f=i-j
    lp=_LP[j]*(1-f)+_LP[j+1]*f;h=np.exp(-.5*z*z-lp)/2.5066282746310002
    return lp,h
def tobit(s,c,H,grid):
    X,pm,pp=design(s,c,H);y=s['y'];cen=y>=s['cap']-1e-9;sg=H['sg']
    Xu,yu,Xc=X[~cen],y[~cen],X[cen];cap=s['cap']
    def newton(th,free,it=30):
        for _ in range(it):
            z=(Xc@th-cap)/sg;lp,h=logPhi(z)
            gr=Xu.T@(yu-Xu@th)/sg**2+Xc.T@h/sg-pp*(th-pm)
            w=h*(z+h)/sg**2
            A=Xu.T@Xu/sg**2+(Xc*w[:,None]).T@Xc+np.diag(pp)
            d=np.zeros(len(th));d[free]=np.linalg.solve(A[np.ix_(free,free)],gr[free])
            th=th+d
            if np.abs(d).max()<1e-3:break
        f=-.5*((yu-Xu@th)**2).sum()/sg**2+lp.sum()-.5*(pp*(th-pm)**2).sum()
        f+=-len(yu)*math.log(sg*2.5066282746)+.5*np.log(pp).sum()-.5*np.linalg.slogdet(A[np.ix_(free,free)])[1]
        return th,f,A
    k=X.shape[1];allf=np.arange(k);th,f,A=newton(pm.copy(),allf);sd=math.sqrt(np.linalg.inv(A)[-1,-1])
    ds=th[-1]+sd*np.linspace(-5,5,21);fs=[];nf=allf[:-1]
    t0=th.copy();out=np.empty(21)
    for q in list(range(10,21))+list(range(9,-1,-1)):
        if q==9:t0=th.copy()
        t0=t0.copy();t0[-1]=ds[q];t0,fv,_=newton(t0,nf);out[q]=fv+.5*t0[-1]**2/15.**2
    # quartic through log likelihood
    co=np.polyfit((ds-th[-1])/sd,out-out.max(),6);u=np.clip((grid-th[-1])/sd,-5,5)
    ll=np.polyval(co,u)+out.max()-np.where(np.abs((grid-th[-1])/sd)>5,2*(np.abs((grid-th[-1])/sd)-5)*5,0)
    return f,th[-1],sd,ll
GRID=np.arange(-30,30.0001,.1)
def like(s,H):
    cs=[0,2,3,4,5,6];pc=np.array([1-s['stepp']]+[s['stepp']*w for w in (.1,.2,.35,.25,.1)])
    lls=[]
    for c,p in zip(cs,pc):
        if p<=0:continue
        if s['cap'] is None:
            ev,m,v,_=gauss(s,c,H)
            # remove N(0,15^2) prior of d
            pr=1/v-1/225.;mm=(m/v)/pr
            ll=-.5*pr*(GRID-mm)**2+ev+.5*math.log(1/v/1)-.5*m*m/225.+.5*pr*(m-mm)**2-0
            # value at d: joint density = ev*N(d;m,v)/prior ; constants equal across c
            ll=ev-.5*np.log(v)-.5*(GRID-m)**2/v+.5*GRID**2/225.
        else:
            ll=tobit(s,c,H,GRID)[3]
        lls.append(ll+math.log(p))
    a=np.array(lls);mx=a.max();l=np.log(np.exp(a-mx).sum(0)+1e-300);return l-l.max()
def fit(S):
    H=dict(rho=.6,a=50.,om=1.,be=.6,eta=.03,sg=6.,tau=4.5,st=11.)
    T=[s for s in S if s['cap'] is None and not s['undec']]
    # best step once
    for s in T:
        s['c']=0
        if s['stepp']==1:s['c']=max((2,3,4,5,6),key=lambda c:gauss(s,c,H)[0])
    f=lambda H:sum(gauss(s,s['c'],H)[0] for s in T)-.5*(math.log(H['om']/.3)**2+math.log(H['eta']/.01)**2)*.05
    Q=[s for s in T if s['pairs'] is not None]
    if Q:H['rho']=max(np.arange(.3,.86,.02),key=lambda r:sum(gauss(s,s['c'],dict(H,rho=r))[0] for s in Q))
    cur=f(H)
    for rnd in range(5):
        for k,st in (('a',.5),('om',None),('be',.02),('eta',None),('sg',None),('tau',None),('st',None)):
            step=(st if st else .3)/2.2**rnd
            for sign in (1,-1):
                for _ in range(6):
                    G=dict(H);G[k]=H[k]+sign*step if st else H[k]*math.exp(sign*step)
                    if G['om']<.05 or G['eta']<.002:break
                    v=f(G)
                    if v>cur+1e-6:cur=v;H=G
                    else:break
    return H,cur
GRID=np.round(GRID,6)
SP=[.01,.2,.5,1.]
SPK=np.array([np.exp(-.5*(GRID/v)**2) for v in SP]);SPK/=SPK.sum(1,keepdims=True)
CEN=np.arange(-29,29.01,.5)
def em_prior(LL,bw,it=500):
    P=np.exp(LL);P=.5*(P+0) 
    K=np.exp(-.5*((GRID[:,None]-CEN)/bw)**2);K/=K.sum(0)
    base=np.exp(-.5*(CEN/9)**2);base/=base.sum()
    B=np.c_[SPK.T,K];A=P@B;A=A/A.max(1,keepdims=True)
    ns=len(SP);A2=np.c_[A[:,:ns],.5*(A[:,ns:]+A[:,ns:][:,::-1])]
    # symmetric slab: sign is free, so weights of +c and -c are tied
    w=np.r_[np.ones(ns)*.1,base*.6]
    pc=np.r_[np.ones(ns)*.25,base*1.5]
    for _ in range(it):
        r=A*w;r/=r.sum(1,keepdims=True);w=r.sum(0)+pc
        w[ns:]=.5*(w[ns:]+w[ns:][::-1]);w/=w.sum()
    return B@w,w
def answer(lo,hi,m=3):
    if lo>-m and hi<m:return 'same'
    if lo>0:return 'higher'
    if hi<0:return 'lower'
    return 'open'
def main(D,verbose=True):
    names=list(D);S=[clean(D[k]) for k in names]
    H,ev=fit(S)
    if verbose:print({k:round(v,3) for k,v in H.items()},ev)
    idx=[i for i,s in enumerate(S) if not s['undec']]
    LL=np.array([like(S[i],H) for i in idx])
    P=np.exp(LL);best=None
    rng=np.random.default_rng(0);fold=rng.permutation(len(idx))%5
    for bw in ((.35,.6,1.,1.7,3.) if len(idx)>60 else (1.5,)):
        sc=0
        if len(idx)>60:
            for k in range(5):
                f=em_prior(LL[fold!=k],bw)[0];sc+=np.log(P[fold==k]@f).sum()
            if verbose:print('prior',bw,round(sc,2))
        if best is None or sc>best[0]:best=(sc,bw)
    pr,w=em_prior(LL,best[1])
    if verbose:print('spikes',w[:4].round(3))
    res={}
    for i,l in zip(idx,LL):
        p=np.exp(l)*pr;p/=p.sum();cdf=np.r_[0,np.cumsum(p)];e=np.r_[GRID-.05,GRID[-1]+.05]
        lo,hi,md=np.interp([.025,.975,.5],cdf+1e-12*np.arange(len(cdf)),e)
        q=np.exp(l);q/=q.sum();m0=(q*GRID).sum()
        res[names[i]]=(float((p*GRID).sum()),lo,hi,m0,math.sqrt((q*(GRID-m0)**2).sum()))
    return names,S,res,H,pr
if __name__=='__main__':
    D=load(os.environ.get('ASSAY_DATA') or 'data')
    names,S,res,H,pr=main(D)
    E={};W=[]
    with open('answers.csv','w') as f:
        f.write('study,estimate,low,high,answer\n')
        for k,s in zip(names,S):
            if k not in res:f.write(f'{k},,,,open\n');continue
            e,lo,hi=(round(float(v),4) for v in res[k][:3]);E[k]=e;W.append(hi-lo)
            f.write(f'{k},{e},{lo},{hi},{answer(lo,hi)}\n')
    json.dump({"studies":len(names),"mean_estimate":round(float(np.mean(list(E.values()))),6),"mean_width":round(float(np.mean(W)),6),"estimates":E},open('results.json','w'),indent=1)
    if len(names)<50:
        for k,s in zip(names,S):
            print(k,len(s['y']),'cap',s['cap'],'undec',s['undec'],'half',s['half'],'copy',s['ncopy'],'step',s['stepp'],'c',s.get('c'),[round(float(v),2) for v in res[k]] if k in res else '')
