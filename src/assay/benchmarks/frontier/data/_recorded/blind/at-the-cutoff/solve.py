import csv,glob,os,sys,json,time
import numpy as np
MARGIN=.2
WB=np.arange(.02,1.001,.02); OM=np.concatenate([np.arange(2,16,.25),np.arange(16,40.1,.75)]); NPH=24; PH=np.arange(NPH)*2*np.pi/NPH
KA=np.concatenate([[4.,8,10,12],np.arange(13,20.1,.5)]); SG=np.array([1.,-1.])
UG=np.linspace(0,1,1001)
FAM=['zero','quad','wave','bend','gauss','ret','tri']
def hb(w): return np.where(UG<w,UG*UG/2,w*UG-w*w/2)
def dbl(d2): 
    d1=np.concatenate([[0],np.cumsum((d2[1:]+d2[:-1])/2)])*UG[1]; return np.concatenate([[0],np.cumsum((d1[1:]+d1[:-1])/2)])*UG[1]
HB=dict(bend=np.array([hb(w) for w in WB]),gauss=np.array([dbl(np.exp(-.5*(UG/w)**2)) for w in WB]),ret=np.array([2*hb(w/2)-0*UG-(hb(w)) for w in WB]),tri=np.array([dbl(np.maximum(0,1-UG/w)) for w in WB]))
def load(folder):
    out=[]
    for f in sorted(glob.glob(os.path.join(folder,'*.csv'))):
        a=np.genfromtxt(f,delimiter=',',skip_header=1); out.append((os.path.basename(f)[:-4],a[:,1],a[:,2]))
    return out
def cells(x,y,vt,fine=None):
    n=len(x); s=np.where(x<0,-1.,1.); u=np.abs(x); A=np.column_stack([np.ones(n),x,(x<0)*1.])
    G=np.linalg.inv(A.T@A); H=G@A.T; r=y-A@(H@y); t0=(H@y)[2]; rr=r@r; df=n-3; c33=G[2,2]
    def lin(Z):  # Z n x m : returns z'r, and residualised Z, tau coefs
        C=H@Z; Zr=Z-A@C; return Zr,C[2]
    def fin(rss,tau):
        rss=np.maximum(rss,1e-9); v=c33*rss/df
        return -df/2*np.log(rss)-.5*np.log(vt+v)-.5*tau**2/(vt+v), tau, v
    o={'zero':fin(np.array(rr),np.array(t0))}
    K=(SG[:,None]*KA[None]) # 2,nk
    Z,tc=lin((s*u*u/2)[:,None]); b=(Z[:,0]@r); q=Z[:,0]@Z[:,0]
    o['quad']=fin(rr-2*K*b+K*K*q,t0-K*tc[0])
    for f in('bend','gauss','ret','tri'):
        k=u/UG[1]; k0=np.minimum(k.astype(int),len(UG)-2); fr=k-k0
        Z=(HB[f][:,k0]*(1-fr)+HB[f][:,k0+1]*fr).T*s[:,None]; Z,tc=lin(Z); b=r@Z; q=(Z*Z).sum(0)
        o[f]=fin(rr-2*K*b[:,None,None]+K*K*q[:,None,None],t0-K*tc[:,None,None])
    def wave(om,phs,ka):
        m=len(om); Z=np.concatenate([s[:,None]*(np.cos(u[:,None]*om)-1),s[:,None]*np.sin(u[:,None]*om)],1)/np.concatenate([om,om])**2
        Z,tc=lin(Z); b=r@Z; qc=(Z[:,:m]**2).sum(0); qs=(Z[:,m:]**2).sum(0); qx=(Z[:,:m]*Z[:,m:]).sum(0)
        c=np.cos(phs)[None,:,None]; d=np.sin(phs)[None,:,None]; k=ka[None,None,:]; e=lambda v:v[:,None,None]
        return fin(rr-2*k*(c*e(b[:m])+d*e(b[m:]))+k*k*(c*c*e(qc)+d*d*e(qs)+2*c*d*e(qx)),t0-k*(c*e(tc[:m])+d*e(tc[m:])))
    if fine is not None: return wave(*fine)
    a,b_,c_=wave(OM,PH,KA); off=a.max(); o['wave']=(a-off,b_.astype(np.float32),c_.astype(np.float32))
    o={f:((v[0]-off if f!='wave' else v[0].astype(np.float32)),v[1],v[2]) for f,v in o.items()}
    return o
