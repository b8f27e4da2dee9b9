import numpy as np,glob,csv,os,json,sys
TAU=np.exp(np.linspace(np.log(3),np.log(18),24));SS=np.exp(np.linspace(np.log(8),np.log(50),32))
GT,GS=[z.ravel() for z in np.meshgrid(TAU,SS,indexing='ij')]
K=160
EG=np.arange(-45,45.01,.1)
def suff(st):
    n,a,b,c,k=st
    a=a-60;b=b-60
    v=GS[:,None]**2/n[None];A=GT[:,None]**2+v;B=(GT**2)[:,None]
    det=v*(v+2*B);i11=A/det;i12=-B/det
    o=np.ones_like(n)
    s11=i11.sum(1);s12=i12.sum(1);P=np.empty((len(GT),4,4))
    # params mu,d,e,b ; X1=(1,0,0,0) X2=(1,1,c,k)
    X2=np.stack([o,o,c,k],1)
    XX=np.einsum('ni,nj->nij',X2,X2).reshape(len(n),16)
    P=(i11@XX).reshape(-1,4,4)
    t=i12@X2
    P[:,0,:]+=t;P[:,:,0]+=t;P[:,0,0]+=s11
    q=i11@(X2*b[:,None])+i12@(X2*a[:,None])
    q[:,0]+=i11@a+i12@b
    C=-.5*np.log(det).sum(1)-.5*(i11@(a*a+b*b)+2*i12@(a*b))
    # REML-like ranking with weak prior
    Pr=P+np.diag([1/4.,1/25,1/900,1/25]);h=q+np.array([0,0,0,7/25.])
    L=C+.5*np.einsum('gi,gi->g',h,np.linalg.solve(Pr,h[...,None])[...,0])-.5*np.linalg.slogdet(Pr)[1]
    ix=np.argsort(-L)[:K]
    return P[ix],q[ix],C[ix],np.log(GT[ix]),np.log(GS[ix])
def load(d):
    names=[];S=[]
    for f in sorted(glob.glob(os.path.join(d,'*.csv'))):
        r=list(csv.DictReader(open(f)))
        g=lambda k:np.array([float(x[k]) for x in r])
        S.append((g('size'),g('first'),g('second'),np.array([x['coached']=='yes' for x in r])*1.,np.array([x['marker']=='coach' for x in r])*1.));names.append(os.path.basename(f)[:-4])
    return names,S
def smooth_k(h):
    m=max(1,int(round(4*h/.1)));x=np.arange(-m,m+1)*.1;k=np.exp(-.5*(x/h)**2);return k/k.sum()
def npm(L,h,wide,it=60):
    J=len(L);g=wide.copy();k=smooth_k(h)
    for _ in range(it):
        p=L*g;p/=p.sum(1,keepdims=True)
        m=np.convolve(np.pad(p.mean(0),len(k)),k,'same')[len(k):-len(k)]
        g=(J*m+6*wide)/(J+6);g/=g.sum()
    return g
