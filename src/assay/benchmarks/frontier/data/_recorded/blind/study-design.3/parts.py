import numpy as np
def lay(p):
    S=np.array(p['sites']); x=np.array(p['x'],float); x=(x-x.mean())
    U=len(S); fr=np.array([(S==s).mean() for s in range(S.max()+1)])
    E=np.zeros((4,4))
    if p['doses']:
        d=np.array(p['doses'])/10.; f=d**.6; e=1.75**2*np.outer(f,f)+.35**2*np.minimum(d[:,None],d[None])/d.max()+.18**2*np.eye(3)
    else: e=1.38**2*(.7*np.eye(3)+.3)
    E[1:,1:]=e
    return S,x,U,fr,E
def pilot_obs(p):
    r=p['pilot']; mx=max([q['day'] for q in r],default=-1)
    pd={}
    for q in r: pd[q['day']]=max(pd.get(q['day'],0),q['place'])
    O=[(q['unit'],q['arm'],q['device'],q['day'],q['place']) for q in r]
    return O,[q['value'] for q in r],mx+1
def plan_obs(p,plan,d0):
    ds=p['day_size']; return [(u,a,d,d0+i//ds,i%ds) for i,(u,a,d) in enumerate(plan)]
def mats(p,O,L=None):
    S,x,U,fr,E=L or lay(p); A=np.array(O); u,a,d,day,pl=A.T; s=S[u]; ds=p['day_size']
    eq=lambda v:(v[:,None]==v[None])*1.0
    arm=eq(a)*(a>0)[:,None]
    dy=day-day.mean(); pf=pl/ds-.5
    F=400+.5**2*np.outer(x[u],x[u])+.55**2*np.outer(d,d)+E[np.ix_(a,a)]
    V=np.stack([eq(u),eq(s),eq(day),np.outer(dy,dy),np.outer(pf,pf),eq(s)*arm,eq(u)*arm])
    c0=E[1:][:,a] # 3,n
    ia=(a[None]==np.arange(1,4)[:,None])*1.0
    cg=ia*fr[s]; ch=ia/U
    return dict(F=F,V=V,c0=c0,cg=cg,ch=ch,v0=np.diag(E)[1:],vg=(fr**2).sum(),vh=1/U,u=u,s=s,a=a,d=d,n=len(u),day=day)
# particle columns (log): su ss sd sdt swd sg sh n0 ratio scale + site noise
PM=np.log([.78,.5,.6,.15,1.0,.22,.28,.85,.45,1.0]); PS=np.array([.35,.8,.6,.6,.4,.8,.5,.45,.4,.3])
def draw(M,ns,rng):
    th=PM+PS*rng.normal(size=(M,10))
    on=np.stack([rng.random(M)<.65,rng.random(M)<.5,rng.random(M)<.4],1)*1.0 # day, dt, wd
    sn=.25*rng.normal(size=(M,ns)); return th,on,sn
def lprior(th,on,sn): return -.5*(((th-PM)/PS)**2).sum(1)+(on*np.log([.65,.5,.4])+(1-on)*np.log([.35,.5,.6])).sum(1)-.5*((sn/.25)**2).sum(1)
def cov(m,th,on,sn,extra,infl):
    w=np.exp(2*th[:,:7]); w[:,2:5]*=on; n=m['n']
    K=(w@m['V'].reshape(7,-1)).reshape(-1,n,n)+m['F']
    nv=np.exp(2*(th[:,7:8]+np.where(m['d'][None]==1,th[:,8:9],0)+sn[:,m['s']]))*infl+extra/np.exp(2*th[:,9:10])
    i=np.arange(n); K[:,i,i]+=nv+1e-6
    c=m['c0'][None]+w[:,5][:,None,None]*m['cg']+w[:,6][:,None,None]*m['ch']
    v=m['v0'][None]+w[:,5:6]*m['vg']+w[:,6:7]*m['vh']
    return K,c,v
