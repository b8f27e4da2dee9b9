"""Bayes over five families: parity, majority of five, xor of two ands, compare two-bit numbers, xor with a choice."""
import os
os.environ["OPENBLAS_NUM_THREADS"]="1"
import json
from itertools import combinations,permutations,product
from pathlib import Path
import numpy as np
def tables(k,fs):
    """distinct tables (as +-1 rows) of functions of k bits"""
    B=(np.arange(2**k)[:,None]>>np.arange(k))&1
    return {tuple(int(v)&1 for v in f(B)) for f in fs}
def families():
    P4=list(permutations(range(4)))
    bent=[lambda B,p=p,l=l,c=c:(B[:,p[0]]&B[:,p[1]])^(B[:,p[2]]&B[:,p[3]])^((B*np.array(l)).sum(1)&1)^c for p in P4 for l in product((0,1),repeat=4) for c in (0,1)]
    comp=[lambda B,p=p,c=c:((2*B[:,p[0]]+B[:,p[1]])>(2*B[:,p[2]]+B[:,p[3]])).astype(int)^c for p in P4 for c in (0,1)]
    mux=[lambda B,p=p,c=c:B[:,p[0]]^np.where(B[:,p[1]]==1,B[:,p[2]],B[:,p[3]])^c for p in P4 for c in (0,1)]
    par=[lambda B,c=c:(B.sum(1)&1)^c for c in (0,1)]
    maj=[lambda B,c=c:(B.sum(1)>2).astype(int)^c for c in (0,1)]
    return {3:[(par,1/15)],4:[(bent,.2),(comp,.2),(mux,.2),(par,1/15)],5:[(maj,.2),(par,1/15)]}
def bits(rows): return np.array([list(map(int,r)) for r in rows])
def main():
    pr=json.loads(Path("problem.json").read_text());G,A,Z=bits(pr["given"]),bits(pr["asked"]),bits(pr["answers"])
    n=len(G);sets={}
    for k,fam in families().items():
        S=np.array(list(combinations(range(G.shape[1]),k)));code=np.zeros((len(S),n),np.int32)
        for j in range(k): code+=G[:,S[:,j]].T.astype(np.int32)<<j
        code+=(np.arange(len(S),dtype=np.int32)*2**k)[:,None]
        F=[];lp=[]
        for fs,w in fam:
            t=sorted(tables(k,fs));F+=t;lp+=[np.log(w/len(t)/len(S))]*len(t)
        sets[k]=(S,code.ravel(),1-2*np.array(F,np.float32),np.array(lp))
    out=[];log7=np.log(7.);conf=[]
    for z in Z:
        s=(1.-2*z);cand=[]
        for k,(S,code,F,lp) in sets.items():
            D=np.bincount(code,weights=np.tile(s,len(S)),minlength=len(S)*2**k).reshape(len(S),-1).astype(np.float32)
            M=D@F.T            # matches - misses
            L=.5*log7*M+lp
            q=np.argpartition(-L.ravel(),150)[:150]
            cand+=[(L.ravel()[i],k,i//len(F),i%len(F)) for i in q]
        cand.sort(reverse=True);w=np.array([c[0] for c in cand]);w=np.exp(w-w.max());w/=w.sum();v=np.zeros(len(A))
        for wi,(_,k,i,f) in zip(w,cand):
            if wi<1e-5: continue
            S,_,F,_=sets[k];v+=wi*F[f][A[:,S[i]]@(1<<np.arange(k))]
        conf.append(w[0]);out.append("".join("1" if x<0 else "0" for x in v))
    Path("answers.json").write_text(json.dumps({"answers":out}))
    return conf
if __name__=="__main__": main()
