import numpy as np,glob,os,json,csv,math
def load(folder):
    out={}
    for f in sorted(glob.glob(os.path.join(folder,'*.csv'))):
        d=np.genfromtxt(f,delimiter=',',skip_header=1)
        out[os.path.basename(f)[:-4]]=(d[:,1:],)
    return out
# shapes of the deviations of variants, unit scale: (weight, offset, sd)
def norm_shape(w,o,s):
    w=np.array(w,float);w/=w.sum();o=np.array(o,float);s=np.array(s,float)
    m=(w*o).sum();o=o-m;v=(w*(o**2+s**2)).sum()**.5
    return w,o/v,s/v
SHAPES=[norm_shape([1],[0],[1]),
        norm_shape([.5,.35,.12,.03],[0]*4,[.5,.9,1.8,3.6]),       # heavy tails
        norm_shape([.85,.15],[0,0],[.1,1]),                      # few differ
        norm_shape([1,1,1,1],[-1.5,-.5,.5,1.5],[.35]*4),         # flat
        norm_shape([.9,.1],[0,2.5],[.4,.6]),                     # few good
        norm_shape([.9,.1],[0,-2.5],[.4,.6]),                    # few bad
        norm_shape([.5,.3,.2],[-.6,.3,1.3],[.3,.5,.9])]          # skew
TAUS=np.array([0.,.03,.05,.075,.1,.125,.15,.175,.2,.225,.25,.275,.3,.35,.4,.5,.65,.9])
NM=31
def stats(Y):
    n=len(Y);V=Y[:,1:];R=V-V.mean(1,keepdims=True);R=R-R.mean(0);J=V.shape[1]
    B=Y[:,0]-V.mean(1);c=1/7+1/J
    ss=(R**2).sum()+((B-B.mean())**2).sum()/c
    s2=ss/((J-1)*(n-1)+n-1)
    va=max(V.mean(1).var(ddof=1)-s2/J,1e-6)
    return dict(n=n,s2=s2,va=va,Bm=Y[:,0].mean(),x=V.mean(0)-Y[:,0].mean())
def fit_level(S):
    b=np.array([s['Bm'] for s in S]);v=np.array([(s['va']+s['s2']/7)/s['n'] for s in S])
    best=None
    for w in np.r_[0,np.geomspace(.02,5,60)]:
        p=1/(v+w*w);m=(p*b).sum()/p.sum();l=-.5*(np.log(v+w*w)+(b-m)**2*p).sum()
        if best is None or l>best[0]+(0 if len(S)>50 else .0):best=(l,m,w)
    return best[1],best[2]
def comps(s,scale,M,W,shapes=None):
    shapes=shapes or SHAPES
    """for each (shape,tau): nu grid log joint -> marginal likelihood & posterior pieces"""
    n=s['n'];se2=s['s2']/n;q=s['q'];x=s['xa']
    pv=W*W+q
    sd_nu=math.sqrt(x.var()/len(x)+1e-6)
    nu0=x.mean();nus=nu0+np.linspace(-4.2,4.2,NM)*max(sd_nu,math.sqrt(se2/30))
    dn=nus[1]-nus[0]
    lp=-.5*((nus-M)**2/pv+np.log(2*np.pi*pv))
    LL=np.empty((len(shapes),len(TAUS)));POST=[]
    for k,(w,o,sd) in enumerate(shapes):
        t=TAUS*scale
        var=(t[:,None]*sd)**2+se2                       # T,C
        r=x[None,None,:,None]-nus[None,:,None,None]-(t[:,None]*o)[:,None,None,:]  # T,NU,J,C
        dens=np.exp(-.5*r*r/var[:,None,None,:])*(w/np.sqrt(2*np.pi*var))[:,None,None,:]
        ld=np.log(dens.sum(-1)+1e-300).sum(-1)+lp          # T,NU
        mx=ld.max(1,keepdims=True);e=np.exp(ld-mx)
        LL[k]=mx[:,0]+np.log(e.sum(1)*dn)
        POST.append(e/e.sum(1,keepdims=True))
    s['nus']=nus
    return LL,POST
def em(LLs,conc=.3,it=300):
    A=np.array([l.ravel() for l in LLs]);G=A.shape[1];P=np.exp(A-A.max(1,keepdims=True))
    w=np.ones(G)/G;a=conc*8/G
    for _ in range(it):
        r=P*w;r/=r.sum(1,keepdims=True);w=r.sum(0)+a
        w=w/w.sum()
    return w,(np.log((P*w).sum(1))+A.max(1)).sum()
def adjust(S,m0,w):
    for s in S:
        q=s['s2']/(7*s['n']);tot=q+s['va']/s['n']+w*w;k=q/tot
        s['xa']=s['x']+k*(s['Bm']-m0);s['q']=q*(1-k)
