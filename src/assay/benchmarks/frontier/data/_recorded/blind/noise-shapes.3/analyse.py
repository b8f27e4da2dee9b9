import sys,json,time
from eng import *
for nu in (1.25,1.75,2.25): FAM['t%g'%nu]=t(nu)
for a in (.9,1.1): FAM['beta%g'%a]=beta(a)
FAM.update({'cn%g_8'%e:cn(e,8) for e in (.1,.15,.2)})
for k in (1.05,1.2,1.35): FAM['gam%g'%k]=gam(k); FLIP.add('gam%g'%k)
for k in (1.05,1.15): FAM['wei%g'%k]=wei(k); FLIP.add('wei%g'%k)
BASE=['uniform','expo','t2','normal']
CAND=[['uniform','beta0.9','beta1.1','beta1.2','gg20'],
 ['expo','gam1.05','wei1.05','gam1.5','wei0.9','gam0.9','gam1.1','gam1.2','gam1.35','wei1.1','wei1.15','wei1.25','logn0.8','halfn'],
 ['t2','cn0.1_8','cn0.15_8','cn0.2_8','t2.25','cn0.1_10','cn0.3_5','t1','t1.25','t1.5','t1.75','t2.5','t3','cn0.1_5','cn0.15_5','cn0.2_4','cn0.2_5','cn0.2_6'],
 ['normal','t20','t10','t7','logistic','gg1.5']]
