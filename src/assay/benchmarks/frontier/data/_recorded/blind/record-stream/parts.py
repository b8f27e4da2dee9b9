import numpy as np
A=97
IDX=[-1]*256
for _b in range(32,127): IDX[_b]=_b-31
IDX[10]=0
SYM=np.array([10]+list(range(32,127)))
A=96
DIG=np.array([IDX[48+i] for i in range(10)])
def cls(c):
    if 97<=c<=122: return 'v' if chr(c) in 'aeiou' else 'c'
    if 65<=c<=90: return 'V' if chr(c) in 'AEIOU' else 'C'
    if 48<=c<=57: return '0'
    return chr(c)
CL=[cls(c) for c in range(256)]
def isal(c): return 97<=c<=122 or 65<=c<=90 or 48<=c<=57
AL=[isal(c) for c in range(256)]
NS=6
def static_ctx(h,hc):
    return [('1',h[-1:]),('2',h[-2:]),('3',h[-3:]),('4',hc[-4:]),('5',hc[-7:]),('6',hc[-3:]+h[-1:])]
NC=37; NG=13; NR=4
M=NS+NC+NG+NR
NB=10; NK=12; NX=28; NL=8
RM=np.arange(M)
CH=[NS+1,NS+25,NS+10]
def newW():
    W1=np.full((M,NB),.05); W1[:,5]=.04; W1[NS+NC:]=.15; z=lambda k,v:np.full((M,k),float(v))
    return [W1,z(NK,0),z(NX,0),z(NB,20),z(NK,40),z(NX,40),z(NL,0),z(NL,40)]
