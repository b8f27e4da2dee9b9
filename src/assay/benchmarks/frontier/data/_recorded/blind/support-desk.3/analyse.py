import numpy as np,glob,csv,os,json
from math import erf
D=16
def prep(f):
    r=list(csv.DictReader(open(f)));g=lambda k:np.array([float(x[k]) for x in r])
    return stats(g('tier'),g('queue'),np.array([x['assistant']=='new' for x in r])*1.,g('minutes'),g('turns'))
def stats(t,q,n,m,tu):
    q=(q-18)/10;k=t-2;qd=np.where(k==0,-2.,1.)/3
    X=np.stack([t==1,t==2,t==3,q,n,n*k,n*qd,n*q],1).astype(float)
    Y=np.stack([m-48,tu-12],1)
    L=np.zeros(D);L[4]=1;L[5]=k.mean();L[6]=qd.mean();L[7]=q.mean()
    pr=np.linalg.lstsq(np.stack([np.ones_like(k),k,q],1),n,rcond=None)[0][1]
    return dict(XX=X.T@X,XY=X.T@Y,YY=Y.T@Y,N=len(t),L=L,router=float(pr>0))
#            a1 a2 a3  q   e0 e1 e2  eq | turns
MU0=np.array([-9.5,0,10.5,5, 0,0,0,0,  -2,0,2,.2, 0,0,0,0])
SB=np.array([.6,.6,.6,.5, 4,6,.7,.6,  .3,.3,.3,.2, 3,.5,.3,.2])   # few studies
SL=np.array([.08,.08,.08,.08,1.2,1.,.1,.1,.05,.05,.05,.05,.7,.08,.05,.05])
def post(P,b,mu,Si):
    V=np.linalg.inv(P+Si);h=b+Si@mu;be=np.einsum('jab,jb->ja',V,h)
    ev=.5*np.linalg.slogdet(Si)[1]+.5*np.linalg.slogdet(V)[1]+.5*(h*be).sum(1)-.5*mu@Si@mu
    return be,V,ev
def pool(T,its,S0,nu):
    J=len(T);XX=np.array([t['XX'] for t in T]);XY=np.array([t['XY'] for t in T]);YY=np.array([t['YY'] for t in T]);N=sum(t['N'] for t in T)
    mu=MU0.copy();Sg=np.diag(SB**2);R=np.array([[34.,4],[4,5.]])
    for it in range(its):
        W=np.linalg.inv(R);P=np.einsum('ab,jcd->jacbd',W,XX).reshape(J,D,D);b=np.einsum('jca,ab->jbc',XY,W).reshape(J,D)
        be,V,ev=post(P,b,mu,np.linalg.inv(Sg))
        mu=(be.sum(0)+.5*MU0)/(J+.5);dd=be-mu;Sg=(np.einsum('ja,jb->ab',dd,dd)+V.sum(0)+nu*np.diag(S0**2))/(J+nu)
        if it<60:
            B=be.reshape(J,2,8);Vb=V.reshape(J,2,8,2,8)
            R=YY.sum(0)-np.einsum('jca,jbc->ab',XY,B)-np.einsum('jac,jcb->ab',B,XY)+np.einsum('jac,jcd,jbd->ab',B,XX,B)+np.einsum('jcd,jacbd->ab',XX,Vb)
            R=(R+R.T)/2/N
    return mu,Sg,R,P,b,be,V,ev
def mix(P,b,rt,lab,K,mu0,Sg0,its,nu,S0):
    J=len(P);r=np.zeros((J,K));r[np.arange(J),lab]=1;r=.96*r+.04/K
    mus=[mu0]*K;Sgs=[Sg0.copy() for _ in range(K)]
    for k in range(K):
        be,V,_=post(P,b,mu0,np.linalg.inv(Sg0));n=r[:,k].sum();mus[k]=(r[:,k]@be+2*mu0)/(n+2)
    pi=r.mean(0);pr=(r*rt[:,None]).sum(0)/r.sum(0)
    for it in range(its):
        lp=np.empty((J,K));st=[]
        for k in range(K):
            be,V,ev=post(P,b,mus[k],np.linalg.inv(Sgs[k]));st.append((be,V));lp[:,k]=ev+np.log(pi[k])+rt*np.log(pr[k])+(1-rt)*np.log(1-pr[k])
        if it>0:
            r=np.exp(lp-lp.max(1,keepdims=True));r/=r.sum(1,keepdims=True)
        for k in range(K):
            be,V=st[k];n=r[:,k].sum();mus[k]=(r[:,k]@be+2*mu0)/(n+2);dd=be-mus[k]
            Sgs[k]=(np.einsum('j,ja,jb->ab',r[:,k],dd,dd)+np.einsum('j,jab->ab',r[:,k],V)+nu*np.diag(S0**2)+TIE*np.diag(tie(Sg0)))/(n+nu+TIE)
            pr[k]=(r[:,k]@rt+.5)/(n+1)
        pi=(r.sum(0)+1)/(J+K)
    return pi,pr,mus,Sgs
