import csv,glob,json,os,sys,numpy as np
D=os.environ.get('ASSAY_DATA','data'); MARGIN=2.5; LK=int(os.environ.get('LK','1')); CT=int(os.environ.get('CT','1'))
def load(f):
    R=list(csv.DictReader(open(f))); sh=sorted(set(r['shop'] for r in R)); ix={s:i for i,s in enumerate(sh)}
    shop=np.array([ix[r['shop']] for r in R]); post=np.array([int(r['day'])>=0 for r in R])*1.; y=np.array([float(r['spend']) for r in R])
    card=np.unique(np.array([ix[r['shop']]*1000000+int(r['shopper']) for r in R]),return_inverse=True)[1]
    W=np.zeros(len(sh)); 
    for r in R: W[ix[r['shop']]]=r['layout']=='new'
    # per card stats
    nc=card.max()+1; n=np.bincount(card,minlength=nc).astype(float); sp=np.bincount(card,post,nc); sy=np.bincount(card,y,nc); cs=np.zeros(nc,int); cs[card]=shop
    S=len(sh); b=lambda v:np.bincount(shop,v,S)
    return dict(S=S,W=W,n=n,sp=sp,sy=sy,cs=cs,N=len(y),raw=(b(np.ones(len(y))),b(post),b(y),b(post*y),b(y*y)))
def gls(d,s2e,s2b):
    """per shop estimates (a,c), their covariance, and REML log-likelihood"""
    S=d['S']; rho=s2b/(s2e+d['n']*s2b); q=lambda u,v:np.bincount(d['cs'],rho*u*v,S); n0,n1,y0,y1,yy=d['raw']
    A=np.empty((S,2,2)); A[:,0,0]=n0-q(d['n'],d['n']); A[:,0,1]=A[:,1,0]=n1-q(d['n'],d['sp']); A[:,1,1]=n1-q(d['sp'],d['sp'])
    h=np.stack([y0-q(d['n'],d['sy']),y1-q(d['sp'],d['sy'])],-1); A/=s2e;h/=s2e
    A=A+1e-6*np.eye(2)
    V=np.linalg.inv(A); e=np.einsum('sij,sj->si',V,h); Q=(yy-q(d['sy'],d['sy'])).sum()/s2e-(e*h).sum()
    ll=-.5*(Q+np.linalg.slogdet(A)[1].sum()+(d['N'])*np.log(s2e)+np.log1p(d['n']*s2b/s2e).sum())
    return e,V,ll
