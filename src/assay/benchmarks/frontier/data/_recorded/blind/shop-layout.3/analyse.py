import numpy as np,glob,csv,os,json,sys
from math import erf
def nm(f,x,step=.2,it=200,tol=1e-2):
    N=len(x);step=np.broadcast_to(step,(N,));X=[np.array(x,float)]+[np.array(x,float)+step[i]*np.eye(N)[i] for i in range(N)];F=[f(z) for z in X]
    for _ in range(it):
        o=np.argsort(F);X=[X[i] for i in o];F=[F[i] for i in o]
        if F[-1]-F[0]<tol:break
        m=np.mean(X[:-1],0);xr=2*m-X[-1];fr=f(xr)
        if fr<F[0]:
            xe=3*m-2*X[-1];fe=f(xe)
            if fe<fr:X[-1],F[-1]=xe,fe
            else:X[-1],F[-1]=xr,fr
        elif fr<F[-2]:X[-1],F[-1]=xr,fr
        else:
            xc=.5*(m+X[-1]);fc=f(xc)
            if fc<F[-1]:X[-1],F[-1]=xc,fc
            else:
                X=[X[0]]+[.5*(X[0]+z) for z in X[1:]];F=[F[0]]+[f(z) for z in X[1:]]
    i=np.argmin(F);return X[i],F[i]
RH=np.exp(np.linspace(np.log(.03),np.log(2.5),25))
def prep(f):
    r=list(csv.DictReader(open(f)))
    day=np.array([int(x['day']) for x in r]);sn,sh=np.unique([x['shop'] for x in r],return_inverse=True);cu=np.unique([x['shopper']+'|'+x['shop'] for x in r],return_inverse=True)[1]
    new=np.array([x['layout']=='new' for x in r])*1.;y=np.array([float(x['spend']) for x in r]);return stats(day,sh,cu,new,y)
def stats(day,sh,cu,new,y):
    post=(day>=0);S=sh.max()+1;C=cu.max()+1
    nw=np.zeros(S);nw[sh]=new;cs=np.zeros(C,int);cs[cu]=sh
    n0=np.bincount(cu[~post],minlength=C).astype(float);n1=np.bincount(cu[post],minlength=C).astype(float)
    y=y-20;s0=np.bincount(cu[~post],y[~post],C);s1=np.bincount(cu[post],y[post],C)
    n=n0+n1;yy=(y*y).sum();b=lambda v:np.bincount(cs,v,S)
    out=[];N=len(y)
    for rho in RH:
        k=rho/(1+rho*n);I00=b(n0-k*n0*n0);I11=b(n1-k*n1*n1);I01=b(-k*n0*n1);q0=b(s0-k*n0*(s0+s1));q1=b(s1-k*n1*(s0+s1))
        I00=np.maximum(I00,1e-3);I11=np.maximum(I11,1e-3)
        det=I00*I11-I01**2;m0=(I11*q0-I01*q1)/det;m1=(I00*q1-I01*q0)/det
        Q=yy-(k*(s0+s1)**2).sum()-(m0*q0+m1*q1).sum();df=N-2*S
        ll=-.5*df*np.log(Q/df)-.5*np.log1p(rho*n).sum()-.5*np.log(det).sum()
        out.append((m0,m1,I11/det,-I01/det,I00/det,Q/df,ll))
    return dict(nw=nw,out=out,S=S,N=N,df=df)
def noise(T):
    L=np.array([[o[6] for o in t['out']] for t in T]);L-=L.max(1,keepdims=True);lr=np.log(RH);J=len(T);m,v=np.log(.4),.1
    for _ in range(50):
        w=np.exp(L-.5*(lr-m)**2/v);w/=w.sum(1,keepdims=True);m=((w*lr).sum()+0*m)/J;v=((w*(lr-m)**2).sum()+.3)/(J+3)
    ix=np.argmin(abs((w*lr).sum(1)[:,None]-lr),1)
    le=np.array([np.log(t['out'][i][5]) for t,i in zip(T,ix)]);sv=np.array([2/t['df'] for t in T])
    mu=np.average(le,weights=1/sv);tv=max(((le-mu)**2-sv).mean(),0.0005);sh=tv/(tv+sv);ve=np.exp(mu+sh*(le-mu))
    return ix,ve,(np.exp(m),np.sqrt(v),np.exp(mu),np.sqrt(tv))
