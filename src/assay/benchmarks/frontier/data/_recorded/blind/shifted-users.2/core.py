import csv,glob,math,os,numpy as np
def read(folder):
    D=[]
    for f in sorted(glob.glob(os.path.join(folder,'*.csv'))):
        R=list(csv.DictReader(open(f))); U=[r for r in R if r['group']=='user']; T=[r for r in R if r['group']!='user']
        u=np.array([[float(r['skill']),float(r['use']),r['arm']=='b',float(r['sessions']),float(r['outcome'])] for r in U]); t=np.array([[float(r['skill']),float(r['use'])] for r in T])
        sk,us,z,se,y=u.T
        D.append(dict(name=os.path.basename(f)[:-4],s=float(R[0]['strength']),sk=sk,us=us,z=z,se=se,y=y-y.mean(),t=t,
           X=np.c_[np.ones_like(y),sk,us,sk*sk,us*us,sk*us]))
    return D
def nm(f,x0,step,it=200):
    n=len(x0); X=[np.array(x0,float)]+[np.array(x0,float)+np.eye(n)[i]*step[i] for i in range(n)]; Y=[f(x) for x in X]
    for _ in range(it):
        o=np.argsort(Y); X=[X[i] for i in o]; Y=[Y[i] for i in o]; c=np.mean(X[:-1],0)
        r=c+(c-X[-1]); fr=f(r)
        if fr<Y[0]:
            e=c+2*(c-X[-1]); fe=f(e)
            X[-1],Y[-1]=(e,fe) if fe<fr else (r,fr)
        elif fr<Y[-2]: X[-1],Y[-1]=r,fr
        else:
            k=c+.5*(X[-1]-c); fk=f(k)
            if fk<Y[-1]: X[-1],Y[-1]=k,fk
            else:
                for i in range(1,n+1): X[i]=X[0]+.5*(X[i]-X[0]); Y[i]=f(X[i])
    i=int(np.argmin(Y)); return X[i],Y[i]
def gauss(d,X,v,P0,m0):
    """log marginal lik of y~N(Xb,diag v), b~N(m0,P0^-1 diag precision)"""
    r=d['y']-X@m0; w=1/v; XtW=X.T*w; H=XtW@X+np.diag(P0); g=XtW@r; b=np.linalg.solve(H,g)
    ll=-.5*(np.log(v).sum()+(w*r*r).sum()-g@b+np.linalg.slogdet(H)[1]-np.log(P0).sum())
    return ll,m0+b,np.linalg.inv(H)
P0=1/np.array([5,1.,.7,.4,.2,.3])**2; M0=np.array([0,1,.4,.15,0,0.])
def noise(d):
    X=np.c_[d['X'],d['z'][:,None]*d['X'][:,:6]]; P=np.r_[P0,1/np.array([2.,1,1,.3,.3,.4])**2]; m=np.r_[M0,np.zeros(6)]
    f=lambda v: -gauss(d,X,np.exp(2*v[0])+np.exp(2*v[1])/d['se'],P,m)[0]+.5*((v[0]+1.1)/.5)**2+.5*(v[1]/.8)**2
    v,_=nm(f,[-1.1,0.],[.3,.3],40); return v
