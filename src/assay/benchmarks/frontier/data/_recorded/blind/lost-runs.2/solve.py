import csv,glob,os,json,sys,time
import numpy as np
rng=np.random.default_rng(0)
DATA=os.environ.get('ASSAY_DATA','data')
STEP=.02
ZLO,ZHI=-2.6,2.2
z=np.arange(ZLO,ZHI+1e-9,STEP); nz=len(z)
mus=np.arange(-60,66)*STEP   # latent log median grid
nm=len(mus)
XLO=ZLO+mus[0]; nx=nz+nm-1
ps=np.r_[0.003,0.01,np.arange(.02,.97,.02)]
bs=np.array([-2.,0,.8,1.5,2.2,3,4.2,6,12])
CL=[(b,p) for b in bs for p in ps]
CP=np.array([c[1] for c in CL]);CB=np.array([c[0] for c in CL])
def read():
    S={}
    for f in sorted(glob.glob(os.path.join(DATA,'*.csv'))):
        r=list(csv.DictReader(open(f))); n=int(r[0]['planned']); o={}
        for a in('calm','bold'):
            x=np.array([float(t['loss']) for t in r if t['optimiser']==a and t['status']=='done' and t['loss']])
            nn=sum(t['optimiser']==a and t['status']!='done' for t in r)
            F=n-nn-len(x)
            pos=(np.log(np.maximum(x,1e-3))-XLO)/STEP
            i=np.clip(np.floor(pos).astype(int),0,nx-2);w=np.clip(pos-i,0,1)
            h=np.zeros(nx);np.add.at(h,i,1-w);np.add.at(h,i+1,w)
            o[a]=(x,F,h)
        S[os.path.basename(f)[:-4]]=o
    return S
def shape(k,sd):
    # log-gamma with shape k, rescaled to log-sd sd, centred on its median
    y=np.linspace(-12,6,20001); ld=k*y-k*np.exp(y); d=np.exp(ld-ld.max()); d/=d.sum()
    m=(d*y).sum(); s=np.sqrt((d*(y-m)**2).sum()); c=np.cumsum(d); med=np.interp(.5,c,y)
    zz=med+z*s/sd
    return k*zz-k*np.exp(zz), (m-med)/s*sd
def tables(k,sd):
    lf,mean=shape(k,sd); lf=lf-lf.max(); lf-=np.log(np.exp(lf).sum()); f=np.exp(lf)
    u=z/sd; G=np.empty((len(CL),nz)); T=np.full(len(CL),np.nan)
    a=np.zeros(len(CL)); lo=np.full(len(CL),-60.);hi=np.full(len(CL),60.)
    for _ in range(45):
        a=(lo+hi)/2; h=1/(1+np.exp(-np.clip(a[:,None]+CB[:,None]*u,-40,40))); m=h@f
        up=m<CP; lo=np.where(up,a,lo); hi=np.where(up,hi,a)
    ok=1-h
    G=lf+np.log(np.maximum(ok,1e-12))
    C=np.cumsum(f*ok,1)-f*ok/2
    for j in range(len(CL)):
        if CP[j]<.5-1e-9: T[j]=np.interp(.5,C[j],z) if C[j,-1]>.5 else np.nan
    return G,T
def liks(S,names,G,arm):
    out=np.empty((len(names),nm,len(CL)),dtype=np.float32); GT=np.ascontiguousarray(G.T)
    idx=np.arange(nm)[:,None]+np.arange(nz)[None]
    for s,nme in enumerate(names):
        x,F,h=S[nme][arm]
        # x = mu + z ; bin of x = mu idx + z idx
        nzb=np.nonzero(h)[0]
        L=h[idx]@GT
        # penalise data falling outside window
        inside=h[idx].sum(1); L+=(inside-h.sum())[:,None]*15
        L+=F*np.log(CP)
        out[s]=L
    return out
