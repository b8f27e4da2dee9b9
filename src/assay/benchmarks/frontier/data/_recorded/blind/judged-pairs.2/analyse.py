import os,csv,glob,json,sys
import numpy as np
DATA=os.environ.get('ASSAY_DATA') or 'data';OUT=os.path.dirname(os.path.abspath(__file__))
def load(f):
    r=list(csv.DictReader(open(f)));P={}
    for x in r:
        p=P.setdefault(x['pair'],[1. if x['first']=='new' else -1.,float(x['words_new'])-float(x['words_old']),0,0]);p[2]+=x['preferred']=='new';p[3]+=1
    A=np.array(list(P.values()));k,c=A[:,2],A[:,3]
    # agreement within pairs: 1 if all pairs with several votes are unanimous
    w=c>1;rho=1.;cm=np.maximum(c-1,1)
    if w.sum()>=5:
        dis=(2*k*(c-k)/(c*cm))[w].mean();q=(k/c).mean();rho=np.clip(1-dis/max(2*q*(1-q)*.85,1e-6),0,1)
        if dis==0: rho=1.
    wt=c/(1+(c-1)*rho)
    return dict(name=os.path.basename(f)[:-4],X=np.c_[np.ones(len(A)),A[:,0],A[:,1]],y=k/c,w=wt,sg=int(A[:,1].mean()>0),grp=int(c.mean()>2))
def laplace(s,m,S):
    Si=np.linalg.inv(S);b=s.get('b',m).copy();X,y,w=s['X'],s['y'],s['w']
    for _ in range(12):
        p=1/(1+np.exp(-X@b));g=X.T@(w*(y-p))-Si@(b-m);Hh=(X*(w*p*(1-p))[:,None]).T@X+Si;st=np.linalg.solve(Hh,g);b=b+np.clip(st,-1,1)
        if np.abs(st).max()<1e-6: break
    s['b']=b;return b,np.linalg.inv(Hh)
Z1=np.linspace(-4.2,4.2,31);GH,GW=np.polynomial.hermite_e.hermegauss(5)
ZN=np.array([(a,b,c) for a in Z1 for b in GH for c in GH]);ZW=np.array([(np.log(u)+np.log(v)+.5*(b*b+c*c)) for a in Z1 for b,u in zip(GH,GW) for c,v in zip(GH,GW)])
def nodes(s,m,S):
    b,V=laplace(s,m,S);L=np.linalg.cholesky(V);T=b+ZN@L.T;X,y,w=s['X'],s['y'],s['w'];eta=T@X.T
    ll=eta@(w*y)-(np.logaddexp(0,eta))@w
    d=T-m;lp=ll-.5*np.einsum('ij,jk,ik->i',d,np.linalg.inv(S),d)+ZW;lp-=lp.max();p=np.exp(lp);p/=p.sum();return T,p
def main(verbose=False):
    st=[load(f) for f in sorted(glob.glob(os.path.join(DATA,'*.csv')))];n=len(st)
    m0=np.array([0,.6,.9]);S0=np.diag([1.2,.22,.25])**2
    PM=np.tile(m0,(4,1));PS=[S0.copy() for _ in range(4)]
    cl=np.array([s['sg']*2+s['grp'] for s in st])
    def update(B,C2):
        k0=np.array([4,1,1.]);pool=(B.sum(0)+k0*m0)/(n+k0);D=(B-pool)
        PP=(np.einsum('ni,nj->ij',D,D)+C2.sum(0)+6*S0)/(n+6)
        for c in range(4):
            w=cl==c;nc=w.sum();K=6.
            PM[c]=(B[w].sum(0)+K*pool)/(nc+K);D=B[w]-PM[c]
            PS[c]=(np.einsum('ni,nj->ij',D,D)+C2[w].sum(0)+12*PP)/(nc+12)
    for it in range(20):
        r=[laplace(s,PM[c],PS[c]) for s,c in zip(st,cl)];update(np.array([x[0] for x in r]),np.array([x[1] for x in r]))
    for it in range(2):
        B=[];C=[]
        for s,c in zip(st,cl):
            T,p=nodes(s,PM[c],PS[c]);mm=p@T;d=T-mm;B.append(mm);C.append((d*p[:,None]).T@d)
        update(np.array(B),np.array(C))
    g=np.arange(-6,6.0001,.01);post=np.zeros((n,len(g)));pri=np.zeros((n,len(g)))
    for i,(s,c) in enumerate(zip(st,cl)):
        T,p=nodes(s,PM[c],PS[c]);q=p.reshape(len(Z1),-1).sum(1);x=T.reshape(len(Z1),-1,3)[:,0,0]
        post[i]=np.exp(np.interp(g,x,np.log(q+1e-300),left=-400,right=-400));post[i]/=post[i].sum()
        pri[i]=np.exp(-.5*(g-PM[c][0])**2/PS[c][0,0])
    if n>=100 and os.environ.get('NP','1')=='1':
        Lk=post/(pri+1e-12);Lk/=Lk.max(1,keepdims=True);f=pri.mean(0);f/=f.sum();bw=.13
        kg=np.arange(-60,61)*.01;ker=np.exp(-.5*(kg/bw)**2);ker/=ker.sum();fb=f.copy()
        sg=np.array([x['sg'] for x in st]);fc=np.array([f,f])
        for _ in range(20):
            q=Lk*fc[sg];q/=q.sum(1,keepdims=True);f=np.convolve(q.mean(0),ker,'same')+.02*fb;f/=f.sum()
            for c in (0,1):
                h=np.convolve(q[sg==c].sum(0),ker,'same')+40*f;fc[c]=h/h.sum()
        post=Lk*fc[sg];post/=post.sum(1,keepdims=True)
        if verbose: print('prior f',[(round(float(g[j]),2),round(float(f[j]*100),2)) for j in range(300,901,50)])
    if verbose:
        np.set_printoptions(precision=3,suppress=True,linewidth=170)
        for c in range(4): print('class',c,(cl==c).sum(),PM[c],np.sqrt(np.diag(PS[c])),'corr',PS[c][0,1]/np.sqrt(PS[c][0,0]*PS[c][1,1]),PS[c][0,2]/np.sqrt(PS[c][0,0]*PS[c][2,2]),PS[c][1,2]/np.sqrt(PS[c][1,1]*PS[c][2,2]))
    rows=[];est={};wd=[]
    for i,s in enumerate(st):
        p=post[i];cd=np.cumsum(p);m=(p*g).sum();lo,hi=np.interp([.025,.975],cd,g+.005)
        e,lo,hi=round(float(m),4),round(float(lo),4),round(float(hi),4)
        a='same' if lo>=-.5 and hi<=.5 else 'higher' if lo>0 else 'lower' if hi<0 else 'open'
        rows.append([s['name'],e,lo,hi,a]);est[s['name']]=e;wd.append(hi-lo)
        if verbose and i<8: print(rows[-1],s['b'])
    with open(os.path.join(OUT,'answers.csv'),'w') as f:
        c=csv.writer(f,lineterminator='\n');c.writerow('study,estimate,low,high,answer'.split(','));c.writerows(rows)
    json.dump({'studies':n,'mean_estimate':float(np.mean(list(est.values()))),'mean_width':float(np.mean(wd)),'estimates':est},open(os.path.join(OUT,'results.json'),'w'),indent=1)
main(len(sys.argv)>1)
