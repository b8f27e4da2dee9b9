import os,csv,glob,json,sys
import numpy as np
DATA=os.environ.get('ASSAY_DATA') or 'data'
OUT=os.path.dirname(os.path.abspath(__file__))
P=12; IA=4  # y: 1,t2,t3,q | a,a*tc,a*d2,a*q ; turns: 1,t2,t3,a
def load(f):
    r=list(csv.DictReader(open(f)))
    t=np.array([int(x['tier']) for x in r]);q=np.array([float(x['queue']) for x in r])-18
    a=np.array([x['assistant']=='new' for x in r])*1.
    return t,q,a,np.array([float(x['turns']) for x in r]),np.array([float(x['minutes']) for x in r])
class S: pass
def prep(f):
    s=S();s.name=os.path.basename(f)[:-4];t,q,a,tu,y=load(f);s.n=len(y)
    I=np.ones(s.n);tc=t-t.mean();d2=(t==2)-(t==2).mean()
    s.X=np.c_[I,t==2,t==3,q,a,a*tc,a*d2,a*(q-q.mean())].astype(float);s.W=np.c_[I,t==2,t==3,a].astype(float)
    s.y=y;s.tu=tu;s.XX=s.X.T@s.X;s.XW=s.X.T@s.W;s.WW=s.W.T@s.W
    s.Xy=s.X.T@y;s.Xt=s.X.T@tu;s.Wy=s.W.T@y;s.Wt=s.W.T@tu
    s.router=np.sign((a-a.mean())@tc) or 1.
    return s
M0=np.array([38.9,10,20,.5,.5,0,0,0,10,2,4,0.])
HET0,DEL0=6.7,3.0
BASE=[0,1,2,3,6,7,8,9,10];BLK=[4,5,11]
TAU0=np.array([.15,.15,.15,.015,.2,.02,.05,.05,.05])
B0=np.diag([2.5,.5,.5])**2
R0=np.array([[34.,5.8],[5.8,4.]])
def build(tau,B):
    G=np.zeros((P,P));G[BASE,BASE]=tau**2;G[np.ix_(BLK,BLK)]=B;return G
