"""Boyar-Peralta starts, then a walk over circuits of equal size by rewriting, also on the transposed circuit."""
import os
os.environ["OPENBLAS_NUM_THREADS"]="1"
import json,random,time
from pathlib import Path
import numpy as np
SIZE=16
EVERY=np.arange(1<<SIZE)
POP=np.bitwise_count(EVERY).astype(np.int8)
INP=[1<<i for i in range(SIZE)]
def bp(targets,rng,noise=0.0):
    """one run; returns gates: value -> (a,b)"""
    left=np.array(sorted(t for t in set(targets) if t and t&(t-1)));near=POP.copy();signals=1<<np.arange(SIZE);gates={};have=set(INP)
    while len(left):
        sums=(signals[:,None]^signals)[np.triu_indices(len(signals),1)];sums=np.unique(sums[near[sums]>1])
        dist=near[left]
        if (dist==2).any(): ch=rng.choice(left[dist==2].tolist())
        else:
            new=np.minimum(dist,near[sums[:,None]^left]+1).astype(np.int64)
            val=new.sum(1)*100000-(new**2).sum(1)
            ch=rng.choice(sums[val==val.min()].tolist())
        for s in signals.tolist():
            if s^ch in have: gates[ch]=(s,s^ch);break
        have.add(ch);signals=np.append(signals,ch);near=np.minimum(near,near[EVERY^ch]+1);left=left[near[left]>1]
    return gates
def order(gates):
    out=[];seen=set(INP)
    for g in gates:
        st=[g]
        while st:
            x=st[-1]
            if x in seen: st.pop();continue
            a,b=gates[x];k=0
            if a not in seen: st.append(a);k=1
            if b not in seen: st.append(b);k=1
            if not k: seen.add(x);out.append(x);st.pop()
    return out
def prune(gates,targets):
    T=set(targets);need=set();st=[t for t in T if t in gates]
    while st:
        x=st.pop()
        if x in need: continue
        need.add(x)
        for y in gates[x]:
            if y in gates: st.append(y)
    return {x:gates[x] for x in gates if x in need}
def transpose(gates,targets):
    """targets: list of values; column j of the new problem is target j"""
    od=order(gates);acc={}
    for j,t in enumerate(targets):
        if t: acc.setdefault(t,[]).append(1<<j)
    ng={}
    have=set(INP)
    def tot(v):
        l=acc.get(v,[])
        if not l: return 0
        x=l[0]
        for y in l[1:]:
            z=x^y
            if z and z not in have and x and y: ng[z]=(x,y);have.add(z)
            x=z
        return x
    for v in reversed(od):
        x=tot(v)
        if x:
            for u in gates[v]: acc.setdefault(u,[]).append(x)
    nt=[tot(1<<i) for i in range(SIZE)]
    return prune(ng,nt),nt
