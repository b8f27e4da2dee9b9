import os
os.environ["OPENBLAS_NUM_THREADS"]="1"
import json,sys
from pathlib import Path
import numpy as np
UN=['x','y','x+y','x-y','xy','r2']
def U(q):
    x,y=q[:,0],q[:,1];return np.array([x,y,x+y,x-y,x*y,x*x+y*y])
FN=['id','sq','abs','sin','cos','tanh','gau','cau']
KMAX=2.4;KLO=.6;CL=.8;CH=2.
def fun(f,k,u):
    """value and derivative with respect to k"""
    if f==0: return u,None
    if f==1: return u*u,None
    if f==2: return abs(u),None
    z=k*u
    if f==3: return np.sin(z),u*np.cos(z)
    if f==4: return np.cos(z),-u*np.sin(z)
    if f==5: t=np.tanh(z);return t,u*(1-t*t)
    if f==6: e=np.exp(-.5*z*z);return e,-k*u*u*e
    e=1/(1+z*z);return e,-2*k*u*u*e*e
S=np.arange(.6,2.45,.08);L=np.array([.6,.72,.88,1.08,1.32,1.6,1.95,2.35])
GRID={3:S,4:S,5:L,6:L,7:L}
SPEC=[(f,u,k) for u in range(6) for f in range(8) for k in (GRID[f] if f>2 else [0.]) if not (u==5 and f==2)]
ST=np.array([f*6+u for f,u,k in SPEC])
def refine(cand,Ug,v,s2,iters=10):
    f,uf,k1,g,ug,k2,op=cand;n=len(v);a,b=Ug[uf],Ug[ug];one=np.ones(n)
    def basis(k1,k2):
        F,dF=fun(f,k1,a);G,dG=fun(g,k2,b)
        M=[one,F*G] if op else [one,F,G]
        return np.array(M).T,F,dF,G,dG
    def ls(M): 
        H=M.T@M+1e-6*np.eye(M.shape[1]);c=np.linalg.solve(H,M.T@v);r=v-M@c;return c,r,r@r
    M,F,dF,G,dG=basis(k1,k2);c,r,e=ls(M);lam=1e-3;J=M
    for it in range(iters):
        D=[]
        if f>2: D.append(c[1]*dF*(G if op else 1))
        if g>2: D.append((c[1]*F if op else c[2])*dG)
        if not D: J=M;break
        J=np.column_stack([M]+D);H=J.T@J;H[np.diag_indices(len(H))]*=1+lam;H[np.diag_indices(len(H))]+=1e-8
        st=np.linalg.solve(H,J.T@r);d=list(st[M.shape[1]:])
        n1=float(np.clip(k1+d.pop(0),.5,2.6)) if f>2 else k1
        n2=float(np.clip(k2+d.pop(0),.5,2.6)) if g>2 else k2
        M2,F2,dF2,G2,dG2=basis(n1,n2);c2,r2,e2=ls(M2)
        if e2<e:
            stop=e-e2<.02*s2;k1,k2,M,F,dF,G,dG,c,r,e=n1,n2,M2,F2,dF2,G2,dG2,c2,r2,e2;lam*=.2
            if stop: break
        else:
            lam=lam*10
            if lam>10: break
    Mi=np.linalg.inv(M.T@M+1e-6*np.eye(M.shape[1]));e=e+(viol(c[1:],CL,CH)**2/np.diag(Mi)[1:]).max()
    H=J.T@J/s2+np.eye(J.shape[1])*.25
    ld=np.linalg.slogdet(H)[1]
    return e,-.5*e/s2-.5*ld-.125*(c@c),k1,k2,c
def polish(cand,k1,k2,c,Ug,v,s2,iters=12):
    f,uf,_,g,ug,_,op=cand;n=len(v);a,b=Ug[uf],Ug[ug];nc=len(c)
    th=np.concatenate([c,[k1]*(f>2),[k2]*(g>2)]);P=len(th)
    sg=np.sign(th[1:nc])
    lo=np.r_[-2.,np.full(nc-1,CL),np.full(P-nc,KLO)];hi=np.r_[2.,np.full(nc-1,CH),np.full(P-nc,KMAX)]
    flip=np.ones(P);flip[1:nc]=np.where(sg==0,1,sg)
    sd=np.full(P,.03)
    def ev(th):
        c=th[:nc];q=nc;kk=[k1,k2]
        if f>2: kk[0]=th[q];q+=1
        if g>2: kk[1]=th[q]
        F,dF=fun(f,kk[0],a);G,dG=fun(g,kk[1],b)
        M=[np.ones(n),F*G] if op else [np.ones(n),F,G];y=np.array(M).T@c
        if f>2: M.append(c[1]*dF*(G if op else 1))
        if g>2: M.append((c[1]*F if op else c[2])*dG)
        w=th*flip;pr=np.where(w>hi,w-hi,np.where(w<lo,w-lo,0))/sd
        r=v-y
        return np.array(M).T,r,pr,.5*(r@r)/s2+.5*pr@pr,kk
    J,r,pr,o,kk=ev(th);lam=1e-3
    for it in range(iters):
        act=(pr!=0)/sd**2
        H=J.T@J/s2+np.diag(act+.1);gr=J.T@r/s2-pr/sd*flip
        Hl=H.copy();Hl[np.diag_indices(P)]*=1+lam
        nt=th+np.linalg.solve(Hl,gr)
        nt[nc:]=np.clip(nt[nc:],.3,3)
        R=ev(nt)
        if R[3]<o-1e-9:
            d=o-R[3];th=nt;J,r,pr,o,kk=R;lam*=.2
            if d<.003: break
        else:
            lam=lam*10+1e-6
            if lam>1e4: break
    wd=hi-lo
    H=J.T@J/s2+np.diag((pr!=0)/sd**2+12/wd**2)
    evd=-o-.5*np.linalg.slogdet(H)[1]-np.log(wd).sum()-np.log(2)*(nc-1)+.92*P
    return evd,(r@r),kk[0],kk[1],th[:nc]
