import os
os.environ["OPENBLAS_NUM_THREADS"]="1"
import json,math,itertools
from pathlib import Path
import numpy as np
def primes(N):
    s=[True]*(N+1);o=[]
    for i in range(2,N+1):
        if s[i]:
            o.append(i)
            for j in range(i*i,N+1,i): s[j]=False
    return o
PR=primes(800)
def dsum(a,b):
    a=abs(a);t=0
    while a: t+=a%b;a//=b
    return t
def build():
    """base functions of place: name -> list for n=0..60"""
    F={};L=84
    F['p']=PR[:L];F['p2']=[p*p for p in PR[:L]]
    F['tau']=[0]+[sum(1 for d in range(1,n+1) if n%d==0) for n in range(1,L)]
    F['sig']=[0]+[sum(d for d in range(1,n+1) if n%d==0) for n in range(1,L)]
    F['phi']=[0]+[sum(1 for d in range(1,n+1) if math.gcd(n,d)==1) for n in range(1,L)]
    for b in (2,3,4,5,6,7,8,9,10): F['ds%d'%b]=[dsum(n,b) for n in range(L)]
    F['v2']=[0]+[(n&-n).bit_length()-1 for n in range(1,L)]
    F['pi']=[sum(1 for p in PR if p<=n) for n in range(L)]
    F['sq']=[math.isqrt(n) for n in range(L)]
    F['len']=[n.bit_length() for n in range(L)]
    F['gpf']=[0,1]+[max(p for p in PR if n%p==0) for n in range(2,L)]
    F['lpf']=[0,1]+[min(p for p in PR if n%p==0) for n in range(2,L)]
    F['om']=[0,0]+[sum(1 for p in PR if n%p==0) for n in range(2,L)]
    F['alt']=[(-1)**n for n in range(L)]
    f=[0,1]
    while len(f)<L: f.append(f[-1]+f[-2])
    F['fib']=f
    F['2n']=[2**n for n in range(L)]
    F['rev']=[int(bin(n)[:1:-1],2) for n in range(L)]
    F['gray']=[n^(n>>1) for n in range(L)]
    for st in range(1,10):
        o=[st]
        while len(o)<L:
            c=o.count(o[-1]);o.append(c if o[-1]%2==0 else c+(o[-2] if len(o)>1 else 0))
        F['cnt%d'%st]=o
    for m in (3,4,5,6,7): F['mod%d'%m]=[n%m for n in range(L)]
    for m in (2,3,4,5,6,7): F['div%d'%m]=[n//m for n in range(L)]
    return F
BASE=build()
GV=[];GN=[];seen=set()
for nm,v in BASE.items():
    for k in range(0,64 if nm in('tau','p') else 1 if nm.startswith('cnt') else 14):
        w=v[k:k+18]
        if len(w)<18: continue
        t=tuple(w)
        d=tuple(x-w[0] for x in w)
        if t in seen: continue
        seen.add(t);GN.append((nm,k));GV.append(w)
GV=np.array(GV,float)
N18=np.arange(18.)
def intish(c,maxden=2):
    c2=c*maxden;return np.all(abs(c2-np.round(c2))<1e-4)
def lin_rules(s,lags,pos,maxc=None):
    """exact fit with lags & fixed position columns (array 18 x m)"""
    n=len(s);a=np.array(s,float);L=lags
    Y=a[L:];X=np.column_stack([a[L-1-i:n-1-i] for i in range(L)]+[pos[L:n]])
    if len(Y)<X.shape[1]+(1 if L and n<9 else 3 if n<12 or not L else 3): return None
    sc=np.abs(X).max(0)+1e-9
    c,_,rk,_=np.linalg.lstsq(X/sc,Y,rcond=1e-11);c=c/sc
    if rk<X.shape[1]: return None
    if len(Y)<X.shape[1]+3:
        c=np.round(c)
        if abs(c[:L]).max()>5 or abs(c).max()>60: return None
    c=np.round(c*6)/6
    out=list(s)
    for i in range(L,n):
        v=sum(c[j]*out[i-1-j] for j in range(L))+pos[i]@c[L:]
        if abs(v-out[i])>1e-3+1e-9*abs(v): return None
    for i in range(n,n+3):
        v=sum(c[j]*out[i-1-j] for j in range(L))+pos[i]@c[L:];out.append(int(round(v)))
    return out[n:]
P1=np.ones((18,1));P2=np.column_stack([P1,N18]);P3=np.column_stack([P2,N18**2]);P4=np.column_stack([P3,N18**3]);P5=np.column_stack([P4,N18**4])
_pc={}
def proj(n,deg,lo=0):
    k=(n,deg)
    if k not in _pc:
        Q,_=np.linalg.qr(np.vander(np.arange(n)/n,deg+1,increasing=True))
        M=GV[:,:n]-(GV[:,:n]@Q)@Q.T
        nr=np.sqrt((M*M).sum(1));_pc[k]=(Q,M/np.maximum(nr,1e-9)[:,None],nr>1e-6)
    return _pc[k]
def pos_one(y,deg):
    n=len(y);Q,M,ok=proj(n,deg);r=y-Q@(Q.T@y);rr=r@r
    if rr<1e-9: return []
    c=M@r;e=rr-c*c
    return [i for i in np.where(ok&(e<1e-7*max(1,rr)))[0]]
def extend_pos(s,cols):
    n=len(s);X=cols[:n];sc=abs(X).max(0)+1e-9;c=np.linalg.lstsq(X/sc,np.array(s,float),rcond=None)[0]/sc
    if not np.all(abs(c*12-np.round(c*12))<1e-3): return None
    v=cols[:n+3]@c
    if np.abs(v[:n]-s).max()>1e-4: return None
    return [int(round(x)) for x in v[n:n+3]]
def r_poly(s):
    for P in (P1,P2,P3,P4):
        r=lin_rules(s,0,P)
        if r: return r
def r_pos(s,deg=1):
    y=np.array(s,float)
    for d in range(deg+1):
        for i in pos_one(y,d):
            r=extend_pos(s,np.column_stack([np.vander(N18,d+1,increasing=True),GV[i]]))
            if r: return r
def r_period(s):
    n=len(s)
    for p in range(1,n//2+1):
        if all(s[i]==s[i-p] for i in range(p,n)) : return [s[n-p+i%p] for i in range(3)]
def r_evper(s):
    n=len(s)
    for p in range(1,n//2):
        for st in range(1,n-p-3):
            if all(s[i]==s[i-p] for i in range(st+p,n)):
                return [s[n-p+i%p] for i in range(3)]
def r_steps(s):
    n=len(s);d=[b-a for a,b in zip(s,s[1:])]
    for p in range(2,(n+1)//2 if n>9 else n-1):
        if all(d[i]==d[i-p] for i in range(p,n-1)):
            o=list(s)
            for i in range(3): o.append(o[-1]+d[(n-1+i)-p*(1+i//p)] if i<p else o[-1]+d[n-1-p+i%p])
            return o[n:]
def r_lin(s):
    for L,P in ((1,P1),(1,P2),(2,None),(2,P1),(1,P3),(2,P2),(3,None),(3,P1),(2,P3),(4,None)):
        r=lin_rules(s,L,P if P is not None else np.zeros((18,0)))
        if r: return r
def r_map(s):
    """parity branches: each branch linear in a"""
    n=len(s)
    for m in (2,3):
        ok=True;br={}
        for res in range(m):
            pr=[(a,b) for a,b in zip(s,s[1:]) if a%m==res]
            u=sorted(set(pr))
            if len(dict(u))<len(u): ok=False;break
            if len(u)<2: br[res]=None if len(u)<1 else u; continue
            (a0,b0),(a1,b1)=u[0],u[-1]
            if not all((b-b0)*(a1-a0)==(b1-b0)*(a-a0) for a,b in u): ok=False;break
            br[res]=(a0,b0,a1,b1)
        if not ok: continue
        if len(set(s))<6 : continue
        o=list(s)
        try:
            for _ in range(3):
                a=o[-1];t=br[a%m]
                if t is None: raise ValueError
                if isinstance(t,list):
                    if a!=t[0][0]: 
                        if m==2 and a%2==0: o.append(a//2);continue
                        raise ValueError
                    o.append(t[0][1]);continue
                a0,b0,a1,b1=t;v=(b1-b0)*(a-a0)
                if v%(a1-a0): raise ValueError
                o.append(b0+v//(a1-a0))
        except ValueError: continue
        return o[len(s):]
def r_dig(s):
    n=len(s)
    if min(s)<0: return
    for b in range(2,17):
        D=[dsum(a,b) for a in s]
        for P in (0,1):
            y=[s[i+1]-s[i] for i in range(n-1)]
            i=next((i for i in range(1,n-1) if D[i]!=D[0]),None)
            if i is None: continue
            num,den=y[i]-y[0],D[i]-D[0]
            if num%den or num==0: continue
            c=num//den;e=y[0]-c*D[0]
            if all(y[j]==c*D[j]+e for j in range(n-1)):
                o=list(s)
                for _ in range(3): o.append(o[-1]+c*dsum(o[-1],b)+e)
                return o[n:]
def egcd_inv(a,m):
    try: return pow(a,-1,m)
    except ValueError: return None
def det(M):
    if len(M)==1: return M[0][0]
    if len(M)==2: return M[0][0]*M[1][1]-M[0][1]*M[1][0]
    return sum((-1)**j*M[0][j]*det([r[:j]+r[j+1:] for r in M[1:]]) for j in range(len(M)))
def r_mod(s):
    n=len(s);mx=max(s)
    if min(s)<0 or mx>3000 or mx<2: return
    feats=[lambda o,i:[o[i-1],1],lambda o,i:[o[i-1]**2,1],lambda o,i:[o[i-1],i,1],lambda o,i:[o[i-1],o[i-2]],lambda o,i:[o[i-1]**2,i,1],lambda o,i:[o[i-1]**2,o[i-1],1],lambda o,i:[o[i-1],o[i-2],1],lambda o,i:[o[i-1],i%2,1],lambda o,i:[o[i-1]**2,o[i-2],1],lambda o,i:[o[i-1]*o[i-2],1],lambda o,i:[o[i-1]**3,1]]
    for F in feats:
        R=[F(s,i)+[s[i]] for i in range(2,n)];k=len(R[0])
        g=0
        for st in range(len(R)-k+1):
            g=math.gcd(g,det(R[st:st+k]))
            if g==1: break
        for st in range(0,len(R)-k):
            if g<=mx and g: break
            g=math.gcd(g,det(R[st:st+k-1]+[R[(st+k+3)%len(R)]]))
        if g==0 or g<=mx or g>10**7: continue
        # try moduli: divisors of g larger than mx
        for m in sorted({d for q in range(1,min(g,3000)+1) if g%q==0 for d in (q,g//q) if mx<d<5000}):
            # solve coefficients mod m with some k-1 rows having invertible det
            sol=None;kk=k-1;tr=0
            for rows in itertools.combinations(range(len(R)),kk):
                tr+=1
                if tr>80: break
                A=[R[r][:kk] for r in rows];D=det(A)%m;iv=egcd_inv(D,m)
                if iv is None: continue
                sol=[]
                for j in range(kk):
                    B=[row[:] for row in A]
                    for q,r in enumerate(rows): B[q][j]=R[r][kk]
                    sol.append(det(B)*iv%m)
                break
            if sol is None:
                continue
            if all(sum(a*b for a,b in zip(sol,r))%m==r[-1] for r in R):
                o=list(s)
                for i in range(n,n+3): o.append(sum(a*b for a,b in zip(sol,F(o,i)))%m)
                return o[n:]
def r_xor(s):
    """(a*n+b) xor c, times k plus e"""
    n=len(s)
    if max(map(abs,s))>5000: return
    g=0
    for x in s: g=math.gcd(g,x-s[0])
    for k in {1,g,g//2 or 1,g//4 or 1}:
        if k==0: continue
        for e in sorted({s[0]%k,0} if k>1 else {0}):
            if any((x-e)%k for x in s): continue
            t=[(x-e)//k for x in s]
            if min(t)<0: continue
            best=None
            for c in range(0,128):
                w0=t[0]^c;d=(t[1]^c)-w0
                if d==0 or (t[2]^c)-(t[1]^c)!=d: continue
                w=[x^c for x in t]
                if all(w[i+1]-w[i]==d for i in range(n-1)) and w[-1]+3*d>=0:
                    sc=w0 if d>0 else 1000+w0
                    if best is None or sc<best[0]: best=(sc,[((w[-1]+d*(j+1))^c)*k+e for j in range(3)])
            if best: return best[1]
def r_floor(s,tri=0):
    """floor((a*n+b)/q): feasible slope interval"""
    n=len(s)
    d=[b-a for a,b in zip(s,s[1:])]
    if max(d)-min(d)>1: return
    V={}
    for q in range(2,16):
        lo=min(d)*q
        for a in range(lo+1,lo+q):
            if math.gcd(a,q)>1: continue
            L=max(q*s[i]-a*i for i in range(n));H=min(q*s[i]+q-1-a*i for i in range(n))
            for b in range(L,H+1):
                t=tuple((a*i+b)//q for i in range(n,n+3));V[t]=V.get(t,0)+(1. if q<=13 else .02)
    if V: return list(max(V,key=V.get))
def r_lagpos(s):
    """s[i]-s[i-1] or s[i]+s[i-1] is a place rule"""
    n=len(s);a=np.array(s,float)
    for L,cs in ((1,(1,-1,2,3,-2)),):
        for c in cs:
            y=a[1:]-c*a[:-1]
            for dgr in (0,1):
                Q,M,ok=proj(n-1,dgr);r=y-Q@(Q.T@y);rr=r@r
                if rr<1e-9: continue
                e=rr-(M@r)**2
                for i in np.where(ok&(e<1e-7*max(1,rr)))[0]:
                    x=extend_pos([int(v) for v in y],np.column_stack([np.vander(N18,dgr+1,increasing=True),GV[i]]))
                    if x:
                        o=list(s)
                        for v in x: o.append(c*o[-1]+v)
                        return o[n:]
_fl={}
def r_filter(s):
    n=len(s);a=np.array(s,float)
    for p in range(-3,4):
        for q in range(-3,4):
            if p==q==0: continue
            y=a[2:]-p*a[1:-1]-q*a[:-2]
            if abs(y).max()>1e6: continue
            yi=[s[i]-p*s[i-1]-q*s[i-2] for i in range(2,n)]
            r=r_steps(yi) or r_period(yi) or r_poly(yi)
            if not r:
                for dg in (0,1):
                    key=(p,q,n,dg)
                    if key not in _fl:
                        G=GV[:,2:n]-p*GV[:,1:n-1]-q*GV[:,:n-2]
                        Q,_=np.linalg.qr(np.vander(np.arange(n-2)/n,dg+1,increasing=True))
                        M=G-(G@Q)@Q.T;nr=np.sqrt((M*M).sum(1));_fl[key]=(Q,M/np.maximum(nr,1e-9)[:,None],nr>1e-6)
                    Q,M,ok=_fl[key];z=y-Q@(Q.T@y);rr=z@z
                    if rr<1e-9: continue
                    e=rr-(M@z)**2
                    for i in np.where(ok&(e<1e-7*max(1,rr)))[0][:3]:
                        G=GV[i,2:18]-p*GV[i,1:17]-q*GV[i,:16]
                        r=extend_pos(yi,np.column_stack([np.vander(np.arange(16.),dg+1,increasing=True),G]))
                        if r: break
                    if r: break
            if r:
                o=list(s)
                for v in r: o.append(p*o[-1]+q*o[-2]+v)
                return o[n:]
def fastmap(t):
    br=[None,None];f=[0,0]
    for a,b in zip(t,t[1:]):
        if a%2==0:
            if b*2!=a: return False
            f[0]+=1
        elif br[1] is None: br[1]=(a,b)
        elif a!=br[1][0]:
            if (b-br[1][1])%(a-br[1][0]): return False
            k=(b-br[1][1])//(a-br[1][0])
            if f[1]==0: f[1]=k
            elif f[1]!=k: return False
    return f[0]>2
def r_stplace(s):
    n=len(s)
    for i,(nm,k) in enumerate(GN):
        if nm not in ('p','tau','ds2','v2','sq','cnt1','cnt2','cnt3','cnt4','p2','alt') : continue
        if nm=='p' and k>12: continue
        g=[int(x) for x in GV[i]]
        for c in (1,-1,2,-2,3,-3,4,-4,5,-5,6,-6):
            t=[x-c*y for x,y in zip(s,g)]
            if fastmap(t): r=r_map(t)
            elif min(t)>20 and t[-1]>t[0]: r=r_dig(t)
            else: continue
            if r: return [x+c*g[n+j] for j,x in enumerate(r)]
def r_two(s,deg=1):
    """two place functions and a line"""
    n=len(s);y=np.array(s,float);Q,M,ok=proj(n,deg);r=y-Q@(Q.T@y);rr=r@r
    if rr<1e-9: return
    key=('G',n,deg)
    if key not in _pc: _pc[key]=M@M.T
    G=_pc[key];c=M@r
    e=rr-(c[:,None]**2+c[None]**2-2*G*c[:,None]*c[None])/np.maximum(1-G*G,1e-7)
    e[~ok]=9e9;e[:,~ok]=9e9
    e[(1-G*G)<1e-6]=9e9
    I,J=np.where(np.triu(e,1)+np.tril(np.full_like(e,9e9))<1e-6*max(1,rr))
    best=None
    for i,j in zip(I[:60],J[:60]):
        x=extend_pos(s,np.column_stack([np.vander(N18,deg+1,increasing=True),GV[i],GV[j]]))
        if x: return x
def r_stepsl(s): return r_steps(s) if len(s)>9 else None
BASIC=[r_poly,r_period,r_floor,r_xor,r_dig,r_pos,r_map,r_stepsl,r_mod,r_lin,r_steps]
def r_count(s):
    def nx(o):
        c=o.count(o[-1]);return c if o[-1]%2==0 else c+(o[-2] if len(o)>1 else 0)
    o=[s[0]]
    if min(s)<0 or max(s)>200: return
    for x in s[1:]:
        if nx(o)!=x: return
        o.append(x)
    for _ in range(3): o.append(nx(o))
    return o[len(s):]
BASIC.insert(3,r_count)
def simple(s):
    r=simple0(s)
    if r[0]: return r
    g=0
    for x in s: g=math.gcd(g,x-s[0])
    if g==1 and len(s)>9:
        for e in (-2,-1,1,2):
            t=[x-e for x in s]
            if e and min(t)>=0:
                for f in STATE:
                    r=f(t)
                    if r: return [x+e for x in r],'sh'+f.__name__
    if g>1:
        for e in (s[0]%g,s[0]%g-g,s[0]%g+g,s[0]%g-2*g):
            t=[(x-e)//g for x in s]
            for f in STATE:
                r=f(t)
                if r and None not in r: return [x*g+e for x in r],'sc'+f.__name__
    return None,None
def simple0(s):
    for f in BASIC:
        try: r=f(s)
        except (ZeroDivisionError,OverflowError): r=None
        if r and None not in r: return r,f.__name__
    return None,None
STATE=[r_count,r_map,r_mod,r_dig]
def inter(s):
    a,b=s[::2],s[1::2];ra,na=simple(a);rb,nb=simple(b)
    if ra and rb:
        n=len(s);o=[]
        for i in range(3): o.append(ra[i//2] if (n+i)%2==0 else 0)
        ia=ib=0;o=[]
        for i in range(n,n+3):
            if i%2==0: o.append(ra[ia]);ia+=1
            else: o.append(rb[ib]);ib+=1
        return o,f'inter({na},{nb})'
    return None,None
def solve(s,level=1):
    r,nm=simple(s)
    if r: return r,nm
    r=r_lagpos(s)
    if r: return r,'lagpos'
    r,nm=inter(s)
    if r: return r,nm
    d=[b-a for a,b in zip(s,s[1:])]
    r,nm=simple([s[0]]+d)
    if not r: r,nm=simple(d)
    if r: 
        o=[];x=s[-1]
        for v in r: x+=v;o.append(x)
        return o,'diff:'+nm
    if level==0: return None,None
    for c in (1,-1,2,-2,3,-3,4,-4,5,-5):
        t=[x-c*i for i,x in enumerate(s)]
        for f in (r_map,r_dig,r_mod,r_xor,r_count):
            r=f(t)
            if r and None not in r: return [x+c*(len(s)+i) for i,x in enumerate(r)],'line+'+f.__name__
    r=r_two(s)
    if r: return r,'two'
    r=r_filter(s)
    if r: return r,'filter'
    r=r_stplace(s)
    if r: return r,'stplace'
    r=r_evper(s)
    if r: return r,'evper'
    return [s[-1]+d[-1]*(i+1) for i in range(3)],'none'
def main():
    import time
    p=json.loads(Path("problem.json").read_text());B=p["begun"]
    R=[solve(s,0)[0] for s in B]
    for i,s in enumerate(B):
        if R[i] is None: R[i]=solve(s)[0] if time.process_time()<17.5 else (r_evper(s) or [s[-1]]*3)
    Path("answers.json").write_text(json.dumps({"later":[[int(v) for v in r] for r in R]}))
if __name__=="__main__": main()