TIE=4.
TI=np.array([0,1,2,3,7,8,9,10,11,15])
def tie(S):
    d=np.minimum(np.diag(S),SL**2*4).copy();return d
def lev(P,b,rt,mod):
    pi,pr,mus,Sgs=mod;out=[];st=[]
    for k in range(len(pi)):
        be,V,ev=post(P,b,mus[k],np.linalg.inv(Sgs[k]));st.append((be,V));out.append(ev+np.log(pi[k])+rt*np.log(pr[k])+(1-rt)*np.log(1-pr[k]))
    return np.stack(out,1),st
_x=np.linspace(-6,6,4001);_e=np.vectorize(erf)(_x)
def quant(w,m,s,a):
    lo=(m-7*s).min(1);hi=(m+7*s).max(1)
    for _ in range(45):
        x=.5*(lo+hi);F=(w*.5*(1+np.interp((x[:,None]-m)/s/1.41421356,_x,_e))).sum(1);up=F<a;lo=np.where(up,x,lo);hi=np.where(up,hi,x)
    return .5*(lo+hi)
def solve(T,verbose=False,force=None):
    J=len(T);big=J>=60;Lv=np.array([t['L'] for t in T]);rt=np.array([t['router'] for t in T])
    mu,Sg,R,P,b,be,V,ev=pool(T,400 if big else 100,SL if big else SB*.8,3. if big else 4.)
    if verbose:print('mu',mu.round(2),'\nsd',np.sqrt(np.diag(Sg)).round(2),'\nR',R.round(2).tolist());print('e1',be[:12,5].round(1),'router',rt[:12],'delta',be[:12,12].round(1),'e0',be[:12,4].round(1))
    mod=(np.ones(1),np.array([np.clip(rt.mean(),.05,.95)]),[mu],[Sg])
    if big:
        e1=(be[:,5]>0)*1;r=rt.astype(int);dl=(be[:,12]>0)*1;e0=(be[:,4]>np.median(be[:,4]))*1
        C={'1':(e1*0,1),'e1':(e1,2),'r':(r,2),'e1r':(e1*2+r,4),'e1d':(e1*2+dl,4),'e1rd':(e1*4+r*2+dl,8),'e1e0':(e1*2+e0,4)};fold=np.random.default_rng(0).permutation(J)%3;best=None
        for nme,(lab,K) in C.items():
            sc=0
            for f in range(3):
                tr=fold!=f;m_=mix(P[tr],b[tr],rt[tr],lab[tr],K,mu,Sg,25,2.,SL);lp,_=lev(P[~tr],b[~tr],rt[~tr],m_);mx=lp.max(1);sc+=(mx+np.log(np.exp(lp-mx[:,None]).sum(1))).sum()
            if verbose:print('cv',nme,round(sc,2))
            if best is None or sc>best[0]+4:best=(sc,nme)
        lab,K=C[best[1]];mod=mix(P,b,rt,lab,K,mu,Sg,60,2.,SL)
        if verbose:
            print(best)
            for k in range(K):print(mod[0][k].round(2),mod[1][k].round(2),mod[2][k].round(2)[4:8],np.sqrt(np.diag(mod[3][k])).round(2))
    lp,st=lev(P,b,rt,mod);w=np.exp(lp-lp.max(1,keepdims=True));w/=w.sum(1,keepdims=True)
    m=np.stack([(Lv*s[0]).sum(1) for s in st],1);s=np.stack([np.sqrt(np.einsum('ja,jab,jb->j',Lv,x[1],Lv)) for x in st],1)
    if verbose:
        print('pool width',(3.92*np.sqrt(np.einsum('ja,jab,jb->j',Lv,V,Lv))).mean())
    return np.stack([(w*m).sum(1),quant(w,m,s,.025),quant(w,m,s,.975)],1)
def answer(lo,hi):
    if lo>-2 and hi<2:return 'same'
    return 'higher' if lo>0 else 'lower' if hi<0 else 'open'
if __name__=='__main__':
    fs=sorted(glob.glob(os.path.join(os.environ.get('ASSAY_DATA') or 'data','*.csv')));names=[os.path.basename(f)[:-4] for f in fs]
    Rr=np.round(solve([prep(f) for f in fs],True),3)
    with open('answers.csv','w') as f:
        f.write('study,estimate,low,high,answer\n')
        for nme,r in zip(names,Rr):f.write('%s,%.3f,%.3f,%.3f,%s\n'%(nme,*r,answer(r[1],r[2])))
    json.dump({'studies':len(names),'mean_estimate':float(Rr[:,0].mean()),'mean_width':float((Rr[:,2]-Rr[:,1]).mean()),'estimates':{a:float(b) for a,b in zip(names,Rr[:,0])}},open('results.json','w'),indent=1)