BON=[6.,2.5,2.5,3.]
def main(folder,verbose=True):
    T0=time.process_time()
    D=read(folder);names=[k for k in D if len(D[k][0])>2 and len(D[k][1])>2]
    fast=dict(final=(14,50),passes=((16,30),(14,30)))
    E=np.array([[evid(*D[k],f,**fast) for f in BASE] for k in names])
    P=np.exp(E-E.max(1,keepdims=True));P/=P.sum(1,keepdims=True)
    if verbose: print('classified',time.process_time()-T0)
    best=list(BASE)
    for ty in range(4):
        ii=[i for i in np.argsort(-P[:,ty],kind='stable') if P[i,ty]>.9]
        # spread the choice over the folder
        rs=np.random.RandomState(ty);rs.shuffle(ii);ii=ii[:60]
        if not ii: continue
        kw=dict(final=(20,110))
        tot={f:0. for f in CAND[ty]}
        tot[BASE[ty]]+=BON[ty]
        alive=list(CAND[ty])
        for j0 in range(0,len(ii),6):
            for f in alive: tot[f]+=sum(evid(*D[names[i]],f,**kw) for i in ii[j0:j0+6])
            m=max(tot[f] for f in alive)
            alive=[f for f in alive if tot[f]>m-12]
            if len(alive)==1: break
        m=max(tot[f] for f in alive)
        best[ty]=max(alive,key=lambda f:tot[f])
        if verbose: print(BASE[ty],len(ii),{f:round(tot[f]-m,1) for f in alive})
    if verbose: print('family',best,time.process_time()-T0)
    fits=[]
    for i,k in enumerate(names):
        L=[]
        for ty in range(4):
            if P[i,ty]<1e-4: continue
            for d_,ft in fitd(*D[k],best[ty],final=(24,240)): L.append((ty,d_,ft,ft[0]-(np.log(2) if best[ty] in FLIP else 0)))
        m=max(q[3] for q in L)
        fits.append([q for q in L if q[3]>m-9])
    # scale prior per type
    spr=[None]*4
    for ty in range(4):
        ms=[];vs=[]
        for L in fits:
            w=sum(np.exp(q[3]-max(r[3] for r in L)) for q in L)
            for q in L:
                if q[0]==ty and np.exp(q[3]-max(r[3] for r in L))/w>.9:
                    s=np.log(q[2][4]);J=logsum(q[2][5],1)+logsum(q[2][6],1);p=np.exp(J-J.max());p/=p.sum()
                    m=(p*s).sum();ms.append(m);vs.append((p*(s-m)**2).sum())
        if len(ms)>=10:
            mu=np.mean(ms);sd=np.sqrt(max(np.var(ms)-np.mean(vs),.05**2))
            spr[ty]=(lambda mu,sd:lambda s:-.5*((s-mu)/sd)**2-np.log(sd))(mu,sd*1.03)
            if verbose: print('scale',best[ty],len(ms),np.exp(mu),sd)
    gs=.02;g=np.arange(-20,20+gs/2,gs)
    lik=np.zeros((len(names),len(g)));posts=[]
    for i,L in enumerate(fits):
        W=[]
        for ty,d_,ft,e in L:
            J=logsum(ft[5],1)+logsum(ft[6],1)
            W.append(e+(logsum(J+spr[ty](np.log(ft[4])))-logsum(J) if spr[ty] else 0))
        W=np.exp(np.array(W)-max(W));W/=W.sum()
        comps=[]
        for (ty,d_,ft,e),w in zip(L,W):
            d,p=dpost(ft,spr[ty])
            if d_<0: d=-d[::-1];p=p[::-1]
            comps.append((d,p/(d[1]-d[0]),w))
        lik[i]=sum(w*np.interp(g,d,p,left=0,right=0) for d,p,w in comps)
        posts.append(comps)
    # prior of the shift: symmetric mixture
    C=[];w0=[]
    for tau in (.25,.5,1,1.5,2,2.5,3,3.5,4,5,6,8):
        C.append(np.exp(-.5*(g/tau)**2)/tau/np.sqrt(2*pi));w0.append(1 if tau>=2 else .2)
    for B in (1,2,3,4,5,6,7,8,10,20):
        C.append((np.abs(g)<=B+.05)/(2*B+.1));w0.append(1 if B>=4 else .2)
    for j in range(10):
        C.append(((np.abs(g)>=j)&(np.abs(g)<=j+1))/2.);w0.append(.05)
    C=np.array(C);w=np.array(w0)/sum(w0);M=lik@C.T*gs
    ok=M.sum(1)>0
    pr=np.array(w0)/sum(w0)*3
    for _ in range(60):
        r=M[ok]*w;r/=r.sum(1,keepdims=True);w=r.sum(0)+pr;w/=w.sum()
    prior=w@C
    lmix=np.log(M[ok]@w+1e-300).sum()
    S=[];
    for tau in np.arange(1,8.1,.25): S.append(np.exp(-.5*(g/tau)**2)/tau/np.sqrt(2*pi))
    for B in np.arange(2,12.1,.2): S.append((np.abs(g)<=B)/(2*B))
    for B in np.arange(2,8.1,.5): S.append(.5/B*np.exp(-np.abs(g)/B))
    wide=np.exp(-.5*(g/6)**2)/6/np.sqrt(2*pi)
    S=np.array(S);S=.97*S+.03*wide
    ll=np.log(lik[ok]@S.T*gs+1e-300).sum(0)
    if verbose: print('mixture',lmix,'best simple',ll.max(),ll[:29].max(),ll[29:80].max(),ll[80:].max())
    if lmix<ll.max()+8:
        q=np.exp(ll-ll.max());q/=q.sum();prior=q@S
    if verbose:
        print('prior sd',np.sqrt((prior*g*g).sum()*gs),[ '%.3f'%np.interp(x,g,prior) for x in (0,.5,1,2,3,4,4.9,5.5,6,8)])
    out={}
    for i,k in enumerate(names):
        comps=posts[i]
        lo=min(c[0][0] for c in comps);hi=max(c[0][-1] for c in comps)
        d=np.linspace(lo,hi,4001)
        p=sum(w_*np.interp(d,x,y,left=0,right=0) for x,y,w_ in comps)
        pp=p*np.interp(d,g,prior)
        if pp.sum()>0 and pp.sum()>1e-6*p.sum()*prior.max(): p=pp
        c=np.cumsum(p);c=(c-p/2)/c[-1]
        out[k]=np.interp([.5,.025,.975],c,d)
    if verbose: print('done',time.process_time()-T0)
    return D,out
def ans(l,h,m=.5):
    if l>-m and h<m: return 'same'
    return 'higher' if l>0 else 'lower' if h<0 else 'open'
if __name__=='__main__':
    D,out=main(os.environ.get('ASSAY_DATA','data'))
    est={};wd=[]
    with open('answers.csv','w') as f:
        f.write('study,estimate,low,high,answer\n')
        for k in sorted(D):
            if k in out:
                e,l,h=[round(float(v),5) for v in out[k]]
                est[k]=e;wd.append(h-l)
                f.write(f'{k},{e},{l},{h},{ans(l,h)}\n')
            else: f.write(f'{k},,,,open\n')
    json.dump({'studies':len(D),'mean_estimate':float(np.mean(list(est.values()))),'mean_width':float(np.mean(wd)),'estimates':est},open('results.json','w'),indent=1)
