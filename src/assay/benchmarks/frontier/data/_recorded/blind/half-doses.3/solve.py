import os,csv,glob,json
import numpy as np
VERB=os.environ.get('VERB')
NMAX=[40]
KAP=float(os.environ.get('KAP',40))
STEP=.125
def load(folder):
    S=[]
    for f in sorted(glob.glob(os.path.join(folder,'*.csv'))):
        R=list(csv.DictReader(open(f)));g=lambda k,t=float:np.array([t(r[k]) for r in R])
        x=np.log2(g('amount'))
        S.append(dict(n=os.path.basename(f)[:-4],mix=float(R[0]['mixed']),g=int(R[0]['grader']=='person'),b=np.array([r['arm']=='b' for r in R])*1,
           x=x,age=g('age'),N=g('trials',int),y=g('successes',int)))
    return S
def opt(f,x0,n=400,step=.2,tol=1e-3):
    x0=np.array(x0,float);m=len(x0);st=np.broadcast_to(step,(m,));X=[x0]+[x0+st[i]*np.eye(m)[i] for i in range(m)];F=[f(x) for x in X]
    it=0
    while it<n:
        o=np.argsort(F);X=[X[i] for i in o];F=[F[i] for i in o];c=np.mean(X[:-1],0)
        if F[-1]-F[0]<tol: break
        xr=2*c-X[-1];fr=f(xr);it+=1
        if fr<F[0]:
            xe=3*c-2*X[-1];fe=f(xe);it+=1;X[-1],F[-1]=(xe,fe) if fe<fr else (xr,fr)
        elif fr<F[-2]: X[-1],F[-1]=xr,fr
        else:
            xc=(c+X[-1])/2 if fr>=F[-1] else (c+xr)/2;fc=f(xc);it+=1
            if fc<min(F[-1],fr): X[-1],F[-1]=xc,fc
            else:
                X=[X[0]]+[(x+X[0])/2 for x in X[1:]];F=[F[0]]+[f(x) for x in X[1:]];it+=m
    i=int(np.argmin(F));return X[i],F[i]
# grids
LN=np.array([.003,.02,.05,.12,.18,.24,.30,.37]);UN=1-np.array([.003,.02,.05,.13,.21,.29,.37,.46])
KN=.42*1.25**np.arange(10)
SHAPE=os.environ.get('SHAPE','logit')
def F(z):
    if SHAPE=='probit':
        from math import erf
        return .5*(1+np.vectorize(erf)(z*.6/np.sqrt(2)))
    return 1/(1+np.exp(-z))
NP=161
PG=np.sin(np.linspace(.02,np.pi/2-.02,NP))**2
def pidx(P): return np.clip(np.rint((np.arcsin(np.sqrt(P))-.02)/(np.pi/2-.04)*(NP-1)),0,NP-1).astype(np.int64)
# noise parameters: logit pi (age mean), age slope, logit f, log rho prog, log rho pers, log rho spoiled extra
N0=np.array([-2.,.15,-.7,np.log(.01),np.log(.06),np.log(.03)]);NS=np.array([1.,.3,1.,1.,1.,1.])
class Noise:
    def __init__(o,v,pia,nmax=None):
        nmax=nmax or NMAX[0];o.v=v;o.pia=pia;f=1/(1+np.exp(-v[2]));o.T={}
        for g in (0,1):
            for sp in (0,1):
                rho=np.exp(v[3+g]) if not sp else np.exp(v[3+g])+np.exp(v[5])
                rho=min(rho,.9);th=(1-rho)/rho;P=PG*(f if sp else 1)
                j=np.arange(nmax)[:,None]
                c=lambda a:np.concatenate([np.zeros((1,a.shape[-1])),np.cumsum(np.log(a),0)])
                o.T[g,sp]=(c(P*th+j),c((1-P)*th+j),c(np.full((nmax,1),th)+j)[:,0])
    def pi(o,age): return o.pia[np.clip(np.rint(age),0,9).astype(int)]
    def table(o,d):
        y,n,g=d['y'],d['N'],d['g'];L=[]
        for sp in (0,1):
            a,b,c=o.T[g,sp];L.append(a[y]+b[n-y]-c[n][:,None])
        p=o.pi(d['age'])[:,None]
        return np.logaddexp(np.log1p(-p)+L[0],np.log(p)+L[1])
    def at(o,d,pi_,resp=False):  # pi_: (draws,batches)
        y,n,g=d['y'],d['N'],d['g'];L=[]
        for sp in (0,1):
            a,b,c=o.T[g,sp];L.append(a[y,pi_]+b[n-y,pi_]-c[n])
        p=o.pi(d['age'])
        t=np.logaddexp(np.log1p(-p)+L[0],np.log(p)+L[1])
        return (t,np.exp(np.log(p)+L[1]-t)) if resp else t
