import numpy as np,time
from parts import *
def make(p,units,n,dev,new_cost,pat):
    U=len(units); st=[];cnt={}
    for i in range(n*3):
        t,k=divmod(i,U); u=units[k]; a=pat[(k+t*1+ (t//4))%len(pat)] if False else (k+t)%4
        st.append((u,a))
        if len(st)>=n: break
    return st
def valid(p,plan,known):
    c={}
    for s in plan: c[s]=c.get(s,0)+1
    if max(c.values())>2: return False
    new={s[0] for s in plan}-known
    return sum(p['measure_cost'][s[2]] for s in plan)+p['enrol_cost']*len(new)<=p['budget']+1e-9
def plan_one(p,tmax,seed=0):
    t0=time.process_time(); rng=np.random.default_rng(seed); L=lay(p); S=L[0]; U=len(S); ns=S.max()+1
    PO,PV,d0=pilot_obs(p); known={o[0] for o in PO}; B=p['budget']; mc=p['measure_cost']; ec=p['enrol_cost']
    th,on,sn=draw(5,ns,np.random.default_rng(7)); th=PM+(th-PM)*.6; on[:]=[[1,0,0],[1,1,0],[0,0,1],[1,0,1],[0,1,0]]; th[:,9]=0
    # scale guess for rounding
    vals=[v for v in PV if v is not None]; s0=max(np.std(vals)/1.9,1e-9) if len(vals)>2 else 1.
    lostr=[o for o,v in zip(PO,PV) if v is None]
    keep=[o for o,v in zip(PO,PV) if v is not None]
    def crit(plan):
        O=keep+plan_obs(p,plan,d0); m=mats(p,O,L); r=np.array(p['rounding'])/s0
        ex=(r**2/12)[m['d']]; infl=np.ones(m['n'])*1.3; infl[:len(keep)]=2.0
        K,c,v=cov(m,th,on,sn,ex,infl); X=np.linalg.solve(K,c.transpose(0,2,1)); pv=v-np.einsum('pan,pna->pa',c,X)
        return np.sqrt(np.maximum(pv,1e-9)).mean()
    base=sorted(known); rest=[u for u in range(U) if u not in known]
    # order rest by sites least covered
    order=[]; cs=np.array([sum(S[b]==s for b in base) for s in range(ns)],float); tot=np.array([(S==s).sum() for s in range(ns)])
    rr=list(rest)
    while rr:
        u=min(rr,key=lambda q:(cs[S[q]]+1)/tot[S[q]]); order.append(u); rr.remove(u); cs[S[u]]+=1
    best=None;seen=set()
    for k in sorted({0,1,2,3,4,6,8,10,14,len(order)}):
        if k>len(order): continue
        for dv in (0,1):
            n=int((B-k*ec)/mc[dv]+1e-9)
            units=base+order[:k]
            n=min(n,8*len(units))
            if n<8 or n<len(units): continue
            us=list(units); rng.shuffle(us)
            st=make(p,us,n,dv,ec,None); pl=[(u,a,dv) for u,a in st]
            if len(pl)>40: pl=pl[:40]
            if not valid(p,pl,known): continue
            c=crit(pl)
            if best is None or c<best[0]: best=(c,pl)
    if best is None: 
        pl=[];left=B
        for i in range(8*len(base)):
            t,k=divmod(i,len(base)); 
            if mc[0]>left: break
            pl.append((base[k],(k+t)%4,0)); left-=mc[0]
        best=(crit(pl),pl)
    c,pl=best; it=0; c0=c
    while time.process_time()-t0<tmax and it<400:
        it+=1; q=list(pl); r=rng.random(); i=rng.integers(len(q)); u,a,d=q[i]
        if r<.3: q[i]=(u,int(rng.integers(4)),d)
        elif r<.55: j=rng.integers(len(q)); q[i],q[j]=q[j],q[i]
        elif r<.75:
            us=sorted({s[0] for s in q}); q[i]=(int(us[rng.integers(len(us))]),a,d)
        elif r<.85: q[i]=(int(rng.integers(U)),a,d)
        else:
            j=rng.integers(len(q)); q[i],q[j]=(u,q[j][1],d),(q[j][0],a,q[j][2])
        if not valid(p,q,known): continue
        cn=crit(q)
        if cn<c: c,pl=cn,q
    return [[int(u),int(a),int(d)] for u,a,d in pl],(c0,c,it)
