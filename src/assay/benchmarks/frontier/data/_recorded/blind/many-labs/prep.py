import csv,glob,os,numpy as np
def load(f):
    R=list(csv.DictReader(open(f)))
    S={}
    S['name']=os.path.basename(f)[:-4]
    unit=np.array([r['unit'] for r in R]);room=np.array([r['room'] for r in R])
    day=np.array([int(float(r['day'])) for r in R]);z=np.array([r['arm'].strip()=='b' for r in R])*1.
    b=np.array([float(r['before'] or 'nan') for r in R]);a=np.array([float(r['after'] or 'nan') for r in R])
    n=len(R)
    S['cross']=len(set(unit))<0.8*n
    keep=np.ones(n,bool); S['dup']=False
    if not S['cross']:
        seen={}; nd=0
        for i in range(n):
            L=seen.setdefault((room[i],day[i],z[i]),[])
            for j in L:
                if abs(b[i]-b[j])<=0.125 and abs(a[i]-a[j])<=0.125: keep[i]=False; nd+=1; break
            else: L.append(i)
        if nd>0.1*n: S['dup']=True
        else: keep[:]=True
    miss=~np.isfinite(a)|(np.abs(a+9)<0.2)|~np.isfinite(b); S['miss']=int((miss&keep).sum())
    keep&=~miss
    unit,room,day,z,b,a=[x[keep] for x in (unit,room,day,z,b,a)]
    mx=a.max(); S['cap']=mx if (a==mx).sum()>=max(4,0.03*len(a)) else None
    cens=(a==mx) if S['cap'] is not None else np.zeros(len(a),bool)
    rn,ri=np.unique(room,return_inverse=True)
    S['halfrooms']=[]
    for k in range(len(rn)):
        m=ri==k
        # likelihood full vs half
        ll=-0.5*((b[m].mean()-50)/4.5)**2-m.sum()*np.log(8)-0.5*((b[m]-b[m].mean())**2).sum()/64
        lh=-0.5*((2*b[m].mean()-50)/4.5)**2-m.sum()*np.log(4)-0.5*((b[m]-b[m].mean())**2).sum()/16
        if lh>ll: S['halfrooms'].append(k); b[m]*=2; a[m]*=2
    S['half']=len(S['halfrooms'])>0
    pr=np.array([z[ri==k].mean() for k in range(len(rn))])
    S['clus']=bool(np.all((pr==0)|(pr==1)))
    S['two']=S['clus'] and len(rn)<=3
    S.update(unit=np.unique(unit,return_inverse=True)[1],room=ri,nr=len(rn),day=day,z=z,b=b,a=a,cens=cens)
    dz=np.array([z[day<=3].mean()-z[day>3].mean()])
    S['ddz']=float(np.corrcoef(day,z)[0,1]); S['bz']=float(np.corrcoef(b,z)[0,1])
    S['step']=(not S['cross']) and (not S['clus']) and abs(S['ddz'])>0.35
    return S
def kind(S):
    if S['two']: return 'two'
    if S['cross']: return 'cross-miss' if S['miss'] else 'cross'
    if S['dup']: return 'dup'
    c=('cap-' if S['cap'] is not None else '')+('half-' if S['half'] else '')
    if S['clus']: return c+'clus'
    if S['step']: return c+'step'
    if abs(S['bz'])>0.27: return c+'sel'
    return c+'plain'
def loadall(d): return [load(f) for f in sorted(glob.glob(os.path.join(d,'*.csv')))]