def sm(v,h):
    i=np.arange(len(v)); K=np.exp(-.5*((i[:,None]-i)/h)**2); K/=K.sum(0); return K@v
def run(S,verbose=False,its=30):
    rng=np.random.default_rng(0); N=len(S); vt=1.4**2
    bk=np.full(len(KA),.2); bk[:4]=.35; bk[-1]=5.; bk/=bk.sum()
    fw0=np.array([1,1.2,1.2,1,.15,.1,.15]); fw0/=fw0.sum(); fw=fw0.copy()
    dW=np.where(WB<=.6,1.,.15); dW/=dW.sum(); dO=np.gradient(OM)*np.where((OM>4)&(OM<25),1,.3); dO/=dO.sum()
    pk={f:bk.copy() for f in FAM}; pw={f:dW.copy() for f in FAM}; po=dO.copy(); ph=np.full(NPH,1./NPH)
    C=[cells(x,y,vt) for _,x,y in S]
    def prior():
        lp={}
        for i,f in enumerate(FAM):
            if f=='zero': lp[f]=np.log(fw[i])
            elif f=='quad': lp[f]=np.log(fw[i])+np.log(.5*np.ones(2))[:,None]+np.log(pk[f])[None]
            elif f=='wave': lp[f]=np.log(fw[i])+np.log(po)[:,None,None]+np.log(ph)[None,:,None]+np.log(pk[f])
            else: lp[f]=np.log(fw[i])+np.log(pw[f])[:,None,None]+np.log(.5)+np.log(pk[f])
        return lp
    def post(c,lp):
        l={f:c[f][0]+lp[f] for f in FAM}; mx=max(float(np.max(v)) for v in l.values()); w={f:np.exp(v-mx) for f,v in l.items()}; Z=sum(float(np.sum(v)) for v in w.values())
        return {f:v/Z for f,v in w.items()},mx+np.log(Z)
    t0=time.process_time()
    fixed=False; save=None; EQ=np.array([.247,.247,.247,.247,.004,.004,.004])
    tot=its
    for it in range(tot):
        if it==its and N>=60: save=(L,fw.copy(),{f:v.copy() for f,v in pk.items()},{f:v.copy() for f,v in pw.items()},po.copy(),ph.copy()); fixed=True; fw=EQ.copy()
        lp=prior(); af=np.zeros(len(FAM)); ak={f:np.zeros(len(KA)) for f in FAM}; aw={f:np.zeros(len(WB)) for f in FAM}; ao=np.zeros(len(OM)); ap=np.zeros(NPH); L=0
        for c in C:
            w,z=post(c,lp); L+=z
            for i,f in enumerate(FAM):
                af[i]+=np.sum(w[f])
                if f=='quad': ak[f]+=w[f].sum(0)
                elif f=='wave': ak[f]+=w[f].sum((0,1)); ao+=w[f].sum((1,2)); ap+=w[f].sum((0,2))
                elif f!='zero': ak[f]+=w[f].sum((0,1)); aw[f]+=w[f].sum((1,2))
        fw=EQ.copy() if fixed else (af+3*fw0)/(N+3)
        for f in FAM:
            v=ak[f].copy(); v[4:-1]=sm(v[4:-1],1.); v=v+2*bk; pk[f]=v/v.sum(); v=sm(aw[f],1.5)+4*dW; pw[f]=v/v.sum()
        v=sm(ao/np.gradient(OM),2.)*np.gradient(OM)+4*dO; po=v/v.sum()
        v=ap+np.roll(ap,NPH//2); v=(v+.5*np.roll(v,1)+.5*np.roll(v,-1))/4+6/NPH; ph=v/v.sum()
        if verbose and it in(0,5,its-1,tot-1): print(it,round(L,2),dict(zip(FAM,np.round(fw,3))),round(time.process_time()-t0,1),file=sys.stderr)
        if time.process_time()-t0>60: break
    if save is not None:
        if verbose: print('free L',save[0],'equal L',L,file=sys.stderr)
        if L<save[0]-4 or os.environ.get('FREE'): _,fw,pk,pw,po,ph=save
    if verbose:
        np.set_printoptions(suppress=True,precision=3,linewidth=180)
        for f in FAM[1:]: print(f,'k',pk[f],'' if f in('quad','wave') else pw[f][:30],file=sys.stderr)
        print('om',[(float(a),round(float(b),3)) for a,b in zip(OM,po)][::3],'\nph',ph,file=sys.stderr)
    lp=prior(); out=[]
    for (nm,x,y),c in zip(S,C):
        w,z=post(c,lp); W=np.concatenate([np.ravel(w[f]) for f in FAM]); T=np.concatenate([np.ravel(c[f][1]) for f in FAM]); V=np.concatenate([np.ravel(c[f][2]) for f in FAM])
        pwv=float(np.sum(w['wave']))
        if pwv>.5:
            a=w['wave']/pwv; m1=a.sum((1,2)); big=a>np.max(a)*3e-4; oi=np.where(big.any((1,2)))[0]; pi=np.where(big.any((0,2)))[0]
            if len(oi)<=28:
                lo_,hi_=OM[max(oi[0]-1,0)],OM[min(oi[-1]+1,len(OM)-1)]
                # phases: circular range
                msk=np.zeros(NPH,bool); msk[pi]=True; msk|=np.roll(msk,1)|np.roll(msk,-1)
                sub=np.concatenate([PH[q]+(np.arange(4)-1.5)/4*(2*np.pi/NPH) for q in np.where(msk)[0]]); fi=np.repeat(np.where(msk)[0],4)
                om=np.linspace(lo_,hi_,max(41,4*len(oi))); kk=KA[KA>=12] if pk['wave'][:2].sum()<.3 else KA
                ll,ta,va=cells(x,y,vt,fine=(om,sub,kk))
                dens=np.interp(om,OM,po/np.gradient(OM))
                l=ll+np.log(dens)[:,None,None]+np.log(np.interp(sub,PH,ph,period=2*np.pi))[None,:,None]+np.log(pk['wave'][-len(kk):])
                e=np.exp(l-l.max()); e=e/e.sum()*pwv
                keep=e>1e-9
                oth=[f for f in FAM if f!='wave']
                W=np.concatenate([np.ravel(w[f]) for f in oth]+[e[keep]]); T=np.concatenate([np.ravel(c[f][1]) for f in oth]+[ta[keep]]); V=np.concatenate([np.ravel(c[f][2]) for f in oth]+[va[keep]]); W/=W.sum()
        n=12000; k=np.minimum(np.searchsorted(np.cumsum(W),(np.arange(n)+.5)/n*.999999),len(W)-1)
        sh=vt/(vt+V[k]); d=T[k]*sh+np.sqrt(V[k]*sh)*rng.standard_t(len(x)-3,n)
        lo,md,hi=[round(float(v),4) for v in np.quantile(d,[.025,.5,.975])]
        ans='same' if lo>-MARGIN and hi<MARGIN else 'higher' if lo>0 else 'lower' if hi<0 else 'open'
        out.append((nm,md,lo,hi,ans))
        if verbose and N<20: print(nm,md,lo,hi,{f:round(float(np.sum(w[f])),3) for f in FAM},file=sys.stderr)
    return out
if __name__=='__main__':
    S=load(os.environ.get('ASSAY_DATA') or 'data'); out=run(S,verbose=True)
    with open('answers.csv','w') as f:
        f.write('study,estimate,low,high,answer\n')
        for o in out: f.write(','.join([o[0]]+[repr(v) for v in o[1:4]]+[o[4]])+'\n')
    e={o[0]:o[1] for o in out}
    json.dump(dict(studies=len(out),mean_estimate=float(np.mean(list(e.values()))),mean_width=float(np.mean([o[3]-o[2] for o in out])),estimates=e),open('results.json','w'),indent=1)
    print('cpu',time.process_time(),file=sys.stderr)
