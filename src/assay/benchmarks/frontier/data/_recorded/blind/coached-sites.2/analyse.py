import os,csv,glob,json,sys
import numpy as np
DATA=os.environ.get('ASSAY_DATA') or 'data';OUT=os.path.dirname(os.path.abspath(__file__))
def load(f):
    r=list(csv.DictReader(open(f)));g=lambda k:np.array([float(x[k]) for x in r])
    return os.path.basename(f)[:-4],g('size'),g('first'),g('second'),np.array([x['coached']=='yes' for x in r]),np.array([x['marker']=='coach' for x in r])
TAU=np.exp(np.linspace(np.log(4.3),np.log(15),14));SIG=np.exp(np.linspace(np.log(13),np.log(42),20));OM=np.array([.05,1.5,3.])
CB=np.array([(t,s,o) for t in TAU for s in SIG for o in OM]);K=len(CB)
EX=np.array([1.,0,0,0]);EY=[np.array([1.,1,0,0]),np.array([1.,1,1,0]),np.array([1.,1,1,1])]
O=np.array([60.,0,0,0])
def suff(n,x,y,c,m):
    x=x-60;y=y-60
    s=CB[:,1][:,None]**2/n[None];a=CB[:,0][:,None]**2;v1=a+s;v2=a+s+CB[:,2][:,None]**2;det=v1*v2-a*a
    p11=v2/det;p22=v1/det;p12=-a/det;H=np.zeros((K,4,4));h=np.zeros((K,4));q=p11@(x*x)+2*(p12@(x*y))+p22@(y*y);ld=np.log(det).sum(1)
    for g,w in enumerate((~c,c&~m,c&m)):
        if not w.any(): continue
        e=EY[g];P11,P12,P22=p11[:,w],p12[:,w],p22[:,w];X,Y=x[w],y[w]
        H+=P11.sum(1)[:,None,None]*np.outer(EX,EX)+P12.sum(1)[:,None,None]*(np.outer(EX,e)+np.outer(e,EX))+P22.sum(1)[:,None,None]*np.outer(e,e)
        h+=(P11@X+P12@Y)[:,None]*EX+(P12@X+P22@Y)[:,None]*e
    return H,h,-.5*(q+ld)
