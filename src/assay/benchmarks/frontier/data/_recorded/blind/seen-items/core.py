import csv,glob,os,numpy as np
def load(folder):
    out=[]
    for f in sorted(glob.glob(os.path.join(folder,'*.csv'))):
        with open(f) as fh: R=list(csv.DictReader(fh))
        X=np.array([[float(r['x%d'%k]) for k in range(1,6)] for r in R])
        src=np.array([r['source'] for r in R]); X[src=='west']/=1000
        te=np.array([r['part']=='test' for r in R])
        a=np.array([float(r['right_a']) if r['right_a']!='' else np.nan for r in R]); b=np.array([float(r['right_b']) if r['right_b']!='' else np.nan for r in R])
        out.append((os.path.basename(f)[:-4],X,src,te,a,b))
    return out
def clusters(X,thr=.09):
    n=len(X); q=(X*X).sum(1); D2=q[:,None]+q[None]-2*X@X.T
    ii,jj=np.where(D2<thr**2); lab=np.arange(n)
    while True:
        new=lab.copy(); np.minimum.at(new,ii,lab[jj]); new=new[new]
        if (new==lab).all(): break
        lab=new
    return lab
def items(st):
    nm,X,src,te,a,b=st; lab=clusters(X); out=[]
    for l in np.unique(lab):
        k=np.where(lab==l)[0]; t=k[te[k]]
        if len(t)==0: continue
        out.append((len(t),int((~te[k]).any()),a[t].sum(),b[t].sum(),(a[t]*b[t]).sum(),X[k].mean(0)))
    return out