EDG=[0,.13,.26,.5-1e-9,1.01]
GR=[np.nonzero((CP>=a)&(CP<b_))[0] for a,b_ in zip(EDG[:-1],EDG[1:])]
def fit(LC,LB,iters=12,pseudo=3.,verbose=False):
    n=len(LC); K=len(CL); nG=len(GR)
    base_c=np.where(CP<.3,1.,1e-3)*np.where(CB<0,.1,1.); base_c/=base_c.sum()
    base_b=np.where(CB<0,.1,1.)*np.ones(K); base_b/=base_b.sum()
    wc=base_c.copy();wb=base_b.copy();mc,sc=0.1,.25; md=np.full(nG,-.1);sd_=np.full(nG,.35)
    mxc=LC.max((1,2));mxb=LB.max((1,2))
    EC=np.exp(LC-mxc[:,None,None]);EB=np.exp(LB-mxb[:,None,None])
    EBg=[np.ascontiguousarray(EB[:,:,g]) for g in GR]; del EB
    dd=mus[None]-mus[:,None]
    for it in range(iters):
        pc=np.exp(-.5*((mus-mc)/sc)**2);pc/=pc.sum()
        J=[np.exp(-.5*((dd-md[g])/sd_[g])**2)*STEP/sd_[g]/2.5066 for g in range(nG)]
        c=EC@wc.astype(np.float32); A=(c*pc).astype(float)
        bg=[(EBg[g]@wb[GR[g]].astype(np.float32)).astype(float) for g in range(nG)]
        JA=[A@J[g] for g in range(nG)]
        tg=np.array([(JA[g]*bg[g]).sum(1) for g in range(nG)])  # nG,n
        tot=tg.sum(0); ll=(np.log(tot)+mxc+mxb).sum()
        back=sum(bg[g]@J[g].T for g in range(nG))
        pcm=A*back/tot[:,None]
        rc=np.einsum('sm,smk->k',(back*pc/tot[:,None]).astype(np.float32),EC,optimize=True)*wc
        rb=np.zeros(K); 
        for g in range(nG):
            rb[GR[g]]=np.einsum('sm,smk->k',(JA[g]/tot[:,None]).astype(np.float32),EBg[g],optimize=True)*wb[GR[g]]
        if it==iters-1: break
        wb=(rb+pseudo*base_b)/(n+pseudo);wc=(rc+pseudo*base_c)/(n+pseudo)
        mc=(pcm@mus).mean(); sc=np.sqrt(((pcm@mus**2).sum()-2*mc*(pcm@mus).sum()+n*mc*mc+4*.25**2)/(n+4))
        # expected joint (mu_c,mu_b) counts for each group: sum_s A_s J b_s / tot_s
        Q=[((A/tot[:,None]).T@bg[g])*J[g] for g in range(nG)]
        gm=sum((q*dd).sum() for q in Q)/n
        for g in range(nG):
            w=Q[g].sum(); md[g]=((Q[g]*dd).sum()+3*gm)/(w+3)
            sd_[g]=np.sqrt(((Q[g]*(dd-md[g])**2).sum()+4*.25**2)/(w+4))
    return dict(ll=ll,wc=wc,wb=wb,mc=mc,sc=sc,md=md,sd=sd_,pc=pc,J=J)
def hyper_ll(S,names,k,sd):
    G,T=tables(k,sd)
    return fit(liks(S,names,G,'calm'),liks(S,names,G,'bold'),iters=8)['ll']
