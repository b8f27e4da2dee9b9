import os,sys,csv,glob,json,time,math,numpy as np
TAU=np.array([.005,.03,.06,.09,.12,.15,.18,.21,.24,.28,.32,.36,.41,.47,.55,.65,.8,1.])
CW=.4; CC=np.arange(-3.5,3.51,.5); H0=np.exp(-.5*CC**2/(1-CW**2)); H0/=H0.sum()
RG=np.array([1/7,.165,.19,.22,.26,.32,.4,.55,.8]); NM=9; MZ=np.linspace(-3.4,3.4,NM)
def ndtr(z): 
    z=np.clip(z,-7,7); return .5*(1+np.vectorize(math.erf)(z/2**.5)) if z.size<50 else 1/(1+np.exp(-1.5957691216*z*(1+.044715*z*z)))
def load(folder):
    A=[]
    for f in sorted(glob.glob(os.path.join(folder,'*.csv'))):
        with open(f) as fo: hd=fo.readline().strip().split(','); D=np.array([[float(c) for c in l.split(',')] for l in fo if l.strip()])
        b=D[:,1];V=D[:,2:]; I,J=V.shape; A_=V-V.mean(1,keepdims=True)-V.mean(0)+V.mean(); s2=(A_**2).sum()/((I-1)*(J-1))
        db=b-V.mean(1); A.append(dict(name=os.path.basename(f)[:-4],names=hd[2:],I=I,s2=s2,v=s2/I,d=V.mean(0)-b.mean(),T=db.var(ddof=1)/s2,J=J))
    return A
def fit_r(A):
    L=np.array([ -.5*(S['I']-1)*(np.log(RG+1/S['J'])+S['T']/(RG+1/S['J'])) for S in A]); L=np.exp(L-L.max(1,keepdims=True))
    w=np.r_[4.,np.ones(len(RG)-1)]; w/=w.sum(); w0=w.copy()
    for _ in range(300): p=L*w; p/=p.sum(1,keepdims=True); w=p.sum(0)+2*w0; w/=w.sum()
    for S,q in zip(A,p): S['r']=float(q@RG); S['u0']=S['r']*S['v']
    return w
def estep(S,h,lw,mu,vM,full=False):
    d=S['d']; v=S['v']; tot=v+(TAU*CW)**2; se=np.sqrt((TAU**2+v)/S['J']); Mg=d.mean()+se[:,None]*MZ      # T,NM
    z2=(d[None,None,:,None]-Mg[:,:,None,None]-(TAU[:,None]*CC)[:,None,None,:])**2/tot[:,None,None,None]
    D=np.exp(-.5*z2)*h                                           # T,NM,J,C
    m=D.sum(3)
    ll=np.log(m+1e-300).sum(2)-.5*S['J']*np.log(tot)[:,None]+np.log(se)[:,None]-.5*(Mg-mu)**2/(vM+S['u0'])-.5*np.log(vM+S['u0'])
    q=ll+lw[:,None]; q=np.exp(q-q.max()); q/=q.sum()
    if full: return q,Mg,D,m,tot
    k=q>1e-4; C=(D[k]/m[k][...,None]*q[k][:,None,None]); 
    lt=np.exp(ll-ll.max()).sum(1)
    em=(q*Mg).sum(); Sh=vM/(vM+S['u0']); e1=mu+Sh*(em-mu); e2=Sh*S['u0']+((q*(mu+Sh*(Mg-mu))**2).sum())
    tw=q.sum(1); inf=np.clip((TAU**2)/(TAU**2+v),0,1)
    return lt,tw,C.sum((0,1)),e1,e2
def fit(A,iters=24,ch=35.,ct=8.,seed=0):
    n=len(A); B=A if n<=300 else [A[i] for i in np.random.default_rng(seed).permutation(n)[:300]]
    h=H0.copy(); w=np.exp(-.5*((TAU-.15)/.2)**2)*np.gradient(TAU); w/=w.sum(); w0=w.copy(); mu=0.;vM=.1
    for it in range(iters):
        ct_=ct*w0.copy(); hh=ch*H0; E1=E2=0; hs=hh.copy(); LT=[]
        for S in B:
            lt,tw,c,e1,e2=estep(S,h,np.log(w),mu,vM); LT.append(lt); hs=hs+c; E1+=e1;E2+=e2
        LT=np.array(LT)
        for _ in range(30): p=LT*w; p/=p.sum(1,keepdims=True); w=p.sum(0)+ct*w0; w/=w.sum()
        nb=len(B); mu=E1/(nb+2); vM=(E2-2*mu*E1+nb*mu*mu+2*.1)/(nb+2)
        hn=hs/hs.sum(); h=hn
    return h,w,mu,vM