def mu_moments(S):
    y=np.array([s['xa'].mean() for s in S]);v=np.array([s['q']+s['xa'].var()/30 for s in S])
    best=None
    for W in np.geomspace(.05,3,80):
        p=1/(v+W*W);m=(p*y).sum()/p.sum();l=-.5*(np.log(v+W*W)+(y-m)**2*p).sum()+.5*np.log(1/p.sum())
        if best is None or l>best[0]:best=(l,m,W)
    return best[1],best[2]
from math import erf
def Phi(z):
    # vectorised normal cdf
    t=1/(1+.2316419*np.abs(z));p=np.exp(-z*z/2)/2.5066282746*t*(.319381530+t*(-.356563782+t*(1.781477937+t*(-1.821255978+t*1.330274429))))
    return np.where(z>0,1-p,p)
def posterior(s,LL,POST,wt,scale,M,W,rank):
    j=np.argsort(-s['xa'])[rank];xj=s['xa'][j];n=s['n'];se2=s['s2']/n;q=s['q'];nus=s['nus']
    g=np.exp(LL.ravel()-LL.max())*wt;g=(g/g.sum()).reshape(LL.shape)
    pv=W*W+q;eb=-(nus-M)*q/pv;veb=q*W*W/pv
    ws=[];ms=[];vs=[]
    for k,(w,o,sd) in enumerate(SHAPES):
        for t in np.where(g[k]>2e-4)[0]:
            T=TAUS[t]*scale;off=T*o;tv=(T*sd)**2;var=tv+se2
            r=xj-nus[:,None]-off
            c=w*np.exp(-.5*r*r/var)/np.sqrt(var)+1e-300;c/=c.sum(1,keepdims=True)
            mean=(nus+eb)[:,None]+off+tv/var*r
            ws.append((g[k,t]*POST[k][t][:,None]*c).ravel());ms.append(mean.ravel())
            vs.append(np.broadcast_to(veb+tv*se2/var,mean.shape).ravel())
    ws=np.concatenate(ws);ms=np.concatenate(ms);vs=np.sqrt(np.concatenate(vs))
    keep=ws>2e-6;ws=ws[keep]/ws[keep].sum();ms=ms[keep];vs=vs[keep]
    est=(ws*ms).sum();sd=math.sqrt((ws*(vs**2+(ms-est)**2)).sum())
    grid=est+sd*np.linspace(-4.5,4.5,91);cdf=(ws*Phi((grid[:,None]-ms)/vs)).sum(1)
    return est,np.interp(.025,cdf,grid),np.interp(.975,cdf,grid),j,np.interp(.5,cdf,grid)
def analyse(Ys,verbose=False):
    S=[stats(Y) for Y in Ys]
    m0,w=fit_level(S);adjust(S,m0,w);M,W=mu_moments(S)
    best=None
    for p in (0,.5,1.):     # does the spread of the variants grow with the noise? decided for the folder
        sc=[(s['s2']/3)**(p/2) for s in S]
        wt,l=em([comps(s,c,M,W,SHAPES[:1])[0] for s,c in zip(S,sc)])
        if verbose:print('power',p,'loglik',l)
        if best is None or l>best[0]+(.5 if len(S)<30 else 0):best=(l,sc)
    sc=best[1]
    C=[comps(s,c,M,W) for s,c in zip(S,sc)]
    wt,l=em([c[0] for c in C])
    if verbose:
        print('level',m0,w,'mu',M,W);ww=wt.reshape(len(SHAPES),-1)
        print('shapes',ww.sum(1).round(3));print(dict(zip(TAUS.tolist(),ww.sum(0).round(3).tolist())))
    out=[]
    for s,c,(LL,PO) in zip(S,sc,C):
        r=posterior(s,LL,PO,wt,c,M,W,0)
        out.append(r)
    return out
def answer(lo,hi,m=.25):
    if lo>-m and hi<m:return 'same'
    if lo>0:return 'higher'
    if hi<0:return 'lower'
    return 'open'
if __name__=='__main__':
    D=load(os.environ.get('ASSAY_DATA') or 'data')
    names=list(D);res=analyse([D[k][0] for k in names],True)
    with open('answers.csv','w') as f:
        f.write('study,estimate,low,high,answer,choice\n')
        E={};Wd=[]
        for k,(e,lo,hi,j,md) in zip(names,res):
            e,lo,hi=round(float(md),5),round(float(lo),5),round(float(hi),5)
            f.write(f'{k},{e},{lo},{hi},{answer(lo,hi)},v{j+1:02d}\n');E[k]=e;Wd.append(hi-lo)
    json.dump({"studies":len(E),"mean_estimate":round(float(np.mean(list(E.values()))),6),"mean_width":round(float(np.mean(Wd)),6),"estimates":E},open('results.json','w'),indent=1)
