import os,csv,glob,json,sys
import numpy as np
DATA=os.environ.get('ASSAY_DATA') or 'data';OUT=os.path.dirname(os.path.abspath(__file__))
def load(f):
    r=list(csv.DictReader(open(f)))
    day=np.array([int(x['day']) for x in r]);sh=np.array([x['shop'] for x in r]);sp=np.array([x['shop']+'|'+x['shopper'] for x in r])
    new=np.array([x['layout']=='new' for x in r]);y=np.array([float(x['spend']) for x in r])
    us,si=np.unique(sh,return_inverse=True);up,pi=np.unique(sp,return_inverse=True)
    return dict(name=os.path.basename(f)[:-4],post=(day>=0)*1,si=si,pi=pi,new=new*1,y=y,S=len(us))
def moments(d):
    # within-shopper-period noise; shopper variance
    y,pi,post=d['y'],d['pi'],d['post']
    cell=pi*2+post;u,ci,n=np.unique(cell,return_inverse=True,return_counts=True)
    m=np.bincount(ci,y)/n;ss=((y-m[ci])**2).sum();df=len(y)-len(u)
    # between shoppers within shop-period, cell means
    sc=np.zeros(len(u),int);sc[ci]=d['si']*2+post
    k=np.unique(sc,return_inverse=True)[1]
    return ss,df,m,n,k
def shoplevel(d,vp,ve):
    out=[]
    for s in range(d['S']):
        w=d['si']==s;y=d['y'][w];p=d['post'][w];q=d['pi'][w]
        V=ve*np.eye(len(y))+vp*(q[:,None]==q[None]);X=np.c_[1-p,p].astype(float)
        if (X.sum(0)==0).any(): continue
        W=np.linalg.solve(V,X);C=np.linalg.inv(X.T@W);b=C@(W.T@y)
        out.append((b[0],b[1],C[0,0],C[0,1],C[1,1],d['new'][w][0]))
    return np.array(out)
