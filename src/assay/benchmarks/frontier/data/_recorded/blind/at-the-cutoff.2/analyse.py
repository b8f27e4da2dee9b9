import numpy as np,glob,os,json,math
def load(f):
    d=np.genfromtxt(f,delimiter=',',skip_header=1);x,y=d[:,1],d[:,2];ok=np.isfinite(x)&np.isfinite(y);x,y=x[ok],y[ok];return np.abs(x),np.where(x>=0,1,-1.),y
WB=np.r_[np.arange(.02,.4,.01),np.arange(.4,.71,.03)];WF=np.arange(.05,.951,.03);WT=np.array([.03,.05,.07,.09,.11,.13,.16,.19,.22,.26,.3,.36])
OM=np.arange(1.2,18.01,.1);NP=48;PH=np.arange(NP)*2*math.pi/NP
RA=np.array([-1,-.7,-.4,0,1,1]);RB=np.array([1,1,1,1,0,-.5])
KQ=np.array([6,10,14,17,18.5,20.]);
# families: name -> number of primary parameter values
FAM=['lin','quad','box','box12','far','far12','sin','sin14','tri','exp','ramp']
NPRI=[1,len(KQ),len(WB),len(WB),len(WF),len(WF),len(OM),len(OM),len(WT),len(WT),len(RA)]
def basis(u):
    u=u[:,None]
    box=np.where(u<WB,u*u/2,WB*u-WB**2/2);far=np.maximum(0,u-WF)**2/2
    t=np.minimum(u,2*WT);tri=t*t/2-t**3/(12*WT)+np.where(u>2*WT,(u-2*WT)*WT,0)
    ex=WT**2*np.exp(-u/WT)+WT*u-WT**2
    # h''=sin(wu+p)=cos p sin wu + sin p cos wu, h(0)=h'(0)=0
    S=-np.sin(OM*u)/OM**2+u/OM;C=(1-np.cos(OM*u))/OM**2
    ra=RA*u*u/2+(RB-RA)*u**3/6
    return u*u/2,box,far,tri,ex,S,C,ra
def study(u,sg,y,sls=3.8,es=1.4):
    n=len(y);X=np.c_[np.ones(n),sg,sg*u];Q,R=np.linalg.qr(X);Ri=np.linalg.inv(R)
    y0=Q@(Q.T@y);yp=y-y0;cy=Ri@(Q.T@y);yy=yp@yp;v=(Ri@Ri.T)
    parts=basis(u);sizes=[p.shape[1] for p in parts];Bm=np.hstack(parts)*sg[:,None]
    QB=Q.T@Bm;Bp=Bm-Q@QB;cb=Ri@QB;yb=yp@Bp;bb=(Bp*Bp).sum(0)
    off=np.r_[0,np.cumsum(sizes)];sl=[slice(off[i],off[i+1]) for i in range(len(sizes))]
    LL=[];E=[]
    def put(rss,e,s,pen=True):
        rss=np.maximum(rss,1e-9);s2=rss/(n-3);ll=-.5*(n-3)*np.log(rss)
        if pen:ll=ll-.5*(s/sls)**2
        ll=ll-.5*(e/es)**2
        LL.append(ll);E.append((e,2*np.sqrt(v[1,1]*s2)))
    def amp(k,i):
        return yy-2*k*yb[i]+k*k*bb[i],-2*(cy[1]-k*cb[1,i]),cy[2]-k*cb[2,i]
    put(np.array([[yy]]),np.array([[-2*cy[1]]]),np.array([[cy[2]]]))
    def signed(k,i):
        a,b=amp(k,i),amp(-k,i);put(*[np.stack([p,q],1) for p,q in zip(a,b)])
    # quad: parameter is the curvature
    i=off[0];a=amp(KQ,i);b=amp(-KQ,i);put(*[np.stack([p,q],1) for p,q in zip(a,b)])
    signed(20.,np.arange(off[1],off[2]));signed(12.,np.arange(off[1],off[2]));signed(20.,np.arange(off[2],off[3]));signed(12.,np.arange(off[2],off[3]))
    iS,iC=np.arange(off[5],off[6]),np.arange(off[6],off[7]);SC=(Bp[:,iS]*Bp[:,iC]).sum(0);c,s=np.cos(PH),np.sin(PH)
    for k in (20.,14.):
        rss=yy-2*k*(yb[iS][:,None]*c+yb[iC][:,None]*s)+k*k*(bb[iS][:,None]*c*c+2*SC[:,None]*c*s+bb[iC][:,None]*s*s)
        e=-2*(cy[1]-k*(cb[1,iS][:,None]*c+cb[1,iC][:,None]*s));sp=cy[2]-k*(cb[2,iS][:,None]*c+cb[2,iC][:,None]*s)
        put(rss,e,sp)
    signed(20.,np.arange(off[3],off[4]));signed(20.,np.arange(off[4],off[5]));signed(20.,np.arange(off[7],off[8]))
    mx=max(l.max() for l in LL);W=[np.exp(l-mx) for l in LL]
    return W,E   # W[f]: (primary, secondary)
