import csv,glob,os,json,time
import numpy as np
V=bool(os.environ.get('VERB'))
LAM=np.round(np.arange(.40,.961,.02),3);NL=len(LAM)
PHI=np.r_[0.,np.round(np.arange(.5,.981,.02),3)];NP=len(PHI);GR=np.where(PHI<.3,0,1)
def read(f):
    R=[r for r in csv.DictReader(open(f)) if r['load'] not in('',None)]
    return (np.array([int(r['hour']) for r in R]),np.array([1. if r['policy'].strip()=='tuned' else 0. for r in R]),np.array([float(r['load']) for r in R]))
def prep(f):
    h,p,y=read(f);n=len(y)
    s=np.empty((n,NL));c=np.full(NL,p[0])
    for i in range(n):
        c=LAM*c+(1-LAM)*p[i];s[i]=c
    w=2*np.pi*h/24
    # phase by a GLS fit with phi 0.8 (any weighting is consistent)
    X=np.column_stack([np.ones(n),np.cos(w),np.sin(w),s[:,NL*2//3]])
    b=np.linalg.lstsq(X[1:]-.8*X[:-1],y[1:]-.8*y[:-1],rcond=None)[0];psi=np.arctan2(b[2],b[1])
    y0=y-30
    A=np.empty((NL,n,5));A[...,0]=1;A[...,1]=np.cos(w-psi);A[...,2]=np.sin(w-psi);A[...,3]=s.T;A[...,4]=y0
    S00=np.einsum('lti,ltj->lij',A[:,1:],A[:,1:],optimize=True);S01=np.einsum('lti,ltj->lij',A[:,1:],A[:,:-1],optimize=True);S11=np.einsum('lti,ltj->lij',A[:,:-1],A[:,:-1],optimize=True)
    B=np.einsum('li,lj->lij',A[:,0],A[:,0])
    f=PHI[None,:,None,None]
    Q=S00[:,None]-f*(S01+S01.transpose(0,2,1))[:,None]+f*f*S11[:,None]+(1-f*f)*B[:,None]
    return n,Q   # (NL,NP,5,5)
def evid(n,Q,hy):
    """log evidence on the grid, posterior mean and cov of beta; hy: per group mu,smu,A,sA, sigma2"""
    pm=np.zeros((NP,4));pp=np.zeros((NP,4));
    for g in (0,1):
        k=GR==g;pm[k,0]=hy[g]['mu'];pp[k,0]=1/hy[g]['smu']**2;pm[k,1]=hy[g]['A'];pp[k,1]=1/hy[g]['sA']**2
    pp[:,2]=1/1.;pp[:,3]=1/100.
    # sigma2 plug-in: residual variance of the flat fit, shrunk
    G=Q[...,:4,:4];v=Q[...,:4,4];yy=Q[...,4,4]
    b=np.linalg.solve(G,v[...,None])[...,0];rss=yy-(v*b).sum(-1)
    s2b=np.array([hy[g]['s2'] for g in (0,1)])[GR];kk=np.array([hy[g]['k'] for g in (0,1)])[GR]
    s2=(rss+kk*s2b)/(n-4+kk)
    M=G/s2[...,None,None]+pp[None,:,None,:]*np.eye(4)
    r=v/s2[...,None]+(pp*pm)[None]
    C=np.linalg.inv(M);m=np.einsum('lpij,lpj->lpi',C,r)
    # inverse-gamma marginal over sigma approximated by student form around s2
    quad=yy/s2+(pp*pm*pm).sum(1)[None]-(r*m).sum(-1)
    ll=-.5*n*np.log(s2)-.5*quad-.5*np.linalg.slogdet(M)[1]+.5*np.log(pp).sum(1)[None]+.5*np.log(1-PHI**2)[None]-.5*kk*(np.log(s2/s2b)+s2b/s2)
    return ll,m,C,s2
def main(folder):
    t0=time.process_time()
    files=sorted(glob.glob(os.path.join(folder,'*.csv')));names=[os.path.splitext(os.path.basename(f))[0] for f in files]
    D=[prep(f) for f in files];N=len(D)
    if V: print('prep',time.process_time()-t0)
    hy=[dict(mu=0.,smu=1.,A=3.,sA=.3,s2=.42,k=20.) for _ in (0,1)]
    pl=[np.exp(-.5*((LAM-.75)/.08)**2) for _ in (0,1)]
    pl=[x/x.sum() for x in pl]
    ph=np.where(GR==0,.5,0.);x=np.exp(-.5*((PHI-.82)/.08)**2)*(GR==1);ph=ph+.5*x/x.sum()
    def npar(x,w,mu0,sd0,c):  # normal prior from weighted grid mass
        W=w.sum()+c;m=((w*x).sum()+c*mu0)/W;v=((w*(x-m)**2).sum()+c*sd0**2)/W;return m,np.sqrt(v)
    nit=14 if N<30 else 5
    for it in range(nit+1):
        wl=[np.zeros(NL),np.zeros(NL)];wp=np.zeros(NP);st=[[],[]];res=[]
        for n,Q in D:
            ll,m,C,s2=evid(n,Q,hy)
            lp=ll+np.log(ph+1e-300)[None]+np.where(GR[None]==0,np.log(pl[0]+1e-300)[:,None],np.log(pl[1]+1e-300)[:,None])
            w=np.exp(lp-lp.max());w/=w.sum()
            if it==nit: res.append((w,m[...,3],C[...,3,3]));continue
            wp+=w.sum(0)
            for g in (0,1):
                wg=w*(GR==g)[None];W=wg.sum()
                if W<1e-6: continue
                wl[g]+=wg.sum(1)
                e0=(wg*m[...,0]).sum()/W;v0=(wg*(C[...,0,0]+(m[...,0]-e0)**2)).sum()/W
                e1=(wg*m[...,1]).sum()/W;v1=(wg*(C[...,1,1]+(m[...,1]-e1)**2)).sum()/W
                st[g].append((W,e0,v0,e1,v1,(wg*np.log(s2)).sum()/W,n))
        if it==nit: break
        c=1.
        for g in (0,1):
            if not st[g]: continue
            a=np.array(st[g]);W=a[:,0];T=W.sum()
            mu=(W*a[:,1]).sum()/(T+.3);hy[g]['mu']=mu;hy[g]['smu']=max(np.sqrt(((W*((a[:,1]-mu)**2+a[:,2])).sum()+c*.2**2)/(T+c)),.01)
            A=((W*a[:,3]).sum()+.3*3)/(T+.3);hy[g]['A']=A;hy[g]['sA']=max(np.sqrt(((W*((a[:,3]-A)**2+a[:,4])).sum()+c*.1**2)/(T+c)),.01)
            ls=(W*a[:,5]).sum()/T;hy[g]['s2']=np.exp(ls)
            m,s=npar(LAM,wl[g],.75,.05,2*c);s=max(s,.006);x=np.exp(-.5*((LAM-m)/s)**2);pl[g]=x/x.sum();hy[g]['lam']=(m,s)
        # residual spread of log s2 beyond sampling -> k
            vv=max((W*(a[:,5]-ls)**2).sum()/T-2/a[:,6].mean()*.8,1e-4) if T>30 else .02
            hy[g]['k']=min(2/vv,3000.)
        k=GR==1;m,s=npar(PHI[k],wp[k],.82,.05,2*c);s=max(s,.008);x=np.exp(-.5*((PHI-m)/s)**2)*k;f0=(wp[0]+1)/(wp.sum()+2)
        ph=np.where(GR==0,f0,0)+(1-f0)*x/x.sum();hy[1]['phi']=(m,s)
        if V and it in(0,3,7,nit-1): print(it,[{a:np.round(b,4) for a,b in q.items()} for q in hy],'f0',f0,time.process_time()-t0)
    # stage 2: every study has one clear group; hyperparameters by direct maximisation of the evidence
    if N>=30:
        grp=[];sub=[]
        for (n,Q),(w,_,_) in zip(D,res):
            g=int(w[:,GR==1].sum()>.5);wg=w*(GR==g)[None];wg=wg/wg.max()
            li=np.nonzero(wg.max(1)>1e-8)[0];pi=np.nonzero(wg.max(0)>1e-8)[0]
            li=np.arange(max(li[0]-1,0),min(li[-1]+2,NL));pi=np.arange(max(pi[0]-1,1 if g else 0),min(pi[-1]+2,NP if g else 1))
            grp.append(g);sub.append((n,Q[np.ix_(li,pi)],li,pi))
        grp=np.array(grp);G2=[np.nonzero(grp==0)[0],np.nonzero(grp==1)[0]]
        def ev1(i,H):
            n,Q,li,pi=sub[i];f=PHI[pi]
            pm=np.array([H['mu'],H['A'],0,0]);pp=np.array([1/H['smu']**2,1/H['sA']**2,1.,.01])
            G=Q[...,:4,:4];v=Q[...,:4,4];yy=Q[...,4,4]
            b=np.linalg.solve(G,v[...,None])[...,0];rss=yy-(v*b).sum(-1)
            s2=(rss+H['k']*H['s2'])/(n-4+H['k'])
            M=G/s2[...,None,None]+np.diag(pp);r=v/s2[...,None]+pp*pm
            C=np.linalg.inv(M);m=(C@r[...,None])[...,0]
            quad=yy/s2+(pp*pm*pm).sum()-(r*m).sum(-1)
            ll=-.5*n*np.log(s2)-.5*quad+.5*np.log(np.linalg.det(C))+.5*np.log(pp).sum()+.5*np.log(1-f**2)[None]-.5*H['k']*(np.log(s2/H['s2'])+H['s2']/s2)
            return ll,m,C
        def lpri(H,g):
            x=-.5*((LAM-H['lm'])/H['ls'])**2;x=x-np.log(np.exp(x).sum())
            if g==0: return x,np.zeros(NP)
            z=np.where(GR==1,-.5*((PHI-H['pm'])/H['ps'])**2,-1e9);z=z-np.log(np.exp(z).sum());return x,z
        def lse(v): m=v.max();return m+np.log(np.exp(v-m).sum())
        def total(H,g,cache=None):
            x,z=lpri(H,g);t=0.
            for j,i in enumerate(G2[g]):
                ll=ev1(i,H)[0] if cache is None else cache[j]
                t+=lse(ll+x[sub[i][2]][:,None]+z[sub[i][3]][None])
            return t
        lnk=1/np.array([2.])
        H=[dict(mu=hy[0]['mu'] if len(G2[0]) else hy[1]['mu'],smu=.08,A=hy[0]['A'],sA=.05,s2=hy[g]['s2'],k=hy[g]['k'],lm=hy[0]['lam'][0] if 'lam' in hy[0] else .75,ls=.03,pm=hy[1].get('phi',(.82,.05))[0],ps=hy[1].get('phi',(.82,.05))[1]) for g in (0,1)]
        def both(H): return sum(total(H[g],g) for g in (0,1) if len(G2[g]))
        def setk(H,gs,**kw):
            R=[dict(h) for h in H]
            for g in gs: R[g].update(kw)
            return R
        def search1(H,gs,key,cands):
            best=None
            for c in cands:
                t=sum(total(dict(H[g],**{key:c}),g) for g in gs if len(G2[g]))
                if best is None or t>best[0]: best=(t,c)
            return setk(H,gs,**{key:best[1]}),best[0]
        def quadm(H,gs,key,d):
            c=H[gs[0]][key];T=[sum(total(dict(H[g],**{key:c+o}),g) for g in gs if len(G2[g])) for o in (-d,0,d)]
            cv=T[0]-2*T[1]+T[2];x=c
            if cv<0: x=c+np.clip(.5*d*(T[0]-T[2])/cv,-3*d,3*d)
            return setk(H,gs,**{key:x})
        def lamphi(H,gs):
            ca=[[ev1(i,H[g])[0] for i in G2[g]] for g in (0,1)]
            best=None
            for lm in np.arange(.6,.9,.01):
                if abs(lm-H[gs[0]]['lm'])>.045: continue
                for ls in (.012,.02,.025,.03,.035,.04,.05,.07,.1):
                    t=sum(total(dict(H[g],lm=lm,ls=ls),g,ca[g]) for g in gs if len(G2[g]))
                    if best is None or t>best[0]: best=(t,lm,ls)
            H=setk(H,gs,lm=best[1],ls=best[2])
            if 1 in gs and len(G2[1]):
                b2=None
                for pm_ in H[1]['pm']+np.arange(-.03,.031,.01):
                    for ps in (.012,.02,.03,.04,.05,.06,.08,.1):
                        t=total(dict(H[1],pm=pm_,ps=ps),1,ca[1])
                        if b2 is None or t>b2[0]: b2=(t,pm_,ps)
                H=setk(H,[1],pm=b2[1],ps=b2[2])
            return H
        SM=(.004,.03,.06,.1,.15,.22,.35,.6)
        for rnd in (0,1):
            H=quadm(H,[0,1],'mu',.02);H,_=search1(H,[0,1],'smu',SM)
            H=quadm(H,[0,1],'A',.02);H,_=search1(H,[0,1],'sA',(.004,.03,.06,.1,.2,.4))
            H=lamphi(H,[0,1])
            if V: print('pooled',H,both(H),time.process_time()-t0)
        T0=both(H)
        if len(G2[0]) and len(G2[1]):
            K=[dict(h) for h in H]
            for g in (0,1):
                K=quadm(K,[g],'mu',.03);K,_=search1(K,[g],'smu',SM);K=quadm(K,[g],'mu',.03)
            T1=both(K)
            if V: print('separate mu gain',T1-T0,K[0]['mu'],K[0]['smu'],K[1]['mu'],K[1]['smu'])
            if T1>T0+3: H=K;T0=T1
            K=lamphi(lamphi(H,[0]),[1]);T1=both(K)
            if V: print('separate lam gain',T1-T0,K[0]['lm'],K[0]['ls'],K[1]['lm'],K[1]['ls'])
            if T1>T0+6: H=K;T0=T1
        res=[]
        for i in range(N):
            g=grp[i];ll,m,C=ev1(i,H[g]);x,z=lpri(H[g],g);lp=ll+x[sub[i][2]][:,None]+z[sub[i][3]][None];w=np.exp(lp-lp.max());w/=w.sum();res.append((w,m[...,3],C[...,3,3]))
        if V: print('stage 2',time.process_time()-t0)
    # theta
    g=np.arange(-15,15.001,.02);L=[];dens=[]
    for w,m,C in res:
        k=w>1e-6;ww=w[k]/w[k].sum();mm=m[k];sd=np.sqrt(C[k])
        e=(ww*mm).sum();s=np.sqrt((ww*(sd**2+(mm-e)**2)).sum())
        x=np.linspace(e-6*s,e+6*s,801);d=(ww[:,None]/sd[:,None]*np.exp(-.5*((x-mm[:,None])/sd[:,None])**2)).sum(0)
        d=d*np.exp(.5*x*x/100);d/=d.sum()*(x[1]-x[0])  # remove the working prior
        dens.append((x,d));L.append(np.interp(g,x,d,left=0,right=0))
    L=np.array(L)
    S=[]
    for t in np.arange(1,6.1,.25):
        for c in (np.arange(-1,1.01,.25) if N>60 else (0,)): S.append(np.exp(-.5*((g-c)/t)**2)/t/np.sqrt(2*np.pi))
    for B in np.arange(2,10.1,.2): S.append((np.abs(g)<=B)/(2*B))
    S=np.array(S);S=.97*S+.03*np.exp(-.5*(g/4)**2)/4/np.sqrt(2*np.pi)
    ll=np.log(L@S.T*.02+1e-300).sum(0);q=np.exp(ll-ll.max());q/=q.sum();prior=q@S
    if V: print('prior sd',np.sqrt((prior*g*g).sum()*.02),'mean',(prior*g).sum()*.02,ll.argmax(),len(ll))
    out={}
    for k,(x,d) in zip(names,dens):
        w=d*np.interp(x,g,prior);c=np.cumsum(w);c=(c-w/2)/c[-1];out[k]=np.interp([.5,.025,.975],c,x)
    if V: print('done',time.process_time()-t0)
    return names,out
def ans(l,h,m=.8):
    if l>-m and h<m: return 'same'
    return 'higher' if l>0 else 'lower' if h<0 else 'open'
if __name__=='__main__':
    names,out=main(os.environ.get('ASSAY_DATA','data'))
    est={};wd=[]
    with open('answers.csv','w') as f:
        f.write('study,estimate,low,high,answer\n')
        for k in names:
            e,l,h=[round(float(v),4) for v in out[k]];est[k]=e;wd.append(h-l);f.write(f'{k},{e},{l},{h},{ans(l,h)}\n')
    json.dump({'studies':len(names),'mean_estimate':float(np.mean(list(est.values()))),'mean_width':float(np.mean(wd)),'estimates':est},open('results.json','w'),indent=1)
