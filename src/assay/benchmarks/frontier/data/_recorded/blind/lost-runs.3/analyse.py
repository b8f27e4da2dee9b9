import json,time,sys
import eng
from eng import *
V=bool(os.environ.get('VERB'))
C0=MG[0]+DG[0];CG=np.arange(C0,MG[-1]+DG[-1]+.021,.02)
class Law2(Law):
    """latent (kind,s), failure 1-(1-q0)*S_b(z-c)"""
    def __init__(self,kind,s,fam,b,q0=0.):
        self.f=latent(kind,s);self.b=b;self.fam=fam;self.q0=q0
        u=np.linspace(-6*s-1,5*s+.6,1000);du=u[1]-u[0];fu=np.exp(self.f(u));fu/=fu.sum()*du
        S=(1-q0)*np.exp(lsurv(fam,b)(u[None]-DG[:,None]))
        W=fu*S*du;tot=W.sum(1);self.q=1-tot;self.lq=np.log(np.maximum(1-tot,1e-12));self.l0=np.log(1-q0)
        cum=np.cumsum(W,1);self.h=np.full(len(DG),np.nan)
        for i in range(len(DG)):
            if tot[i]>.5: self.h[i]=np.interp(.5,cum[i],u+du/2)
    def arm(self,x,miss):
        if len(x)==0: i0,i1=0,len(MG)
        else:
            m=x.mean();i0=int(np.clip(np.searchsorted(MG,m-.3),0,len(MG)-70));i1=min(len(MG),i0+90)
        mg=MG[i0:i1]
        A=self.f(x[None]-mg[:,None]).sum(1)
        j0=int(np.rint((mg[0]+DG[0]-C0)/.02));j1=int(np.rint((mg[-1]+DG[-1]-C0)/.02))+1
        B=lsurv(self.fam,self.b)(x[None]-CG[j0:j1,None]).sum(1)+len(x)*self.l0
        idx=np.arange(i1-i0)[:,None]+np.rint((DG-DG[0])/.02).astype(int)[None]
        L=A[:,None]+B[idx]+miss*self.lq[None]
        m_=L.max();return i0,i1,np.exp(L-m_),m_
def fitpri(D,keys,law,pri=None,it=6):
    tot=0;P={};K={}
    for o in('calm','bold'):
        E=[law.arm(*D[k][o]) for k in keys];N=len(E)
        wd,mm,ms=pri[o] if pri else (np.ones(len(DG))/len(DG),.15,.3)
        for i in range(it):
            pm=np.exp(-.5*((MG-mm)/ms)**2);pm/=pm.sum();sd=np.zeros(len(DG));sm=np.zeros(len(MG));ev=0
            for i0,i1,e,m_ in E:
                a=e@wd;b=pm[i0:i1];Z=a@b;ev+=np.log(Z+1e-300)+m_;sm[i0:i1]+=a*b/Z;sd+=(b@e)*wd/Z
            wd=smooth(sd,4 if N<50 else 2.)+.02;wd/=wd.sum()
            mm=(sm*MG).sum()/N;ms=np.sqrt(((sm*(MG-mm)**2).sum()+.02)/(N+.5))
        tot+=ev;P[o]=(wd,mm,ms);K[o]=E
    return tot,P,K
