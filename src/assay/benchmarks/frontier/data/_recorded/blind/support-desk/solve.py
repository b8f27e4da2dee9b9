import csv,glob,json,os,sys,numpy as np
rng=np.random.default_rng(4)
D=os.environ.get('ASSAY_DATA','data'); MARGIN=2.; KK=int(os.environ.get('KK','12')); TIED=int(os.environ.get('TIED','1')); MED=int(os.environ.get('MED','1'))
def load(f):
    R=list(csv.DictReader(open(f))); g=lambda c:np.array([float(r[c]) for r in R])
    tt=g('tier')-2; q=(g('queue')-18)/6; w=np.array([float(r['assistant']=='new') for r in R]); o=np.ones(len(R)); t2=tt*tt-2/3
    B=np.c_[o,tt,t2,q]; E=np.c_[o,tt,t2,q]
    return B,E,w,g('turns'),g('minutes'),(np.corrcoef(w,tt)[0,1] if w.std()>0 else 0.)
# parameters: y|turns: 4 base + 4 effect + turns ; turns: 4 base + 4 effect
def run(D,verbose=False):
    files=sorted(glob.glob(os.path.join(D,'*.csv'))); N=len(files); S=[load(f) for f in files]
    # pooled sds and slope
    rs=[0,0];df=[0,0]; sxy=sxx=0
    res=[]
    for B,E,w,t,y,_ in S:
        X=np.c_[B,E*w[:,None]]; H=lambda v:v-X@np.linalg.lstsq(X,v,rcond=None)[0]
        ry,rt=H(y),H(t); sxy+=ry@rt; sxx+=rt@rt; res.append((ry,rt)); 
    cb=sxy/sxx if MED else 0.
    n=sum(len(s[3]) for s in S); s2t=sxx/(n-8*N); s2y=sum(((a-cb*b)**2).sum() for a,b in res)/(n-8*N)
    P=17; A=np.zeros((N,P,P)); h=np.zeros((N,P)); F=[]; sgn=[]; rt_=[]
    for i,(B,E,w,t,y,cr) in enumerate(S):
        X=np.c_[B,E*w[:,None]]; Xy=np.c_[X,t-12] if MED else np.c_[X,0*t]
        A[i,:9,:9]=Xy.T@Xy/s2y; h[i,:9]=Xy.T@(y-cb*(t-12))/s2y
        A[i,9:,9:]=X.T@X/s2t; h[i,9:]=X.T@(t-12)/s2t
        b=np.linalg.solve(X.T@X+np.diag([0]*4+[.3]*4),X.T@y); sgn.append(b[5]); rt_.append(cr); F.append(E.mean(0))
    F=np.array(F); sgn=np.array(sgn); rt_=np.array(rt_)
    mu0=np.r_[48.5-0,7.,0,3,0,0,0,0,0, 0,2,0,0,0,0,0,0]
    sd0=np.r_[2.,2,.7,.6,4,6,1,.5,.1, .5,.5,.3,.2,3,.5,.3,.2]
    big=N>=100; nk=KK if big else 1
    if nk==1: lab=np.zeros(N,int)
    elif TIED:
        dtt=np.array([np.linalg.solve(A[i,9:,9:]+.1*np.eye(8),h[i,9:])[4] for i in range(N)]); dd=[]
        for i,(B,E,w,t,y,cr) in enumerate(S):
            X=np.c_[B,E*w[:,None]]; b=np.linalg.solve(X.T@X+np.diag([0]*4+[.3]*4),X.T@y); dd.append(b[4])
        dd=np.array(dd); NQ=KK//4; cut=np.quantile(dd,np.arange(1,NQ)/NQ) if NQ>1 else []
        lab=(sgn>0)*2+(dtt>0)+4*np.digitize(dd,cut); nk=4*NQ
    elif nk==2: lab=(sgn>0)*1
    elif nk==3: lab=np.digitize(sgn,[-3.,3.])
    else: lab=(sgn>0)*2+(rt_>0)*1
    mus=[];Vs=[]
    for k in range(nk):
        m=mu0.copy(); v=sd0.copy()
        if nk>1:
            if (lab==k).any():
                m[5]=np.median(sgn[lab==k])
                if TIED: m[13]=np.median(dtt[lab==k]); m[4]=np.median(dd[lab==k])-cb*m[13]
            v[5]=2
            if TIED: v[4]=1.5; v[13]=1
        mus.append(m);Vs.append(np.diag(v**2))
    pi=np.array([((lab==k).sum()+1) for k in range(nk)],float); pi/=pi.sum()
    nu=3. if big else 6.
    S0=np.diag((.3*sd0)**2) if big else np.diag(sd0**2); S0=S0.copy()
    if not big: S0[5,5]=49
    M0=[m.copy() for m in mus]
    for it in range(180 if big else 200):
        L=[];Ms=[];CC=[]
        for k in range(nk):
            Vi=np.linalg.inv(Vs[k]); Cinv=A+Vi; C=np.linalg.inv(Cinv); m=np.einsum('nij,nj->ni',C,h+Vi@mus[k])
            ll=.5*np.einsum('ni,nij,nj->n',m,Cinv,m)-.5*mus[k]@Vi@mus[k]-.5*np.linalg.slogdet(Vs[k])[1]-.5*np.linalg.slogdet(Cinv)[1]
            L.append(ll+np.log(pi[k]));Ms.append(m);CC.append(C)
        L=np.array(L).T; R=np.exp(L-L.max(1,keepdims=True)); R/=R.sum(1,keepdims=True)
        pi=(R.sum(0)+1)/(N+nk)
        for k in range(nk):
            r=R[:,k]; W=r.sum(); n0=.5 if big else 1.
            mus[k]=((r[:,None]*Ms[k]).sum(0)+n0*M0[k])/(W+n0); Z=Ms[k]-mus[k]
            if TIED and big: continue
            Vs[k]=(np.einsum('n,ni,nj->ij',r,Z,Z)+np.einsum('n,nij->ij',r,CC[k])+nu*S0)/(W+nu)
        if TIED and big:
            avg=sum(R[:,k].sum()*mus[k] for k in range(nk))/N; SS=nu*S0
            for k in range(nk):
                fr=[4,5,13]; keep=mus[k][fr].copy(); mus[k]=avg.copy(); mus[k][fr]=keep
                Z=Ms[k]-mus[k]; r=R[:,k]; SS=SS+np.einsum('n,ni,nj->ij',r,Z,Z)+np.einsum('n,nij->ij',r,CC[k])
            Vs=[SS/(N+nu)]*nk
    if verbose:
        print('cb %.3f sd y|t %.3f sd t %.3f'%(cb,s2y**.5,s2t**.5),'pi',pi.round(2)); np.set_printoptions(linewidth=200,suppress=True)
        for k in range(nk): print(' mu',mus[k].round(2))
        print(' sd',np.sqrt(np.diag(Vs[0])).round(2))
    out=[];M=4000
    for i in range(N):
        T=[]; W=[]
        for k in range(nk):
            if R[i,k]<1e-4: continue
            z=rng.standard_normal((M//2,P)); z=np.r_[z,-z]
            b=Ms[k][i]+z@np.linalg.cholesky(CC[k][i]).T
            c=(cb+b[:,8]) if MED else 0
            tot=b[:,4:8]@F[i]+c*(b[:,13:17]@F[i])
            T.append(tot); W.append(np.full(M,R[i,k]/M))
        T=np.concatenate(T);W=np.concatenate(W); W/=W.sum(); o=np.argsort(T); cs=np.cumsum(W[o])-W[o]/2
        if len(T)==M: # smooth normal
            e,s=T.mean(),T.std(); lo,hi=e-1.96*s,e+1.96*s
        else: e=(W*T).sum(); lo,hi=np.interp([.025,.975],cs,T[o])
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