class Core:
    def __init__(s,static,W,gp,lr=.02):
        s.static=static; s.W1,s.W2,s.W3,s.G1,s.G2,s.G3,s.W4,s.G4=W; s.fl={}; s.lr=lr; s.pi={}
        s.cnt={}; s.gc={k:list(v) for k,v in gp.items() if k[0]!='r'}; s.rc={k:np.array(v) for k,v in gp.items() if k[0]=='r'}
        s.h='\n'; s.hc='\n'; s.tok=''; s.toks=[]; s.seps='\n'; s.sep='\n'
        s.prevline=''; s.line=''; s.pl2=''; s.hist={}; s.first=''; s.pfirst='';s.lab='';s.labsep=''
        s.data=[]; s.nib=''; s.hx=False; s.pos5={}; s.mp=-1; s.ml=0; s.raw=[10]
        s.id='';s.ids=[];s.lastl={};s.stack=[];s.ptoks=[];s.src={};s.modes={};s.lastsep={};s.linehex=[]; s.bar=-1; s.dl={}; s.ltoks=[]; s.cols={}
        s.tokstart()
    def tokstart(s):
        t=s.toks
        s.K1=('K',len(t),s.seps[-24:]) 
        s.K2=('L',s.lab,s.labsep)
        s.K3=('P',t[-1] if t else s.pfirst,s.sep,s.first)
        s.srcs();s.g1=s.mk(s.K1); s.g2=s.mk(s.K2)
    def srcs(s):
        t=s.toks; S={}
        for j,x in enumerate(t[:12]): S[('c',j)]=x
        for j,x in enumerate(s.ptoks[:12]): S[('p',j)]=x
        h=s.hist.get(s.K1)
        s.gm=None
        if h:
            v=h[-1]
            if v.isdigit():
                for j,x in enumerate(t[:12]):
                    if x.isdigit() and len(x)<9: S[('s',j)]=s.fmt(int(v)+int(x),v)
                md=s.modes.get(s.K1)
                if md: s.gm=s.fmt(int(v)+max(md,key=md.get),v)
            if len(h)>3: S[('h',2)]=h[-2]; S[('h',3)]=h[-3]; S[('h',4)]=h[-4]
        s.S=S; sc=s.src.get(s.K1,{})
        b=sorted(((sc.get(k,0),k) for k in S if sc.get(k,0)>0),reverse=True)
        s.c1=S[b[0][1]] if b else None; s.c2=None
        for _,k in b[1:]:
            if S[k]!=s.c1: s.c2=S[k];break
    def fmt(s,x,v):
        x=max(x,0); return str(x).zfill(len(v)) if v[0]=='0' and len(v)>1 else str(x)
    def mk(s,K):
        h=s.hist.get(K)
        if not h: return ('',None,None,None)
        v=h[-1]; out=[v,None,None,None]
        if v.isdigit() and len(h)>1 and h[-2].isdigit():
            d=int(v)-int(h[-2]); x=int(v)+d
            if x>=0: out[1]=str(x).zfill(len(v)) if v[0]=='0' and len(v)>1 else str(x)
        try:
            if len(v)>=4 and len(h)>1:
                d=int(v,16)-int(h[-2],16); x=int(v,16)+d
                if x>=0: out[2]='%0*x'%(len(v),x)
        except ValueError: pass
        if len(h)>2: # value that followed last time after v
            for i in range(len(h)-2,-1,-1):
                if h[i]==v: out[3]=h[i+1];break
        return tuple(out)
    def ctxs(s):
        h=s.h; tk=s.tok; t=s.toks; p1=t[-1] if t else ''; p2=t[-2] if len(t)>1 else ''
        col=len(s.line); ab=s.prevline[col:col+2]; n=len(tk)
        v1=s.g1[0]; v2=s.g2[0]
        e1=v1[:n]==tk; e2=v2[:n]==tk
        K1,K2=s.K1,s.K2; nd=tuple(s.data[-4:]); sp=s.sep if not tk else ''
        sk=sp
        c=[(0,),(1,h[-1:]),(2,h[-2:]),(3,h[-3:]),(4,h[-4:]),(5,h[-5:]),(6,h[-7:]),
           (7,tk,sk,p1),(8,tk,sk,p1,p2),(9,tk,sk,K1),(10,tk,sk,K2),(11,tk,sk,K1,K2),
           (12,col,ab[:1]),(13,ab,h[-1:]),(14,K1,e1,v1[n:n+1],sk,n),(15,K2,e2,v2[n:n+1],sk,n),
           (16,tk,sk,s.first,len(t)),(17,s.seps[-3:],s.pfirst,tk),(18,h[-3:-1]),(19,h[-4:-2],),
           (20,K1,v1,tk,sk),(21,K1,s.first,tk,sk),(22,K1,p1,tk,sk),(23,K2,v2,tk,sk),(24,K1,p2,tk,sk),
           (25,K1,n,sk,CL[ord(h[-1])]),(26,s.hc[-6:]),(27,s.hc[-4:],K2),
           (28,nd[-1:],s.nib,s.bar>=0),(29,nd[-2:],s.nib,h[-1:]==' '),(30,nd,s.nib,h[-1:]==' '),
           (31,tk,sk if not tk else ''),(32,s.id,s.lab,s.labsep if not tk else '',tk),(33,s.lastl.get(s.id,''),tk,sk,len(t),p1==s.id),
           (34,s.pfirst,s.first,len(t),tk,sk),(35,s.stack[-1] if s.stack else '',s.sep[-2:],tk,h[-1:] if not tk else ''),
           (36,s.ptoks[len(t)] if len(t)<len(s.ptoks) else '',tk,sk,len(t))]
        if s.bar<0 and s.linehex_on() and s.data:
            d=s.data; q=(s.nib,h[-1:]==' ')
            c[18]=(18,tuple(d[-3:-1]),q); c[19]=(19,tuple(d[-4:-2]),q); c[27]=(27,tuple(d[-5:-3]),q); c[16]=(16,tuple(d[-6:-4]),q); c[24]=(24,tuple(d[-4:-1]),s.nib); c[34]=(34,tuple(d[-5:-2]),s.nib)
        return c
    def guesses(s):
        tk=s.tok;n=len(tk); G=[]
        G.append((chr(s.raw[s.mp]),min(s.ml,20)) if s.mp>0 else None)
        for g,K in ((s.g1,s.K1),(s.g2,s.K2)):
            for j in (1,2,3):
                v=g[j]
                if v is not None and v[:n]==tk and (n or s.sep):
                    if n<len(v): G.append((v[n],min(n,3)))
                    else: G.append((s.lastsep.get(K,'\n'),9) if K in s.lastsep else None)
                else: G.append(None)
        # hexdump
        g=None
        if s.bar>=0 and s.bar<len(s.linehex):
            b=s.linehex[s.bar]; g=(chr(b) if 32<=b<127 else '.',0)
        G.append(g)
        for o in (2,3):
            g=None
            if s.bar<0 and s.linehex_on():
                x=s.dl.get((o,tuple(s.data[-o:])))
                if x is not None:
                    y='%02x'%((x[0]+(1 if o==3 else x[0]-x[1]))&255)
                    if not s.nib: g=(y[0],0) if s.h[-1]!=' ' or True else None
                    elif s.nib==y[0]: g=(y[1],1)
            G.append(g)
        for v in (s.c1,s.c2,s.gm):
            if v is not None and v[:n]==tk:
                if n<len(v): G.append((v[n],min(n,3)))
                else: G.append((s.lastsep[s.K1],9) if s.K1 in s.lastsep else None)
            else: G.append(None)
        return G
    lastsep={}
    def linehex_on(s): return len(s.line)>9 and s.line[8:10]=='  '
    def predict(s):
        st=static_ctx(s.h,s.hc)
        C=np.zeros((NS+NC,A)); bk=np.zeros(M,int)
        b=np.full(A,1/A)
        for i,k in enumerate(st):
            v=s.static.get(k)
            if v is not None:
                C[i]=v
                if i<2 or i==3: b=(v+4*b)/(v.sum()+4)
        s.ctx=s.ctxs(); cn=s.cnt
        for i,k in enumerate(s.ctx):
            v=cn.get(k)
            if v is not None: C[NS+i]=v
        n=C.sum(1); n_=n; mx=C.max(1)
        a=np.full(NS+NC,.4); a[:NS]=3
        Phi=np.zeros((M,A)); lb=np.log(b)
        Phi[:NS+NC]=np.log((C+a[:,None]*b)/(n+a)[:,None])-lb
        q=np.searchsorted([.01,1.01,2.5,6],n)
        bk[:NS+NC]=np.where(n<=0,0,q+np.where(mx>.97*n,4,0))
        bk[NS:NS+NC]=np.minimum(bk[NS:NS+NC],9);bk[:NS]=np.minimum(bk[:NS],9)
        s.G=s.guesses(); o=NS+NC
        s.gk=[]
        for j,g in enumerate(s.G):
            if g is None: s.gk.append(None); continue
            k1=(j,g[1]); k2=(j,g[1],s.K1 if not 7<=j<10 else tuple(s.data[-2:]))
            c1=s.gc.get(k1,(.5,1.)); c2=s.gc.get(k2)
            ph=c1[0]/c1[1]
            if c2: ph=(c2[0]+1.5*ph)/(c2[1]+1.5)
            ph=min(max(ph,.001),.999)
            i=IDX[ord(g[0])]; s.gk.append((i,k1,k2))
            Phi[o+j]=np.log((1-ph)/(1-b[i])); Phi[o+j,i]=np.log(ph)-lb[i]
            bk[o+j]=1+(ph>.5)+(ph>.9)+(ph>.98)
        o+=NG; s.rk=[None]*NR; n=len(s.tok)
        bd=b[DIG]; bd=np.log(bd/bd.sum())
        for j,g in enumerate((s.g1,s.g2)):
            v=g[0]
            if n<len(v) and v[n].isdigit() and (n or True):
                eq=v[:n]==s.tok
                e=0 if eq else 1
                d=ord(v[n])-48; pe=min(len(v)-n,6)
                for w,k in ((0,('r',j,e,pe)),(1,('r',j,e,pe,s.K1 if j==0 else s.K2))):
                    c=s.rc.get(k)
                    if c is None and not w: c=s.rc[k]=np.full(19,.3)
                    if c is None:
                        c=s.rc[('r',j,e,pe)]; c=s.rc[k]=c*(3/c.sum()) if w else c
                    if 0: pass
                    pr=c[9-d:19-d]; pr=pr/pr.sum()
                    Phi[o+2*j+w,DIG]=np.log(pr)-bd
                    s.rk[2*j+w]=(k,d); bk[o+2*j+w]=1+2*e+(c.sum()>10)
        last=s.raw[-1]
        k=(0 if last==10 else 1 if not AL[last] else 2 if 48<=last<=57 else 3)
        if k==2 or k==3: k=2+(s.g1[0][:n]==s.tok)+2*(k==3)
        if k==1: k=1 if s.g1[0] else 6
        if s.bar>=0: k=7
        elif s.linehex_on() and all(c in '0123456789abcdef' for c in s.line[:8]): k=8+(s.h[-1]==' ')+2*0
        s.k=k; s.bk=bk
        dt=[0 if x==0 else 2 if x>=5 else 1 for x in (bk[NS+9],bk[NS+10],bk[NS+5])]
        x=dt[0]*9+dt[1]*3+dt[2]; s.x=x
        w=s.W1[RM,bk]+s.W2[:,k]+s.W3[:,x]
        n=len(s.tok); s.fk=(s.K1,n,'' if s.tok else s.sep); s.fk2=(s.K2,n,'' if s.tok else s.sep)
        f1=s.fl.get(s.fk); f2=s.fl.get(s.fk2); f1=f1 if f1 is not None and (f2 is None or f1[1]>=f2[1]) else f2
        y=0 if f1 is None else 1+(f1[0]>.3)+(f1[0]>1)+(f1[0]>2.5)+(f1[0]>3.5)
        s.yb=y; w=w+s.W4[:,y]
        pp=b
        for j in CH:
            nn=n_[j]
            if nn>0:
                aa=.6*min(np.count_nonzero(C[j]),nn)+.2; pp=(C[j]+aa*pp)/(nn+aa)
        s.pp=pp
        z=lb+w@Phi; z-=z.max(); p=np.exp(z); p/=p.sum()
        s.Phi=Phi; s.p=p
        pi=s.pi.setdefault((k,y),[9.,.7,.3]); s.pc=pi; q=sum(pi); r=(pi[0]/q,pi[1]/q,pi[2]/q); s.b=b
        p2=.9998*(r[0]*p+r[1]*pp+r[2]*b)+.0002/A; s.r=r; s.p2=p2
        out=np.zeros(256); out[SYM]=p2
        return out
    def update(s,byte):
        i=IDX[byte]; ch=chr(byte)
        g=s.Phi[:,i]-s.Phi@s.p
        s.grad=g
        s.learn(g)
        r=s.r; q=[r[0]*s.p[i],r[1]*s.pp[i],r[2]*s.b[i]]; t=sum(q); pc=s.pc
        for j in range(3): pc[j]=pc[j]*.98+q[j]/t+.003
        l=-np.log2(s.p2[i])
        for f in (s.fk,s.fk2):
            x=s.fl.get(f)
            if x is None: s.fl[f]=[l,1]
            else: x[1]+=1; x[0]+=(l-x[0])*max(.15,1/x[1])
        for k in s.ctx:
            v=s.cnt.get(k)
            if v is None: v=s.cnt[k]=np.zeros(A)
            else: v*=.9 if k[0]>3 else .97
            v[i]+=1
        for x in s.gk:
            if x is None: continue
            hit=x[0]==i
            for k,dec in ((x[1],.98),(x[2],.9)):
                c=s.gc.get(k)
                if c is None: c=s.gc[k]=[.0,0.] if len(k)==3 else [.5,1.]
                c[0]=c[0]*dec+hit; c[1]=c[1]*dec+1
        if 48<=byte<=57:
            for x in s.rk:
                if x is not None: c=s.rc[x[0]]; c*=.97; c[9+byte-48-x[1]]+=1
        # match
        s.raw.append(byte); 
        if s.mp>0 and s.raw[s.mp]==byte: s.mp+=1; s.ml+=1
        else: s.mp=-1; s.ml=0
        key=bytes(s.raw[-5:])
        if s.mp<0 and key in s.pos5: s.mp=s.pos5[key]; s.ml=5
        s.pos5[key]=len(s.raw)
        s.h=(s.h+ch)[-10:]; s.hc=(s.hc+CL[byte])[-8:]
        # hexdump data
        if s.linehex_on() and byte!=10:
            if s.bar>=0: s.bar+=1
            elif ch=='|': s.bar=0
            elif ch in '0123456789abcdef':
                s.nib+=ch
                if len(s.nib)==2:
                    x=int(s.nib,16)
                    for o in (2,3): kk=(o,tuple(s.data[-o:])); s.dl[kk]=(x,s.dl.get(kk,(x-1,))[0])
                    s.data.append(x); s.linehex.append(x); s.nib=''
        if AL[byte]:
            s.tok+=ch; s.line+=ch; 
        else:
            if s.tok:
                sc=s.src.setdefault(s.K1,{})
                for k,x in s.S.items():
                    sc[k]=sc.get(k,0)*.85+(x==s.tok)
                hh=s.hist.get(s.K1)
                if hh and s.tok.isdigit() and hh[-1].isdigit():
                    md=s.modes.setdefault(s.K1,{}); d=int(s.tok)-int(hh[-1])
                    for k in md: md[k]*=.93
                    md[d]=md.get(d,0)+1
                if len(s.tok)>2 and any(c.isdigit() for c in s.tok): s.id=s.tok; s.ids.append(s.tok)
                if s.sep[-1:]=='<' : s.stack.append(s.tok)
                elif s.sep[-2:]=='</' and s.stack: s.stack.pop()
                for K in (s.K1,s.K2):
                    hh=s.hist.setdefault(K,[]); hh.append(s.tok)
                    if len(hh)>40: del hh[0]
                    s.lastsep[K]=ch
                if not s.toks: s.first=s.tok
                if s.tok.isalpha(): s.lab=s.tok; s.labsep=''
                s.toks.append(s.tok); s.tok=''; s.sep=''
            s.sep+=ch; s.seps+=ch; s.labsep+=ch; s.line+=ch
            if byte==10:
                s.pl2=s.prevline; s.prevline=s.line[:-1]; s.line=''; s.pfirst=s.first; s.first=''
                for x in s.ids: s.lastl[x]=s.toks[-1] if s.toks else ''
                s.ids=[];s.id='';s.ptoks=s.toks;s.toks=[]; s.seps='\n'; s.sep='\n'; s.labsep='\n'; s.linehex=[]; s.bar=-1; s.nib=''
            s.tokstart()
    def learn(s,g):
        g=np.clip(g,-6,6); g2=g*g
        for W,G,k in ((s.W1,s.G1,s.bk),(s.W2,s.G2,s.k),(s.W3,s.G3,s.x),(s.W4,s.G4,s.yb)):
            if W is s.W1: G[RM,k]+=g2; W[RM,k]+=s.lr*g/np.sqrt(G[RM,k])
            else: G[:,k]+=g2; W[:,k]+=s.lr*g/np.sqrt(G[:,k])
