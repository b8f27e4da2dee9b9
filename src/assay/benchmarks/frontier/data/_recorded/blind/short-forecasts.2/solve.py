"""Pooled simple forecasts per group, combined by small learned networks."""
import os
os.environ["OPENBLAS_NUM_THREADS"]="1"
import json,base64,zlib
import numpy as np
from fc import build,rows
from net import quant,toval
import weights
def load():
    x=np.frombuffer(zlib.decompress(base64.b85decode(weights.D)),'<f2').astype(float); o=0; out=[]
    for s in weights.S: n=int(np.prod(s)); out.append(x[o:o+n].reshape(s)); o+=n
    return out[0],out[1],[out[2+6*i:8+6*i] for i in range((len(out)-2)//6)]
def main():
    mu,sd,nets=load(); G=json.load(open('problem.json'))['groups']; ans=[]
    for g in G:
        S,H=len(g['series']),g['horizon']
        try:
            I=build(g); x,B,anc,s,rr=rows(I); d=dict(x=x,B=B,anc=anc,s=s,rr=rr,log=np.full(len(x),I['log']))
            v=toval(np.mean([quant(P,d,mu,sd) for P in nets],0),d)
            v=v[:,1:2]+(v-v[:,1:2])*1.07
            if I['cnt']: v=np.round(np.maximum(v,0))
            v=np.sort(v,1).reshape(S,H,3)
            bad=~np.isfinite(v).all((1,2))
        except Exception: v=np.zeros((S,H,3)); bad=np.ones(S,bool)
        for i in np.where(bad)[0]:
            q=np.array(g['series'][i],float); p=g['period']; e=np.quantile(q[p:]-q[:-p],[.1,.5,.9]); v[i]=np.array([q[len(q)-p+k%p]+e for k in range(H)])
        ans.append(np.round(v,6).tolist())
    json.dump({'quantiles':ans},open('answers.json','w'))
if __name__=='__main__': main()