def solve(S,verbose=False):
    J=len(S);T=[suff(s) for s in S];P,q,C,lt,ls=[np.stack([t[i] for t in T]) for i in range(5)]
    # hyper: means, vars of mu-60,d,b ; lt, ls
    m=np.array([0,0,0,7.]);W=np.array([1.,6.,900.,4.]);W0=np.array([.1,4.,900.,3.]);m0=m.copy()
    hm=np.array([np.log(9),np.log(22)]);hv=np.array([.06,.03]);hm0=hm.copy();hv0=hv.copy()
    nu=3.
    for it in range(60):
        Pr=P+np.diag(1/W);h=q+m/W
        V=np.linalg.inv(Pr);be=np.einsum('jgab,jgb->jga',V,h)
        lw=C+.5*(h*be).sum(-1)+.5*np.linalg.slogdet(V)[1]-.5*(lt-hm[0])**2/hv[0]-.5*(ls-hm[1])**2/hv[1]
        w=np.exp(lw-lw.max(1,keepdims=True));w/=w.sum(1,keepdims=True)
        if it==59:break
        E1=np.einsum('jg,jga->ja',w,be);vd=np.einsum('jgaa->jga',V)
        nm_=(E1.sum(0)+m0*1)/(J+1);
        E2=np.einsum('jg,jga->ja',w,(be-nm_)**2+vd)
        nW=(E2.sum(0)+nu*W0)/(J+nu)
        for i in(0,1,3):m[i]=nm_[i];W[i]=max(W[i]*(nW[i]/W[i])**(2.5 if it>5 else 1),.003)
        for i,l in enumerate((lt,ls)):
            hm[i]=((w*l).sum()+hm0[i])/(J+1);hv[i]=((w*(l-hm[i])**2).sum()+nu*hv0[i])/(J+nu)
    if verbose:print('mu,d,e,b',m.round(3),np.sqrt(W).round(3),'tau,s',np.exp(hm),np.sqrt(hv))
    solve.dbg=(w,be,V,m.copy(),W.copy())
    eb=be[...,2];ev=V[...,2,2]
    # remove effect prior (N(0,900)) to get likelihood
    L=np.empty((J,len(EG)))
    for j in range(J):
        L[j]=((w[j]/np.sqrt(ev[j]))[:,None]*np.exp(-.5*(EG-eb[j][:,None])**2/ev[j][:,None])).sum(0)*np.exp(.5*EG**2/900)
    L/=L.max(1,keepdims=True)
    em=(w*eb).sum(1);mm=em.mean();sd=max(em.std(),3)
    if J<40:sd*=1.15
    wide=np.exp(-.5*((EG-mm)/sd)**2)+.02*np.exp(-.5*((EG-mm)/(2*sd))**2);wide/=wide.sum()
    cl=np.array([(np.median(s[0])>15)*2+(len(s[0])>110) for s in S])
    if J<40:
        G=np.repeat(wide[None],J,0);
    else:
        fold=np.random.default_rng(0).permutation(J)%5
        def unif(tr):
            # soft-edged uniform, bounds by maximum likelihood
            cs=np.cumsum(np.pad(L[tr],((0,0),(1,0))),1)
            def f(l,u):
                i=int(round((l+45)/.1));k=int(round((u+45)/.1))
                if k-i<10 or i<0 or k>len(EG):return -1e9
                return np.log(cs[:,k]-cs[:,i]+1e-9*cs[:,-1]).sum()-tr.sum()*np.log(k-i)
            l,u=mm-1.73*sd,mm+1.73*sd;st=2.;cur=f(l,u)
            while st>.05:
                imp=False
                for dl,du in((st,0),(-st,0),(0,st),(0,-st)):
                    z=f(l+dl,u+du)
                    if z>cur+1e-6:l,u,cur,imp=l+dl,u+du,z,True
                if not imp:st/=2
            g=((EG>=l)&(EG<=u))*1.
            k=smooth_k(.4);g=np.convolve(np.pad(g,len(k)),k,'same')[len(k):-len(k)];g/=g.sum()
            g=.985*g+.015*wide
            return g
        def build(tr,c):
            kind,h,cl_=c
            fit=(lambda t,h,base:unif(t)) if kind=='u' else (lambda t,h,base:wide_fit(t)) if kind=='g' else (lambda t,h,base:npm(L[t],h,base))
            g=fit(tr,h,wide);out={}
            for k in range(4):
                t=tr&(cl==k)
                if not cl_ or t.sum()<15:out[k]=g
                else:out[k]=.85*fit(t,h*1.4,g)+.15*g
            return out
        def wide_fit(t):
            g0=wide.copy()
            for _ in range(40):
                p=L[t]*g0;p/=p.sum(1,keepdims=True);p=p.mean(0);mu_=(p*EG).sum();s_=np.sqrt((p*(EG-mu_)**2).sum())
                g0=np.exp(-.5*((EG-mu_)/s_)**2)+1e-8;g0/=g0.sum()
            return g0
        best=None
        cands=[('u',0,0),('g',0,0),('n',6,0),('n',3,0),('n',1.5,0),('n',.8,0),('n',.4,0),('n',.15,0),('u',0,1),('g',0,1),('n',1.5,1),('n',.8,1),('n',.15,1)]
        for c in cands:
            sc=0
            for f in range(5):
                o=build(fold!=f,c)
                for j in np.where(fold==f)[0]:sc+=np.log((L[j]*o[cl[j]]).sum())
            if verbose:print('cv',c,round(sc,2))
            if best is None or sc>best[0]+1:best=(sc,c)
        if verbose:print(best)
        o=build(np.ones(J,bool),best[1]);G=np.stack([o[c] for c in cl])
    p=L*G;p/=p.sum(1,keepdims=True);cd=np.cumsum(p,1)
    res=[]
    for j in range(J):
        f=lambda u:float(np.interp(u,cd[j],EG+.05))
        res.append(((p[j]*EG).sum(),f(.025),f(.975)))
    return np.array(res),em
def answer(lo,hi):
    if lo>-5 and hi<5:return 'same'
    return 'higher' if lo>0 else 'lower' if hi<0 else 'open'
if __name__=='__main__':
    names,S=load(os.environ.get('ASSAY_DATA') or 'data')
    R,_=solve(S,True)
    R=np.round(R,3)
    with open('answers.csv','w') as f:
        f.write('study,estimate,low,high,answer\n')
        for nme,r in zip(names,R):f.write('%s,%.3f,%.3f,%.3f,%s\n'%(nme,*r,answer(r[1],r[2])))
    json.dump({'studies':len(names),'mean_estimate':float(R[:,0].mean()),'mean_width':float((R[:,2]-R[:,1]).mean()),'estimates':{a:float(b) for a,b in zip(names,R[:,0])}},open('results.json','w'),indent=1)