def main(folder):
    t0=time.process_time();D=load(folder);keys=list(D);N=len(keys)
    rs=np.random.RandomState(1)
    sub=list(rs.permutation(keys)[:220])
    cur=(0,.44,'clog',4.,0.);best,pri,_=fitpri(D,sub,Law2(*cur),it=10)
    seen={cur:best}
    def attempt(c):
        nonlocal cur,best,pri
        c=(c[0],round(float(c[1]),3),c[2],float(c[3]),c[4])
        if c in seen: return False
        t,p,_=fitpri(D,sub,Law2(*c),pri,it=3);seen[c]=t
        if t>best: cur,best,pri=c,t,p;return True
        return False
    if N>=30:
        best,pri,_=fitpri(D,sub,Law2(*cur),pri,it=3);seen={cur:best}
        LIM=60
        for alt in ((0,.45,'logit',6.,0.),(0,.45,'logit',10.,0.),(0,.45,'clog',7.,0.),(0,.45,'logit',30.,.03),(0,.44,'logit',3.,0.)): attempt(alt)
        for rnd in range(6):
            ch=False
            for ds in (.01,-.01,.005,-.005):
                if time.process_time()-t0<LIM: ch|=attempt((cur[0],cur[1]+ds)+cur[2:])
            for fb in (1.25,.8,1.1,.91):
                if time.process_time()-t0<LIM: ch|=attempt((cur[0],cur[1],cur[2],round(cur[3]*fb,2),cur[4]))
            if rnd<3:
                for q0 in (0.,.01,.02,.04):
                    if time.process_time()-t0<LIM: ch|=attempt(cur[:4]+(q0,))
                for kind in (0,40,15):
                    if time.process_time()-t0<LIM: ch|=attempt((kind,)+cur[1:])
                c=(cur[0],cur[1],'logit' if cur[2]=='clog' else 'clog',round(cur[3]*(1.5 if cur[2]=='clog' else .67),2),cur[4])
                if time.process_time()-t0<LIM: ch|=attempt(c)
            if not ch: break
        if V:
            for c in sorted(seen,key=lambda c:-seen[c])[:12]: print('  ',c,round(seen[c]-best,1))
    law=Law2(*cur)
    if V: print('law',cur,time.process_time()-t0)
    tot,pri,K=fitpri(D,keys,law,pri,it=6 if N>=30 else 3)
    if V:
        for o in pri: print(o,np.round(pri[o][1:],3),'E[q] dist',[round(float(pri[o][0][(law.q>=a)&(law.q<b)].sum()),2) for a,b in ((0,.02),(.02,.05),(.05,.1),(.1,.2),(.2,.3),(.3,.4),(.4,.5),(.5,.6),(.6,.8),(.8,1.01))])
    # joint normal prior of the two locations
    ac=[K['calm'][i][2]@pri['calm'][0] for i in range(N)];ab=[K['bold'][i][2]@pri['bold'][0] for i in range(N)]
    mu=np.array([pri['calm'][1],pri['bold'][1]]);S=np.diag([pri['calm'][2]**2,pri['bold'][2]**2])
    for it in range(15):
        Pm=np.linalg.inv(S);s1=np.zeros(2);s2=np.zeros((2,2));Ws=[]
        for i in range(N):
            x=MG[K['calm'][i][0]:K['calm'][i][1]]-mu[0];y=MG[K['bold'][i][0]:K['bold'][i][1]]-mu[1]
            q=Pm[0,0]*x[:,None]**2+2*Pm[0,1]*x[:,None]*y[None]+Pm[1,1]*y[None]**2
            W=ac[i][:,None]*ab[i][None]*np.exp(-.5*q);W/=W.sum();Ws.append(W)
            wx=W.sum(1);wy=W.sum(0);s1+=[wx@x,wy@y];cxy=x@W@y;s2+=[[wx@x**2,cxy],[cxy,wy@y**2]]
        d=s1/N;mu=mu+d;S=(s2-N*np.outer(d,d)+np.diag([.02,.02]))/(N+.5)
    if V: print('mu',mu,'sd',np.sqrt(np.diag(S)),'corr',S[0,1]/np.sqrt(S[0,0]*S[1,1]),time.process_time()-t0)
    out={};pe={}
    kn=20000
    for i,k in enumerate(keys):
        W=Ws[i];c=np.cumsum(W.ravel());ix=np.minimum(np.searchsorted(c,(np.arange(kn)+rs.rand(kn))/kn*c[-1]),W.size-1)
        ok=np.ones(kn,bool);val={}
        for o,ii in (('calm',ix//W.shape[1]),('bold',ix%W.shape[1])):
            i0,i1,e,_=K[o][i];pd=e*pri[o][0][None];cd=np.cumsum(pd,1);cd/=np.maximum(cd[:,-1:],1e-300)
            u=rs.rand(kn);dd=np.empty(kn,int)
            o_=np.argsort(ii,kind='stable');bounds=np.searchsorted(ii[o_],np.arange(i1-i0+1))
            for m in np.unique(ii):
                s=o_[bounds[m]:bounds[m+1]];dd[s]=np.minimum(np.searchsorted(cd[m],u[s]),len(DG)-1)
            dj=DG[dd]+(rs.rand(kn)-.5)*.1
            q=np.interp(dj,DG,law.q);h=np.interp(dj,DG,law.h);good=(q<.5)&np.isfinite(h)
            ok&=good;val[o]=np.exp(MG[i0:i1][ii]+(rs.rand(kn)-.5)*.02+h)
        pe[k]=ok.mean()
        if ok.mean()>.5: out[k]=np.quantile((val['bold']-val['calm'])[ok],[.5,.025,.975])
    if V: print('undecided existence',sum(.1<v<.9 for v in pe.values()),'empty',N-len(out),'time',time.process_time()-t0)
    return keys,out
def ans(l,h,m=.25):
    if l>-m and h<m: return 'same'
    return 'higher' if l>0 else 'lower' if h<0 else 'open'
if __name__=='__main__':
    names,out=main(os.environ.get('ASSAY_DATA','data'))
    est={};wd=[]
    with open('answers.csv','w') as f:
        f.write('study,estimate,low,high,answer\n')
        for k in names:
            if k in out:
                e,l,h=[round(float(v),5) for v in out[k]];est[k]=e;wd.append(h-l);f.write(f'{k},{e},{l},{h},{ans(l,h)}\n')
            else: f.write(f'{k},,,,open\n')
    json.dump({'studies':len(names),'mean_estimate':float(np.mean(list(est.values()))) if est else None,'mean_width':float(np.mean(wd)) if wd else None,'estimates':est},open('results.json','w'),indent=1)
