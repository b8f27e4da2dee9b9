import base64,zlib
import numpy as np
import tables
from parts import Core,A,M,NB,NK,NX,NL
def load():
    B=zlib.decompress(base64.b85decode(tables.S)); T={}; i=0
    while i<len(B):
        k=chr(B[i]); n=B[i+1]; c=B[i+2:i+2+n].decode(); i+=2+n; m=B[i]; i+=1
        v=np.zeros(A,np.float32); v[list(B[i:i+m])]=list(B[i+m:i+2*m]); i+=2*m
        T[(k,c)]=v
    out=[]
    for s,f in ((tables.W,500.),(tables.G,1.)):
        x=np.frombuffer(zlib.decompress(base64.b85decode(s)),'<i2').astype(float)/f; o=0
        for w in (NB,NK,NX,NL): out.append(x[o:o+M*w].reshape(M,w).copy()); o+=M*w
    return T,out[:3]+out[4:7]+[out[3],out[7]]
class Model(Core):
    def __init__(self):
        T,W=load(); Core.__init__(self,T,W,tables.P,.1)
        self.h='\n'
    def predict(self):
        p=Core.predict(self); return p/p.sum()