SC=np.exp(np.linspace(np.log(.15),np.log(4.5),8));ST=np.array([.05,.5,1.,1.7,2.7,4.2])
SHK=0.
class Mod:
    def __init__(s,T):
        ix,ve,info=noise(T);s.info=info;J=len(T);M=max(t['S'] for t in T)
        z=lambda:np.zeros((J,1,1,M));s.p,s.q,s.e11,s.e12,s.e22,s.n,s.ok=[z() for _ in range(7)]
        s.S=np.array([t['S'] for t in T],float)
        for j,t in enumerate(T):
            o=t['out'][ix[j]];k=t['S']
            for A,v in zip((s.p,s.q,s.e11,s.e12,s.e22,s.n,s.ok),(o[0],o[1],o[2]*ve[j],o[3]*ve[j],o[4]*ve[j],t['nw'],np.ones(k))):A[j,0,0,:k]=v
        s.e11+=1-s.ok;s.e22+=1-s.ok
    def run(s,h,idx=None,full=False):
        g=lambda a:a if idx is None else a[idx]
        p,q,e11,e12,e22,n,ok=map(g,(s.p,s.q,s.e11,s.e12,s.e22,s.n,s.ok))
        be,ga,lA,mc,lsc,mt,lst,vd,T0,lT,m0,lm=h
        sc=SC[None,:,None,None];st=ST[None,None,:,None]
        A2=np.exp(2*lA);c=1+be+ga*n
        V11=A2+e11+SHK*.5*sc**2;V12=c*A2+e12;V22=c*c*A2+e22+(1-.5*SHK)*sc**2+n*st**2
        det=V11*V22-V12**2;K11=V22/det*ok;K12=-V12/det*ok;K22=V11/det*ok
        S_=lambda a:a.sum(-1)
        P=np.empty(det.shape[:3]+(3,3));b=np.empty(det.shape[:3]+(3,))
        # X rows: p:[1,0,0], q:[1,1,n]
        P[...,0,0]=S_(K11+2*K12+K22);P[...,0,1]=P[...,1,0]=S_(K12+K22);P[...,0,2]=P[...,2,0]=S_((K12+K22)*n);P[...,1,1]=S_(K22);P[...,1,2]=P[...,2,1]=P[...,2,2]=S_(K22*n)
        kp=K11*p+K12*q;kq=K12*p+K22*q
        b[...,0]=S_(kp+kq);b[...,1]=S_(kq);b[...,2]=S_(kq*n)
        pm=np.array([m0,0,T0]);pv=np.array([np.exp(2*lm),np.exp(2*vd),np.exp(2*lT)])
        P+=np.diag(1/pv);b+=pm/pv
        C=np.linalg.inv(P);u=np.einsum('...ab,...b->...a',C,b)
        ll=-.5*S_(np.log(det)*ok)-.5*S_(kp*p+kq*q)+.5*(b*u).sum(-1)-.5*np.linalg.slogdet(P)[1]-.5*np.log(pv).sum()-.5*(pm**2/pv).sum()
        lpc=-.5*((np.log(SC)-mc)/np.exp(lsc))**2;lpc-=np.log(np.exp(lpc).sum());lpt=-.5*((np.log(ST+.1)-mt)/np.exp(lst))**2;lpt-=np.log(np.exp(lpt).sum())
        lp=ll+lpc[None,:,None]+lpt[None,None,:]
        if full:return_ll=ll;s.pg=np.exp(lpc[:,None]+lpt[None])
        mx=lp.max((1,2),keepdims=True);ev=mx[:,0,0]+np.log(np.exp(lp-mx).sum((1,2)))
        if not full:return ev.sum()
        w=np.exp(lp-ev[:,None,None]);Sn=g(s.S)[:,None,None]
        v1=ga*A2+0*n;v2=ga*A2*c+n*st**2
        w1=K11*v1+K12*v2;w2=K12*v1+K22*v2
        Ls=np.stack([-S_(w1+w2)/Sn,-S_(w2)/Sn,1-S_(w2*n)/Sn],-1)
        mean=(Ls*u).sum(-1)+S_(w1*p+w2*q)/Sn
        var=np.einsum('...a,...ab,...b->...',Ls,C,Ls)+S_((ga**2*A2+st**2)*ok-(v1*w1+v2*w2))/Sn**2
        J=len(w);return ll.reshape(J,-1),mean.reshape(J,-1),np.sqrt(np.maximum(var,1e-6)).reshape(J,-1)
