import csv,glob,os
import numpy as np
# cell index: D(2) x ca x cb x ta x tb  -> shape (2,2,2,2,2)
def read(f):
    S=np.zeros((2,2,2,2,2));U=np.zeros((2,2,2))
    for r in csv.DictReader(open(f)):
        D=int(r['doubt']);a=int(r['cheap_a']);b=int(r['cheap_b'])
        if r['expert_a'] not in('',None) and r['expert_b'] not in ('',None): S[D,a,b,int(r['expert_a']),int(r['expert_b'])]+=1
        else: U[D,a,b]+=1
    return S,U
def load(folder):
    fs=sorted(glob.glob(os.path.join(folder,'*.csv')))
    n=[os.path.splitext(os.path.basename(f))[0] for f in fs]
    X=[read(f) for f in fs]
    return n,np.array([x[0] for x in X]),np.array([x[1] for x in X])
sig=lambda x:1/(1+np.exp(-x))
def loglik(P,S,U):
    # P (...,2,2,2,2,2)
    q=P.sum((-1,-2))
    return (S*np.log(P+1e-300)).sum((-1,-2,-3,-4,-5))+(U*np.log(q+1e-300)).sum((-1,-2,-3))
def swap(S,U): # exchange models
    return S.transpose(0,1,3,2,5,4),U.transpose(0,1,3,2)
def truth(th):
    # th (n,3): logits for 10,01,00 rel. 11
    z=np.concatenate([np.zeros(th.shape[:-1]+(1,)),th],-1);z=z-z.max(-1,keepdims=True);e=np.exp(z);e/=e.sum(-1,keepdims=True)
    T=np.zeros(th.shape[:-1]+(2,2));T[...,1,1]=e[...,0];T[...,1,0]=e[...,1];T[...,0,1]=e[...,2];T[...,0,0]=e[...,3]
    return T
