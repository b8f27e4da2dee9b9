import csv,glob,os,json,time
import numpy as np
rng=np.random.default_rng(1)
DATA=os.environ.get('ASSAY_DATA','data')
STEPS=int(os.environ.get('STEPS','0'))
sg=lambda x:1/(1+np.exp(-x))
def read(f):
    with open(f) as fh: r=list(csv.DictReader(fh))
    d,a,b=[np.array([int(float(x[k])) for x in r]) for k in('doubt','cheap_a','cheap_b')]
    s=np.array([x['expert_a']!='' and x['expert_b']!='' for x in r])
    ea=np.array([int(float(x['expert_a'])) if q else 0 for x,q in zip(r,s)]);eb=np.array([int(float(x['expert_b'])) if q else 0 for x,q in zip(r,s)])
    S=np.zeros((2,)*5);U=np.zeros((2,)*3)
    np.add.at(S,(d[s],a[s],b[s],ea[s],eb[s]),1);np.add.at(U,(d[~s],a[~s],b[~s]),1)
    return S,U
def cells(th):
    pF=sg(th[:,0]);u1=sg(th[:,1]+th[:,2]/2);u0=sg(th[:,1]-th[:,2]/2)
    al,e1,be,e2,q0,r=[sg(th[:,k]) for k in range(3,9)]
    N=len(th)
    T=np.empty((N,2,2));T[:,1,1]=pF*u1;T[:,1,0]=pF*(1-u1);T[:,0,1]=(1-pF)*u0;T[:,0,0]=(1-pF)*(1-u0)
    # error prob by truth
    eF=np.stack([al,e1],1);eU=np.stack([e2,be],1)
    CF=np.empty((N,2,2));CU=np.empty((N,2,2)) # [c,e]
    CF[:,1,0]=al;CF[:,0,0]=1-al;CF[:,0,1]=e1;CF[:,1,1]=1-e1
    CU[:,1,0]=e2;CU[:,0,0]=1-e2;CU[:,0,1]=be;CU[:,1,1]=1-be
    J=CF[:,:,None,:,None]*CU[:,None,:,None,:]*T[:,None,None]   # cF cU eF eU
    nd=(1-q0)[:,None]*(1-r)[:,None]**np.arange(3)  # P(no doubt | k errors)
    ND=nd[:,K_ERR]
    P=np.empty((N,2,2,2,2,2));P[:,0]=J*ND;P[:,1]=J*(1-ND)
    return P
K_ERR=np.array([[[[int(c!=x)+int(u!=y) for y in(0,1)] for x in(0,1)] for u in(0,1)] for c in(0,1)])
def loglik(th,S,U):
    P=cells(th)
    return (S*np.log(P)).sum((1,2,3,4,5))+(U*np.log(P.sum((4,5)))).sum((1,2,3))
PM=np.array([.5,.2,0,-.75,-3.6,-1.,-3.6,-1.75,1.0]);PS=np.array([.5,.5,.3,.5,.5,.5,.5,.3,.6])
def mode(S,U,m,Pr,iters=30):
    N=len(S);th=np.tile(m,(N,1));h=1e-4
    f=lambda t:loglik(t,S,U)-.5*np.einsum('ni,ij,nj->n',t-m,Pr,t-m)
    cur=f(th);lam=np.ones(N)*.1
    for _ in range(iters):
        # score per cell
        P0=cells(th);L0=np.log(P0);M0=np.log(P0.sum((4,5)))
        JS=np.empty((N,9,32));JU=np.empty((N,9,8))
        for k in range(9):
            t=th.copy();t[:,k]+=h;P=cells(t);JS[:,k]=((np.log(P)-L0)/h).reshape(N,-1);JU[:,k]=((np.log(P.sum((4,5)))-M0)/h).reshape(N,-1)
        s=S.reshape(N,-1);u=U.reshape(N,-1)
        g=(JS*s[:,None]).sum(2)+(JU*u[:,None]).sum(2)-(th-m)@Pr
        H=np.einsum('nkc,nc,nlc->nkl',JS,s,JS)+np.einsum('nkc,nc,nlc->nkl',JU,u,JU)+Pr
        st=np.linalg.solve(H+lam[:,None,None]*np.eye(9)*np.einsum('nii->ni',H)[:,None,:]*0+lam[:,None,None]*np.eye(9),g[...,None])[...,0]
        new=th+st;v=f(new);ok=v>cur;th[ok]=new[ok];cur=np.where(ok,v,cur);lam=np.where(ok,lam*.3,lam*5)
    return th,cur,np.linalg.inv(H)
