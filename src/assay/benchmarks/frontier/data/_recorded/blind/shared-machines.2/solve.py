import csv,glob,os,json,time
import numpy as np
from math import lgamma
DATA=os.environ.get('ASSAY_DATA','data')
def read(f):
    with open(f) as fh: r=list(csv.DictReader(fh))
    ms=sorted(set(x['machine'] for x in r));ix={q:i for i,q in enumerate(ms)}
    m=np.array([ix[x['machine']] for x in r]);c=np.array([x['state']=='cold' for x in r])*1.;k=np.array([x['kernel']=='new' for x in r])*1.;y=np.array([float(x['seconds']) for x in r])
    V=np.c_[c,k,y];S=[];nu=[]
    for j in range(len(ms)):
        q=V[m==j];q=q-q.mean(0);S.append(q.T@q);nu.append(len(q)-1)
    S=np.array(S);nu=np.array(nu);ok=nu>0
    return S[ok],nu[ok]
AS=np.array([.05,.25,.5,.75,1.,1.3]);SC=np.array([2.2,2.7,3.2,3.7,4.2,5.]);KS=np.array([0,.3,.6,1.,1.8])
CL=[(a,c) for k in KS for a in AS for c in SC]   # log-normal spread of the machine sd, median sd
U0,UH,UN=-8.,.05,440
def table(numax):
    u=U0+UH*np.arange(UN);R=np.exp(u);zn=np.linspace(-4,4,49);wn=np.exp(-zn**2/2);wn/=wn.sum()
    T=np.empty((len(AS)*len(SC),numax+1,UN),np.float32);q=0
    for a in AS:
        for c in SC:
            ls=np.log(c)+a*zn
            base=-R[:,None]*np.exp(-2*ls)[None]   # R is rss/2
            for nu in range(numax+1):
                x=base-nu*ls[None];mx=x.max(1);T[q,nu]=mx+np.log(np.exp(x-mx[:,None])@wn)
            q+=1
    return T
def wls(S,nu):
    s2=np.full(len(nu),12.)
    for _ in range(60):
        A=(S/s2[:,None,None]).sum(0);V=np.linalg.inv(A[:2,:2]+1e-9*np.eye(2));b=V@A[:2,2]
        rss=rs(S,b[0],b[1]);s2=(rss+3*10)/(nu+3)
    return b,V
def rs(S,c,d):
    return S[:,2,2]-2*c*S[:,0,2]-2*d*S[:,1,2]+c*c*S[:,0,0]+d*d*S[:,1,1]+2*c*d*S[:,0,1]
