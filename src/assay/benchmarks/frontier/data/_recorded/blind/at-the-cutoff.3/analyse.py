import os,glob,csv,json,math
import numpy as np
DATA=os.environ.get('ASSAY_DATA','data')
MARGIN=0.2
T=np.linspace(0,1,501);DT=T[1]-T[0]
def dd(v):
    a=np.concatenate([[0],np.cumsum((v[1:]+v[:-1])/2)*DT])
    return np.concatenate([[0],np.cumsum((a[1:]+a[:-1])/2)*DT])
HS=np.concatenate([np.arange(.02,.3,.01),np.arange(.3,.61,.02)])
LS=np.arange(.3,.96,.02)
AMPQ=np.array([10,12,14,15,16,17,18,18.5,19,19.5,20.])
AMPS=np.array([.25,.5,.75,1,1.5,2,2.5,3,4,5,6,7,8])
WS=np.arange(2,24.01,.25);PH=np.arange(0,2*np.pi-1e-9,2*np.pi/32);AMPW=np.array([12,15,18,20.])
def soft(t,h): return np.clip((h-t)/DT+.5,0,1)
FAM1={'kink':[20*dd(soft(T,h)) for h in HS],
      'tri':[20*dd(np.maximum(0,1-T/h)) for h in HS],
      'exp':[20*dd(np.exp(-T/h)) for h in HS[HS<.4]],
      'bump':[20*dd(2*soft(T,h)-soft(T,2*h)) for h in HS[HS<.5]],
      'late':[20*dd(1-soft(T,h)) for h in LS],
      'quad':[a*T*T/2 for a in AMPQ],
      'weak':[a*T*T/2 for a in AMPS],
      'lin':[0*T]}
if os.environ.get('FAMS'): FAM1={k:v for k,v in FAM1.items() if k in os.environ['FAMS'].split(',')}
NAMES=list(FAM1)+['wave']
CURVES=np.array(sum(FAM1.values(),[]))
WB=np.array([f for w in WS for f in (dd(np.sin(w*T)),dd(np.cos(w*T)))])
ALL=np.concatenate([CURVES,WB]).T      # T x m
def load(f):
    d=np.genfromtxt(f,delimiter=',',skip_header=1)
    d=d[np.isfinite(d).all(1)];return d[:,1],d[:,2]
def prep(x,y):
    n=len(x);s=np.where(x<0,-1.,1.);u=np.clip(np.abs(x),0,1)
    # interpolate all curves
    p=u/DT;i=np.minimum(p.astype(int),len(T)-2);fr=(p-i)[:,None]
    G=(ALL[i]*(1-fr)+ALL[i+1]*fr)*s[:,None]
    B=np.stack([np.ones(n),x,(x<0)*1.],1)
    BB=np.linalg.inv(B.T@B);V=BB[2,2];k=BB[2]@B.T
    Q,_=np.linalg.qr(B)
    yp=y-Q@(Q.T@y);Gp=G-Q@(Q.T@G)
    t0=k@y;tg=k@G;yy=yp@yp;gy=Gp.T@yp
    m=len(CURVES);gg=(Gp[:,:m]**2).sum(0)
    # fam1: signs +,-
    R=[];Tm=[]
    for sg in(1,-1):
        R.append(yy-2*sg*gy[:m]+gg);Tm.append(t0-sg*tg[:m])
    R1=np.array(R).T;T1=np.array(Tm).T   # m x 2
    S=Gp[:,m::2];C=Gp[:,m+1::2]
    ss=(S*S).sum(0);cc=(C*C).sum(0);sc=(S*C).sum(0);sy=gy[m::2];cy=gy[m+1::2];ts=tg[m::2];tc=tg[m+1::2]
    cp,sp=np.cos(PH),np.sin(PH)
    a=AMPW[None,:,None];lin=(sy[:,None]*cp+cy[:,None]*sp)[:,None,:];qd=(ss[:,None]*cp**2+cc[:,None]*sp**2+2*sc[:,None]*cp*sp)[:,None,:]
    RW=yy-2*a*lin+a*a*qd;TW=t0-a*(ts[:,None]*cp+tc[:,None]*sp)[:,None,:]
    f=lambda r:-(n-3)/2*np.log(np.maximum(r,1e-12)/n)
    f1=f(R1);fw=f(RW)
    M=max(f1.max(),fw.max())
    return dict(n=n,V=V,L1=f1,T1=T1,R1=R1,LW=fw,TW=TW,RW=RW,S1=V*R1/(n-5),SW=V*RW/(n-5))
