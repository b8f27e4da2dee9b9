import csv,glob,os,sys,json,time
import numpy as np
MARGIN=.8
RHO=np.concatenate([[0.],[-.04,-.02,.02,.04,.06,.08,.1,.13,.16,.2],np.arange(.25,.6,.05),np.arange(.6,.985,.02)]); PHI=np.concatenate([np.arange(.0,.5,.1),np.arange(.5,.97,.01)]); SIG=np.exp(np.linspace(np.log(.5),np.log(.85),29))
def load(folder):
    out=[]
    for f in sorted(glob.glob(os.path.join(folder,'*.csv'))):
        with open(f) as fh: R=list(csv.DictReader(fh))
        out.append((os.path.basename(f)[:-4],np.array([float(r['load']) for r in R]),np.array([r['policy']=='tuned' for r in R])*1.,np.array([int(r['hour']) for r in R])))
    return out
def stats(y,p,h):
    w=2*np.pi*h/24; T=len(y)
    A=np.column_stack([np.ones(T),np.cos(w),np.sin(w),p]); b=np.linalg.lstsq(A,y,rcond=None)[0]; ang=np.arctan2(b[2],b[1])
    X=np.empty((T,len(PHI))); s=np.full(len(PHI),p[0])
    for t in range(T):
        s=PHI*s+(1-PHI)*p[t]; X[t]=s
    V=np.empty((len(PHI),T,5)); V[:,:,0]=1; V[:,:,1]=np.cos(w-ang); V[:,:,2]=np.sin(w-ang); V[:,:,3]=X.T; V[:,:,4]=y-30.
    a=V[:,1:];c=V[:,:-1]; at=a.transpose(0,2,1)
    S0=at@a; S1=at@c; S1=S1+S1.transpose(0,2,1); S2=c.transpose(0,2,1)@c; v0=V[:,:1].transpose(0,2,1)@V[:,:1]
    r=RHO[:,None,None,None]
    return (1-r**2)*v0+S0-r*S1+r**2*S2, T   # nr,np,5,5
def post(G,T,rho,sig,h):
    # G: cells x5x5 ; priors on coefs (c,r,t,theta)
    m=np.array([h['mc'],h['ma'],0.,h['mt']]); v=np.array([h['vc'],h['va'],100.,h['vt']])
    P=G[:,:4,:4]/sig[:,None,None]**2; P=P+np.diag(1/v)
    r=G[:,:4,4]/sig[:,None]**2+m/v
    C=np.linalg.inv(P); mu=(C@r[:,:,None])[:,:,0]
    ld=np.linalg.slogdet(P)[1]
    ll=-T*np.log(sig)+.5*np.log(1-rho**2)-.5*ld-.5*np.log(v).sum()-.5*(G[:,4,4]/sig**2+(m*m/v).sum()-(mu*r).sum(1))
    return ll,mu,C
