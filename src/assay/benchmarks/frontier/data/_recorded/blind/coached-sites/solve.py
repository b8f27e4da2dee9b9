import os,sys,json,csv,time,numpy as np
import core
core.LT=np.arange(np.log(2.5),np.log(20),.095); core.LK=np.log(np.array([.05,1.,2.,3.,4.2,6.])); core.LS=np.arange(np.log(8),np.log(50),.10)
LT,LK,LS=core.LT,core.LK,core.LS
IT,IK,IS=[a.ravel() for a in np.meshgrid(np.arange(len(LT)),np.arange(len(LK)),np.arange(len(LS)),indexing='ij')]
GR=np.arange(-45,45.001,.1)
def prep(A):
    for S in A:
        M,ld=core.stats(S)
        P=M[:,:4,:4]+np.diag([1/25.,1/36.,1e-4,1/100.]); c=M[:,:4,4]-0; c=c+np.array([0,0,0,7/100.])
        m=np.linalg.solve(P,c[...,None])[...,0]
        l=-.5*(ld+np.linalg.slogdet(P)[1]+M[:,4,4]-(c*m).sum(1))
        l-=.5*((LT[IT]-np.log(8.5))/.6)**2+.5*((LS[IS]-np.log(20.5))/.5)**2
        k=np.where(l>l.max()-13)[0]; S['g']=k; S['M']=M[k]; S['ld']=ld[k]
def post(S,h):
    M=S['M']; mu0=np.array([h['m'],h['s'],0,h['b']]); pr=np.array([1/h['vm'],1/h['vs'],1e-5,1/h['vb']])
    P=M[:,:4,:4]+np.diag(pr); c=M[:,:4,4]+pr*mu0; V=np.linalg.inv(P); m=np.einsum('gij,gj->gi',V,c)
    g=S['g']
    l=-.5*(S['ld']-np.linalg.slogdet(V)[1]+M[:,4,4]-(c*m).sum(1))-.5*((LT[IT[g]]-h['lt'])**2/h['vlt']+(LS[IS[g]]-h['ls'])**2/h['vls'])+h['lk'][IK[g]]
    p=np.exp(l-l.max()); p/=p.sum(); return p,m,V
def hyper(A,iters=40):
    h=dict(m=0.,vm=2.,s=0.,vs=6.,b=7.,vb=6.,lt=np.log(8.5),vlt=.06,ls=np.log(20.5),vls=.02,lk=np.log(np.ones(len(LK))/len(LK)))
    B=A if len(A)<=160 else A[::(len(A)+159)//160]; n=len(B)
    for it in range(iters):
        Q=np.zeros(10); E=[];kk=np.ones(len(LK))*.3
        for S in B:
            p,m,V=post(S,h); g=S['g']; e=p@m; e2=p@(m**2+np.einsum('gii->gi',V))
            t=LT[IT[g]]; s=LS[IS[g]]
            E.append([e[0],e2[0],e[1],e2[1],e[3],e2[3],p@t,p@t**2,p@s,p@s**2]); kk+=np.bincount(IK[g],p,minlength=len(LK))
        E=np.array(E); mean=E.mean(0)
        def upd(i,m0,k0,v0,nu):
            mu=(n*mean[i]+k0*m0)/(n+k0); v=(n*(mean[i+1]-2*mu*mean[i]+mu*mu)+nu*v0)/(n+nu); return mu,v
        old=dict(h)
        h['m'],h['vm']=upd(0,0.,1,1.,1); h['s'],h['vs']=upd(2,0.,1,5.,1); h['b'],h['vb']=upd(4,7.,1,4.,1); h['lt'],h['vlt']=upd(6,np.log(8.5),1,.05,1.); h['ls'],h['vls']=upd(8,np.log(20.5),1,.015,1.)
        if it>=3 and it%4==3:   # over-relax the slow variances
            for k in('vm','vs','vb','vlt','vls'): h[k]=max(h[k]*(h[k]/old[k])**3,1e-4)
        h['lk']=np.log(kk/kk.sum())
    return h
def dlik(S,h):
    p,m,V=post(S,h); k=p>p.max()*1e-4; p=p[k];mu=m[k,2];sd=np.sqrt(V[k,2,2])
    z=(GR[None]-mu[:,None])/sd[:,None]; L=(p/sd)@np.exp(-.5*z*z)
    S['mle']=p@mu/p.sum(); S['mse']=np.sqrt(p@(sd**2+(mu-S['mle'])**2)/p.sum()); return L/L.sum()
def eb(A,c0=5.):
    M=np.array([S['lik'] for S in A]); comps=[];base=[]
    for sd,cs,wt in ((.5,[0.],.3),(1.,np.arange(-24,24.1,1.),1.),(3.,np.arange(-24,24.1,2.),1.),(10.,[0.],3.)):
        for c in cs: d=np.exp(-.5*((GR-c)/sd)**2); comps.append(d/d.sum()); base.append(wt*np.exp(-.5*(c/12.)**2)/(len(cs)*.6) if len(cs)>1 else wt)
    C=np.array(comps); base=np.array(base);base/=base.sum(); F=M@C.T; F/=F.max(1,keepdims=True); w=base.copy()
    for _ in range(300):
        r=F*w; r/=r.sum(1,keepdims=True); w=r.sum(0)+c0*base; w/=w.sum()
    W=r.sum(0)+c0*base-r; W/=W.sum(1,keepdims=True)
    for i,S in enumerate(A): p=M[i]*(W[i]@C); S['post']=p/p.sum()
    return w@C
def quant(p,q): c=np.cumsum(p)-.5*p; return float(np.interp(q,c,GR))
def analyse(folder):
    A=core.load(folder); prep(A); h=hyper(A)
    for S in A: S['lik']=dlik(S,h)
    S_=eb(A)
    for S in A: p=S['post']; S['est']=float(p@GR); S['lo']=quant(p,.025); S['hi']=quant(p,.975)
    return A,h
def answer(lo,hi):
    if lo>-5 and hi<5: return 'same'
    if lo>0: return 'higher'
    if hi<0: return 'lower'
    return 'open'
def main():
    A,h=analyse(os.environ.get('ASSAY_DATA','data')); E={};W=[]
    with open('answers.csv','w',newline='') as f:
        c=csv.writer(f); c.writerow(['study','estimate','low','high','answer'])
        for S in A:
            e,l,u=round(S['est'],4),round(S['lo'],4),round(S['hi'],4); c.writerow([S['name'],e,l,u,answer(l,u)]); E[S['name']]=e; W.append(u-l)
    json.dump(dict(studies=len(A),mean_estimate=round(float(np.mean(list(E.values()))),6),mean_width=round(float(np.mean(W)),6),estimates=E),open('results.json','w'),indent=1)
    if '-v' in sys.argv:
        print({k:np.round(v,3) for k,v in h.items()}, np.round(np.exp(h['lk']),3))
        for S in A: print(S['name'],len(S['g']),'%.2f (%.2f) eb %.2f [%.2f %.2f]'%(S['mle'],S['mse'],S['est'],S['lo'],S['hi']))
if __name__=='__main__': main()
