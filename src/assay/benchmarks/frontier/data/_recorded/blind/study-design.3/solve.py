import os
os.environ.setdefault("OPENBLAS_NUM_THREADS","1")
import time
from planning import plan_one
import sampling
def plan(problems):
    tm=min(.14,34./len(problems)); return [plan_one(p,tm,i)[0] for i,p in enumerate(problems)]
def analyse(problems,plans,results):
    out=[]
    for i,(p,q,r) in enumerate(zip(problems,plans,results)):
        if time.process_time()>98: sampling.OPT.update(M=150,R=60,mh=1)
        try:
            a=sampling.analyse_one(p,[tuple(s) for s in q],r,i)
            if not all(abs(x)<1e11 for t in a for x in t): raise ValueError
        except Exception:
            v=[x for x in r if x is not None]+[z['value'] for z in p['pilot'] if z['value'] is not None]; m=sum(v)/max(len(v),1)
            s=(sum((x-m)**2 for x in v)/max(len(v),1))**.5+p['rounding'][0]; a=[[0.,-2*s,2*s]]*3
        out.append(a)
    return out
