import os,glob,csv,json,math
import numpy as np
DATA=os.environ.get('ASSAY_DATA','data');MARGIN=.25
def load(f):
    with open(f) as h:
        hd=h.readline().strip().split(',');D=np.array([[float(z) if z else np.nan for z in l.strip().split(',')] for l in h if l.strip()])
    j=hd.index('baseline');vs=[k for k in range(len(hd)) if k not in(0,j)];V=D[:,vs];n=len(V);p=len(vs)
    R=V-V.mean(0)-V.mean(1,keepdims=True)+V.mean();s2=(R**2).sum()/((p-1)*(n-1))
    return dict(d=(V-D[:,j:j+1]).mean(0),s2=s2/n,q=s2/(7*n),n=n,names=[hd[k] for k in vs],sig=s2**.5)
TS=np.array([.0,.03,.05,.07,.09,.11,.13,.16,.19,.22,.26,.3,.35,.4,.5,.65])
def q_norm(k):
    from statistics import NormalDist
    return np.array([NormalDist().inv_cdf((i+.5)/k) for i in range(k)])
def std(a,w):
    a=np.array(a,float);w=np.array(w,float)/np.sum(w);a=a-w@a;return a/np.sqrt(w@a**2),w
FAM={}
K=17
FAM['unif']=std(np.linspace(-1,1,K),np.ones(K))
FAM['expo']=std(-np.log(1-(np.arange(K)+.5)/K),np.ones(K))
for p in(.1,.2,.35): FAM['win%d'%(100*p)]=std([0,1],[1-p,p])
zz=q_norm(15);
FAM['heavy']=std(np.concatenate([[0],zz]),np.concatenate([[4.],np.full(15,1/15)]))
if os.environ.get('FAMS') is not None: FAM={k:v for k,v in FAM.items() if k in os.environ['FAMS'].split(',')}
CELLS=[('norm',t) for t in TS]+[(f,t) for f in FAM for t in TS[2:]]
GZ=np.linspace(-3,3,11)
def cells(S,h):
    """log marginal likelihood of each cell, and for the candidate variants the posterior components (weights, means, vars)."""
    d,s2,q=S['d'],S['s2'],S['q'];p=len(d);mu,om2=h['mu'],h['om2'];db=d.mean();ss=((d-db)**2).sum()
    lm=[];comp=[];v=int(np.argmax(d));Dm=d[v]
    cslope=-q/(om2+q);cvar=om2*q/(om2+q)
    for t in TS:
        a=t*t+s2;pv=om2+q;A=1/(a/p)+1/pv;mm=(db*p/a+mu/pv)/A;mv=1/A
        lm.append(-.5*p*math.log(a)-.5*ss/a+.5*math.log(a/p)-.5*(db-mu)**2/(a/p+pv)-.5*math.log(a/p+pv))
        k=t*t/a
        # delta = m'(1-k)+k D + e + c ; c = cslope*(m'-mu)+noise
        mean=mm*(1-k)+k*Dm+cslope*(mm-mu);var=mv*(1-k+cslope)**2+k*s2+cvar
        comp.append((np.ones(1),np.array([mean]),np.array([var])))
    for f,(at,w) in FAM.items():
        for t in TS[2:]:
            a=t*t+s2;pv=om2+q;sd=math.sqrt(a/p);g=db+GZ*sd*1.15
            X=d[None,:,None]-g[:,None,None]-t*at[None,None,:]
            E=np.exp(-.5*X*X/s2)*w;L=E.sum(2)+1e-300
            lg=np.log(L).sum(1)-.5*p*math.log(s2)-.5*(g-mu)**2/pv-.5*math.log(pv)
            M=lg.max();wg=np.exp(lg-M);lm.append(M+math.log(wg.sum()*(g[1]-g[0])/math.sqrt(2*math.pi)))
            wg/=wg.sum();wa=(E[:,v]/L[:,v:v+1])*wg[:,None]
            mean=g[:,None]+t*at+(cslope*(g-mu))[:,None]
            dv=(np.diff(at).min()*t)**2/12 if len(at)>2 else 0.
            sel=wa>1e-5
            comp.append((wa[sel],mean[sel],np.full(sel.sum(),cvar+dv+((g[1]-g[0])**2)/12)))
    return np.array(lm),comp