nL,nU,nK=len(LN),len(UN),len(KN);NC=nL*nU*nK
D=int(16/STEP)
off=np.arange(-D,D+1)*STEP
PALL=(LN[:,None,None,None]+(UN[None,:,None,None]-LN[:,None,None,None])*F(KN[:,None]*off)[None,None])
PI=pidx(PALL.reshape(NC,-1))          # combos x offset (x-m)
PIR=np.ascontiguousarray(PI[:,::-1])  # reversed: index increases with m
class Model:
    def __init__(o,S):
        o.S=S;o.noise=N0.copy();NMAX[0]=max(d['N'].max() for d in S)+1;o.pia=1/(1+np.exp(2.2-.35*(np.arange(10)-4.5)))
        nl=np.ones(nL);nl[:3]/=3;nl[3:]/=5;o.wL=nl/nl.sum();o.wU=o.wL.copy()
        k=np.exp(-.5*((np.log(KN)-.3)/.5)**2);o.wK=k/k.sum()
        o.cm,o.cs=0.,1.5
        # delta prior: c0,c1(mix),c2(mix(1-mix)*4), ln sd, kappa, ln null sd, logit p(non-null)
        o.e0=np.array([0,-.3,-.5,np.log(.7),.3,np.log(.06),.4,0.,0.]);o.es=np.array([.12,2.,2.,.7,.35,.35,.7,.6,.2]);o.e=o.e0.copy()
        o.fd=np.arange(-8,8.0001,.01)
        for d in S:
            d['c']=(d['x'].min()+d['x'].max())/2
            lo=np.floor((d['x'].min()-1.5)/STEP);hi=np.ceil((d['x'].max()+1.5)/STEP);d['mg']=np.arange(lo,hi+1)*STEP
    def logw(o): return (np.log(o.wL)[:,None,None]+np.log(o.wU)[:,None]+np.log(o.wK)).ravel()
    def grid(o,d,nz):
        tab=nz.table(d);G=len(d['mg']);A=[np.zeros((NC,G)),np.zeros((NC,G))]
        for j in range(len(d['x'])):
            # offset x-m ; reversed index r: off = D-r -> m=x-off; r=D-(x-m)/STEP
            r0=int(round(D-(d['x'][j]-d['mg'][0])/STEP))
            A[d['b'][j]]+=tab[j][PIR[:,r0:r0+G]]
        return A
    def like(o,d,nz,draws=0,rng=None):
        A,B=o.grid(d,nz);lw=o.logw();G=len(d['mg'])
        ma,mb=A.max(),B.max();c=A.max(1)+B.max(1)+lw;keep=c>c.max()-14
        A,B=A[keep],B[keep];lw=lw[keep]
        ra,rb=A.max(1),B.max(1);c=ra+rb+lw;cm=c.max();w=np.exp(c-cm)
        EA=np.exp(A-ra[:,None]);EB=np.exp(B-rb[:,None])
        pa=np.exp(-.5*((d['mg']-d['c']-o.cm)/o.cs)**2)/o.cs
        J=(EA*w[:,None]).T@EB*pa[:,None]       # (ma,mb)
        dl=np.arange(-(G-1),G)*STEP
        idx=(np.arange(G)[None,:]-np.arange(G)[:,None])+G-1
        l=np.bincount(idx.ravel(),J.ravel(),2*G-1)
        # correct for number of cells: the prior of m_b is given by delta, so no correction except range truncation
        ll=np.log(np.maximum(l,1e-300))+cm
        f=np.interp(o.fd,dl,ll,left=-700,right=-700)
        if not draws: return f
        pr=np.exp(o.lprior(d['mix'],o.e,dl_bin=dl))
        W=J*pr[idx];W/=W.sum()
        cell=rng.choice(G*G,draws,p=W.ravel());ia,ib=cell//G,cell%G
        pc=w[:,None]*EA[:,ia]*EB[:,ib];cs=np.cumsum(pc,0);u=rng.random(draws)*cs[-1]
        ci=np.where(keep)[0][(cs<u).sum(0).clip(max=len(cs)-1)]
        m=np.where(d['b'][None]==1,d['mg'][ib][:,None],d['mg'][ia][:,None])
        oi=np.rint((d['x'][None]-m)/STEP).astype(int)+D
        return f,(ci,d['mg'][ia]-d['c'],PI[ci[:,None],oi])
    def lprior(o,mix,e,dl=None,dl_bin=None):
        x=o.fd if dl_bin is None else dl_bin
        mu=e[0]+e[1]*mix+e[2]*4*mix*(1-mix)+e[7]*10*mix*(1-mix)*(1-2*mix)+e[8]*4*(mix**.5-mix);sd=np.exp(e[3])*max(mix,.02)**e[4];s0=np.exp(e[5]);p=1/(1+np.exp(-e[6]))
        if dl_bin is not None: s0=max(s0,STEP*.5);sd=max(sd,STEP*.5)
        return np.logaddexp(np.log1p(-p)-.5*(x/s0)**2-np.log(s0),np.log(p)-.5*((x-mu)/sd)**2-np.log(sd))-.9189
    def fit_e(o,Fs,mix,n=300):
        Fs=np.array(Fs);mx=Fs.max(1);E=np.exp(Fs-mx[:,None])
        mix=np.array(mix)[:,None]
        st=6;w=len(o.fd)//2;Ec=E[:,w%st::st];fc=o.fd[w%st::st][None]
        Ez=E[:,w-60:w+61];fz=o.fd[w-60:w+61]
        def f(e):
            mu=e[0]+e[1]*mix+e[2]*4*mix*(1-mix)+e[7]*10*mix*(1-mix)*(1-2*mix)+e[8]*4*(mix**.5-mix);sd=np.maximum(np.exp(e[3])*np.maximum(mix,.02)**e[4],.05);s0=min(max(np.exp(e[5]),.01),.25);p=1/(1+np.exp(-e[6]))
            c1=np.exp(-.5*((fc-mu)/sd)**2)/sd*st;c0=np.exp(-.5*(fz/s0)**2)/s0
            return -np.log((Ec*c1).sum(1)*p+(Ez@c0)*(1-p)+1e-300).sum()+.5*(((e-o.e0)/o.es)**2).sum()
        o.e,v=opt(f,o.e,n,.2,3e-3);o.lle=-v+mx.sum();return o.lle
    def fit(o,iters=9,draws=24):
        rng=np.random.default_rng(0);S=o.S
        for it in range(iters):
            sub=120 if it<5 else 400
            Ss=S if len(S)<=sub else [S[i] for i in np.linspace(0,len(S)-1,sub).astype(int)]
            nz=Noise(o.noise,o.pia);Fs=[];dr=[]
            for d in Ss:
                f,q=o.like(d,nz,draws,rng);Fs.append(f);dr.append(q)
            o.fit_e(Fs,[d['mix'] for d in Ss],250 if it<3 else 120)
            C=np.concatenate([q[0] for q in dr]);a=1.0/draws;n=len(Ss)
            iL,iU,iK=C//(nU*nK),(C//nK)%nU,C%nK
            pri=np.r_[np.full(3,.5),np.full(5,.3)]
            o.wL=(np.bincount(iL,minlength=nL)*a+pri);o.wU=(np.bincount(iU,minlength=nU)*a+pri)
            for w in (o.wL,o.wU): w[:3]*=.5/w[:3].sum();w[3:]*=.5/w[3:].sum()
            lk=np.log(KN)[iK];mu=lk.mean();sd=np.sqrt((lk.var()*n+4*.4**2)/(n+4));k=np.exp(-.5*((np.log(KN)-mu)/sd)**2);o.wK=k/k.sum()
            m=np.concatenate([q[1] for q in dr]);o.cm=m.mean();o.cs=np.sqrt((m.var()*n+4)/(n+4))
            sa=np.zeros(10);na=np.zeros(10)
            for d,q in zip(Ss,dr):
                r=nz.at(d,q[2],True)[1].mean(0);ag=np.clip(np.rint(d['age']),0,9).astype(int)
                np.add.at(sa,ag,r);np.add.at(na,ag,1)
            A=np.arange(10)-4.5
            def fl(v):
                p=1/(1+np.exp(-(v[0]+v[1]*A)));return -(sa*np.log(p)+(na-sa)*np.log(1-p)).sum()+.5*(((v-[-2.2,.3])/[1,.3])**2).sum()
            v,_=opt(fl,o.noise[:2],150,.2,1e-4);pl=1/(1+np.exp(-(v[0]+v[1]*A)));o.noise[:2]=v
            o.pia=(sa+KAP*pl)/(na+KAP)
            def fn(u):
                v=np.r_[o.noise[:2],u];z=Noise(v,o.pia);return -sum(z.at(d,q[2][:nd]).sum() for d,q in zip(Ss,dr))/nd+.5*(((v-N0)/NS)**2).sum()
            nd=8 if len(Ss)>200 else draws
            u,_=opt(fn,o.noise[2:],40 if it<3 else 25,.25,.02);o.noise[2:]=u
            if VERB: print(it,'ll %.2f'%o.lle,'noise',o.noise.round(2),'f %.2f'%(1/(1+np.exp(-o.noise[2]))),'rho',np.exp(o.noise[3:]).round(3),'e',o.e.round(2),'pi',o.pia.round(3),'wL',o.wL.round(3),'wU',o.wU.round(3),'k',mu.round(2),sd.round(2),'m',o.cm.round(2),o.cs.round(2),flush=True)
    def final(o):
        nz=Noise(o.noise,o.pia);Fs=[o.like(d,nz) for d in o.S]
        o.fit_e(Fs,[d['mix'] for d in o.S],500);o.fit_e(Fs,[d['mix'] for d in o.S],400);o.Fs=Fs;out=[]
        if VERB: print('final ll %.3f'%o.lle,o.e.round(2))
        for d,f in zip(o.S,Fs):
            q=f+o.lprior(d['mix'],o.e);q=np.exp(q-q.max());q/=q.sum();c=np.cumsum(q)
            lo,hi=np.interp([.025,.975],c,o.fd+.005)
            out.append(((q*o.fd).sum(),lo,hi))
        return out