def fit(st,iters=150):
    n=len(st);R=R0.copy();NU=6.;KL=15.
    labs=[(r,h,d) for r in(-1,1) for h in(-1,1) for d in(-1,1)]
    MU=np.array([M0]*8)
    for k,l in enumerate(labs): MU[k,5]=l[1]*HET0;MU[k,11]=l[2]*DEL0
    frac=np.ones(8);tau=TAU0.copy();Bs=[B0.copy() for _ in labs]
    router=np.array([s.router for s in st]);ok=np.array([[l[0]==r for l in labs] for r in router])
    XX=np.array([s.XX for s in st]);XW=np.array([s.XW for s in st]);WW=np.array([s.WW for s in st])
    ys=np.array([np.r_[s.Xy,s.Xt,s.Wy,s.Wt] for s in st]);N=np.array([s.n for s in st])
    Y2=np.array([[s.y@s.y,s.y@s.tu,s.tu@s.tu] for s in st])
    def AC(R):
        Ri=np.linalg.inv(R);A=np.zeros((n,P,P));A[:,:8,:8]=Ri[0,0]*XX;A[:,:8,8:]=Ri[0,1]*XW
        A[:,8:,:8]=np.swapaxes(A[:,:8,8:],1,2);A[:,8:,8:]=Ri[1,1]*WW
        c=np.concatenate([Ri[0,0]*ys[:,:8]+Ri[0,1]*ys[:,8:16],Ri[0,1]*ys[:,16:20]+Ri[1,1]*ys[:,20:]],1)
        return A,c
    def ml(A,c,mu,G):
        Si=np.linalg.inv(G);K=A+Si;h=c+(mu@Si if mu.ndim==1 else mu@Si)
        m=np.linalg.solve(K,h[...,None])[...,0]
        ll=.5*(m*h).sum(-1)-.5*((mu@Si)*mu).sum(-1)-.5*np.linalg.slogdet(G)[1]-.5*np.linalg.slogdet(K)[1]
        return ll,m,K
    for it in range(iters):
        A,c=AC(R)
        LL=np.full((n,8),-1e30);MM=np.zeros((n,8,P))
        for k in range(8):
            ll,m,K=ml(A,c,MU[k],build(tau,Bs[k]));LL[:,k]=np.where(ok[:,k],ll+np.log(frac[k]+.3),-1e30);MM[:,k]=m
        lab=LL.argmax(1);m=MM[np.arange(n),lab];V=np.zeros((n,P,P))
        for k in set(lab):
            w=lab==k;V[w]=np.linalg.inv(A[w]+np.linalg.inv(build(tau,Bs[k])))
        frac=np.bincount(lab,minlength=8)
        flip=np.ones((n,P));flip[:,5]=[labs[k][1] for k in lab];flip[:,11]=[labs[k][2] for k in lab]
        F=m*flip;pm=M0.copy();pm[5]=HET0;pm[11]=DEL0
        k0=np.full(P,.5);k0[[6,7]]=5.
        pool=(F.sum(0)+k0*pm)/(n+k0)
        # base means: GLS-like update is slow by EM, so take the exact maximiser
        if it>3:
            num=np.zeros(P);H=np.zeros((P,P))
            for k in set(lab):
                w=lab==k;G=build(tau,Bs[k]);Si=np.linalg.inv(G);Q=np.linalg.inv(A[w]+Si)
                J=Si-Si@Q@Si
                # theta = D mub + other part fixed
                oth=MU[k].copy();oth[BASE]=0
                g=(np.einsum('ij,njk,nk->ni',Si,Q,c[w])-np.einsum('nij,j->ni',J,oth)).sum(0)
                num+=g;H+=J.sum(0)
            pr=np.diag(.5/TAU0**2);pr[4,4]*=10;pr[5,5]*=10
            mb=np.linalg.solve(H[np.ix_(BASE,BASE)]+pr,num[BASE]+pr@M0[BASE]);pool[BASE]=mb
        for k,l in enumerate(labs):
            w=lab==k;mm=pool.copy()
            for j in BLK: mm[j]=(F[w,j].sum()+4*pool[j])/(w.sum()+4)
            mm[5]*=l[1];mm[11]*=l[2];MU[k]=mm
        d=m-MU[lab];D=(d[:,:,None]*d[:,None,:]+V)[:,BLK][:,:,BLK];f=flip[:,BLK];DF=D*f[:,:,None]*f[:,None,:]
        SP=(DF.sum(0)+NU*B0)/(n+NU)
        for k,l in enumerate(labs):
            f=np.array([1,l[1],l[2]]);Bs[k]=(D[lab==k].sum(0)+KL*SP*np.outer(f,f))/(frac[k]+KL)
        if it>5 and it%3==0:
            def obj(t):
                o=-.5*np.sum((np.log(t/TAU0)/.8)**2)
                for k in set(lab):
                    w=lab==k;o+=ml(A[w],c[w],MU[k],build(t,Bs[k]))[0].sum()
                return o
            cur=obj(tau)
            for j in range(9):
                for g in (.8,1.25):
                    t=tau.copy();t[j]*=g;o=obj(t)
                    if o>cur: cur=o;tau=t;break
        my,mt=m[:,:8],m[:,8:]
        RS=R0*50
        e00=Y2[:,0]-2*(my*ys[:,:8]).sum(1)+np.einsum('ni,nij,nj->n',my,XX,my)+(XX*V[:,:8,:8]).sum((1,2))
        e11=Y2[:,2]-2*(mt*ys[:,20:]).sum(1)+np.einsum('ni,nij,nj->n',mt,WW,mt)+(WW*V[:,8:,8:]).sum((1,2))
        e01=Y2[:,1]-(my*ys[:,8:16]).sum(1)-(mt*ys[:,16:20]).sum(1)+np.einsum('ni,nij,nj->n',my,XW,mt)+(XW*V[:,:8,8:]).sum((1,2))
        R=(RS+np.array([[e00.sum(),e01.sum()],[e01.sum(),e11.sum()]]))/(50+N.sum())
    for i,s in enumerate(st): s.m=m[i];s.V=V[i];s.l=labs[lab[i]]
    return {l:MU[k] for k,l in enumerate(labs)},{l:build(tau,Bs[k]) for k,l in enumerate(labs)},R,{l:frac[k] for k,l in enumerate(labs)}