def main(verbose=False):
    st=[load(f) for f in sorted(glob.glob(os.path.join(DATA,'*.csv')))];n=len(st)
    Hs=[];hs=[];cs=[]
    for s in st: a=suff(*s[1:]);Hs.append(a[0]);hs.append(a[1]);cs.append(a[2])
    Hs,hs,cs=np.array(Hs),np.array(hs),np.array(cs)
    m0=np.array([0,-1,2,7.5]);S0=np.diag([1.2,3.,9.,3.])**2;pm,PS=m0.copy(),S0.copy()
    W=np.ones(K)/K
    lt,lsg=np.log(CB[:,0]),np.log(CB[:,1])
    Wm=np.exp(-.5*((lt-np.log(8))/.35)**2-.5*((lsg-np.log(26))/.4)**2);Wm/=Wm.sum()
    D=len(TAU),len(SIG),len(OM)
    pt=[np.log(8.8),.2];pg=[np.log(22.),.12];wo=np.array([.8,.12,.08]);oi=np.tile(np.arange(len(OM)),K//len(OM))
    def mkW():
        w=np.exp(-.5*((lt-pt[0])/pt[1])**2-.5*((lsg-pg[0])/pg[1])**2)*wo[oi];return w/w.sum()
    W=mkW();flat=bool(os.environ.get('FLAT'))
    keep=np.arange(K)
    NIT=22
    for it in range(NIT+1):
        Si=np.linalg.inv(PS)
        Hp=Hs[:,keep]+Si;hp=hs[:,keep]+Si@pm;V=np.linalg.inv(Hp);M=(V@hp[...,None])[...,0]
        LL=cs[:,keep]+.5*(M*hp).sum(-1)+.5*np.linalg.slogdet(V)[1]
        lp=LL+np.log(W[keep]+1e-15);lp-=lp.max(1,keepdims=True);R=np.exp(lp);R/=R.sum(1,keepdims=True)
        if it==NIT: break
        if not flat:
            rs=R.sum(0);x=lt[keep];z=lsg[keep];kk=4.
            pt[0]=(rs@x+kk*np.log(8.8))/(n+kk);pt[1]=max(np.sqrt((rs@(x-pt[0])**2+kk*.18**2)/(n+kk)),.05)
            pg[0]=(rs@z+kk*np.log(22))/(n+kk);pg[1]=max(np.sqrt((rs@(z-pg[0])**2+kk*.09**2)/(n+kk)),.035)
            wo=np.array([(rs[oi[keep]==j].sum()+4*[.9,.07,.03][j])/(n+4) for j in range(3)]);W=mkW()
            if it in(3,7,12) and n>50:
                keep=np.where(W>W.max()*1e-3)[0]
                if verbose: print('keep',len(keep))
                continue
        B=np.einsum('nk,nka->na',R,M);k0=np.array([.5,4,4,2.]);pm=(B.sum(0)+k0*m0)/(n+k0)
        Dv=M-pm;C=np.einsum('nk,nka,nkb->ab',R,Dv,Dv)+np.einsum('nk,nkab->ab',R,V)
        PS=(C+5*S0)/(n+5)
        for a,b in((0,1),(0,2),(0,3),(1,2),(1,3),(2,3)):
            f=n/(n+20);PS[a,b]*=f;PS[b,a]*=f
    if verbose:
        np.set_printoptions(precision=3,suppress=True,linewidth=170)
        print('pt',np.exp(pt[0]),pt[1],'pg',np.exp(pg[0]),pg[1],'wo',wo,'pm',pm,'sd',np.sqrt(np.diag(PS)),'\ncorr',PS/np.sqrt(np.outer(np.diag(PS),np.diag(PS))))
        w=W.reshape(D);print('TAU',TAU,w.sum((1,2)));print('SIG',SIG,w.sum((0,2)));print('OM',OM,w.sum((0,1)))
    g=np.arange(-50,50.001,.1);post=np.zeros((n,len(g)))
    for i in range(n):
        ks=np.where(R[i]>1e-5)[0];sd=np.sqrt(V[i,ks,2,2]);post[i]=((R[i,ks]/sd)[:,None]*np.exp(-.5*((g[None]-M[i,ks,2][:,None])/sd[:,None])**2)).sum(0)
    post/=post.sum(1,keepdims=True)
    if n>=100 and os.environ.get('NP','1')=='1':
        pri=np.exp(-.5*(g-pm[2])**2/PS[2,2]);Lk=post/(pri+1e-12);Lk/=Lk.max(1,keepdims=True);f=pri/pri.sum();fb=f.copy()
        kg=np.arange(-60,61)*.1;ker=np.exp(-.5*(kg/1.3)**2);ker/=ker.sum()
        for _ in range(20):
            q=Lk*f;q/=q.sum(1,keepdims=True);f=np.convolve(q.mean(0),ker,'same')+.02*fb;f/=f.sum()
        post=Lk*f;post/=post.sum(1,keepdims=True)
        if verbose: print('f',[(round(float(g[j])),round(float(f[j]*1000),2)) for j in range(300,701,25)])
    rows=[];est={};wd=[]
    for i,s in enumerate(st):
        p=post[i];cd=np.cumsum(p);m=(p*g).sum();lo,hi=np.interp([.025,.975],cd,g+.05)
        e,lo,hi=round(float(m),3),round(float(lo),3),round(float(hi),3)
        a='same' if lo>=-5 and hi<=5 else 'higher' if lo>0 else 'lower' if hi<0 else 'open'
        rows.append([s[0],e,lo,hi,a]);est[s[0]]=e;wd.append(hi-lo)
        if verbose and i<8: print(rows[-1],'mu,delta,beta,bias',R[i]@M[i],'tau,sig,om',R[i]@CB[keep],'sd',np.sqrt(R[i]@(CB[keep]-R[i]@CB[keep])**2))
    with open(os.path.join(OUT,'answers.csv'),'w') as f:
        c=csv.writer(f,lineterminator='\n');c.writerow('study,estimate,low,high,answer'.split(','));c.writerows(rows)
    json.dump({'studies':n,'mean_estimate':float(np.mean(list(est.values()))),'mean_width':float(np.mean(wd)),'estimates':est},open(os.path.join(OUT,'results.json'),'w'),indent=1)
if __name__=='__main__': main(len(sys.argv)>1)
