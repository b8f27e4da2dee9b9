import os,csv,glob,json,sys
import numpy as np
DATA=os.environ.get('ASSAY_DATA') or 'data';OUT=os.path.dirname(os.path.abspath(__file__))
G=np.arange(.01,.9901,.014);LK=np.linspace(np.log(.6),np.log(4.6),52);NG=len(G)
H=-np.log(G)
uq=np.linspace(5,90,86)/100
def armlik(t0,t1,d):
    out=np.zeros((NG,len(LK)));D=d.sum();tr=(t0>0).sum();x=np.maximum(t1,.05)/100;sl=(d*np.log(x)).sum()
    for j,lk in enumerate(LK):
        k=np.exp(lk);c=np.exp(-H[:,None]*(uq**k)[None]);c=(c.sum(1)-.5*(c[:,0]+c[:,-1]))
        out[:,j]=D*(lk+np.log(H))+(k-1)*sl-H*(x**k).sum()-tr*np.log(c)
    return np.exp(out-out.max())
def load(f):
    r=list(csv.DictReader(open(f)));g=lambda k:np.array([float(x[k]) for x in r])
    m=np.array([x['make']=='elm' for x in r]);t0,t1,d=g('taken_over'),g('last_age'),g('failed')
    oldfrac=[(t0[m==k]>0).mean() if (m==k).any() else .5 for k in (0,1)]
    A=int(oldfrac[1]<oldfrac[0])   # arm A: mostly new pumps
    L=[armlik(t0[m==k],t1[m==k],d[m==k]) for k in (A,1-A)]
    return os.path.basename(f)[:-4],A,L
def smooth(f,bw):
    s=bw/.014;r=int(4*s)+1;x=np.arange(-r,r+1);k=np.exp(-.5*(x/s)**2);k/=k.sum()
    K=np.zeros((NG,NG))
    for i in range(NG):
        for o,w in zip(x,k):
            j=i+o
            if j<0:j=-j-1
            if j>=NG:j=2*NG-1-j
            K[i,j]+=w
    return lambda f:K.T@f@K
def gauss(mu,C):
    X=np.stack(np.meshgrid(G,G,indexing='ij'),-1)-mu;Q=np.einsum('ijk,kl,ijl->ij',X,np.linalg.inv(C),X);f=np.exp(-.5*Q);return f/f.sum()
def main(verbose=False):
    st=[load(f) for f in sorted(glob.glob(os.path.join(DATA,'*.csv')))];n=len(st)
    LA=np.array([s[2][0] for s in st]);LB=np.array([s[2][1] for s in st])
    km=np.array([np.log(1.42),np.log(2.33)]);ks=np.array([.1,.08]);w=np.ones(4)/4
    mu=np.array([.48,.38]);C=np.array([[.03,.005],[.005,.04]])
    F=[gauss(mu,C)]*4;sm=smooth(None,float(os.environ.get('BW','.035')))
    X0,X1=np.meshgrid(G,G,indexing='ij')
    N1,N2=15,(25 if n>=100 and os.environ.get('NP','1')=='1' else 0)
    for it in range(N1+N2+1):
        NK=np.exp(-.5*((LK[None]-km[:,None])/ks[:,None])**2)/ks[:,None]+1e-4
        lA=LA@NK.T;lB=LB@NK.T      # n,G,2
        post=np.zeros((n,NG,NG));Z=np.zeros((n,4));PF=[np.zeros((NG,NG)) for _ in range(4)]
        kn=np.zeros((2,3))
        comp=[]
        for c in range(4):
            a,b=c//2,c%2
            J=lA[:,:,a][:,:,None]*lB[:,:,b][:,None,:]*F[c]*w[c];Z[:,c]=J.sum((1,2));comp.append(J)
        tot=Z.sum(1)
        for c in range(4):
            a,b=c//2,c%2;J=comp[c]/tot[:,None,None];post+=J;PF[c]=J.sum(0)
            mA=(lB[:,:,b]@F[c].T)*w[c]/tot[:,None];mB=(lA[:,:,a]@F[c])*w[c]/tot[:,None]
            pk=np.einsum('ngk,ng->k',LA,mA)*NK[a];kn[a]+=[pk.sum(),pk@LK,pk@LK**2]
            pk=np.einsum('ngk,ng->k',LB,mB)*NK[b];kn[b]+=[pk.sum(),pk@LK,pk@LK**2]
        if it==N1+N2: break
        R=Z/tot[:,None];w=(R.sum(0)+2)/(n+8)
        k0=4.;km0=np.array([np.log(1.42),np.log(2.33)]);ks0=np.array([.08,.06])
        for j in (0,1):
            m=(kn[j,1]+k0*km0[j])/(kn[j,0]+k0);v=(kn[j,2]-2*m*kn[j,1]+m*m*kn[j,0]+k0*ks0[j]**2)/(kn[j,0]+k0);km[j]=m;ks[j]=max(v**.5,.02)
        P=post.sum(0)
        if it<N1:
            k0=6.;mu0=np.array([.48,.40]);C0=np.diag([.03,.04])
            mm=np.array([(P*X0).sum(),(P*X1).sum()]);mu=(mm+k0*mu0)/(n+k0)
            d0,d1=X0-mu[0],X1-mu[1];c01=(P*d0*d1).sum();C=(np.array([[(P*d0*d0).sum(),c01],[c01,(P*d1*d1).sum()]])+k0*C0)/(n+k0)
            F=[gauss(mu,C)]*4;base=F[0]
        else:
            pool=sm(P);pool/=pool.sum();KC=25.
            for c in range(4):
                f=sm(PF[c])+KC*pool+.5*base;F[c]=f/f.sum()
    if verbose:
        np.set_printoptions(precision=3,suppress=True,linewidth=170)
        print('shape',np.exp(km),ks,'w',w,'mu',mu,'C',C)
    rows=[];est={};wd=[]
    edges=np.arange(-110,110.01,.25)
    diff=100*(X1-X0)
    # difference on a fine axis: spread of a cell is triangular of half-width 1.4
    for i,(nm,A,_) in enumerate(st):
        d=diff if A==0 else -diff      # elm - oak ; A==0: oak is A
        idx=np.round(d/1.4).astype(int);o=idx.min();pr=np.bincount((idx-o).ravel(),post[i].ravel());ax=(np.arange(len(pr))+o)*1.4
        cd=np.cumsum(pr);cd/=cd[-1];m=(pr*ax).sum()/pr.sum();lo,hi=np.interp([.025,.975],cd,ax+.7)
        e,lo,hi=round(float(m),2),round(float(lo),2),round(float(hi),2)
        a='same' if lo>=-12 and hi<=12 else 'higher' if lo>0 else 'lower' if hi<0 else 'open'
        rows.append([nm,e,lo,hi,a]);est[nm]=e;wd.append(hi-lo)
        if verbose and i<8: print(nm,'A arm','elm' if A else 'oak',e,lo,hi,a,'SA',(post[i]*X0).sum().round(3),'SB',(post[i]*X1).sum().round(3),'R',R[i])
    with open(os.path.join(OUT,'answers.csv'),'w') as f:
        c=csv.writer(f,lineterminator='\n');c.writerow('study,estimate,low,high,answer'.split(','));c.writerows(rows)
    json.dump({'studies':n,'mean_estimate':float(np.mean(list(est.values()))),'mean_width':float(np.mean(wd)),'estimates':est},open(os.path.join(OUT,'results.json'),'w'),indent=1)
main(len(sys.argv)>1)
