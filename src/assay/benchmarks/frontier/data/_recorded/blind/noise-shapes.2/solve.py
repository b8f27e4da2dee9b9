import csv,glob,os,json,time
import numpy as np
from math import lgamma,log,pi
DATA=os.environ.get('ASSAY_DATA','data')
lg=np.log
def nongrid(c,n=241,lo=None,hi=None): return np.linspace(lo,hi,n)
def unif(A,B):
    n=len(A)+len(B);r=max(np.ptp(A),np.ptp(B));c=((B.min()+B.max())-(A.min()+A.max()))/2
    # knots where w0 changes slope, plus a wide fine grid
    h=r*30/n;g=np.sort(np.r_[c+np.linspace(-h,h,1201),B.min()-A.min(),B.max()-A.max()])
    w0=np.maximum(A.max(),B.max()-g)-np.minimum(A.min(),B.min()-g)
    return g,-(n-1)*lg(w0)-log(n*(n-1))
def expo(A,B):
    n=len(A)+len(B);c=B.min()-A.min();s=(A.mean()-A.min()+B.mean()-B.min())/2;h=s*30/n
    g=np.sort(np.r_[c+np.linspace(-h,h,1201),c]);m0=np.minimum(A.min(),B.min()-g)
    T=A.sum()+B.sum()-len(B)*g-n*m0
    return g,lgamma(n-1)-(n-1)*lg(T)-log(n)
def edge(A,B,al,p):
    n=len(A)+len(B)
    def arm(X):
        x=np.sort(X);e=np.exp(np.linspace(lg(1e-4),lg(1.),141))*(x.mean()-x[0])*14/len(x)
        d=np.sqrt(e[1:]*e[:-1]);w=np.diff(e);Y=x[None]-x[0]+d[:,None];return x[0]-d,w,(Y**p).sum(1),lg(Y).sum(1)
    ma,wa,Ta,La=arm(A);mb,wb,Tb,Lb=arm(B)
    ll=n*(log(p)-lgamma(al/p))+lgamma(n*al/p)-log(p)+(al-1)*(La[:,None]+Lb[None])-n*al/p*lg(Ta[:,None]+Tb[None])+lg(wa)[:,None]+lg(wb)[None]
    d=(mb[None]-ma[:,None]).ravel();ll=ll.ravel();mx=ll.max()
    lo,hi=d.min(),d.max();G=801;H=np.zeros(G);k=np.clip((d-lo)/(hi-lo)*(G-1),0,G-1-1e-6);i=k.astype(int);f=k-i;w=np.exp(ll-mx)
    np.add.at(H,i,w*(1-f));np.add.at(H,i+1,w*f);st=(hi-lo)/(G-1)
    return np.linspace(lo,hi,G),lg(H/st+1e-300)+mx
def norm(A,B):
    n=len(A)+len(B);c=B.mean()-A.mean();R0=((A-A.mean())**2).sum()+((B-B.mean())**2).sum();k=len(A)*len(B)/n
    s=np.sqrt(R0/(n-2)/k);g=c+np.linspace(-7,7,401)*s;R=R0+k*(g-c)**2
    return g,-.5*log(n)-(n-1)/2*log(2*pi)+log(.5)+lgamma((n-1)/2)-(n-1)/2*lg(R/2)
def tfit(A,B,df):
    ma,mb=np.median(A),np.median(B);sc=np.median(abs(np.r_[A-ma,B-mb]))**2+1e-9
    for _ in range(60):
        wa=(df+1)/(df+(A-ma)**2/sc);wb=(df+1)/(df+(B-mb)**2/sc);ma=(wa*A).sum()/wa.sum();mb=(wb*B).sum()/wb.sum();sc=((wa*(A-ma)**2).sum()+(wb*(B-mb)**2).sum())/(len(A)+len(B))
    return ma,mb,sc**.5
def stud(A,B,df):
    ma,mb,s=tfit(A,B,df);n=len(A)+len(B)
    h=s*np.sqrt((df+3)/(df+1)/(n/2))*.14;K=41;k=np.arange(-K,K+1)*h;ls=np.linspace(-4.2,4.2,13)*np.sqrt((df+3)/(2*df*n))
    cst=n*(lgamma((df+1)/2)-lgamma(df/2)-.5*log(df*pi));out=0;L=[]
    for l in ls:
        q=s*np.exp(l)
        f=lambda X,m:-(df+1)/2*lg(1+((X[None]-m-k[:,None])/q)**2/df).sum(1)
        L.append((f(A,ma),f(B,mb),-n*lg(q)))
    mx=max(a.max()+b.max()+c for a,b,c in L)
    for a,b,c in L:
        am,bm=a.max(),b.max();out=out+np.convolve(np.exp(b-bm),np.exp(a-am)[::-1])*np.exp(am+bm+c-mx)
    g=mb-ma+np.arange(-2*K,2*K+1)*h
    return g,lg(np.maximum(out,1e-300))+mx+cst+log(h)+log(ls[1]-ls[0])
TY=['U','E+','E-','N','T']
def allt(A,B,df,sh):
    def ee(s): 
        if sh==(1,1): g,l=expo(s*A,s*B)
        else: g,l=edge(s*A,s*B,*sh)
        return (g,l-log(2)) if s>0 else (-g[::-1],l[::-1]-log(2))
    return [unif(A,B),ee(1),ee(-1),norm(A,B),stud(A,B,df)]
def wts(g): return np.gradient(g)
def trap(g):
    w=np.empty(len(g));d=np.diff(g);w[0]=d[0]/2;w[-1]=d[-1]/2;w[1:-1]=(d[1:]+d[:-1])/2;return w