GU=np.array([0,.4,.8,1.2,1.6,2,2.5,3,3.6,4.5]); GE=np.array([0,.4,.8,1.2,1.6,2,2.5,3,3.6,4.5,5.5])
G=np.array([(u,e) for u in GU for e in GE]); TM=np.arange(-12,12.01,.6); TS=.4
def run(D,verbose=False):
    files=sorted(glob.glob(os.path.join(D,'*.csv'))); N=len(files); L=[load(f) for f in files]
    SE=np.arange(1.4,3.01,.1); SB=np.array([0,.5,.8,1,1.2,1.4,1.6,1.8,2,2.3,2.6,3])
    ll=np.array([[[gls(d,a*a,b*b)[2] for b in SB] for a in SE] for d in L[:100]]); 
    tot=ll.sum(0); # per-study vs common: EB grid prior
    pr=np.ones(tot.shape)/tot.size
    lf=ll.reshape(len(ll),-1); pr=pr.ravel()
    for _ in range(60):
        w=np.exp(lf-lf.max(1,keepdims=True))*pr; w/=w.sum(1,keepdims=True); pr=(w.sum(0)+3/len(pr))/(len(ll)+3)
    P2=pr.reshape(tot.shape)
    if verbose: print('sde',dict(zip(SE.round(1),P2.sum(1).round(2))),'sdb',dict(zip(SB,P2.sum(0).round(2))))
    top=np.argsort(-pr)[:40]; cand=[(SE[i//len(SB)],SB[i%len(SB)]) for i in top]; lp=np.log(pr[top])
    st=[]
    for d in L:
        l=np.array([gls(d,a*a,b*b)[2] for a,b in cand])+lp; w=np.exp(l-l.max()); w/=w.sum()
        s2e=sum(x*a*a for x,(a,b) in zip(w,cand)); s2b=sum(x*b*b for x,(a,b) in zip(w,cand))
        e,V,_=gls(d,s2e,s2b); a=e[:,0]; ok=V[:,0,0]<50
        om=max(4.,a[ok].var(ddof=1)-V[ok,0,0].mean()); mu=a[ok].mean(); r=V[:,0,0]/(om+V[:,0,0])
        c=e[:,1]-V[:,0,1]/V[:,0,0]*r*(a-mu); v=V[:,1,1]-V[:,0,1]**2/(V[:,0,0]+om); x=(1-r)*(a-mu); x=(x-x.mean())
        st.append((c,v,x,d['W'],(s2e,s2b)))
    big=np.array([d['S']>=16 for d in L]).astype(int)
    cls=[(u,e,0.) for u in GU for e in GE]
    if CT: cls+=[(u,e,o) for u in (.4,1.2) for e in (.4,) for o in (3.,5.)]
    cls=np.array(cls); nC=len(cls); EPS=.12
    hm=np.zeros(3); hs=np.array([1.2,.1,.1]); wc=np.ones((2,nC))
    wc[:,cls[:,2]==0]/=(cls[:,2]==0).sum(); wc[:,cls[:,2]>0]/=max((cls[:,2]>0).sum(),1); wc/=wc.sum(1,keepdims=True)
    wt=np.ones(len(TM))/len(TM); ent=[]
    for c,v,x,W,_ in st:
        S=len(c); conf=[()]+[(i,) for i in range(S)]+[(i,j) for i in range(S) for j in range(i)]
        cz=np.zeros((len(conf),S))
        for k,q in enumerate(conf): cz[k,list(q)]=1
        nk=cz.sum(1); lpc=nk*np.log(EPS)+(S-nk)*np.log(1-EPS); lpc-=np.log(np.exp(lpc).sum())
        g0=cls[cls[:,2]==0]; i0=np.where(cls[:,2]==0)[0]
        U2=[np.repeat(g0[:,:1]**2,S,1)];E=[g0[:,1]];I=[i0];P=[np.zeros(len(i0))]
        for k in np.where(cls[:,2]>0)[0]:
            u,e,o=cls[k]; U2.append(u*u+cz*o*o); E.append(np.full(len(conf),e)); I.append(np.full(len(conf),k)); P.append(lpc)
        ent.append([np.concatenate(U2),np.concatenate(E)**2,np.concatenate(I),np.concatenate(P),None])
    OUT=int(os.environ.get('IT','4'))
    for it in range(OUT):
        P0=np.diag(1/np.r_[hs[0],hs[1],20.,hs[2]]**2); m0=np.r_[hm[0],hm[1],0,hm[2]]; lP0=np.linalg.slogdet(P0)[1]
        res=[]
        for i,(c,v,x,W,_) in enumerate(st):
            X=np.c_[np.ones(len(c)),x,W,W*x]; S=len(c); U2,E2,I,PL,best=ent[i]
            var=v[None]+U2+W[None]*E2[:,None]; iv=1/var
            XX=(X[:,:,None]*X[:,None,:]).reshape(S,16)
            Pm=(iv@XX).reshape(-1,4,4)+P0; h=(iv*c)@X+P0@m0; Cv=np.linalg.inv(Pm); m=np.einsum('gij,gj->gi',Cv,h)
            LL=-.5*(np.log(var).sum(1)+(iv*c*c).sum(1)+m0@P0@m0-(m*h).sum(1)-np.log(np.maximum(np.linalg.det(Cv),1e-300))-lP0)+PL
            f=W*E2[:,None]*iv; ell=np.zeros((len(E2),4)); ell[:,2]=1; ell-=(f@X)/S; k0=(f@c)/S; ex=(E2[:,None]*(1-f)).sum(1)/S**2
            mS=k0+(ell*m).sum(1); cS=np.einsum('gij,gj->gi',Cv,ell); vS=(ell*cS).sum(1)+ex; Tv=Cv[:,2,2]; B=cS[:,2]/Tv
            vl=1/(1/Tv-1/400); tl=m[:,2]/Tv*vl; lc=LL+.5*np.log(400+vl)+.5*tl**2/(400+vl)
            vk=vl[:,None]+TS**2; base=lc[:,None]-.5*np.log(vk)-.5*(tl[:,None]-TM)**2/vk
            mx=base.max(); ex_=np.exp(base-mx)
            keep=ex_.max(1)>1e-9   # prune
            if it==0 and keep.sum()<len(keep): ent[i]=[U2[keep],E2[keep],I[keep],PL[keep],None]
            L2=np.zeros((nC,len(TM))); np.add.at(L2,I,ex_)
            res.append((L2,ex_,I,m[:,[0,1,3]],np.stack([Cv[:,0,0],Cv[:,1,1],Cv[:,3,3]],-1),tl,vl,mS-B*m[:,2],B,np.maximum(vS-B*B*Tv,1e-9)))
        LT=np.stack([r[0] for r in res])
        for inner in range(20):
            R=LT*wt*wc[big][:,:,None]; R/=R.sum((1,2),keepdims=True); Rg=R.sum(2)
            pool=(Rg.sum(0)+4/nC)/(N+4)
            for b in (0,1):
                s=big==b; wc[b]=(Rg[s].sum(0)+15*pool)/(s.sum()+15)
            wt=R.sum((0,1))+3/len(TM); wt/=wt.sum(); k=np.convolve(np.r_[wt[0],wt,wt[-1]],[.05,.9,.05],'valid'); wt=k/k.sum()
        H1=[];H2=[]
        for i,r in enumerate(res):
            w=(r[1]@wt)*wc[big[i]][r[2]]; w/=w.sum(); H1.append(w@r[3]); H2.append(w@(r[4]+r[3]**2))
        H1=np.array(H1);H2=np.array(H2)
        if it<OUT-1:
            hm=H1.sum(0)/(N+3); hs=np.sqrt((np.maximum(H2.sum(0)-2*hm*H1.sum(0)+N*hm**2,0)+3*np.array([1.2,.08,.08])**2)/(N+3))
    if verbose:
        np.set_printoptions(linewidth=200,suppress=True)
        print('obj',np.log((LT*wt*wc[big][:,:,None]).sum((1,2))).sum()); print('gamma,lambda,kappa mean',hm.round(3),'sd',hs.round(3)); print('tau',dict(zip(TM.round(2).tolist(),wt.round(3).tolist())))
        print('gauss',pool[:110].sum().round(3)); print(pool[:110].reshape(len(GU),-1).round(3)); print(np.c_[cls[110:],pool[110:].round(3)].tolist())
    out=[]
    from math import erf
    t=np.linspace(-6,6,241); cdf=np.array([.5*(1+erf(z/2**.5)) for z in t])
    for i,rs in enumerate(res):
        L2,ex_,I,_,_,tl,vl,A,B,C=rs
        w=ex_*wt*wc[big[i]][I][:,None]; w/=w.sum(); pv=1/(1/vl+1/TS**2)[:,None]; pm=pv*((tl/vl)[:,None]+TM/TS**2)
        mu=A[:,None]+B[:,None]*pm; sd=np.sqrt(C[:,None]+B[:,None]**2*pv)+0*mu
        k=w>1e-6; r=w[k]/w[k].sum(); m=mu[k]; s=sd[k]; e=(r*m).sum(); V=np.sqrt((r*(s*s+m*m)).sum()-e*e)
        zz=e+V*np.linspace(-6,6,121); F=np.array([(r*np.interp((z-m)/s,t,cdf)).sum() for z in zz])
        lo,hi=np.interp([.025,.975],F,zz)
        out.append((os.path.basename(files[i])[:-4],float(e),float(lo),float(hi)))
    return out
def answer(lo,hi):
    if lo>-MARGIN and hi<MARGIN: return 'same'
    return 'higher' if lo>0 else 'lower' if hi<0 else 'open'
if __name__=='__main__':
    out=run(D,verbose='-v' in sys.argv)
    with open('answers.csv','w') as f:
        f.write('study,estimate,low,high,answer\n')
        for n,e,lo,hi in out: f.write(f'{n},{e:.4f},{lo:.4f},{hi:.4f},{answer(round(lo,4),round(hi,4))}\n')
    E=[round(o[1],4) for o in out]
    json.dump({'studies':len(out),'mean_estimate':float(np.mean(E)),'mean_width':float(np.mean([round(o[3],4)-round(o[2],4) for o in out])),'estimates':{o[0]:e for o,e in zip(out,E)}},open('results.json','w'),indent=1)