def answer(lo,hi):
    if -.3<lo and hi<.3: return 'same'
    return 'higher' if lo>0 else 'lower' if hi<0 else 'open'
def main():
    S=load(os.environ.get('ASSAY_DATA') or 'data')
    o=Model(S);o.fit();out=o.final();E={}
    with open('answers.csv','w') as f:
        f.write('study,estimate,low,high,answer\n')
        for i,(d,(e,lo,hi)) in enumerate(zip(S,out)):
            e,lo,hi=round(float(e),5),round(float(lo),5),round(float(hi),5);E[d['n']]=e
            f.write(f"{d['n']},{e},{lo},{hi},{answer(lo,hi)}\n")
            if VERB and len(S)<50:
                q=np.exp(o.Fs[i]-o.Fs[i].max());q/=q.sum();m=(q*o.fd).sum();print(d['n'],'mix',d['mix'],'raw %.2f sd %.2f'%(m,np.sqrt((q*(o.fd-m)**2).sum())),'post',e,lo,hi,answer(lo,hi))
    W=[round(float(hi),5)-round(float(lo),5) for _,lo,hi in out]
    json.dump({"studies":len(S),"mean_estimate":float(np.mean(list(E.values()))),"mean_width":float(np.mean(W)),"estimates":E},open('results.json','w'),indent=1)
if __name__=='__main__': main()