KM=3
def tr(th):
    return th[:,0]-th[:,1], np.concatenate([(th[:,:1]+th[:,1:2])/2,th[:,2:]],1)
def lprior(th,mu,Pr,mix):
    a,b=tr(th);w,mm,ss=mix;d=b-mu
    q=np.log(w)-np.log(ss)-.5*((a[:,None]-mm)/ss)**2;mx=q.max(1)
    return -.5*((d@Pr)*d).sum(1)+mx+np.log(np.exp(q-mx[:,None]).sum(1))
def main():
    t0=time.process_time()
    fs=sorted(glob.glob(os.path.join(DATA,'*.csv')));names=[os.path.basename(f)[:-4] for f in fs];N=len(fs)
    R=[read(f) for f in fs];S=np.array([r[0] for r in R]);U=np.array([r[1] for r in R])
    S2=S.transpose(0,1,3,2,5,4);U2=U.transpose(0,1,3,2)
    Pr=np.diag(1/(1.5*PS)**2)
    t1,f1,_=mode(S,U,PM,Pr);t2,f2,_=mode(S2,U2,PM,Pr)
    fa=f1>=f2; print('ambiguous direction:',(abs(f1-f2)<3).sum(),'favoured a',fa.mean())
    X=np.where(fa[:,None,None,None,None,None],S,S2);Y=np.where(fa[:,None,None,None],U,U2)
    th,_,V=mode(X,Y,PM,np.diag(1/PS**2))
    D=9;B=8;PM8=tr(PM[None])[1][0];PS8=np.r_[.4,PS[2:]];mu=PM8.copy();Sg=np.diag(PS8**2);mix=(np.full(KM,1/KM),np.quantile(th[:,0]-th[:,1],[.15,.5,.85]),np.full(KM,.3))
    Lc=np.linalg.cholesky(V+1e-8*np.eye(D));cur=loglik(th,X,Y)
    steps=STEPS or (9000 if N>50 else 30000);burn=steps//3
    sc=np.full(N,2.38/3.0);acc=np.zeros(N);m1=np.zeros((N,D));m2=np.zeros((N,D,D));cnt=0
    keep=[];hyp=[];MX=[];HS=[];q1=np.zeros((N,D));q2=np.zeros((N,D,D))
    nu0=B+4;S0=np.diag((PS8*.6)**2)*(nu0-B-1);k0=.5
    Pr=np.linalg.inv(Sg)
    for it in range(steps):
        z=rng.standard_normal((N,D));pr=th+sc[:,None]*np.einsum('nij,nj->ni',Lc,z)
        lp=loglik(pr,X,Y)
        a=lp-cur+lprior(pr,mu,Pr,mix)-lprior(th,mu,Pr,mix)
        ok=np.log(rng.random(N))<a;th[ok]=pr[ok];cur=np.where(ok,lp,cur)
        if it<burn:
            sc*=np.exp((ok-.25)*5/(it+50)**.6)
            if it>burn//5:
                m1+=th;m2+=th[:,:,None]*th[:,None];cnt+=1
            if it in(burn//2,burn*4//5):
                C=m2/cnt-(m1/cnt)[:,:,None]*(m1/cnt)[:,None]
                Lc=np.linalg.cholesky(.8*C+.2*V*.5+1e-7*np.eye(D));m1[:]=0;m2[:]=0;cnt=0;sc[:]=.8
        if it%5==0 and it>100:
            # normal - inverse Wishart
            t0_,ph=tr(th)
            xb=ph.mean(0);dx=ph-xb;Sn=S0+dx.T@dx+(N*k0/(N+k0))*np.outer(xb-PM8,xb-PM8)
            Ln=np.linalg.cholesky(np.linalg.inv(Sn));A=np.zeros((B,B))
            for i in range(B):
                A[i,i]=np.sqrt(rng.chisquare(nu0+N-i));A[i,:i]=rng.standard_normal(i)
            LA=Ln@A;Pr=LA@LA.T;Sg=np.linalg.inv(Pr)
            mu=rng.multivariate_normal((N*xb+k0*PM8)/(N+k0),Sg/(N+k0))
            w,mm,ss=mix;q=np.log(w)-np.log(ss)-.5*((t0_[:,None]-mm)/ss)**2
            lab=(q+rng.gumbel(size=q.shape)).argmax(1);nk=np.bincount(lab,minlength=KM)
            w=rng.dirichlet(nk+1.);mm=mm.copy();ss=ss.copy()
            for k in range(KM):
                x=t0_[lab==k];v=1/(nk[k]/ss[k]**2+1/.5**2);mm[k]=v*(x.sum()/ss[k]**2+.35/.25)+rng.standard_normal()*v**.5
                ss[k]=np.sqrt((.03+.5*((x-mm[k])**2).sum())/rng.gamma(2+nk[k]/2))
            mix=(w,mm,ss)
        if it>=burn and it%4==0:
            pF=sg(th[:,0]);pU=pF*sg(th[:,1]+th[:,2]/2)+(1-pF)*sg(th[:,1]-th[:,2]/2)
            keep.append(100*(pF-pU))
            if it%20==0: hyp.append(np.r_[mu,np.sqrt(np.diag(Sg))]);MX.append(mix)
            acc+=ok;q1+=th;q2+=th[:,:,None]*th[:,None]
            if it%20==0: HS.append(Sg.copy())
    h=np.mean(hyp,0);print('acc',acc.mean()/len(keep),'mu',h[:8].round(2),'sd',h[8:].round(2));print('mix',[np.round(q,2) for q in MX[len(MX)//2]],[np.round(q,2) for q in MX[-1]])
    K=np.array(keep)*np.where(fa,1,-1)
    half=len(K)//2;print('mix: sd of half-mean diff / sd',np.sqrt((((K[:half].mean(0)-K[half:].mean(0))/K.std(0))**2).mean()))
    rows=[]
    M=len(keep);qm=q1/M;qc=q2/M-qm[:,:,None]*qm[:,None]
    hm=np.array(hyp)[:,:8];hidx=rng.integers(0,len(HS),15)
    ess=[]
    for i in range(N):
        if N>50:
            J=4000;L=np.linalg.cholesky(qc[i]*1.15+1e-8*np.eye(D));df=10
            z=rng.standard_normal((J//2,D));z=np.vstack([z,-z]);g=rng.chisquare(df,J)/df
            zz=z/np.sqrt(g)[:,None];t=qm[i]+zz@L.T
            lq=-.5*(df+D)*np.log1p((zz**2).sum(1)/df)
            ll=loglik(t,np.broadcast_to(X[i],(J,)+X[i].shape),np.broadcast_to(Y[i],(J,)+Y[i].shape))
            lps=[]
            for h_ in hidx:
                Pi=np.linalg.inv(HS[h_]);lps.append(lprior(t,hm[h_],Pi,MX[h_])+.5*np.linalg.slogdet(Pi)[1])
            lps=np.array(lps);mx=lps.max(0);lw=ll+mx+np.log(np.exp(lps-mx).mean(0))-lq
            w=np.exp(lw-lw.max());w/=w.sum();ess.append(1/(w*w).sum()/J)
            pF=sg(t[:,0]);pU=pF*sg(t[:,1]+t[:,2]/2)+(1-pF)*sg(t[:,1]-t[:,2]/2)
            v=100*(pF-pU)*(1 if fa[i] else -1);o=np.argsort(v);c=np.cumsum(w[o])-w[o]/2
            l,m,hh=[round(float(q),2) for q in np.interp([.025,.5,.975],c,v[o])]
        else: l,m,hh=[round(float(v),2) for v in np.quantile(K[:,i],[.025,.5,.975])]
        ans='same' if l>-8 and hh<8 else 'higher' if l>0 else 'lower' if hh<0 else 'open'
        rows.append((names[i],m,l,hh,ans))
    if ess: print('ess frac',np.quantile(ess,[0,.1,.5]))
    with open('answers.csv','w') as f:
        f.write('study,estimate,low,high,answer\n')
        for x in rows: f.write(','.join(map(str,x))+'\n')
    json.dump({"studies":N,"mean_estimate":float(np.mean([x[1] for x in rows])),"mean_width":float(np.mean([x[3]-x[2] for x in rows])),"estimates":{x[0]:float(x[1]) for x in rows}},open('results.json','w'),indent=1)
    print('cpu',time.process_time()-t0)
main()
