import numpy as np
def roles(P):
    X=np.array(P['rows'],float); lc=np.log(P['costs']); U=[];R=[];C=[];cc=[]
    for j,q in enumerate(P['kinds']):
        x=X[:,j]
        if q=='category': C.append(x.astype(int)); continue
        if q=='log': x=np.log(x)
        u=(x-x.min())/max(x.max()-x.min(),1e-12)*2-1
        c=np.corrcoef(u,lc)[0,1]; cc.append(c)
        R.append(q+('2' if q=='log' and len(set(x))<10 else '')+('+' if c>.2 else '')); U.append(u)
    U=np.array(U).T if U else np.zeros((len(X),0)); C=np.array(C).T if C else np.zeros((len(X),0),int)
    nc=C.shape[1]
    if 'log2+' in R: k='a' if nc else 'b'
    elif 'whole+' in R: k='d' if nc>=2 else 'f'
    elif 'real+' in R: k='g'
    elif 'log+' in R: k='c' if nc else 'g'
    else: k='e'
    return U,C,R,k,lc