def ev(g,l): m=l.max();return m+lg((np.exp(l-m)*trap(g)).sum())
def main():
    t0=time.process_time();fs=sorted(glob.glob(os.path.join(DATA,'*.csv')));names=[os.path.basename(f)[:-4] for f in fs];N=len(fs);D=[]
    for f in fs:
        with open(f) as fh: r=list(csv.DictReader(fh))
        a=np.array([x['arm']=='a' for x in r]);v=np.array([float(x['value']) for x in r]);v=v-np.median(v);D.append((v[a],v[~a]))
    df,sh=2.,(1,1)
    P=[allt(A,B,df,sh) for A,B in D]
    E=np.array([[ev(*q) for q in p] for p in P]);top=E.argmax(1)
    # shape of the heavy tails and of the edge, from studies of those types
    ti=[i for i in range(N) if top[i]==4][:60];ei=[i for i in range(N) if top[i] in(1,2)]
    dfs=[1.,1.25,1.5,1.75,2.,2.25,2.5,3.,3.5,4.,5.];sc={}
    for d in dfs: sc[d]=sum(ev(*stud(*D[i],d)) for i in ti)-1.5*abs(d-2)
    df=max(dfs,key=lambda d:sc[d]) if len(ti)>8 else 2.
    shs=[(1,1),(1.1,1.1),(1.2,1.2),(1.4,1.4),(.9,.9),(1.2,1),(1.5,1),(2,1),(1,1.2),(1,1.5),(1,2)];se={}
    for q in shs:
        v=0
        for i in ei[:60]:
            s=1 if top[i]==1 else -1;v+=ev(*edge(s*D[i][0],s*D[i][1],*q))
        se[q]=v+(4 if q==(1,1) else 0)
    sh=max(shs,key=lambda q:se[q]) if len(ei)>8 else (1,1)
    print('df',{d:round(v-sc[2.],1) for d,v in sc.items()},df,'shape',{q:round(v-se[(1,1)],1) for q,v in se.items()},sh)
    if df!=2. or sh!=(1,1):
        P=[allt(A,B,df,sh) for A,B in D]
    # prior of the shift: normal mixture by EM
    if N>=60: w=np.array([.1,.2,.25,.25,.2]);m=np.array([0.,0,-2.5,2.5,0]);s=np.array([.15,1.,1.2,1.2,3.5])
    else: w=np.array([1.]);m=np.array([0.]);s=np.array([3.])
    tw=np.full(5,.25);tw[1]=tw[2]=.25
    for it in range(60):
        R=np.zeros((N,5,len(w)));M1=np.zeros_like(R);M2=np.zeros_like(R);last=it==59
        for i in range(N):
            for t in range(5):
                g=P[i][t][0];l=P[i][t][1]
                if E[i,t]<E[i].max()-25: continue
                if it==0: P[i][t]=(g,l,np.exp(l-E[i].max())*trap(g))
                x=P[i][t][2]
                pr=np.exp(-.5*((g[:,None]-m)/s)**2)/s*w/2.5066*x[:,None]*tw[t]
                R[i,t]=pr.sum(0);M1[i,t]=g@pr;M2[i,t]=(g*g)@pr
            z=R[i].sum();R[i]/=z;M1[i]/=z;M2[i]/=z
        if N>=60:
            r=R.sum((0,1));w=(r+.5)/(N+.5*len(w));a=2.
            m=(M1.sum((0,1)))/(r+.5);m[0]=0;v=(M2.sum((0,1))-2*m*M1.sum((0,1))+m*m*r+a*np.array([.02,.5,.5,.5,4.]))/(r+a);s=np.sqrt(v)
            if it>=25: break
        else:
            r=R.sum();m=np.array([M1.sum()/(r+3)]);s=np.sqrt(np.array([(M2.sum()-2*m[0]*M1.sum()+m[0]**2*r+4*9)/(r+4)]))
            if it>=15: break
    print('prior w',w.round(3),'m',m.round(2),'s',s.round(2),'types',R.sum((0,2)).round(1))
    rows=[]
    for i in range(N):
        gs=[];tot=[]
        for t in range(5):
            q=P[i][t]
            if len(q)<3 or q[2] is None: continue
            g=q[0];pr=(np.exp(-.5*((g[:,None]-m)/s)**2)/s*w).sum(1)*q[2]*tw[t]
            if pr.sum()>0: gs.append((g,pr))
        z=sum(p.sum() for _,p in gs);xs=np.unique(np.concatenate([g for g,p in gs if p.sum()>1e-4*z]));F=0
        for g,p in gs: F=F+np.interp(xs,g,np.cumsum(p)-p/2,left=0,right=p.sum())
        F=F/z;l,mm,h=[round(float(v),4) for v in np.interp([.025,.5,.975],F,xs)]
        ans='same' if l>-.5 and h<.5 else 'higher' if l>0 else 'lower' if h<0 else 'open'
        rows.append((names[i],mm,l,h,ans))
    if N<30:
        for i in range(N): print(names[i],dict(zip(TY,R[i].sum(1).round(3).tolist())),rows[i])
    with open('answers.csv','w') as f:
        f.write('study,estimate,low,high,answer\n')
        for x in rows: f.write(','.join(map(str,x))+'\n')
    json.dump({"studies":N,"mean_estimate":float(np.mean([x[1] for x in rows])),"mean_width":float(np.mean([x[3]-x[2] for x in rows])),"estimates":{x[0]:float(x[1]) for x in rows}},open('results.json','w'),indent=1)
    print('cpu',time.process_time()-t0)
main()