def run(S,verbose=False,its=12):
    rng=np.random.default_rng(0); N=len(S)
    h=dict(mc=0.,vc=.2**2,ma=3.,va=.1**2,mt=0.,vt=3.**2,mp=.75,vp=.05**2,ms=np.log(.65),vs=.05**2)
    nr,npi=len(RHO),len(PHI)
    wr=np.where(RHO<.6,.2,1.); wr[0]=nr*.6; wr/=wr.sum(); pw=wr.copy()
    KS=np.exp(-.5*((RHO[:,None]-RHO)/.025)**2); sm=RHO<.22; KS[sm,:]=0; KS[:,sm]=0; KS[sm,sm]=1; KS/=KS.sum(0)
    lpP=np.gradient(PHI)
    cells=[]
    for k,(nm,y,p,hh) in enumerate(S):
        G,T=stats(y,p,hh); Gf=G.reshape(-1,5,5); I,J=np.unravel_index(np.arange(nr*npi),(nr,npi))
        # prune: sigma fixed .65, then expand
        ll,_,_=post(Gf,T,RHO[I],np.full(len(I),.65),h)
        # allow sigma adapt in prune: use profile
        res=Gf[:,4,4]-np.einsum('ci,ci->c',Gf[:,:4,4],np.linalg.solve(Gf[:,:4,:4]+1e-6*np.eye(4),Gf[:,:4,4:])[:,:,0])
        l2=-T/2*np.log(res/T)+.5*np.log(1-RHO[I]**2)-.5*((PHI[J]-.75)/.12)**2
        keep=np.where(l2>l2.max()-8)[0]
        sh=np.sqrt(res[keep].min()/T); sg=SIG[(np.abs(np.log(SIG/sh))<.14)]
        ii=np.repeat(keep,len(sg)); ss=np.tile(sg,len(keep))
        cells.append((Gf[ii],T,I[ii],J[ii],ss))
    if verbose: print('cells',np.mean([len(c[2]) for c in cells]),time.process_time(),file=sys.stderr)
    def weights(c,h,wr):
        G,T,I,J,ss=c
        ll,mu,C=post(G,T,RHO[I],ss,h)
        l=ll+np.log(wr[I])-.5*(PHI[J]-h['mp'])**2/h['vp']+np.log(lpP[J])-.5*(np.log(ss)-h['ms'])**2/h['vs']
        z=l.max(); w=np.exp(l-z); Z=w.sum(); return w/Z,mu,C,z+np.log(Z)
    t0=time.process_time()
    fixv=None
    def search():
        nonlocal fixv
        def tot(h):
            return sum(weights(c,h,wr)[3] for c in cells)-N*.5*np.log(h['vs'])
        best=tot(h)
        for rnd in range(2):
            for key,fl in(('vc',.003**2),('va',.003**2),('vs',.01**2)):
                for f in((.36,2.) if rnd==0 else (.6,1.6)):
                    moved=False
                    while time.process_time()-t0<75:
                        g=dict(h); g[key]=h[key]*f
                        if g[key]<fl: break
                        v=tot(g)
                        if v>best: h.update(g); best=v; moved=True
                        else: break
                    if moved: break
        fixv=(h['vc'],h['va'],h['vs'])
    for it in range(its+4):
        if it==its: search()
        a=np.zeros((N,10)); nw=np.zeros(nr); L=0
        for k,c in enumerate(cells):
            w,mu,C,z=weights(c,h,wr); L+=z
            if it>=1:
                kk=w>2e-6
                if kk.mean()<.8: cells[k]=tuple([c[0][kk],c[1],c[2][kk],c[3][kk],c[4][kk]])
            G,T,I,J,ss=c
            nw+=np.bincount(I,w,nr)
            q=[]
            for j in(0,1,3): q+= [w@mu[:,j],w@(mu[:,j]**2+C[:,j,j])]
            q+=[w@PHI[J],w@PHI[J]**2,w@np.log(ss),w@np.log(ss)**2]; a[k]=q
        L+=-N*.5*np.log(h['vp'])-N*.5*np.log(h['vs'])
        def upd(s1,s2,m0,k0,v0,n0):
            m=(s1.sum()+k0*m0)/(N+k0); return m,(s2.sum()-2*m*s1.sum()+N*m*m+n0*v0)/(N+n0)
        h['mc'],h['vc']=upd(a[:,0],a[:,1],0,.5,.05**2,1.5)
        h['ma'],h['va']=upd(a[:,2],a[:,3],3,.5,.03**2,1.5)
        h['mt'],h['vt']=upd(a[:,4],a[:,5],0,2,3.**2,2)
        h['mp'],h['vp']=upd(a[:,6],a[:,7],.75,.5,.04**2,1.5)
        h['ms'],h['vs']=upd(a[:,8],a[:,9],np.log(.65),.5,.02**2,1.5); h['vs']=max(h['vs'],.01**2)
        # over-relax variances a bit: EM is slow to zero
        if it>=its: h['vc'],h['va'],h['vs']=fixv
        wr=KS@(nw+ 2.*pw); wr/=wr.sum()
        if verbose and it%6==0: print(it,round(L,2),{k:round(float(np.sqrt(v) if k[0]=='v' else v),4) for k,v in h.items()},round(time.process_time()-t0,1),file=sys.stderr)
    if verbose: print({k:round(float(np.sqrt(v) if k[0]=='v' else v),4) for k,v in h.items()},'\n',[(round(float(r),2),round(float(x),3)) for r,x in zip(RHO,wr) if x>.004],file=sys.stderr)
    out=[]
    for (nm,*_),c in zip(S,cells):
        w,mu,C,z=weights(c,h,wr); n=20000
        k=np.searchsorted(np.cumsum(w)*.9999999+0,(np.arange(n)+.5)/n*.9999998); k=np.minimum(k,len(w)-1)
        x=mu[k,3]+np.sqrt(C[k,3,3])*rng.normal(size=n)
        lo,md,hi=[round(float(v),4) for v in np.quantile(x,[.025,.5,.975])]
        md=round(float(w@mu[:,3]),4)
        ans='same' if lo>-MARGIN and hi<MARGIN else 'higher' if lo>0 else 'lower' if hi<0 else 'open'
        out.append((nm,md,lo,hi,ans))
    return out,h,wr
if __name__=='__main__':
    S=load(os.environ.get('ASSAY_DATA') or 'data')
    out,h,wr=run(S,verbose=True)
    with open('answers.csv','w') as f:
        f.write('study,estimate,low,high,answer\n')
        for o in out: f.write(','.join([o[0]]+[repr(v) for v in o[1:4]]+[o[4]])+'\n')
    e={o[0]:o[1] for o in out}
    json.dump(dict(studies=len(out),mean_estimate=float(np.mean(list(e.values()))),mean_width=float(np.mean([o[3]-o[2] for o in out])),estimates=e),open('results.json','w'),indent=1)