def walk(gates,targets,rng,until,moves):
    """rewrites in place, never larger"""
    T=set(targets);gate=dict(gates);users={x:set() for x in INP}
    for g in gate: users.setdefault(g,set())
    for g,(a,b) in gate.items(): users[a].add(g);users[b].add(g)
    lst=list(gate);rnd=rng.random;clock=time.process_time
    def dep(x,c):
        if x==c: return True
        st=[x];seen=set()
        while st:
            y=st.pop()
            if y in gate and y not in seen:
                seen.add(y);a,b=gate[y]
                if a==c or b==c: return True
                st.append(a);st.append(b)
        return False
    def drop(v):
        while v in gate and not users[v] and v not in T:
            a,b=gate.pop(v);del users[v];lst.remove(v);users[a].discard(v);users[b].discard(v)
            drop(a);v=b
    def rewire(c,x,y):
        p,q=gate[c];users[p].discard(c);users[q].discard(c);gate[c]=(x,y);users[x].add(c);users[y].add(c)
        drop(p)
        drop(q)
    n=0;bl=len(gate);snap=dict(gate);lim=bl+UPL;up=0
    while n<moves:
        n+=1
        if n&255==0:
            if len(lst)<=bl: bl=len(lst);snap=dict(gate);lim=bl+UPL
            if n&1023==0 and clock()>until: break
        r=rnd();L=len(lst);c=lst[int(r*L)];r=r*L%1
        p,q=gate[c]
        if r<.5: v,d=p,q
        else: v,d=q,p
        if v not in gate: continue
        a,b=gate[v]
        if rnd()<.5: a,b=b,a
        t=a^d
        if t in users:
            if t==c or dep(t,c): continue
            rewire(c,t,b)
        elif len(users[v])==1 and v not in T or (L<lim and rnd()<PUP):
            # replace v by t
            if len(users[v])>1 or v in T:
                users[v].discard(c);users[d].discard(c);gate[t]=(a,d);users[t]={c};users[a].add(t);users[d].add(t);lst.append(t)
                gate[c]=(t,b);users[b].add(c)
            else:
              del gate[v];users[a].discard(v);users[b].discard(v);del users[v];lst.remove(v)
              users[d].discard(c)
              gate[t]=(a,d);users[t]={c};users[a].add(t);users[d].add(t);lst.append(t)
              gate[c]=(t,b);users[b].add(c)
            for g in [g for g in lst if g^t in users]:
                if g==c or g==t or g not in gate: continue
                y=g^t
                if y not in users or t not in gate: continue
                pq=gate[g]
                if t in pq: continue
                if dep(t,g) or dep(y,g): continue
                p,q=pq
                gain=(p!=y and p in gate and len(users[p])==1 and p not in T) or (q!=y and q in gate and len(users[q])==1 and q not in T)
                if gain or rnd()<.3: rewire(g,t,y)
    if len(gate)<=bl: return gate
    return snap
def solve(rows,rng,budget):
    t0=time.process_time();end=t0+budget
    tg=[sum(b<<i for i,b in enumerate(r)) for r in rows]
    tt=[sum(rows[i][j]<<i for i in range(SIZE)) for j in range(SIZE)]
    starts=[]
    for k in range(NBP):
        g=bp(tg,rng);starts.append((len(g),g))
        h=bp(tt,rng);g2,nt=transpose(h,tt)
        assert nt==tg
        starts.append((len(g2),g2))
    starts.sort(key=lambda t:t[0]);tb=time.process_time()-t0
    best=starts[0][1];cur=best;trace=[len(best)];K=0;n0=len(best)
    pool=[s[1] for s in starts[:NPOOL]]
    # races: several starts, drop the worst
    i=0
    rounds=[(NPOOL,.3),(max(1,NPOOL//2),.3),(1,.4)]
    for m,share in rounds:
        pool.sort(key=len);pool=pool[:m];now=time.process_time();stop=now+(end-t0-tb)*share
        stop=min(stop,end)
        j=0
        while time.process_time()<stop:
            g=pool[j%len(pool)]
            g=walk(g,tg,rng,stop,SEG)
            if time.process_time()<stop:
                h,nt=transpose(g,tg);h=walk(h,nt,rng,stop,SEG);g2,_=transpose(h,nt)
                if len(g2)<=len(g): g=g2
            pool[j%len(pool)]=g
            if len(g)<len(best): best=g
            j+=1;K+=1
    return best,(n0,len(best),K,round(tb,2))
E_=os.environ.get
NBP,NPOOL,SEG=int(E_('NBP','2')),int(E_('NPOOL','2')),int(E_('SEG','8000'));PUP=float(E_('PUP','.06'));UPL=int(E_('UPL','1'))
def encode(g):
    idx={1<<i:i for i in range(SIZE)};out=[]
    for v in order(g): a,b=g[v];out.append([idx[a],idx[b]]);idx[v]=len(idx)
    return out
def main():
    M=json.loads(Path("problem.json").read_text())["matrices"][:int(E_("NM","16"))];rng=random.Random(1);out=[];T=3.52*len(M)
    for i,m in enumerate(M):
        g,info=solve(m,rng,(T-time.process_time())/(len(M)-i));out.append(encode(g))
        if os.environ.get("SHOW"): print(info,flush=True)
    if os.environ.get("SHOW"): print('MEAN',sum(map(len,out))/len(out))
    Path("answers.json").write_text(json.dumps({"circuits":out}))
if __name__=="__main__": main()
