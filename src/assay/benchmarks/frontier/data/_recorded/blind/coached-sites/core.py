import csv,glob,os,numpy as np
def load(folder):
    A=[]
    for f in sorted(glob.glob(os.path.join(folder,'*.csv'))):
        R=list(csv.DictReader(open(f))); g=lambda c:np.array([float(r[c]) for r in R])
        A.append(dict(name=os.path.basename(f)[:-4],n=g('size'),x=g('first'),y=g('second'),z=np.array([r['coached']=='yes' for r in R])*1.,k=np.array([r['marker']=='coach' for r in R])*1.))
    return A
LT=np.log(np.linspace(2.5,20,22)); LK=np.log(np.r_[.3,np.linspace(1,9,15)]); LS=np.log(np.linspace(6,50,20))
GT,GK,GS=[a.ravel() for a in np.meshgrid(LT,LK,LS,indexing='ij')]
q=2**-.5
def stats(S,vfun=None):
    n=S['n']; o=np.ones(len(n))
    Xs=np.column_stack([2*o,o,S['z'],S['k']])*q; Xd=np.column_stack([0*o,o,S['z'],S['k']])*q
    ys=(S['x']+S['y']-120)*q; yd=(S['y']-S['x'])*q
    def feat(X,y): Z=np.column_stack([X,y]); return np.einsum('ij,ik->ijk',Z,Z).reshape(len(y),25)
    Fs,Fd=feat(Xs,ys),feat(Xd,yd)
    # v depends on (K,S) only
    vk=np.exp(2*LK)[:,None,None]+np.exp(2*LS)[None,:,None]/n   # K,S,n
    wd=1/vk; D=(wd.reshape(-1,len(n))@Fd).reshape(len(LK),len(LS),25); ldD=np.log(vk).sum(2)
    out=np.empty((len(LT),len(LK),len(LS),25)); ld=np.empty(out.shape[:3])
    for i,t in enumerate(LT):
        vs=2*np.exp(2*t)+vk; out[i]=((1/vs).reshape(-1,len(n))@Fs).reshape(len(LK),len(LS),25)+D; ld[i]=np.log(vs).sum(2)+ldD
    return out.reshape(-1,5,5),ld.ravel()
