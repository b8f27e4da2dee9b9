"""Answers each line of prefixes with a line of probabilities; sees model.npz and nothing else."""

import json
import sys
import zlib

import numpy as np

ORDERS = 8
DISCOUNT = 0.75
LENGTHS, GATES = 12, 8
SPREAD = 2654435761
MORE = (
    r"""{XgqGl2EsoN}E!PX=7s{q+zvQ^;>)D{eYU9o|0R6rZg|0{kXD}*?-0mJ(38UCHh_ipHisksb6H)SezetL<VI->^K08GadaqCnOdz"""
    r"""c9i1&h69(kbTDIhwL^W1bygzQ*PyhFut@TGf}E;lD)^bB;qhzSMa+&ShCN?9e>#SuM7hu=gf}?ew2cGpFf{LlkmS;1nXbaU6R6+="""
    r"""SfAmmKHB)kQC(yZByY|rl3*LcB8MLJYE4p?(m3=ApWq)&*%!0N&SLNfLxk1RU@?>3OnLc4mK6qh7lA>TAlL-BPhyYjIN<r<?oc{o"""
    r"""i7?T&aDc(dULVct+nP&lQ&Jpdvvy{>aa#z@1X{3@a<9^H3fa!~h@67&pO{x7-DmyaL$Z=x9K`Y%-`y_>``XST^sTUd+;ogLz77jQ"""
    r"""$h0Z<;^Ydf%1x+mL%(Xrp#^N9TM+Qtj|~t_i(}Ah5UtvQrNLg+g(1jddnfaf1x3|a+4{POv}(tdTjW+~l!lR&1g?EMaKw4%OFK4J"""
    r"""lVO&wM^$a=31QFeF-cYjP!T=bYkQeTRDZGk3HTP9ES1=+2a^!8mgT@HUVYfI%DqzDPEd|hK`-+5GAyx*<|mrxudZv7jt8-kK(?eB"""
    r"""Pqw_a*Obqvc}Wa5e6<Rq!$IWK^GWjjIt0^_Dy?5c?fCLYCHC4M!t*{5;&EhqjQN||ORR;XTkT{0gF451IUlJO)uR<yv(WR*C43DL"""
    r"""z6KO&8yKkNPmh=;aPKAs_jEi<j44@dmW$8C*Ir6$;izrj3tVv?KMGI_zlGqM?*LMrAA9=3IW&O_E6}%K47cmIysaFTJZZU9otXrU"""
    r"""lmdg{8+!ok<M9gnMO<-5&pKm)KT>BrKuDhdJR>*>cZo(%H38ZIIa;(6^|Y-UF%F8Et)?4^XkQ2jsL<;2P|$}md5o|4seo>1I2@-+"""
    r"""+LA|{Ds5~-GN}9~&RCML;}YEpsngl|Tf`>b_X+-1Y%*6+?bkJ2PPA(E=T&JVYJ7|3irSdmvCFn#kHm6d-e=u)`ZclM#DF7(aEjex"""
    r"""739^VxxDDzyNG<4)*4i<qq{4QXEs6_36{W~^5G8o<BiPlxIn+pWrECsLG^P*(vf0rJlkNReo<z)l=d>W0kG9PYeTy4T?Z6R<Z=9O"""
    r"""*X&UGxr`e^HJNCIQT32bXYgf=z^%eotKjYe#aYzJi8)JZf9c8mq?ve>O}(2?vM(Y9t7Bte0q>-pWCYfhY?aob65$;pv~OV#ay2ia"""
    r"""Qf--_oqrouJTP2$g|S##ykh08%d^(%H+(``V}ahA0kQhD6qjd5r_k@bd=F545x}hllxX3W4EBK!Qg(3k+Nuw&?#^%p&M}+z6_$Zs"""
    r"""vy4eVUzx(7HQ&&5vu$%s4_LXE=kEBK6)){k+jeU$I4LY$_DF0mDK8696;Bhw|KEUK()9({y{3AYsehhBR7U4aQJ##+nUsxSj^EfC"""
    r""")3vk3OnxNL-%jKP*8i*cYUH|+v>gerOHVYs-pZsQ3_)E_*|PwEbUpYup=esC`&P!yCHM72g&-R}($DErO%wSqw3C&sA%tsh<}XO5"""
    r"""=X$iVq;=L96-*Kuhz`k_#awJs?r!_?1L1I0wF=0r1kPgB3p{o?3;#TDIl@fOu37}!G}Q0)JT_J<mVS2>Mx-)UwMzKC388hS5G2qy"""
    r"""WU+|i$isq>*KT`rr3gkvt!$e)X-Rp>rjhg>FF~#d53QAl%?Bj)t%TSx(-N&v=ktip6o?VlQ)8yq*Jmh`FN6OsmOvfdlF(5{Ol=WY"""
    r"""?qjCTQcU#I0svN|%Z}w0?&)UEV~dQQD|BR7<~8V+uud}}{ejqP<ixy6-n6xZ_J}&m_r{mm8?kFeIPv#(fvl=n{FGUu?^L>KvXWOy"""
    r"""#UFNS7CC;A4sq6Kq-_}q&_J#0(Z<VZ%X#l7*cKNv<AX5)e8w|+D*$@&Ur-^{G(kq;SFL8Bj$fwyY?YXTlD08#$1@U-3d23~^0-?3"""
    r"""*q3PSL`0sqQSjP0h5$wgl$hGS8ffTrZ{ji5xQgAtZHKw3r{8_QPb%Jo*eIX&OQrrvN_skrU`J3_2d2a0#5+4W(M^rqDdB7pHm0Q8"""
    r"""EtRvD1RIg~gphejG8DKTD7<LT$i|sIYbS~etvde*4e(Ou0bh>I$FP>McJd{IkiUWK_0!HW`fP>ey#Fxb9T!pNu?`Jx`!}<bv!<d9"""
    r"""7jRtzO7kUq0p82LiK*=#{eS!`y5G=%@^-~c%po#8Adj=D>W~x#unc5|+Lw5Vw2bR%1(Kl+Ar@uuQS86zJ;t`2*bWpOSL0$=%#|7-"""
    r"""<}ji_xm?uv5)YQ#f3|&!be$=BP}RZDYIR1)K+?4j9ZM2gn~sJ!r*(ufkl;xl82R0Z@i#o<1cVyVoRowf5_j4w8wX82$O5a%G!GR<"""
    r"""+2i=@jRC*oa$H%?s%hjPm(bACw0XAcRMhJMMB~hS^JeUz#xW+6P+-v9BbRt)bXCX<T0*J8r$%~3;oyxwC=bF!O%^+zm+Jb4+&Kw_"""
    r"""8Lmidr;ZE_viT2rzP-0n{*1`RT6N6P7l?KMq|#;E<B|yumVI`{-W+-$QN_{=RDtIoGvL7thQWgoCZU;oDszSTA!>67Oe($F^u%<w"""
    r"""IeZKjVU6*F&+m$W{1tG0n3LX6)!{QJL`{fL58Gc7&K&MpTA9OQc_Eyo{x82{21hKG0I}Ll(x+cspnK9o?Z4_UDi81c39l+tz(T)m"""
    r"""&uFe6Ar7k`$MQCgPNw7l1eH#=Tpby?14vh4qfMC0I%sqhUwsvk1>3bPScm@#EbNY7lPLIgTRyy+3oLl1jptd&5ipdBrv_PJ**X29"""
    r"""so@ySB-b7bm>hVYrxx_$5bJzy0jHG>G3{1gO)#LKp2`D%|2LAtt^Dt^*m$5&ZOo=?RU}690S~gVdOj6v#G3haIlh(zddIy!&0+aB"""
    r"""kE1M!3acbV^P2Xt4blUb+#ypEv}l^m`hLZ1VD@x5T-F3_qo`jYwgEEXJ~A-}g=@X<#5h<}3hB*Xhz11s#>Ls?T8$r%froj@2vyJC"""
    r"""=rtZgDrpxV<QCF)^*qS1(0_&>bzNrgI7~0ljABK*xzCHK1oVs9hw&)mGugR^8AjjA*{@w-)llWCiX+b(gb~)e;Q@kC#uHeO`9&{?"""
    r"""zwl-ncwxrRz*~2gDeG~!*)>4{`D!|Olb*dKON?kd%E>s!@*99-au!$%mjCvKfgykwKw@{0w6bd%bjiV}Wmsn6>e?}2wgTNPW<JN!"""
    r"""zeEEDp?zyt7T|8zEMG9%2X71?)d+<KO{xso(fM{APR4AksV-l8H3bmXJ@G@bdpgnc0jJbRB3eF_Ku)AgFSB~g6rj2mOYukv74QlF"""
    r"""jf!=|Z;48faX#jPeEw{Q2A34KVUhto6OL0G0zdJMSSq}~vF(!?Kzcv#L|Ueelh&pW%!t&CsMi5gPJ5Ex&(UCzASN&_NwWLXSZK@>"""
    r"""A^H0~A=s1u3XugamwH~M>&E>*JC{Oq?d`Cg3ZXi)#5U-_^2kr|Y<$aPbj!U!H<}V&cFA>_G%bo{kK<DCXg;i2``>?##ZM4x?qFc|"""
    r"""JdaQn#6=ZgVM-K$eMCAuM>-n$!3Fc}7g4Wi8Cmw%A~IIL*-Df5pllu~`ZG^zI>g$r`ul>B-_el4>uGP4b<lyV9MFdBZzW)a%h7<Z"""
    r"""=^@p7SP%OrbCH;&`c|uETo=6M^w2ir98x+aco3f{JXDGp!!mk*#1e<Uj=aWuc|E7<t^nGy4Zv!INR43gqx5TW>c=9M0EY^=_sFc<"""
    r"""4*8@nK#$`hKZtQexPXShC3F2UKcs{uC<N=3N{|18^w^nDB3MrE7+QEc^-ufRstxY2GoZYQXtERZ@Scyy6S%!gp5x!E`nZs^d5-kj"""
    r"""6otoW<*Hzq!X1d(PNSxk>4K}3LQmKG$$Mo)HBqqR2=uf!By*-t8iDHt*T|tn)zrUwhDq7YFX{VXtQ%Z2fNdBo&^_dl2FXWUN2nt`"""
    r"""&{}a)SYwNO<3uvXCnX}?HKM~L0$&|#N_D{fSHY69zh=gIvBQ+JE*n^xxqhrPn^DqtcEg;MOdYA!yk^<vUS3twx^@GnoqwN>@bVi6"""
    r"""lx{YABy%VJ@nV3uVIzkUOIS_Yq5G2ZBA0h&Q9F9bqjSu=?fk&ufQHlcJ(j!+S~jP5?L{!@11iTl@zfXOM|B!J`m^(;m2A4Vq(=Y7"""
    r"""gUaKq2Tr>YlT&W>HLj&Mfclr(v~dwZdAj*Mv{mBc%Os01*5aDRZXPv4f!{GBuV?EobY3-|(06IHYAn{QL+i}jkP>ML!K+s0c=`+P"""
    r"""H#0~<KNNB+&L4N(0F#CbuM|8`ahK{YgcMzDfCotz+^n6tsf>ioTQ&a`?H)58cxbm5mIk3iKw*5<o0se9Yyq)K(S<(=9VAX$2&&C<"""
    r"""HH(gv8I<k2`wZ@^RxB=7Ng=}lp16evX_U29e=*xss57i@z-%&MDf(l4beZ)NVBW|z<`VIwi+9PDD(MTpL;R5RmxgbBNL3SL4B;Cf"""
    r"""A@f>`e8inmJY9kw14kp`%fMDf&AEgV2+~=qomISUakI`GR6aa#s?i?fmn{j0XP~6$PuDy^5YNsSPnZ^meK`2==sRJv`5Mh%oqDaU"""
    r"""hD5!^fuB)c2l3y*6faJ5F&?N(o9(lyeenjZM(={F6|Qlo(qg#r)}C3;qTW5x0@D3M4>@leL6Z`}U~9+m4tyE*EbXaQIzv9Je|qSU"""
    r"""t3pDFFaMH;NB968GR?TEo%e2jybC#k2m>ctrRY2lkM`8J5LsVKg$%W=a6(tQE(iaRk@y6@Iy#mv=Vn!<Dtt<%G+OSuouq-G2VqDi"""
    r"""jmg<9JZ0-%cfZl&5c-4b4Qj@xB<)Caet?A^UI?@sWL1ssY1B=R7Q!(kb3D51>?Ge*S3(`7b~JIgdvr^t4_on=@*$3E`FszK!0GW!"""
    r"""1hT=U;@;RVU=%EMMZ<i106+XsNdiB}=20gtWPX{niH466G4OvI%l$yN_KIaLRiP!puR_6%LgxyLBW!DvZ}wQdW{*&0@&5H&^b(L6"""
    r"""_k0dSQ~Fg!-YX?yI%Tj8Da&5pU^(+5WyZ$}bOelg(8@G{?9y>Xl0is6Hoyq7j=0vujl{%*N$I9qv_%l$Kzue;dtC1EEjK}D30A*y"""
    r""";+~(1_|+uO%g>I*E%CS!k)&2y+)aIdO<v8|Dd6G$2As4UjUCP=ZmT{;)&>%n-IIbDl$Uj`$LQD`tIT<j0B>u@*FN&-HKH%NB^|OH"""
)