H0=np.array([-.1,.1,np.log(4.3),np.log(1.2),np.log(.6),np.log(1.),np.log(.7),np.log(1.2),0.,np.log(4),0.,np.log(2)])
HS=np.array([.1,.1,.2,.4,.5,.5,.5,.3,.7,.3,.5,.3]);STEP=np.array([.08,.08,.1,.2,.2,.3,.2,.2,.5,.2,.3,.2])
ERF=np.vectorize(erf)
def quant(w,m,s,a):
    lo=(m-7*s).min(1);hi=(m+7*s).max(1)
    for _ in range(45):
        x=.5*(lo+hi);z=(x[:,None]-m)/s
        F=(w*.5*(1+TERF(z/1.41421356))).sum(1);up=F<a;lo=np.where(up,x,lo);hi=np.where(up,hi,x)
    return .5*(lo+hi)
_x=np.linspace(-6,6,4001);_e=ERF(_x)
def TERF(z):return np.interp(z,_x,_e)
def solve(T,verbose=False,h=None,its=140):
    M=Mod(T);J=len(T)
    if verbose:print('noise: ratio,sd; ve, sd log',M.info)
    idx=None if J<=170 else np.random.default_rng(0).permutation(J)[:170]
    if h is None:
        f=lambda z:-M.run(z,idx)+.5*(((z-H0)/HS)**2).sum()
        h,F=nm(f,H0,STEP,its,.02)
        if verbose:print('F',F,dict(zip('be ga lA mc lsc mt lst vd T0 lT m0 lm'.split(),h.round(3))),'A %.2f c %.2f t %.2f d %.2f T %.2f'%tuple(np.exp(h[[2,3,5,7,9]])))
    OB=[-.2,0,.2];OG=[-.4,-.2,0,.2,.4];Lg=[];Mg=[];Sg=[];pr=[]
    PB=[.12,.76,.12];PG=[.03,.15,.64,.15,.03]
    for i,ob in enumerate(OB):
        for k,og in enumerate(OG):
            hh=h.copy();hh[0]+=ob;hh[1]+=og;L=[];mm=[];ss=[]
            for c0 in range(0,J,100):
                r=M.run(hh,np.arange(c0,min(J,c0+100)),True);L.append(r[0]);mm.append(r[1]);ss.append(r[2])
            Lg.append(np.concatenate(L));Mg.append(np.concatenate(mm));Sg.append(np.concatenate(ss));pr.append(PB[i]*PG[k]*M.pg.ravel())
    L=np.concatenate(Lg,1);m=np.concatenate(Mg,1);sd=np.concatenate(Sg,1);pr=np.concatenate(pr);pr/=pr.sum()
    L=np.exp(L-L.max(1,keepdims=True));p0=pr.copy()
    if J>=40:
        for it in range(NIT):
            w=L*pr;w/=w.sum(1,keepdims=True);pr=(w.sum(0)+20*p0)/(J+20)
    if verbose:
        t=pr.reshape(3,5,len(SC),len(ST));print('beta',h[0]+np.array(OB),t.sum((1,2,3)).round(3),'gamma',h[1]+np.array(OG),t.sum((0,2,3)).round(3));print('sc',t.sum((0,1,3)).round(3),'st',t.sum((0,1,2)).round(3));print('start sc',p0.reshape(t.shape).sum((0,1,3)).round(3),p0.reshape(t.shape).sum((0,1,2)).round(3))
    def fin(pr):
        w=L*pr;w/=w.sum(1,keepdims=True);k=np.argsort(-w,1)[:,:80];tk=lambda a:np.take_along_axis(a,k,1)
        w_,m_,s_=tk(w),tk(m),tk(sd);w_=w_/w_.sum(1,keepdims=True)
        return np.stack([(w*m).sum(1),quant(w_,m_,s_,.025),quant(w_,m_,s_,.975)],1)
    R=fin(pr)
    if J<60:return R,R
    w=L*pr;w/=w.sum(1,keepdims=True);k=np.argsort(-w,1)[:,:60];tk=lambda a:np.take_along_axis(a,k,1);w_,m_,s_=tk(w),tk(m),tk(sd)
    EG=np.arange(-25,25.001,.05);D=np.empty((J,len(EG)))
    for j in range(J):D[j]=((w_[j]/s_[j])[:,None]*np.exp(-.5*((EG-m_[j][:,None])/s_[j][:,None])**2)).sum(0)
    T0,tv=h[8],np.exp(2*h[9])+.2
    g0=np.exp(-.5*(EG-T0)**2/tv)+1e-12;g0/=g0.sum();LK=D/g0;LK/=LK.max(1,keepdims=True)
    far=abs(EG-R[:,:1])>6*(R[:,2:]-R[:,1:2])/4+.5;LK[far]=0
    def sm(g,hh):
        n=int(np.ceil(4*hh/.05));x=np.arange(-n,n+1)*.05;kk=np.exp(-.5*(x/hh)**2);return np.convolve(np.pad(g,n),kk/kk.sum(),'valid')
    def gau(t):
        g=g0.copy()
        for _ in range(30):
            p=LK[t]*g;p/=p.sum(1,keepdims=True);p=p.mean(0);a=(p*EG).sum();v=(p*(EG-a)**2).sum();g=np.exp(-.5*(EG-a)**2/v)+1e-12;g/=g.sum()
        return g
    def npm(t,hh):
        g=gau(t);w0=g.copy();n=t.sum()
        for _ in range(50):
            p=LK[t]*g;p/=p.sum(1,keepdims=True);g=(n*sm(p.mean(0),hh)+6*w0)/(n+6);g/=g.sum()
        return g
    def uni(t):
        cs=np.cumsum(np.pad(LK[t],((0,0),(1,0))),1)
        def f(l,u):
            i=int(round((l+25)/.05));k=int(round((u+25)/.05))
            if k-i<20 or i<0 or k>len(EG):return -1e9
            return np.log(cs[:,k]-cs[:,i]+1e-6*cs[:,-1]).sum()-t.sum()*np.log(k-i)
        e=R[t,0];l,u=e.mean()-1.73*e.std(),e.mean()+1.73*e.std();st=1.;cur=f(l,u)
        while st>.04:
            imp=False
            for a,b in((st,0),(-st,0),(0,st),(0,-st)):
                z=f(l+a,u+b)
                if z>cur+1e-6:l,u,cur,imp=l+a,u+b,z,True
            if not imp:st/=2
        g=sm(((EG>=l)&(EG<=u))*1.,.25);g/=g.sum();return .985*g+.015*gau(t)
    C={'gauss':gau,'unif':uni,'np3':lambda t:npm(t,3.),'np1.5':lambda t:npm(t,1.5),'np.8':lambda t:npm(t,.8),'np.3':lambda t:npm(t,.3)};best=None;fold=np.random.default_rng(1).permutation(J)%4
    for nme,fn in C.items():
        sc=sum(np.log(LK[fold==q]@fn(fold!=q)).sum() for q in range(4))
        if verbose:print('target prior',nme,round(sc,2))
        if best is None or sc>best[0]+1.5:best=(sc,nme)
    g=C[best[1]](np.ones(J,bool));p=LK*g;p/=p.sum(1,keepdims=True);cd=np.cumsum(p,1)
    R2=np.array([[(p[j]*EG).sum(),np.interp(.025,cd[j],EG+.025),np.interp(.975,cd[j],EG+.025)] for j in range(J)])
    return R2,R
NIT=40
def answer(lo,hi):
    if lo>-2.5 and hi<2.5:return 'same'
    return 'higher' if lo>0 else 'lower' if hi<0 else 'open'
if __name__=='__main__':
    fs=sorted(glob.glob(os.path.join(os.environ.get('ASSAY_DATA') or 'data','*.csv')));names=[os.path.basename(f)[:-4] for f in fs]
    R,_=solve([prep(f) for f in fs],True);R=np.round(R,3)
    with open('answers.csv','w') as f:
        f.write('study,estimate,low,high,answer\n')
        for nme,r in zip(names,R):f.write('%s,%.3f,%.3f,%.3f,%s\n'%(nme,*r,answer(r[1],r[2])))
    json.dump({'studies':len(names),'mean_estimate':float(R[:,0].mean()),'mean_width':float((R[:,2]-R[:,1]).mean()),'estimates':{a:float(b) for a,b in zip(names,R[:,0])}},open('results.json','w'),indent=1)