def smooth(w,b):
    i=np.arange(len(w));K=np.exp(-.5*((i[:,None]-i)/b)**2);K/=K.sum(0);return K@w
def init():
    pr=[np.ones(k)/k for k in NPRI]
    pr[1]=np.array([.02,.03,.05,.1,.2,.6])
    for f in (2,3):pr[f]=np.where((WB<.36),np.gradient(WB),.15*np.gradient(WB))
    pr[4]=pr[5]=np.where((WF>.1)&(WF<.9),1.,.3)
    for f in (6,7):pr[f]=np.where((OM>2)&(OM<13),1,.25)
    pr=[p/p.sum() for p in pr]
    fw=np.array([.12,.25,.2,.02,.08,.02,.25,.02,.02,.02,.03]);return fw/fw.sum(),pr
def em(M,it):
    fw,pr=init();fw0,pr0=fw.copy(),[p.copy() for p in pr];N=len(M)
    A=[np.array([m[f] for m in M]) for f in range(len(FAM))]   # N x primary
    for _ in range(it):
        r=[fw[f]*A[f]*pr[f] for f in range(len(FAM))];tot=sum(x.sum(1) for x in r)
        cnt=[(x/tot[:,None]).sum(0) for x in r]
        fw=np.array([c.sum() for c in cnt])+4*fw0;fw/=fw.sum()
        for f in range(len(FAM)):
            if NPRI[f]==1:continue
            c=cnt[f] if f==1 else smooth(cnt[f],1.5 if f in(2,3,4,5) else 4 if f in(6,7) else 1)
            pr[f]=c+8*pr0[f];pr[f]/=pr[f].sum()
    return fw,pr,np.log(tot).sum()
def answer(lo,hi,m=.2):
    if lo>-m and hi<m:return 'same'
    if lo>0:return 'higher'
    if hi<0:return 'lower'
    return 'open'
def Phi(z):
    t=1/(1+.2316419*np.abs(z));p=np.exp(-z*z/2)/2.5066282746*t*(.319381530+t*(-.356563782+t*(1.781477937+t*(-1.821255978+t*1.330274429))));return np.where(z>0,1-p,p)
def analyse(data,verbose=True):
    R=[];Mg=[]
    for d in data:
        W,E=study(*d);Mg.append([w.mean(1) for w in W]);fl=[]
        # keep the atoms that matter
        f=np.concatenate([np.full(w.size,k) for k,w in enumerate(W)]);p=np.concatenate([np.repeat(np.arange(w.shape[0]),w.shape[1]) for w in W])
        w=np.concatenate([(x/x.shape[1]).ravel() for x in W]);e=np.concatenate([x[0].ravel() for x in E]);s=np.concatenate([x[1].ravel() for x in E])
        k=w>1e-7*w.max();R.append((f[k],p[k],w[k],e[k],s[k]))
    fw,pr,l=em(Mg,60 if len(data)>60 else 10)
    if verbose:
        print(dict(zip(FAM,fw.round(3).tolist())),round(l,2))
        if len(data)>60:print('box',dict(zip(WB.round(2).tolist(),pr[2].round(3).tolist())));print('far',pr[4].round(3));print('om',[(round(OM[i],1),round(pr[6][i:i+10].sum(),3)) for i in range(0,len(OM)-1,10)]);print('quad',pr[1].round(3))
    pf=[];out=[]
    for f,p,w,e,s in R:
        q=w*fw[f]*np.array([pr[a][b] for a,b in zip(f,p)]);k=q>1e-5*q.max();q,e,s,f2=q[k],e[k],s[k],f[k];q/=q.sum()
        m=(q*e).sum();sd=math.sqrt((q*(s*s+(e-m)**2)).sum());g=np.linspace(max(m-8*sd,(e-5*s).min()),min(m+8*sd,(e+5*s).max()),500)
        cdf=(q*Phi((g[:,None]-e)/s)).sum(1);lo,md,hi=np.interp([.025,.5,.975],cdf,g);fp=np.bincount(f2,weights=q,minlength=len(FAM))
        out.append((m,lo,hi,md,fp))
    return out
if __name__=='__main__':
    F=sorted(glob.glob(os.path.join(os.environ.get('ASSAY_DATA') or 'data','*.csv')));names=[os.path.basename(f)[:-4] for f in F]
    res=analyse([load(f) for f in F]);E={};W=[]
    with open('answers.csv','w') as f:
        f.write('study,estimate,low,high,answer\n')
        for k,(m,lo,hi,md,fp) in zip(names,res):
            e,lo,hi=round(float(m),4),round(float(lo),4),round(float(hi),4);E[k]=e;W.append(hi-lo);f.write(f'{k},{e},{lo},{hi},{answer(lo,hi)}\n')
            if len(names)<40:print(k,e,lo,hi,{a:round(float(b),2) for a,b in zip(FAM,fp) if b>.02})
    json.dump({"studies":len(names),"mean_estimate":round(float(np.mean(list(E.values()))),6),"mean_width":round(float(np.mean(W)),6),"estimates":E},open('results.json','w'),indent=1)