def predict(cand,k1,k2,c,Ua):
    f,uf,_,g,ug,_,op=cand;F=fun(f,k1,Ua[uf])[0];G=fun(g,k2,Ua[ug])[0]
    return c[0]+c[1]*F*G if op else c[0]+c[1]*F+c[2]*G
def viol(c,lo,hi):
    c=abs(c);return np.maximum(c-hi,0)+np.maximum(lo-c,0)
def one_formula(given,asked,NC=50):
    Ug=U(given[:,:2]);v=given[:,2];vc=v-v.mean();vv=vc@vc;n=len(v)
    A=np.array([fun(f,k,Ug[u])[0] for f,u,k in SPEC],np.float32);N=len(A)
    C=(A-A.mean(1,keepdims=True)).astype(float);nr=np.sqrt((C*C).sum(1))+1e-9;C/=nr[:,None];c=C@vc;G=C@C.T
    R=(c[:,None]**2+c[None]**2-2*G*c[:,None]*c[None])/(1-G*G+1e-4)
    det=1-G*G+1e-4;c1=(c[:,None]-G*c[None])/det/nr[:,None];d1=viol(c1,.7,2.15)*nr[:,None];d1=d1*d1*det
    R=R-np.maximum(d1,d1.T)
    iu=np.triu_indices(N,0);R[np.diag_indices(N)]=-1
    Q=np.full((N,N),-1.);vf=vc.astype(np.float32)
    for a in range(N):
        M=A[a]*A[a:];m=M.sum(1)/n;mv=M@vf;mm=np.einsum('ij,ij->i',M,M)-n*m*m+1e-4;Q[a,a:]=mv**2/mm-viol(mv/mm,.7,2.15)**2*mm
    cands=[]
    for op,X in ((0,R),(1,Q)):
        w=X[iu];t=np.argpartition(-w,3000)[:3000];t=t[np.argsort(-w[t])];seen={}
        for k in t:
            i,j=iu[0][k],iu[1][k];key=(ST[i],ST[j])
            if seen.get(key,0)>=2: continue
            seen[key]=seen.get(key,0)+1;cands.append((vv-w[k],(SPEC[i][0],SPEC[i][1],SPEC[i][2],SPEC[j][0],SPEC[j][1],SPEC[j][2],op)))
            if len(seen)>=NC: break
    cands.sort(key=lambda t:t[0])
    s2=vv/n*.05**2/(1+.05**2)
    out=[]
    for _,cd in cands[:90]:
        e,ev,k1,k2,cc=refine(cd,Ug,v,s2);out.append((ev,e/s2,cd,k1,k2,cc))
    out.sort(key=lambda t:t[1]);em=out[0][1];o2=[]
    for o in out[:30]:
        if o[1]>em+60: break
        evd,e,k1,k2,cc=polish(o[2],o[3],o[4],o[5],Ug,v,s2);o2.append((evd,e/s2,o[2],k1,k2,cc))
    u={}
    for o in o2:
        k=(o[2][0],o[2][1],o[2][3],o[2][4],o[2][6],round(o[3],2),round(o[4],2))
        if k not in u or u[k][0]<o[0]: u[k]=o
    out=list(u.values());out.sort(key=lambda t:-t[0])
    if len(out)<2: out=out*2
    Ua=U(asked);w=np.array([o[0] for o in out]);w=np.exp(w-w.max());w/=w.sum()
    y=sum(wi*predict(o[2],o[3],o[4],o[5],Ua) for wi,o in zip(w,out) if wi>1e-3)/w[w>1e-3].sum()
    return y,out
def desc(o): return f"{o[0]:.1f} rss/s2={o[1]:.1f} {FN[o[2][0]]}({o[3]:.2f} {UN[o[2][1]]}) {'*' if o[2][6] else '+'} {FN[o[2][3]]}({o[4]:.2f} {UN[o[2][4]]}) c={np.round(o[5],2)}"
def main():
    problem=json.loads(Path("problem.json").read_text());values=[]
    for given,asked in zip(map(np.array,problem["given"]),map(np.array,problem["asked"])):
        y,_=one_formula(given,asked);values.append(np.nan_to_num(y).round(4).tolist())
    Path("answers.json").write_text(json.dumps({"values":values}))
if __name__=="__main__": main()