TU=np.array([.1,.35,.6,.85,1.1,1.4,1.8,2.3,3.,4.,5.5]);TV=np.array([.05,.5,1.,1.6,2.4,3.4,5.])
def main(verbose=False):
    D=[load(f) for f in sorted(glob.glob(os.path.join(DATA,'*.csv')))]
    M=[moments(d) for d in D]
    ve=(sum(m[0] for m in M)+4.4*50)/(sum(m[1] for m in M)+50)
    num=[];den=[]
    for ss,df,m,n,k in M:
        # cell means minus the weighted shop-period mean
        W=np.bincount(k,n);mm=np.bincount(k,n*m)/W;q=(n*(m-mm[k])**2).sum();c=len(m)-len(W)
        num.append(q-c*ve);den.append(n.sum()-(np.bincount(k,n**2)/W).sum())
    vp=(sum(num)+1.4*100)/(sum(den)+100)
    if verbose: print('ve',ve,'vp',vp,'per study vp',[round(a/b,2) for a,b in zip(num,den)][:8])
    SH=[shoplevel(d,(a+vp*60)/(b+60),ve) for d,a,b in zip(D,num,den)]
    n=len(D);Smax=max(len(s) for s in SH)
    pre=np.concatenate([s[:,0] for s in SH]);mu=pre.mean();sb2=np.var(pre)
    dd=np.zeros((n,Smax));D0=np.full((n,Smax),1e12);X=np.zeros((n,Smax,4));nw=np.zeros((n,Smax));ex=np.zeros((n,Smax))
    for i,s in enumerate(SH):
        k=len(s);kk=s[:,2]/(sb2+s[:,2]);cc=s[:,3]
        b=s[:,0]-kk*(s[:,0]-mu)            # shrunk base
        # post noise correlated with pre noise: predict it too
        rho=s[:,3]/(sb2+s[:,2])
        dd[i,:k]=s[:,1]-b-rho*(s[:,0]-mu)
        v=s[:,4]+s[:,2]-2*s[:,3]-(s[:,2]-s[:,3])**2/(sb2+s[:,2]);D0[i,:k]=v
        nw[i,:k]=s[:,5];ex[i,:k]=1
        X[i,:k]=np.c_[np.ones(k),s[:,5],b-mu,s[:,5]*(b-b.mean())]
    S=ex.sum(1);XX=(X[:,:,:,None]*X[:,:,None,:]).reshape(n,Smax,16);Xd=X*dd[:,:,None]
    # hyper: coefficient prior mean/sd
    pm=np.array([0.,0.,-.1,.1]);ps=np.array([1.1,4.5,.12,.12])
    combos=[(u,v) for u in TU for v in TV];K=len(combos)
    W=np.exp(-.5*(np.log(np.array(combos)[:,0]/1.1)/.8)**2)*np.where(np.array(combos)[:,1]<.1,3.,1.);W/=W.sum();W0=W.copy()
    l=np.array([0,1.,0,0])
    cls=np.array([(u>=1.3)*2+(v>=1.3) for u,v in combos]);PM=np.tile(pm,(4,1));PS=np.tile(ps,(4,1))
    vh=np.array([a/b for a,b in zip(num,den)]);vm=np.full(4,np.median(vh));vs=np.full(4,.7)
    for it in range(int(os.environ.get('IT','20'))):
        LL=np.zeros((n,K));TM=np.zeros((n,K));TVv=np.zeros((n,K));BM=np.zeros((n,K,4));BV=np.zeros((n,K,4))
        for k,(u,v) in enumerate(combos):
            pm=PM[cls[k]];ps=PS[cls[k]];Pi=np.diag(1/ps**2)
            Dv=D0+u*u+nw*v*v;iw=ex/Dv
            iwt=iw[:,None,:];H=(iwt@XX)[:,0].reshape(n,4,4)+Pi;h=(iwt@Xd)[:,0]+pm/ps**2
            Vb=np.linalg.inv(H);b=(Vb@h[:,:,None])[:,:,0]
            LL[:,k]=-.5*(np.log(Dv)*ex).sum(1)-.5*np.linalg.slogdet(H)[1]-.5*(dd**2*iw).sum(1)+.5*(b*h).sum(1)-.5*(pm**2/ps**2).sum()-np.log(ps).sum()-.5*((vh-vm[cls[k]])/vs[cls[k]])**2-np.log(vs[cls[k]])
            w=nw*ex*v*v/Dv/S[:,None];r=dd-(X@b[:,:,None])[:,:,0]
            TM[:,k]=b@l+(w*r).sum(1);g=l-(w[:,None,:]@X)[:,0]
            TVv[:,k]=((Vb@g[:,:,None])[:,:,0]*g).sum(1)+((nw*ex*v*v*(1-v*v/Dv)).sum(1)+((1-nw)*ex).sum(1)*v*v)/S**2
            BM[:,k]=b;BV[:,k]=np.einsum('naa->na',Vb)
        lp=LL+np.log(W+1e-12);lp-=lp.max(1,keepdims=True);R=np.exp(lp);R/=R.sum(1,keepdims=True)
        W=(R.sum(0)+8*W0)/(n+8)
        pri=np.array([0,0.,-.1,.1]);k0=np.array([3,3,1,1.]);s0=np.array([1.,4.5,.08,.08])
        m1=np.einsum('nk,nka->a',R,BM);pool=(m1+k0*pri)/(n+k0)
        q2=np.einsum('nk,nka->a',R,(BM-pool)**2+BV);pools=(q2+4*s0**2)/(n+4)
        vmp=np.average(vh);vsp=np.var(vh)+.05
        for c in range(4):
            Rc=R*(cls==c);nc=Rc.sum();kc=8.
            PM[c]=(np.einsum('nk,nka->a',Rc,BM)+kc*pool)/(nc+kc)
            PS[c]=np.sqrt((np.einsum('nk,nka->a',Rc,(BM-PM[c])**2+BV)+kc*pools)/(nc+kc))
            PM[c,1]=pool[1];PS[c,1]=pools[1]**.5
            rc=Rc.sum(1);vm[c]=((rc*vh).sum()+kc*vmp)/(nc+kc);vs[c]=np.sqrt(((rc*(vh-vm[c])**2).sum()+kc*vsp)/(nc+kc))
        pm=pool;ps=np.sqrt(pools)
    if verbose:
        np.set_printoptions(precision=3,suppress=True,linewidth=170)
        print('PM',PM,'PS',PS,'vm',vm,vs);print('cls',[R[:,cls==c].sum().round(1) for c in range(4)],'pm',pm,'ps',ps,'mu',mu,'sb',sb2**.5);print('TU',np.array(W).reshape(len(TU),-1).sum(1));print('TV',np.array(W).reshape(len(TU),-1).sum(0))
    g=np.arange(-25,25.001,.04);post=np.zeros((n,len(g)))
    for k in range(K):
        sd=np.sqrt(TVv[:,k]);post+=(R[:,k]/sd)[:,None]*np.exp(-.5*((g[None]-TM[:,k][:,None])/sd[:,None])**2)
    post/=post.sum(1,keepdims=True)
    if n>=80 and os.environ.get('NP','1')=='1':
        gp=np.exp(-.5*((g-pm[1])/ps[1])**2);Lk=post/(gp+1e-12);Lk/=Lk.max(1,keepdims=True)
        f=gp/gp.sum();kg=np.arange(-60,61)*.04;ker=np.exp(-.5*(kg/.5)**2);ker/=ker.sum()
        for _ in range(25):
            p=Lk*f;p/=p.sum(1,keepdims=True);f=np.convolve(p.mean(0),ker,'same')+1e-7;f/=f.sum()
        post=Lk*f;post/=post.sum(1,keepdims=True)
    rows=[];est={};wd=[]
    for i,d in enumerate(D):
        p=post[i];cd=np.cumsum(p);m=(p*g).sum();lo,hi=np.interp([.025,.975],cd,g+.02)
        e,lo,hi=round(float(m),3),round(float(lo),3),round(float(hi),3)
        a='same' if lo>=-2.5 and hi<=2.5 else 'higher' if lo>0 else 'lower' if hi<0 else 'open'
        rows.append([d['name'],e,lo,hi,a]);est[d['name']]=e;wd.append(hi-lo)
        if verbose and i<8: print(d['name'],d['S'],e,lo,hi,a,'E tu',(R[i]@np.array(combos)))
    with open(os.path.join(OUT,'answers.csv'),'w') as f:
        c=csv.writer(f,lineterminator='\n');c.writerow('study,estimate,low,high,answer'.split(','));c.writerows(rows)
    json.dump({'studies':n,'mean_estimate':float(np.mean(list(est.values()))),'mean_width':float(np.mean(wd)),'estimates':est},open(os.path.join(OUT,'results.json'),'w'),indent=1)
main(len(sys.argv)>1)
