"""Answers each line of prefixes with a line of probabilities; sees model.npz and alphabet.json, nothing else."""

import json
import sys
from pathlib import Path

import numpy as np

MORE = (
    r"""L?D7Z{pRt)YcTl^$K3(sh;=lg4+{+h!*19Pap3)Tuy%0klnd1}Uza_q*kPNI|H%>ce9qKZyT2^pH&e;I`Va6Hoyk{LbOvU2&#<)X"""
    r"""i2}qzY1$n2x@Ob(w$!lzsp<}OT3jxI5F{!H=Le5}i8x-clp|G9f>w)`=%oJgIt-u1uh(FNH-T&23Udj|N)l4!+HmG_56Yz49+*IE"""
    r"""7@Q<0o|sY9fkFfmZ|heR!Dg{CY29P|HOH6#2&T=D2~cLIMXlRyh%v&j_;?`{D@0aRZHcOaysfS}m3aC^HKY{KCBjQUt~$Xdaw&+q"""
    r"""mpbZ=Hy4)%2QJe(6kvMSQak2Vdr>sr!Ipvap)+ct6b%KJqvpt<%pf45={bOI@V10qYMo_%xG9e<<u0vs$DI|YU!t3Rt1~Zsa0-0Q"""
    r"""C5a>^3k8(7{P0dQrzcojOh}`gHkLqXND!fETbbQZ7=D2u<lKPZ=mpBHSA_Ts)d?T9MnFb{jmyngEqC|>TB6`{dZ7LFbJMJha2O=K"""
    r"""QD~o-nZ8u*D?h<nPk`EQ8vV(##8eb6f-{IJM=9fb!`;hNrr<#NY(3o3JeQ7t!2)663J-jRX;_g<W{aPI<W{!(*FI{*XpuJzJO-CV"""
    r"""CcmHGwxs|+;^woQ%&q)6!NX_)j%Do8oLA;$xB<u7&#WT+ev}H(Ps@s1B?YpF(wj}}g!oqP7m702Bef#p3RF@r&5fICYI&-OBPP7>"""
    r"""8CIBzwsy$OSoegeafE#j&Z6CaiD4yF<4cC?Q$|MNxSq{>J87IEHgwCR{4-w{91Cs{{o=2TJXkPs%y<3f!B%#7k?hB8=Y*;LIBh5w"""
    r"""2Lkn@#FJ#qQB4mA#!4N+f<h?ln+FmfLKTcW-7aAc|3Z#p<;SRrg?xP;S+m<8w9{tUBZwt{S}{!?XxkPWF7UlFpcFt5;z7#f42mv*"""
    r"""rYo8e#2tm8LWRORn=sjZX{oKq_BBG~50y}6y~n08(Xc=v7MY;cn4`3drUX7rqNb-K=a2R1y22<NL>T*keXY5@&YkV9RSrvlaYQ*@"""
    r"""(it*{HfV(+C?#)L-3z?=k#J`Gc-iN>VD=@0&}Rg~`6tfV6twCCVVMFwnxT-=(Vgd-L*qwNfdttSyw}Z;2`(-I#EI>TzV@uf={xte"""
    r"""O4LgUScSYnlhcHg*Nok(_-^~n*)AYLX-stuG=Wd`GR$8AE!rAy*s&Ni);x!fTlE-iEXP0Pmj1~*^)^h!XH|pMll*P0_%sBuh#cXW"""
    r"""Gj)uLe$q=qgJaMgOw)>w^_+<NZU4ORd#zer=1d)?MQx${^{6~SM}u=M8CW}WW}Vol0t%dPD{_yniNXs$sIf;nfJqgxCoeRaqJN1Q"""
    r"""xeq8u%)WatsEh=pIkZ5E&o1-U$(nGQL>o9+dv4y03V@1+@<7ftzazO1o#aDLCP;4gtGbm@Ps8EQJW7g}1O!9EGwToC*p0o>&+HpA"""
    r"""@e=?QI7haMw(@;?Hn&kb6rk9#fgIk{z_*sJ;dx0Mt~yxxu09L(Ys6X0bTfaesD145z5HX{;mkexh(JsRz|=PlCSB^mlTS`If(h-*"""
    r"""bjSjK*il=rdL~j?zzc8McobnLe#`DW7{)Cy^%r^u3ZL$d)Kx^H<<(Wn$7cPGxJ`tQSt_`!NrZxdvc!(>224VMb7UlC+j>Xq$Yd%f"""
    r"""P8|==!_`JYC40k1l4r}dTXUF6vip@SnQH9|lr+BMf*l&6QA0F2-hFDzK5WE9f&o2e!S;5E6IFN8jMvPI{4zpc2<R62ZON>BFeeq*"""
    r""";$T=|#kgd5xFN0@>K0l{lJFKG$}h~C$%(Y^8T1I+o1#pPA-L4Y3_21AGpek-5xph&D&(sHQl_|VN=rA+qSv^tg}f6WeuvAEDkfKm"""
    r"""(<(rahInf-jrACsXeObpmqZfcx)Tne)l(GNUS)SWLOzJ<WE{BZtF>?h2l^0HffNLFD_9X`YvPl9`@W{gC1YG*nA-BX3;7B)-LI`B"""
    r"""*JJ(k=J8aCn#zQNo(C7|>b7>{YxAp0#NQh@wgiG3oWTdCt)3ZbDX2XmL6*_3cMV;;nwG)W>?LK;b`^Vae9FRWO_{g=o#XyjN)Nr?"""
    r"""ulk}nm5tj4pDg=2aEIT%b{jNPLX{XIZvh|J3LzW>5v{5T1Z?nTh?jtOU2Di5dgl_Ur_enJUN2s6b6T4+9-vAf;!JiHlCT{u;%0PS"""
    r"""JsoEoJ1lULf!Kc#fMce!w&=sfE!uthuUk5LCEtyktG&_by0oFn@d&*^npT=XOjYVlMN%k%c($Qejq;u++fKCRH&3A>U-c0eVz#@r"""
    r"""zpp)Bzz~XSAAXys&V9HUc9a8TF-3B`h)7d(CZFBl^If)N-6f4_bx1^N3RC#GUKzM5d2B4<WUo{SZ=v-P8oU3pMfoD5pQ0`Ht<)rj"""
    r"""Af*Xhr*oi&ft>l&29{Hl7(3kDZ;rP8kb_vINwhG_wqnZWO!j;eekddp@%N`!{>ui%=2X8LytLqXn=RtDV^T!o7rLxi`}72N9^+GL"""
    r"""%<ey-hDKJXLtLGA+VAS0R-S2)PXn$z*}_}l=Hj|(8!I+3#zy1IUGwD<W9ItDl(JZhTn-;0b>ySst2D+N?~c*#sWDW|+Vo7LO0z~|"""
    r"""b8hHQG&I>7=uN+*kIM(f`Q)0L#-Nm0Gx}WQPU<#4qoMt-qwJ;l$!}GAW_=o@AE?$3u(-L=Ym;)I%fwj($Fp&FA)~}-mNDJ}voFw2"""
    r"""Ia{ttz~82gYGYAUQcFGJLfk~EqDBh0S#x;)`VlQe@JVa9Mvt-~#PbjAWP51>n-z#)BsMtAsWs&Hk4fCVvc%HgylG@1N_lz;d&%kH"""
    r"""FdJ9{7Tk{1LwLW`uNde;x*oDTeLvq!3A;i~lML|<_afXc@G(Kj(R;%5qTo9sYrQowwKilpECJnkE}i)w+nC4{4vqBSaEYY!;v9)s"""
    r""";OUoLq|4LG^l+RAAWQr^xP+dYMm9$26XfuwzCZ_Oi6QKf28avIIWnZ>F8{9<U{)ME6+E0~QcQGjEwtW<M3R3ahaC&ukn`BzB3^9~"""
    r"""+tjtSOIvew9=jssq;GJ8Ps29!0P&xOm1;x65yR>XLw5W!m)~ZpGJkygJ6ry@-OSev%t+ZmAC<=3FlUPO*oQWzPJ|3Gz37K9kw+`g"""
    r"""!VdL9$oqE=z#q~pe-!8{mK3oSA|)4{wVf{Tx2IRNf2VhUZ=al{ngaHLbxV6vD}>BvMpPxC#cWX%<ZjJ5pKz4qtSTcUc0KLt1y$<Z"""
    r"""IARBUoo$w#hq8#17!C#D6=^4-=bJiyIARZDMGfH&bn{pQaz-EsMx-l+W6K1Ow1maZ?v5>7^~pqP4H}|KaHGo<(eoh@L(<2K7H?yl"""
    r"""!kG(*VN-Q2YxPtb&X5O9G8EkNS#R$*&vGC^t@Hf6-GAbR&bGyM!8Tm5CJom7AL}@G=(8@X5{;`uRotKAeEP%=f<2Oi3@fHwaF!`o"""
    r""">AuY8@ih7>5grMS5{aK$^sETzuX%H^9Sh-Q$xd5#DasUCqXOtt6WDQs;9wNN(#+b6;;alP@zzq@Qdo%7_L8yb%fOO)w{wRIC5FdR"""
    r"""hk^SDQTI4-O*zCJSRyd*?+hJ^8u4nj;5e<L!^e~=b>Xtw+~0^_O&h7Sz#^hrN;+utcehe#nO8>4+4{2)CJelPPi@NMi`uRBt|=Tx"""
    r"""@LDbeAq-uPW9!X|hr~6??RzAkL=C|ll&}ckq6MMI8sst9&p!wS(Xv_36iJfORq&RB5y;X?rB~?5Kq$$D$odhKQHjQkKY|23Ht$XD"""
    r"""dwCUeC^s<^Iu?P{OR+i`$8u5nSG3DlrX(2$m@?)p02q&)g6hOPa-2X6yW}w3PmDUhfo!Nqaszeuw?Wab+Tl5X8<(SHYIS?Sv4a5n"""
    r"""N80x;jWcjJ+RsQj;cilHi@T?>fJ_f@gZ2oo2w7%?btT%oy<s*2$gQZ-uY=Bwv?kwj@v)E&HXB!S;Fj3T0wT*!YVyhaGSO80Zk`gD"""
    r"""mPde_^F-gOq-%~8pO*fahf$P<t4xH(;{8^{6fbF_8k`i=H>E-auzR)MdnypC3F8e`k89hMR2CEd$2r22-x+nP*7;~Htj}9`_$1cK"""
    r"""Z-M}j5QQsTf#u$uGngCnS%PXn70d;g0mH5_gHmQCS-}f%&j|w5SsTjKVNr1|=c|BXg2sN8gG-3Hjc{NKHE)epq;OLZaK?s%Y=yuT"""
    r"""5KjKzn!C@oWs;AF_fED*#~&nxCj4sXofL_z0{z_F*t_^+-N=+NDN?Mv+rvM=8s26(b@aqoL~t>&rQub<_g)iae?vWt1_Hj4Z5y9U"""
    r"""K_XDri9#h}Qq^wB`dA?Ud}t+2ePBz3A-*WKj$82EaX>uY+q`n)$f{i$7`*LL?!UB8>SpwiYC&+2HZ647ZJGQZz-SwunQPky>893v"""
    r"""HC7tKQwaU|yxI=m$9V)6W}y;A;9KWPNr1yIKP1HWyK58CaQ0<Zd1S4a^muKMKLrw@EnDd+(MJ|XqqpZ_%<U`5y9JSKw!Z@~<j<X0"""
    r"""nQ*A8Y!n&^UF@b3h>IbA213)ZivJVEIGomhb>D{t0!{NwvnPH}L(NC2V?stdK@pCNv;#^6AnD!9o<zvnxaG5z^IwSspLHAm9s?-t"""
    r"""0ewTr#&L~ZZ&EI)u`E7zXsG2X+_qF)G__v*DCyj9AR>UM$h@cABw^CA{;@sfs04GH(nn&B7gL@cIEXo1=YH?p8%X@PmB20ELU-Hw"""
    r"""Ah}*2XkiJld3w^+RCoYz9ZxO{NQiZ~szxw^)3y~K>Jy=#na7>Q_m({cHrXX=KLma7By6s2my+)8YwW-(4<(xBXqVJp%E0Y$e*6cO"""
    r"""iSqokI6ZCT#%|XiTE*GFNFq@eZ0??#^F#{g-mu@gZ;EK_@`}`vjpHFWrsb1#qkm6Of`8Hv+skuBBr8<!!f=(yi3E{MJ=~C*)*nnU"""
    r"""RQcUF9k-&L5}fA{u#s$rj8>AZEfPUP#HFqARh12g2@BWl497M<2*fS_ZM6{5@uOe_LGkf`-80qamoFOFPP1hy>A5(mGiahwQmH9w"""
    r"""mLdD><Hfr3Sx5j`omxz4M11N-EBMFB+28Pw^gw075{yUTZ%@bKAF*>!lKQDmA;~2r01qZCLx3M@+^mkZW>L{8wL946sx$>0OVDg*"""
    r"""B2wuLr<R^h=NcB1Q4FCBOMy0bgZ=+vCqt4Ccu-k<>o);pyH|=ZDVcV_m_?dLm_3;@YT?W>56bidmhkYrTx;}Zb4J}|y8Cn(eLA@!"""
    r"""6>Qz9(B|Un<-QbXghDseW~Vd)a%IG0o1VXS4u6iETsjA`PsjV|IdiigDtlLD+DF07v?>$nwUfT6zXdwRnu{IvjT-x++v#vu70rWU"""
    r"""p=UW&*VlnUFNAuJUg+5fN}NVW(h~3e7REM~)9p9f(hY_mm4v1aM;vdVF;kk;Nhtjw+Ph5a&!>?8Cq)S@X}a}GSwq<uCbpk|xV@gx"""
    r"""%=6&9rqfMB^niid@feo;u>C{iO7cy2sw28r*U_7baRv3aDTesT>lfOA`AnosX~RA^q)G7QPyA0GV9cw8`IHjhDQyj-&y{|e-LvAR"""
    r"""jy=8+lV~@D2!yLR%<GnqzDfKYHNoSc1MYZ5piF4^SCFu9Y9Hv0?d<Tn+Snp<upFi}#Q&*CXCsOJ`R}9dDg2K*L)9-z!!g)zO944E"""
    r"""DXBld)ygK*=9%B&%S7t*#x|;sNQV|MRT2WHtrb$&;0WB!KFS>qMSA$hph1&IM@UL}We;rn>bmgT0M~lLhz+GTecOXV@4SFMF0;?#"""
    r"""y4T?Uzz!JsrFJw5vnN~gK6Xm$CRL8|x?gt|mE-7;eFdBFOl4$ToFs!*$eLW}%P+RJb^%oAK#;{utgnCpNnnF*1053Uk#RUDOlMmU"""
    r"""-%wZKq#ES6l0h1LI_LX!qB)#Rh}MTX2?D)d9j8$h5f6oa50&=+tSx3)vn{<zxMS?W<*_J!cQAM@pS>wQxPOtJKUL6d?L}lL-X+6M"""
    r"""e42yx#XL8-==RENs!WNdWEakeq&Guozwo9O9O^{q|80(gPmw&La;~6cKGba2L@mY+#Yf4p%StbHX8H2LqJad348zGvSA;UqI`qyP"""
    r"""`6(!Iti`XkfP2wKam^QgU`wrEH)_`!s=2b?bhE-FbMHa6yf5w6!G<O3?@WdVx!8HL?y2DgN_#SMi@I`N<F~vMUB|Ss(VB(oDjPM4"""
    r"""o^0A?eU2~H$di@$FVk{n_CB{N5Gkd7;x1wk;X^C&AsI>iK>gqKmIZ)3F1rzTO$);nL#o6j=AEZ$+V>#BfdVy}aKQ%1CN6v+*5scM"""
    r"""N&NV{Ogm|b2ma?tOQFo-i|W10DhqCMezDy#Dh_w4dS+8AQXiRss<PO=X#oF2Tf+fe2#33G&|rMlXVk(LR{&}=9hFPTxL#IMOaCq9"""
    r"""U6Y8j;(Qi$Z;5)`k9fHH(r4<S7k6<_*gqxJ+QaHFXCBCEY~As{HNcj<pjy{{VJ37dg4c5VgAvKF&F$4_8<KWSNvxOW*_ywggmmc1"""
    r"""s1s{2MSiqN<jjBu)uBnFBWcBJ%r5V2IYz=c#eMJhDN+Ko9P35@#Aje1u4MI(TmID;Phtg~)+AmGz?4gpMpu}3o#kv}8fn0%w!{|7"""
    r"""El~VUw4PiP_UyK>v2R3s)F66;neD6M2>ba%4cW$DlEGoj4Se^mx#ONF9idP~8@cg&6%hyY>hIfp&ssHnk(+f4Hfh_E{g0eD?njTH"""
    r"""pRE#@WP<H-0ifwPA=<Qo6-S)EugqH-@269B^;6o*IG---Q{MYWAP@CJdKQ|~?SrzayAfR4asIx6d?AFD5tj7!Q!iy1t&$;gR!ZHV"""
    r"""X6{}9XBh}5#<|~MQUcl#eILm=y}v}lFrxYa?|9BA-M|U3mUhej&b=8Q(A!W-sbNU_)1U*pzPTyHLlQ_Co`<RwC_zSgqH9p&WzoJv"""
    r"""pIz$=TRsp-)Rk-<B-x4Z;qED~Hkox6c{^!a$<IM{Y57h&#N)RL_W2%vky!8|qAZ1)LLQ+gOF~!-03Rc`^cW}W=n0Ls<tecsSy}?h"""
    r"""V{%XVKC=5XTAnePEjy&)li`!#>`a@ACz27$Li(kKK9t{ae8(ltK!Fv3c&#af!!<*D_@(U7Den^AWyys>M8O;h8{q-5<fmV2;caHe"""
    r"""sp5`|Qkg6y^?We@J?2$8ronPC=5;wN^MINPs>FQUPURx=gV7>B#5{<>5HGMM$nf=0%oT;p$i?Red_pDv&TBU8WX{jt4UY>J`PM>O"""
    r"""V8D?m71K)ZQJ55&l@O<v5cw=q#QcZl3)c~s8L?)sTzy6^6fjSnq5Sd+#lm<<HPyv(1fkK!Z$sZ&I60VEwDJB@h<b-4rhRaRQbQf="""
    r"""wnBfK71`wc8(6{rpq-9Ux4bXge7Z2Sd?CA^7PSV&F#!Qv>^E+|B1X+#;4q8zUB68|L?_BpU2>B)8E*q_2I6ACm`ts{!8c>A1lZ(a"""
    r"""R11dhcPb%nM}K;_31#LGGFj3=_;q?5zE)G*eTlJWmw7Z5sGM6s)1r|Jeh#Aa8EDKh;m`bM<u+njgN6el#R*}mjA`^s=M}=r%^V(-"""
    r"""wRdFe@bD91JfxZ1e^8Bxzc#qp+2{3gGFs>F9W*P=%!pz8x4=0DdHThMh$~acG8$~KTv?PmcL&y!P)bCnVLq$;XP*>dTB%`T*f^(&"""
    r"""TLGKH#m*q2tVM*0;Zf{j#PBcTK3{{L(w3NJwnA<-+-`<>Ln5pi<bWL=eG;`VR$O9W76sA#9(sE>rrKH%#hkSd>#oJ%|MIm{-yf)i"""
    r"""7!Slw^JK^GTXP;%(&zwX7t1Bh0!VYrt!gyKq7Wx%v$Pf3oZgmFRzwB>-)?c>F$3RGlk8u}Vw9pfJUsUr#I_tZ?T8(x;6R`17(kOc"""
)
LENGTH = 10
"""How many characters the network sees."""


class Model:
    """The network of train.py."""

    def __init__(self, alphabet, arrays):
        self.place = {character: number for number, character in enumerate(alphabet)}
        self.arrays = {name: arrays[name].astype(np.float64) for name in arrays}

    def window(self, prefix):
        """The codes of the last characters; before an entry stand newlines."""
        return [self.place[each] for each in ("\n" * LENGTH + prefix)[-LENGTH:]]

    def predict(self, prefixes):
        """A row of probabilities for each prefix."""
        before = np.array([self.window(prefix) for prefix in prefixes])
        inputs = self.arrays["codes"][before].reshape(len(before), -1)
        hidden = np.tanh(inputs @ self.arrays["weights1"] + self.arrays["biases1"])
        values = hidden @ self.arrays["weights2"] + self.arrays["biases2"]
        shares = np.exp(values - values.max(axis=1, keepdims=True))
        return shares / shares.sum(axis=1, keepdims=True)


def main():
    model = Model(json.loads(Path("alphabet.json").read_text()), np.load("model.npz"))
    for line in sys.stdin:
        rows = model.predict(json.loads(line)["prefixes"]).round(7).tolist()
        print(json.dumps({"probabilities": rows}), flush=True)


if __name__ == "__main__":
    main()