def answer(lo,hi):
    if lo>=-2 and hi<=2: return 'same'
    if lo>0: return 'higher'
    if hi<0: return 'lower'
    return 'open'
def main():
    st=[prep(f) for f in sorted(glob.glob(os.path.join(DATA,'*.csv')))]
    mu,Sig,R,frac=fit(st,int(os.environ.get('ITERS','120')))
    rows=[];est={};w=[]
    post=None
    if len(st)>=60 and os.environ.get('NP','1')=='1':
        g=np.arange(-12,12.001,.04);mm=np.array([s.m[4] for s in st]);v=np.array([s.V[4,4] for s in st])
        pm=np.array([mu[s.l][4] for s in st]);pv=np.array([Sig[s.l][4,4] for s in st])
        lp=np.maximum(1/v-1/pv,1e-3);lm=(mm/v-pm/pv)/lp
        Lk=np.exp(-.5*(g[None]-lm[:,None])**2*lp[:,None])
        f=np.exp(-.5*(g-mm.mean())**2/(mm.var()*1.3));f/=f.sum()
        kg=np.arange(-40,41)*.04;ker=np.exp(-.5*(kg/.3)**2);ker/=ker.sum()
        for _ in range(25):
            p=Lk*f;p/=p.sum(1,keepdims=True);f=np.convolve(p.mean(0),ker,'same')+1e-6;f/=f.sum()
        post=Lk*f;post/=post.sum(1,keepdims=True)
    for s in st:
        m=s.m[4];sd=s.V[4,4]**.5;s.est=m;s.sd=sd
        lo,hi=m-1.96*sd,m+1.96*sd
        if post is not None:
            p=post[len(rows)];cd=np.cumsum(p);m=(p*g).sum();lo,hi=np.interp([.025,.975],cd,g+.02)
        e,lo,hi=round(float(m),3),round(float(lo),3),round(float(hi),3)
        rows.append([s.name,e,lo,hi,answer(lo,hi)]);est[s.name]=e;w.append(hi-lo)
    with open(os.path.join(OUT,'answers.csv'),'w',newline='') as f:
        c=csv.writer(f,lineterminator='\n');c.writerow('study,estimate,low,high,answer'.split(','));c.writerows(rows)
    json.dump({'studies':len(st),'mean_estimate':float(np.mean(list(est.values()))),'mean_width':float(np.mean(w)),'estimates':est},open(os.path.join(OUT,'results.json'),'w'),indent=1)
    if len(sys.argv)>1:
        np.set_printoptions(precision=3,suppress=True,linewidth=170)
        for s in st[:8]: print(s.name,s.n,s.l,s.est.round(2),s.sd.round(3),'\n   ',s.m)
        for l in mu:
            if frac[l]: print(l,frac[l],mu[l],'\n    sd',np.sqrt(np.diag(Sig[l])),'corr a,het a,delta',Sig[l][4,5]/np.sqrt(Sig[l][4,4]*Sig[l][5,5]),Sig[l][4,11]/np.sqrt(Sig[l][4,4]*Sig[l][11,11]))
        print('R',R)
    return st
if __name__=='__main__': main()