def main():
    t0=time.process_time()
    fs=sorted(glob.glob(os.path.join(DATA,'*.csv')));names=[os.path.basename(f)[:-4] for f in fs];N=len(fs)
    D=[read(f) for f in fs]
    idt=[]
    for S,nu in D:
        A=S[:,:2,:2].sum(0);kk=A[1,1]-(A[0,1]**2/A[0,0] if A[0,0]>1e-9 else 0);idt.append(kk>1e-6)
    I=[i for i in range(N) if idt[i]]
    est=[wls(*D[i]) for i in I]
    B=np.array([e[0] for e in est]);VV=np.array([e[1] for e in est])
    # first moments for the priors of cold and D
    def mom(x,v,m0,s0,k):
        m=x.mean();s2=max(((x-m)**2).sum()-v.sum(),.1*len(x));return (len(x)*m+k*m0)/(len(x)+k),np.sqrt((s2+k*s0**2)/(len(x)+k))
    mc,sc=mom(B[:,0],np.minimum(VV[:,0,0],4),11,2.5,2);md,sd=mom(B[:,1],np.minimum(VV[:,1,1],4),0,5,2)
    G=49;LL=[];CG=[];DG=[]
    TT=table(max(int(nu.max()) for _,nu in D))
    for (S,nu),(b,V) in zip([D[i] for i in I],est):
        P=np.diag([1/sc**2,1/sd**2]);V=V*1.3;V1=np.linalg.inv(np.linalg.inv(V)+P);b1=V1@(np.linalg.inv(V)@b+P@np.array([mc,md]))
        cg=b1[0]+np.linspace(-6,6,33)*V1[0,0]**.5;dg=b1[1]+np.linspace(-6,6,G)*V1[1,1]**.5
        c,d=[q.ravel()[:,None] for q in np.meshgrid(cg,dg,indexing='ij')]
        R=np.maximum(S[None,:,2,2]-2*c*S[None,:,0,2]-2*d*S[None,:,1,2]+c*c*S[None,:,0,0]+d*d*S[None,:,1,1]+2*c*d*S[None,:,0,1],1e-6)
        Q=(S[None,:,0,2]-c*S[None,:,0,0]-d*S[None,:,0,1])**2;sxx=S[:,0,0]
        L=np.empty((len(CL),len(c)),np.float32);nq=len(AS)*len(SC)
        for t,kap in enumerate(KS):
            Rk=np.maximum((R-Q*(kap**2/(1+kap**2*sxx)))/2,1e-3);ld=-.5*np.log1p(kap**2*sxx).sum()
            u=np.clip((np.log(Rk)-U0)/UH,0,UN-1.001);iu=u.astype(np.int32);fr=(u-iu).astype(np.float32)
            flat=(nu[None,:]*UN+iu).ravel();f1=(1-fr).ravel();f2=fr.ravel();sh=u.shape
            for q in range(nq):
                Tq=TT[q].ravel()
                L[t*nq+q]=ld+(Tq[flat]*f1+Tq[flat+1]*f2).reshape(sh).sum(1)
        LL.append(L);CG.append(cg);DG.append(dg)
    n=len(I);w=np.full(len(CL),1/len(CL))
    step=np.array([np.log((c[1]-c[0])*(d[1]-d[0])) for c,d in zip(CG,DG)])
    for it in range(12):
        ev=np.empty((n,len(CL)));Ec=np.empty((n,4))
        for i in range(n):
            lp=(-.5*((CG[i]-mc)/sc)**2-np.log(sc))[:,None]+(-.5*((DG[i]-md)/sd)**2-np.log(sd))[None]
            Z=LL[i]+lp.ravel();mx=Z.max();E=np.exp(Z-mx);ev[i]=np.log(np.maximum(E.sum(1),1e-30))+mx+step[i]
            pw=(w@E).reshape(len(CG[i]),G);pw/=pw.sum();pc=pw.sum(1);pd=pw.sum(0)
            Ec[i]=[pc@CG[i],pc@CG[i]**2,pd@DG[i],pd@DG[i]**2]
        if it==11: break
        for _ in range(3):
            r=w*np.exp(ev-ev.max(1,keepdims=True));r/=r.sum(1,keepdims=True);w=(r.sum(0)+3/len(CL))/(n+3)
        k=2.;mc=(Ec[:,0].sum()+k*11)/(n+k);sc=np.sqrt((Ec[:,1]-2*mc*Ec[:,0]+mc*mc).sum()/(n+k)+k*6/(n+k))
        md=Ec[:,2].sum()/(n+k);sd=np.sqrt(((Ec[:,3]-2*md*Ec[:,2]+md*md).sum()+k*25)/(n+k))
    W=w.reshape(len(KS),len(AS),len(SC))
    print('cold %.2f %.2f D %.2f %.2f'%(mc,sc,md,sd),'kappa',dict(zip(KS.tolist(),W.sum((1,2)).round(3).tolist())));print(W.sum(0).round(3))
    if n<20:
        r=w*np.exp(ev-ev.max(1,keepdims=True));r/=r.sum(1,keepdims=True)
        for q,i in enumerate(I): print(names[i],'kappa',r[q].reshape(W.shape).sum((1,2)).round(2),'a',r[q].reshape(W.shape).sum((0,2)).round(2))
    rows=[];pos={i:q for q,i in enumerate(I)}
    for i in range(N):
        if i not in pos: rows.append((names[i],None,None,None,'open'));continue
        q=pos[i];lp=(-.5*((CG[q]-mc)/sc)**2)[:,None]+(-.5*((DG[q]-md)/sd)**2)[None]
        Z=LL[q]+lp.ravel()+np.log(w)[:,None];pd=np.exp(Z-Z.max()).sum(0).reshape(len(CG[q]),G).sum(0)
        # fine interpolation
        x=np.linspace(DG[q][0],DG[q][-1],2001);lpdf=np.interp(x,DG[q],np.log(pd+1e-300))
        # local cubic smoothing is not needed with 61 points; use trapezoid
        p=np.exp(lpdf-lpdf.max());cd=np.cumsum(p)-p/2;cd/=p.sum()
        l,m,h=[round(float(v),3) for v in np.interp([.025,.5,.975],cd,x)]
        ans='same' if l>-3 and h<3 else 'higher' if l>0 else 'lower' if h<0 else 'open'
        rows.append((names[i],m,l,h,ans))
    with open('answers.csv','w') as f:
        f.write('study,estimate,low,high,answer\n')
        for r in rows: f.write(','.join('' if v is None else str(v) for v in r)+'\n')
    e=[r for r in rows if r[1] is not None]
    json.dump({"studies":N,"mean_estimate":float(np.mean([r[1] for r in e])),"mean_width":float(np.mean([r[3]-r[2] for r in e])),"estimates":{r[0]:r[1] for r in rows}},open('results.json','w'),indent=1)
    print('cpu',time.process_time()-t0)
main()