def key_of(context, character):
    """The 32 bits under which the count of a character after a context is kept."""
    return (zlib.crc32(context.encode()) * SPREAD + character * 40503) % 2**32


class Model:
    """Counts of contexts, and the trust in repeats."""

    def __init__(self, alphabet, keys, counts, trust):
        self.alphabet = [chr(code) for code in alphabet]
        self.place = {character: number for number, character in enumerate(self.alphabet)}
        self.keys, self.counts, self.trust = keys.astype(np.int64), counts.astype(float), trust
        self.step = np.arange(len(self.alphabet), dtype=np.uint64) * np.uint64(40503)
        self.after = {}

    def look_up(self, context):
        """The share of each character after a context and the weight of shorter ones; None where it is not kept."""
        if context not in self.after:
            start = np.uint64(zlib.crc32(context.encode()) * SPREAD % 2**32)
            wanted = ((start + self.step) % np.uint64(2**32)).astype(np.int64)
            at = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
            found = np.where(self.keys[at] == wanted, self.counts[at], 0.0)
            total = found.sum()
            share = np.maximum(found - DISCOUNT, 0.0) / total if total else None
            self.after[context] = None if share is None else (share, 1.0 - share.sum())
        return self.after[context]

    def contexts(self, prefix):
        """Probabilities from the contexts alone."""
        text = "\n" + prefix
        result = np.full(len(self.alphabet), 1.0 / len(self.alphabet))
        for order in range(min(ORDERS, len(text)) + 1):
            kept = self.look_up(text[len(text) - order :])
            if kept is not None:
                result = kept[0] + kept[1] * result
        return result

    def repeat(self, prefix):
        """The length of the longest earlier occurrence of the prefix's end, and what came after it."""
        best = None
        for length in range(1, LENGTHS):
            if length >= len(prefix):
                break
            at = prefix.rfind(prefix[-length:], 0, len(prefix) - 1)
            if at < 0:
                break
            best = length, self.place[prefix[at + length]]
        return best

    def gate(self, probability):
        """The row of the trust table for a guess that the contexts find this likely."""
        return min(GATES - 1, int(-np.log2(max(probability, 1e-9))))

    def predict(self, prefix):
        """Probabilities of the next character."""
        result = self.contexts(prefix)
        repeat = self.repeat(prefix)
        if repeat is not None:
            length, guess = repeat
            trust = float(self.trust[length, self.gate(result[guess])])
            others = 1.0 - result[guess]
            if others > 1e-12:
                result = result * ((1.0 - trust) / others)
                result[guess] = trust
        return result / result.sum()


def main():
    stored = np.load("model.npz")
    model = Model(*(stored[name] for name in ("alphabet", "keys", "counts", "trust")))
    for line in sys.stdin:
        rows = [model.predict(prefix).round(7).tolist() for prefix in json.loads(line)["prefixes"]]
        print(json.dumps({"probabilities": rows}), flush=True)


if __name__ == "__main__":
    main()