def main():
    t0=time.process_time()
    S=read(); names=list(S)
    sub=names if len(names)<=160 else list(rng.permutation(names)[:160])
    best=None; ks=[4,6,8,11,16,30,80,400]; k=16;sd=.43; cache={}
    def prior(k,sd): return -.5*((sd-.43)/.1)**2
    def ev(k,sd):
        key=(k,round(sd,3))
        if key not in cache: cache[key]=hyper_ll(S,sub,k,sd)+prior(k,sd)
        return cache[key]
    for _ in range(2):
        k=max(ks,key=lambda q:ev(q,sd))
        cand=[sd-.02,sd,sd+.02]; v=[ev(k,q) for q in cand]
        sd=cand[int(np.argmax(v))]
    cand=[sd-.01,sd,sd+.01]; v=[ev(k,q) for q in cand]; sd=cand[int(np.argmax(v))]
    print('shape',k,sd,{a:round(b,2) for a,b in cache.items()},time.process_time()-t0)
    G,T=tables(k,sd)
    # memory: chunks of studies are fitted on a subset, then applied to all
    fs=names if len(names)<=400 else list(rng.permutation(names)[:400])
    R=fit(liks(S,fs,G,'calm'),liks(S,fs,G,'bold'),iters=40)
    print({q:np.round(R[q],3) for q in('ll','mc','sc','md','sd')})
    print('b weights bold',dict(zip(bs,np.round(R['wb'].reshape(len(bs),-1).sum(1),3))),'calm',dict(zip(bs,np.round(R['wc'].reshape(len(bs),-1).sum(1),3))))
    print('p bold',np.round(R['wb'].reshape(len(bs),-1).sum(0),3)); print('p calm',np.round(R['wc'].reshape(len(bs),-1).sum(0)[:15],3))
    print(time.process_time()-t0)
    wc,wb,pc,J=R['wc'],R['wb'],R['pc'],R['J']; K=len(CL); rows=[]
    del R
    decid=CP<.5-1e-9
    for nme in names:
        LC=liks(S,[nme],G,'calm')[0].astype(float);LB=liks(S,[nme],G,'bold')[0].astype(float)
        C=np.exp(LC-LC.max())*wc*pc[:,None]; B=np.exp(LB-LB.max())*wb
        c=C.sum(1); tg=[(c[:,None]*J[g]*B[:,GR[g]].sum(1)[None]).sum() for g in range(len(GR))]
        pund=tg[-1]/sum(tg); cj=sum(J[g]@B[:,GR[g]].sum(1) for g in range(len(GR)))
        pcl=(C*cj[:,None]).sum(0); pundc=pcl[~decid].sum()/pcl.sum()
        if pund>.5 or pundc>.5: rows.append((nme,None,None,None,'open')); continue
        N=6000
        C2=C*decid;c=C2.sum(1)
        JT=np.array([c[:,None]*J[g]*B[:,GR[g]].sum(1)[None] for g in range(len(GR)-1)]).ravel()
        cs=np.cumsum(JT); u=(np.arange(N)+rng.random(N))/N
        ij=np.minimum(np.searchsorted(cs,u*cs[-1]),len(JT)-1); gi,ij=ij//(nm*nm),ij%(nm*nm); i,j=ij//nm,ij%nm
        def cls(M,ix):
            o=np.empty(N,int)
            for q in np.unique(ix):
                m=ix==q; cc=np.cumsum(M[q]); o[m]=np.minimum(np.searchsorted(cc,rng.random(m.sum())*cc[-1]),K-1)
            return o
        tc=T[cls(C2,i)]
        BG=np.concatenate([np.where(np.isin(np.arange(K),GR[g])[None],B,0) for g in range(len(GR)-1)])
        tb=T[cls(BG,gi*nm+j)]
        jit=lambda:(rng.random(N)-.5)*STEP
        d=np.exp(mus[j]+tb+jit())-np.exp(mus[i]+tc+jit()); d=d[np.isfinite(d)]
        lo,md,hi=np.quantile(d,[.025,.5,.975]); lo,md,hi=round(lo,4),round(md,4),round(hi,4)
        ans='same' if lo>-.25 and hi<.25 else 'higher' if lo>0 else 'lower' if hi<0 else 'open'
        rows.append((nme,md,lo,hi,ans))
    with open('answers.csv','w') as f:
        f.write('study,estimate,low,high,answer\n')
        for r in rows: f.write(','.join('' if v is None else str(v) for v in r)+'\n')
    e=[r for r in rows if r[1] is not None]
    json.dump({"studies":len(rows),"mean_estimate":float(np.mean([r[1] for r in e])),"mean_width":float(np.mean([r[3]-r[2] for r in e])),"estimates":{r[0]:(None if r[1] is None else float(r[1])) for r in rows}},open('results.json','w'),indent=1)
    print(time.process_time()-t0)
main()
