import json,time,sys
from models import *
V=bool(os.environ.get('VERB'))
# theta: logit pa, logit pb, log OR, FNa, FPa, FNb, FPb (logits), q0, q1 (logits)
def f(t):
    # log-linear in truth with OR; pa,pb enter as logits of the independent model plus interaction
    z=TA*x4(t[...,0])+TB*x4(t[...,1])+(TA-.5)*(TB-.5)*x4(t[...,2])
    T=np.exp(z[...,0,0,:,:]);T=T/T.sum((-1,-2),keepdims=True)
    C=T[...,None,None,:,:]*errp(*[sig(t[...,i]) for i in(3,4,5,6)])
    L=np.where(EA+EB==0,x4(t[...,7]),x4(t[...,8]))
    return withD(C,L)
def delta(t):
    z=np.stack([t[...,0]+t[...,2]*-.25,t[...,1]-.25*t[...,2],t[...,0]+t[...,1]+.25*t[...,2],.25*t[...,2]],-1)
    e=np.exp(z-z.max(-1,keepdims=True));e/=e.sum(-1,keepdims=True)
    return 100*(e[...,0]-e[...,1])
n=9
M0=np.array([.3,.3,0,-1,-3.5,-3.5,-.8,-1.75,1.2]);S0=np.diag(np.array([.7,.7,.15,.4,.7,.7,.4,.2,.6])**2)
def newton(t,S,U,m,Pm,it):
    def obj(t):
        r=t-m;return loglik(f(t),S,U)-.5*np.einsum('si,ij,sj->s',r,Pm,r)
    cur=obj(t);lam=np.ones(len(S));ns=S.sum((-1,-2))
    for k in range(it+1):
        P=f(t);q=P.sum((-1,-2),keepdims=True);W=P/q
        e=S+U[...,None,None]*W
        G=np.stack([(np.log(f(t+1e-4*np.eye(n)[j])+1e-300)-np.log(f(t-1e-4*np.eye(n)[j])+1e-300))/2e-4 for j in range(n)],-1)
        h=(W[...,None]*G).sum((-2,-3))  # (s,D,ca,cb,n)
        g=(e[...,None]*G).reshape(len(S),-1,n).sum(1)-(t-m)@Pm
        Gf=G.reshape(len(S),-1,n);hf=h.reshape(len(S),-1,n)
        I=np.einsum('sci,sc,scj->sij',Gf,(ns[...,None,None]*W).reshape(len(S),-1),Gf,optimize=True)+np.einsum('sci,sc,scj->sij',hf,U.reshape(len(S),-1),hf,optimize=True)+Pm
        if k==it: break
        st=np.linalg.solve(I,g[...,None])[...,0]
        nt=t+lam[:,None]*st;new=obj(nt);ok=new>=cur-1e-9
        t=np.where(ok[:,None],nt,t);cur=np.where(ok,new,cur);lam=np.where(ok,1.,lam*.4)
    return t,np.linalg.inv(I),cur
def shiftprior(keep,m,Sg):
    N=len(keep);rs=np.random.RandomState(1)
    base=delta(rs.multivariate_normal(m,Sg,100000));bm,bs=base.mean(),base.std()
    g=np.arange(-80,80.1,.5);bd=np.exp(-.5*((g-bm)/bs)**2)/bs+1e-6/bs
    L=[]
    kx=np.arange(-8,9)*.5;kk=np.exp(-.5*(kx/.6)**2);kk/=kk.sum()
    for d,w in keep:
        h=np.histogram(d,bins=np.append(g-.25,g[-1]+.25),weights=w)[0];L.append(np.convolve(h,kk,'same')/bd)
    L=np.array(L);L/=L.sum(1,keepdims=True)
    best=None
    ctr=np.array([(w*d).sum() for d,w in keep])
    for K in ((1,2,3,4) if N>=25 else (1,)):
        for init in range(1 if K==1 else 6):
            r0=np.random.RandomState(init)
            mu=np.quantile(ctr,(np.arange(K)+.5)/K) if init==0 else r0.choice(ctr,K)+r0.randn(K)
            sd=np.full(K,bs/K);pi=np.ones(K)/K
            for it in range(150):
                C=np.exp(-.5*((g-mu[:,None])/sd[:,None])**2)/sd[:,None]*.19947
                A=(L@C.T)*pi;tot=A.sum(1);R=A/tot[:,None]
                pg=np.einsum('sk,kg,sg->kg',pi/tot[:,None],C,L,optimize=True)
                nk=pg.sum(1)+1e-9
                mu=(pg@g)/nk;sd=np.sqrt(((pg*(g-mu[:,None])**2).sum(1)+2*9)/(nk+2));pi=(nk+1)/(nk+1).sum()
            C=np.exp(-.5*((g-mu[:,None])/sd[:,None])**2)/sd[:,None]*.19947
            ll=np.log((L@C.T)@pi).sum()-.5*(3*K-1)*np.log(N)
            if best is None or ll>best[0]: best=(ll,K,mu,sd,pi)
        if V: print('K',K,best[0],best[2].round(1),best[3].round(1),best[4].round(2))
    _,K,mu,sd,pi=best
    dens=(np.exp(-.5*((g-mu[:,None])/sd[:,None])**2)/sd[:,None]*pi[:,None]).sum(0)
    dens=.98*dens+.02*np.exp(-.5*((g-bm)/bs/1.3)**2)/bs/1.3
    ratio=np.log(dens/bd)
    ratio=np.clip(ratio,-20,5)
    return lambda d:np.exp(np.interp(d,g,ratio))