def finish(S,h,lw,mu,vM):
    q,Mg,D,m,tot=estep(S,h,lw,mu,vM,True); j=int(S['d'].argmax()); Sh=vM/(vM+S['u0'])
    W=q[:,:,None]*D[:,:,j,:]/m[:,:,j][...,None]; a=(TAU*CW)**2; K=(a/(a+S['v']))[:,None,None]; tc=(TAU[:,None]*CC)[:,None,:]
    mean=mu+Sh*(Mg[:,:,None]-mu)+tc+K*(S['d'][j]-Mg[:,:,None]-tc); var=np.broadcast_to((a[:,None,None]*(1-K))+Sh*S['u0'],mean.shape)
    k=W>W.max()*1e-5; w=W[k]/W[k].sum(); mm=mean[k]; sd=np.sqrt(var[k]); S['est']=float(w@mm); S['sd']=float(np.sqrt(w@(sd**2+mm**2)-S['est']**2)); S['choice']=S['names'][j];S['j']=j
    out=[]
    g=S['est']+S['sd']*np.linspace(-5,5,101); c=ndtr((g[:,None]-mm)/sd)@w
    S['lo'],S['hi']=[float(np.interp(p,c,g)) for p in(.025,.975)]
def local_w(A,LT,w,alpha=15.,bw=(.12,.2)):
    """prior of the spread near each study (noise, number of items)"""
    X=np.column_stack([[.5*np.log(S['s2']) for S in A],[np.log(S['I']) for S in A]])/np.array(bw); n=len(A)
    K=np.exp(-.5*((X[:,None]-X[None])**2).sum(2)); Wl=np.tile(w,(n,1))
    for _ in range(12):
        P=LT*Wl; P/=P.sum(1,keepdims=True)
        # leave-one-out at the end only
        N=K@P+alpha*w; Wl=N/N.sum(1,keepdims=True)
    N=K@P-P+alpha*w; return np.maximum(N,1e-12)/N.sum(1,keepdims=True)
def analyse(folder,local=True,shape=True):
    A=load(folder); rw=fit_r(A); h,w,mu,vM=fit(A,ch=35. if shape else 1e9)
    LT=np.array([estep(S,h,np.log(w),mu,vM)[0] for S in A])
    Wl=local_w(A,LT,w) if local else np.tile(w,(len(A),1))
    for S,wl in zip(A,Wl): finish(S,h,np.log(wl),mu,vM)
    return A,dict(rw=rw,h=h,w=w,mu=mu,vM=vM)
def answer(lo,hi):
    if lo>-.25 and hi<.25: return 'same'
    if lo>0: return 'higher'
    if hi<0: return 'lower'
    return 'open'
def main():
    A,i=analyse(os.environ.get('ASSAY_DATA','data')); E={};W=[]
    with open('answers.csv','w',newline='') as f:
        c=csv.writer(f); c.writerow(['study','estimate','low','high','answer','choice'])
        for S in A:
            e,l,u=round(S['est'],5),round(S['lo'],5),round(S['hi'],5); c.writerow([S['name'],e,l,u,answer(l,u),S['choice']]); E[S['name']]=e; W.append(u-l)
    json.dump(dict(studies=len(A),mean_estimate=round(float(np.mean(list(E.values()))),6),mean_width=round(float(np.mean(W)),6),estimates=E),open('results.json','w'),indent=1)
    if '-v' in sys.argv:
        np.set_printoptions(precision=3,suppress=True,linewidth=200); print(i)
        for S in A: print(S['name'],S['I'],'raw %.3f est %.3f [%.3f %.3f]'%(S['d'].max(),S['est'],S['lo'],S['hi']),S['choice'],'r %.3f'%S['r'])
if __name__=='__main__': main()