def smooth(c,bw):
    i=np.arange(len(c));K=np.exp(-.5*((i[:,None]-i)/bw)**2);K/=K.sum(0);return K@c
def flat(st):
    """All components of all studies that are not hopeless, as flat arrays (study, component, loglik, tau, var)."""
    m=len(CURVES);I=[];C=[];L=[];TT=[];SS=[]
    for i,d in enumerate(st):
        l=np.concatenate([d['L1'].ravel(),d['LW'].ravel()]);t=np.concatenate([d['T1'].ravel(),d['TW'].ravel()]);v=np.concatenate([d['S1'].ravel(),d['SW'].ravel()])
        k=np.flatnonzero(l>l.max()-13)
        I.append(np.full(len(k),i));C.append(k);L.append(l[k]-l.max());TT.append(t[k]);SS.append(v[k])
    return [np.concatenate(z) for z in (I,C,L,TT,SS)]
def fit(F,N,iters=80,spike=True):
    I,C,L,TT,SS=F
    pi0=.1;s2=1.5
    sizes=[len(FAM1[k]) for k in FAM1];off=np.concatenate([[0],np.cumsum(sizes)]);m=off[-1]
    fw=np.ones(len(NAMES))/len(NAMES);w1=[np.ones(z)/z for z in sizes]
    pw=np.ones(len(WS))/len(WS);pa=np.ones(len(AMPW))/len(AMPW);pp=np.ones(len(PH))/len(PH)
    hist=[];shape=(len(WS),len(AMPW),len(PH));tot=2*m+np.prod(shape)
    P=len(PH);ii=np.arange(P);dist=np.minimum((ii[:,None]-ii)%P,(ii-ii[:,None])%P);KP=np.exp(-.5*(dist/1.)**2);KP/=KP.sum(0)
    for it in range(iters+1):
        p1=np.repeat(np.concatenate([fw[j]*w1[j] for j in range(len(sizes))])/2,2)
        pwv=fw[-1]*pw[:,None,None]*pa[None,:,None]*pp[None,None,:]
        pr=np.concatenate([p1,pwv.ravel()])
        e=pr[C]*np.exp(L)
        q=np.exp(-.5*TT**2/(SS+s2))/np.sqrt(SS+s2)*(1-pi0*spike)
        if spike:
            k=np.exp(-.5*TT**2/SS)/np.sqrt(SS)*pi0
        else: k=np.zeros_like(q)
        ek=e*k;eq=e*q
        z=np.bincount(I,ek+eq,N);ek/=z[I];eq/=z[I];hist.append(np.log(z).sum())
        if it==iters:break
        cc=np.bincount(C,ek+eq,tot);c1=cc[:2*m].reshape(m,2).sum(1);cw=cc[2*m:].reshape(shape)
        S0=ek.sum();s2=max((eq*TT**2).sum()/max(N-S0,1),.05);pi0=(S0+.2)/(N+2.)
        for j in range(len(sizes)):
            c=c1[off[j]:off[j+1]]
            if sizes[j]>1:
                if sizes[j]>15: c=smooth(c,1.5)
                c=c+1./sizes[j];w1[j]=c/c.sum()
        fc=np.array([c1[off[j]:off[j+1]].sum() for j in range(len(sizes))]+[cw.sum()])
        fw=(fc+.2)/(fc+.2).sum()
        c=smooth(cw.sum((1,2)),2)+2/len(WS);pw=c/c.sum()
        c=cw.sum((0,2))+.2;pa=c/c.sum()
        c=cw.sum((0,1));c=KP@((c+np.roll(c,P//2))/2)+2/P;pp=c/c.sum()
    info=dict(fw=dict(zip(NAMES,fw)),w1=dict(zip(FAM1,w1)),pw=pw,pa=pa,pp=pp,hist=hist,pi0=pi0,s2=s2)
    return eq,np.bincount(I,ek,N),s2,info
_erf=np.vectorize(math.erf)
def quants(m,s,w,qs):
    res=[]
    for q in qs:
        lo,hi=(m-6*s).min(),(m+6*s).max()
        for _ in range(40):
            c=(lo+hi)/2;z=(c-m)/s
            # normal cdf
            v=(w*(.5*(1+_erf(z/1.4142135623730951)))).sum()
            if v<q: lo=c
            else: hi=c
        res.append((lo+hi)/2)
    return res
def answer(lo,hi):
    if lo>-MARGIN and hi<MARGIN: return 'same'
    return 'higher' if lo>0 else 'lower' if hi<0 else 'open'
def analyse(files_xy):
    st=[prep(x,y) for x,y in files_xy];N=len(st);F=flat(st);del st
    eq,sp,s2,info=fit(F,N,spike=False);r1=fit(F,N)
    info['spike']=(r1[3]['hist'][-1]-info['hist'][-1],r1[3]['pi0'])
    if info['spike'][0]>5: eq,sp,s2,_=r1
    analyse.info=info;I,C,L,TT,SS=F;res=[]
    b=np.searchsorted(I,np.arange(N+1))
    for i in range(N):
        w,m,v=eq[b[i]:b[i+1]],TT[b[i]:b[i+1]],SS[b[i]:b[i+1]]
        k=w>1e-6*w.max();w,m,v=w[k],m[k],v[k]
        if len(w)>200:
            o=np.argsort(m);w,m,v=w[o],m[o],v[o];g=np.minimum((np.cumsum(w)/w.sum()*100).astype(int),99)
            g=g+100*(np.arange(len(g))>=0)*0
            W=np.bincount(g,w,100);kk=W>0;W1=W[kk]
            mm=np.bincount(g,w*m,100)[kk]/W1;vv=np.bincount(g,w*v,100)[kk]/W1+np.maximum(np.bincount(g,w*m*m,100)[kk]/W1-mm**2,0);w,m,v=W1,mm,vv
        w=w/w.sum();h=s2/(s2+v);m=m*h;s=np.sqrt(v*h);w=np.append(w*(1-sp[i]),sp[i]);m=np.append(m,0.);s=np.append(s,1e-3)
        lo,med,hi=quants(m,s,w,[.025,.5,.975]);res.append((med,lo,hi))
    return res
def main():
    fs=sorted(glob.glob(os.path.join(DATA,'*.csv')))
    res=analyse([load(f) for f in fs]);names=[os.path.basename(f)[:-4] for f in fs]
    with open('answers.csv','w',newline='') as h:
        w=csv.writer(h);w.writerow(['study','estimate','low','high','answer'])
        for nm,(e,l,u) in zip(names,res): 
            l,u=round(l,5),round(u,5);w.writerow([nm,round(e,5),l,u,answer(l,u)])
    E=[round(r[0],5) for r in res]
    json.dump(dict(studies=len(E),mean_estimate=float(np.mean(E)),mean_width=float(np.mean([round(r[2],5)-round(r[1],5) for r in res])),estimates=dict(zip(names,E))),open('results.json','w'),indent=1)
if __name__=='__main__':
    main()
    if os.environ.get('V'):
        i=analyse.info;print({k:round(float(v),3) for k,v in i['fw'].items()});print(i['s2'],i['spike'])
        print('amp',i['pa'],'quad',i['w1'].get('quad'));print(i['hist'][0],i['hist'][-1])