def smoothT(W):
    out=W.copy();i=0
    for blk in [len(TS)]+[len(TS)-2]*len(FAM):
        c=W[i:i+blk];k=np.arange(blk);Kk=np.exp(-.5*((k[:,None]-k)/.7)**2);Kk/=Kk.sum(0);out[i:i+blk]=Kk@c;i+=blk
    return out
_erfc=np.frompyfunc(math.erfc,1,1)
def quants(w,m,v,qs):
    # compress
    if len(w)>400:
        o=np.argsort(m);w,m,v=w[o],m[o],v[o];g=np.minimum((np.cumsum(w)/w.sum()*200).astype(int),199);W=np.bincount(g,w,200);k=W>0
        m2=np.bincount(g,w*m,200)[k]/W[k];v2=np.bincount(g,w*v,200)[k]/W[k]+np.maximum(np.bincount(g,w*m*m,200)[k]/W[k]-m2**2,0);w,m,v=W[k],m2,v2
    w=w/w.sum();s=np.sqrt(v);mu=w@m;sd=math.sqrt(w@(v+(m-mu)**2));G=mu+sd*np.linspace(-6,6,161)
    C=(w[:,None]*(1-.5*_erfc((G-m[:,None])/s[:,None]/2**.5).astype(float))).sum(0)
    return [float(np.interp(q,C,G)) for q in qs]
def analyse(studies):
    N=len(studies);db=np.array([S['d'].mean() for S in studies]);nv=np.array([S['s2']/30+S['q'] for S in studies])
    mu,om2=db.mean(),max(db.var(),.01)
    for _ in range(100):
        w=om2/(om2+nv);pm=mu+w*(db-mu);mu=(pm.sum())/(N+2);om2=(((pm-mu)**2).sum()+(w*nv).sum()+3*.1)/(N+3)
    h=dict(mu=mu,om2=om2);R=[cells(S,h) for S in studies];L=np.array([r[0] for r in R]);L-=L.max(1,keepdims=True);E=np.exp(L)
    nf=len(FAM);base=np.concatenate([np.full(len(TS),.5/len(TS) if nf else 1/len(TS))]+[np.full(len(TS)-2,.5/nf/(len(TS)-2))]*nf)
    W=base.copy()
    for _ in range(150):
        P=E*W;P/=P.sum(1,keepdims=True);W=smoothT(P.sum(0))+6*base;W/=W.sum()
    P=E*W;ll=np.log(P.sum(1)).sum();P/=P.sum(1,keepdims=True)
    fam={};
    for (f,t),x in zip(CELLS,W): fam[f]=fam.get(f,0)+x
    analyse.info=dict(mu=mu,om=om2**.5,ll=ll,fam={k:round(float(x),3) for k,x in fam.items()},t=dict(zip(TS,W[:len(TS)].round(3))))
    out=[]
    for S,(lm,comp),p in zip(studies,R,P):
        w=[];m=[];v=[]
        for pc,(a,b,c) in zip(p,comp):
            if pc>1e-5: w.append(pc*a);m.append(b);v.append(c)
        w,m,v=map(np.concatenate,(w,m,v));lo,md,hi=quants(w,m,v,[.025,.5,.975])
        out.append((md,lo,hi,S['names'][int(np.argmax(S['d']))]))
    return out
def answer(lo,hi):
    if lo>-MARGIN and hi<MARGIN: return 'same'
    return 'higher' if lo>0 else 'lower' if hi<0 else 'open'
def main():
    fs=sorted(glob.glob(os.path.join(DATA,'*.csv')));names=[os.path.basename(f)[:-4] for f in fs]
    res=[(round(a,5),round(b,5),round(c,5),d) for a,b,c,d in analyse([load(f) for f in fs])]
    with open('answers.csv','w',newline='') as h:
        w=csv.writer(h);w.writerow(['study','estimate','low','high','answer','choice'])
        for nm,(e,l,u,c) in zip(names,res): w.writerow([nm,e,l,u,answer(l,u),c])
    E=[r[0] for r in res]
    json.dump(dict(studies=len(fs),mean_estimate=float(np.mean(E)),mean_width=float(np.mean([r[2]-r[1] for r in res])),estimates=dict(zip(names,E))),open('results.json','w'),indent=1)
if __name__=='__main__':
    main()
    if os.environ.get('V'): print(analyse.info)
