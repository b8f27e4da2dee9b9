"""Gaussian processes with sampled hyperparameters, blended with bagged boosted trees."""
import os
os.environ["OPENBLAS_NUM_THREADS"]="1"
import json,time
import numpy as np
from gp import GP,sig
from bt import boost
CFG=[(dict(GM=np.array([-.7,-1.2,.4,.3,-1.4,-3,-.5,-.5]),GS=np.array([.7,1.5,1.,1.,1.5,1.5,.8,.8]),UM=-1.2,US=1.5),.3),
     (dict(GM=np.array([-.6,-1.,.2,.2,-1.2,-2.7,-.6,-.6]),GS=np.array([.7,1.4,1.,1.,1.5,1.5,.8,.8]),UM=-1.3,US=1.7),.26)]
LIMIT=float(os.environ.get("LIMIT","46"))
def main():
    T=json.load(open('problem.json'))['tables']; ans=[]
    lg=lambda p:np.log(p/(1-p))
    cost=np.array([len(t['labels'])**2. for t in T]); 
    for i,t in enumerate(T):
        rng=np.random.default_rng(i); left=LIMIT-time.process_time(); share=left*cost[i]/cost[i:].sum()
        y=np.array(t['labels'],float); t0=time.process_time(); ps=[]; g=None
        for c,(h,eps) in enumerate(CFG):
            if left<0.5*len(T[i:])*.1 and ps: break
            g=GP(t,h)
            if c==0:
                s0=time.process_time(); g.ev(np.zeros(g.d+8)); g.ev(np.zeros(g.d+8)+.1); per=max((time.process_time()-s0)/2,5e-4)
                k=int(np.clip((share-.2)/2/per/4.2-5-3,4,22))
            try: ps.append(g.run(rng,nopt=16,nsamp=k,burn=3,eps=eps)[1])
            except np.linalg.LinAlgError: pass
        q=.5*boost(g.cols,y,len(y)+80,rng,depth=2,rounds=50)+.5*boost(g.cols,y,len(y)+80,rng,depth=3,rounds=40)
        r=np.clip(np.mean(ps,0),1e-4,1-1e-4) if ps else q
        p=sig(1.07*(.73*lg(r)+.27*lg(np.clip(q,1e-4,1-1e-4))))
        p=np.where(np.isfinite(p),p,.5)
        ans.append(np.clip(p,.002,.998).round(5).tolist())
    json.dump({'chances':ans},open('answers.json','w'))
if __name__=='__main__': main()