def main(folder):
    t0=time.process_time()
    names,S,U=load(folder);N=len(names)
    Ss,Us=swap(S,U)
    P0=np.linalg.inv(S0)
    ta,_,ca=newton(np.tile(M0,(N,1)),S,U,M0,P0,15)
    tb,_,cb=newton(np.tile(M0,(N,1)),Ss,Us,M0,P0,15)
    fl=cb>ca
    if V: print('swap margin min',np.abs(ca-cb).min(),fl.sum())
    S=np.where(fl[:,None,None,None,None,None],Ss,S);U=np.where(fl[:,None,None,None],Us,U)
    t=np.where(fl[:,None],tb,ta);m=M0.copy();Sg=S0.copy();nu=4.
    for k in range(40):
        t,Vv,cur=newton(t,S,U,m,np.linalg.inv(Sg),2)
        m=(t.sum(0)+1*M0)/(N+1)
        r=t-m
        Sg=(nu*S0*.5+r.T@r+Vv.sum(0))/(N+nu)
    rsm=np.random.RandomState(7)
    for k in range(12):
        Pm=np.linalg.inv(Sg);t,Vv,cur=newton(t,S,U,m,Pm,2);Lc=np.linalg.cholesky(Vv)
        mean=np.zeros((N,n));sc=np.zeros((n,n))
        for s in range(N):
            z=rsm.randn(250,n);z=np.concatenate([z,-z]);x=t[s]+1.1*z@Lc[s].T
            r=x-m;lp=loglik(f(x),S[s],U[s])-.5*np.einsum('si,ij,sj->s',r,Pm,r)+.5*(z**2).sum(1)
            w=np.exp(lp-lp.max());w=np.minimum(w,w.mean()*20);w/=w.sum();mean[s]=w@x;xc=x-mean[s];sc+=(w[:,None]*xc).T@xc
        m=(mean.sum(0)+M0)/(N+1);r=mean-m;Sg=(nu*S0*.5+r.T@r+sc)/(N+nu)
    if V:
        print('m',m.round(2));print('sd',np.sqrt(np.diag(Sg)).round(3));d=np.sqrt(np.diag(Sg));print((Sg/d[:,None]/d).round(2));print('em',time.process_time()-t0)
    Pm=np.linalg.inv(Sg)
    t,Vv,cur=newton(t,S,U,m,Pm,8)
    # importance sampling
    rs=np.random.RandomState(0);K=1500
    out={};ess=[];keep=[]
    Lc=np.linalg.cholesky(Vv)
    for s in range(N):
        z=rs.randn(K,n);z=np.concatenate([z,-z]);df=12
        u=np.sqrt(df/rs.chisquare(df,K));u=np.concatenate([u,u])
        x=t[s]+(z*u[:,None])@Lc[s].T*1.05
        lq=-(df+n)/2*np.log1p(((z*u[:,None])**2).sum(1)/df)
        r=x-m
        lp=loglik(f(x),S[s],U[s])-.5*np.einsum('si,ij,sj->s',r,Pm,r)-lq
        w=np.exp(lp-lp.max());w/=w.sum();ess.append(1/(w**2).sum()/len(w))
        keep.append((delta(x),w))
    pr=shiftprior(keep,m,Sg)
    for s in range(N):
        d,w=keep[s];w=w*np.maximum(pr(d),1e-9);w/=w.sum();d=d*(-1 if fl[s] else 1)
        # weighted quantiles, lightly smoothed
        mu=(w*d).sum();sd=np.sqrt((w*(d-mu)**2).sum())
        g=np.linspace(mu-5*sd,mu+5*sd,1001);h=np.histogram(d,bins=np.append(g-(g[1]-g[0])/2,g[-1]+(g[1]-g[0])/2),weights=w)[0]
        bw=.12*sd;kx=np.arange(-60,61)*(g[1]-g[0]);kk=np.exp(-.5*(kx/bw)**2);h=np.convolve(h,kk/kk.sum(),'same')
        c=np.cumsum(h);c=(c-h/2)/c[-1];qq=np.interp([.5,.025,.975],c,g)
        out[names[s]]=mu+(qq-mu)/np.sqrt(1+.12**2)
    if V: print('ess',np.mean(ess),np.min(ess),'time',time.process_time()-t0)
    return names,out
def ans(l,h,m=8):
    if l>-m and h<m: return 'same'
    return 'higher' if l>0 else 'lower' if h<0 else 'open'
if __name__=='__main__':
    names,out=main(os.environ.get('ASSAY_DATA','data'))
    est={};wd=[]
    with open('answers.csv','w') as g:
        g.write('study,estimate,low,high,answer\n')
        for k in names:
            e,l,h=[round(float(v),4) for v in out[k]];est[k]=e;wd.append(h-l);g.write(f'{k},{e},{l},{h},{ans(l,h)}\n')
    json.dump({'studies':len(names),'mean_estimate':float(np.mean(list(est.values()))),'mean_width':float(np.mean(wd)),'estimates':est},open('results.json','w'),indent=1)
