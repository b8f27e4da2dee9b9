"""A network of one hidden layer over the last characters, trained by Adam. Run: `python train.py`."""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
from pathlib import Path

import numpy as np

from predict import LENGTH

TRAINED = (
    r"""94;%kR-J%s5>edAzT=4!4!Z86!q`+=cy<h0rdUO|UF6idwYlU{%<O;qj{mjj?6c|lai&#?^`4v1pKAKMCawfwHXa#^bT&nZeQO@r"""
    r"""5FNR=Sbq#EIwA}d3crFuP+kDV7Jf|<0<bxftojd~<rjy|PV#dvp)?HTLCN{2Nv?#3)(J-)fe}MeS25^z5Po;#C4eb(xP#b^0!<Rc"""
    r"""(NZ`pdo(i&U3N8Z4DINi!fb2a*$NugTrl;!2|T-$zMTovGc}xL2<INs`0Z*X0+9^9oF{PmVmrUc?MJZ6K7u|zDXYkAH4N|;{*<@s"""
    r"""NWY2q^w#^A%63rtgxV`HB(_>h)gmktL6^sNsNh(VIZxOzsDFc2Q0#clw@U8e55!!_8~2RQfz$E0sVQ?{&cg+u?e1DI2+nTBZZpSb"""
    r"""jAHsm1m5<6Snp^hvjO-a_^a!P>kcTfSkHn*8&m(o?UqjkknaGy5yRqWo&QAlnkR&yo2sA5FKft5Eu9p1>UNGFIXS|*ZKJj)tLnK`"""
    r"""{^FJFMB;9Xr%^I_@L|7Rwns&GiNVaTkEG0%CA^)=_gRFs;q)wDp~689HM3Q>C*K65dB>6PO}L?F|1d~ssenk=xPUFMV19ZRtiB&f"""
    r"""S|Hrxi$kP4t;%#8$nyH4F8$5uR?@}i7dPiYJXt5noazLDHnVV83`^QCtnL}}dm;8m4@MpsW&^BxN51<2Lpy#q?ra-w!mP<tHBD<+"""
    r"""!DpDR+)3I(%b=MuGxCd(`j2(jMl}y-Y-7k2Mhu4Y7;;IV6J$3>UoY*IYEY()BGc3n>6ku?2yND?g~(>yL09GIvBdI%Ve{i+@T{IB"""
    r"""SH1CZL7i%uG6oK1pdF)wui+%t@ClGZY)w<ZA>@uK{q=cGnRI8X$k2FgABBHL$lpEb$jbA=k#2i(94-MH#@x+zi!-{o{3Gjej|>m>"""
    r"""6+%d9q<a`jmozLz-$xOiiSih=t}(bavbv4*kW390uHFQ)87JP`)_Pr27YMXmmI@SpaLypOI3j#^VKf8JD35U(&e}jv+CuBT8(rbw"""
    r"""<Wv1Yvq}qqUrp11;_&TY*xre7v=GV;+L{dXg^GUe>ALKGQR|br);N8}JKgN)F30D&vQ$fVS<&YISkQ-{&zXmy1<e#`=rcM6xuv4d"""
    r"""Tc#=X&3NN539t{F{6`uDsL%8Q_GogaRH~cE`0kG@ZM%E9zFd2AYwvl>h-gv(&+@rkWnK6KL~CyVD(Pfii^>ZHxI3H@y79t3ChS^C"""
    r"""=pcwo_a>E+4QeOVKwq8hWfZLIA5L_$oi|}maSo+Ci#5I^MYBWLWS$BLu1qBuM*P*c_LrC-O*#WENwiOyLM?T5t1e&PYtj>|+y1a#"""
    r"""JQYB}O4o9UKP*~hC7?oidFjvTHlTJGur|pFJA|}*tk`rGM^!>s$W1kw+U)~4*Z?sQVcq~@!k|xCiHL)Do}ShJ_r;dUSl5>8*`y={"""
    r"""g463Q@QzS#y*6=d-9TZ-QzV_~NH4!%a24MW$eMRj%yDLQf{un!4a^!G`(ve*7w@ZH<QQtagX4#Q7^DT&b6v#tMA(-lSR2+MP6`jZ"""
    r"""ZS&lyGy^AT3lC2Ymx4VB3bTwh#$VC|d2dtS5REi?d>C$dS^!r+W_ysSDrrN1Hn{s=Yi-7n0V{Q!zLlR9o-Ol7wUXG`GGBK?A?zth"""
    r"""^$$(JVfDX7-DWkduASdTeuVL+02c!~YL*=0a%p@g5DhuTIn>z<4Ol;Bb19CAI$fG%ELsl(HS6yQ0d%P(dyYF+V=LH={X2_FrND4<"""
    r"""W&7ee_{pOl>lNGUde9usi9F_$o7Z|&d^`?~LC4(?MHU`u6M|h({<16GQ#93+eFAET9dmB>`{xJ~p3rXDGU)7ASeZ&cUk<Aqi_4`#"""
    r"""B7aD(q#JA*VYwd$_{&Tf)gq)*eKm%Gul|khY^ebNGtk=C>W|d|f({5%vTklKwU(_JIIo#pN`r>_hnA-9-Nq`)C`>k_$@eMK&F6^s"""
    r"""3jVm)XDS3(h7FYw*`LdP+=;-*iU5aQlLKW7WnQL^VXVhM3mG(j(mcYRMvP|95ZBYLBx~nM?9KIxbK2{9|BGt!zz&Cin4xdg87eSd"""
    r"""SFe(DWF|C%=d4O#bv&B*_2{jTOzGne*vwsaq|}k)M2)-F5K+Bv-K}qmN1k{l2lxYK1tPCj%3PV$rB4Lz3c^)gemv-GuW~4y8Zn99"""
    r"""F)(JrW7mE5ZzV=4yJK#)^S6&&<c%#2OQ?K!aeUF<lSZBa-|I)7sWnW`z7o*<#V#!W?(!E{f3wM@q=4$w*F#HTY-}|b7}h4u>{y_|"""
    r"""LIMoV(@bBPNHjTLYi(pZuM~Q$6-=rVk$gjWdf*w)oB0r3dMUFH^$FcPbi}IgG<@wOb59NR;Gy93<(@;A`<)^%3)nrQ7@P}fO}4Q}"""
    r"""FNi)MOnd{AQ4qwlES~-9RUUiIfvsQZuPKt8Y9%GF^aet?xs>w+O0-dmfrm>B)j-X~KC{rGf};HroXU_RB=kpJJ<*223*it(W(7g!"""
    r"""`Urh|Aec;P?r)R#Cr$bqe}Ib!8Lx%H;Rms?aDfLLu+Ip3<vr*K=c-WRqL-$MPR^Vfi=x(&RwzcB&%6C0hVGL+iJ3Ju(iaWYX{2ZA"""
    r"""lJ2O!&#DCSd-Y`GX*kGC%fM2}r3S{-ogSJte210>7pM)smdDz0OcMR&TVmbtA21}|n%kv{W8W)3V+ZCe&|W37)bz)V1!o8H8b!<U"""
    r"""*tl0`lE~5@)zxIlxIy`1uPVM5IzdtGh~O|fqX77whiGG$<z8UNf*h$0y`0pa?6Zn(!&R2!ygcpCM!)?IW|0yABS9|#3TIyhw6-cL"""
    r"""@^jFQc+(tGv3Q%^&fZ~O%l(g7%g1qPHPiSy5ioxGUVlrv9<c+Jer1ze4T1CbS=&)A5pTxfDXd2#oz9C)IL2GFO{&N!Q9X~~et5}@"""
    r"""Txi0iCYkz&1ly93iw=W|@fpitF4Lhug}pwfmVHJpF4#^`P0;ecCEThaB<fSsdaT<1eX;oljB6O9n0>h!;E^f2*jr9CZFq3wny_LT"""
    r"""S*N|K(YE_uVw>BrV2N$#?r{05ldQP`<=UbQhiT0OZxZ}nyzj*I2yB0=I&D&Pf1WZ!6Hf!`8hNz29)f4~cwVf?a!6C0bL@wScF@0W"""
    r"""-6tkLQnkp@;Z*|ZPW{>|)mxWzH!XYpi+$_7q|@GSUpDCnu9VI${pm_fonqx?(57O4VT9fE{d7VZbAc7b^SPyTuj!$#S?9`cE$5r3"""
    r"""U-2^oJiMjRs(@B8TdIDUkiw_zb2YG{IxKFhjw$McmMA-33OwL`>o&CUizAOrrqRS=@RHXt(#|6d`H*N43Yk}{L-w_9fCRIt*~!_Q"""
    r"""-U)prkpPwQ!u{|&u(5KsJ4Vj6@D`IQQIlRk8CEZ91A(&^pCvMc)~{{YI#D<k`AhJW$oVyMz_JvulI{Qx_%d7j;@$^;9Vz?^jq!_o"""
    r"""-7tQ9Ib$FbkUonD2Y@AX#)5B0``Q%KEqjPRl9x+cQV>2*>i<FnVr$fIPII89yO=A(FhhYdrpo{3n<cllE%-XP{K(5M#cL*m24eYl"""
    r"""L8H331Flj-F0W<<)FO=2(Ur8WpYqk!=_Wp{B_9yvS3<aAD<}ywYD@VNK+@np$8F~QBf1`W;MOP!b>k$s<BOh{CPorkAl+gPgXV+|"""
    r"""RardWJP8Njk~FJ3it4^!hEI?OaGu-^_cSMa9N*XEihd_Lk@A$p;QnPPEm+CB18vsg@(6DzPNKHzU&8tDySk)S@&c6yf@vBHnawhB"""
    r"""caRw@!9z_opNJK9><s_!Q9upDTAiy#_PvCHGg70m!Y;gw0(mWT1z<Of%7`prFi%f>a-RUutwWxL{KC`d%slS2*dz5GUUY;XOo1CA"""
    r"""=bGE<hA*E&-Nf>HQ3!d`*oc_`llpo}Mq`_Uskg5p?5xO*?j$QteJ1lpTC#4b8LT>QNAt}X!|a&1cAeY+5Xw6mJ`GT_(?wioR|ZeL"""
    r""";=Mz)l0>-)FhwMKhNj8p9WUy)^C$HDkKS8RKv;t>iKVM-;)RCqZOMufQ!(=>%A)u$Y@Pfm7lLCw77h~d#P2Gd(5x24h2wEKG8y-9"""
    r"""g3P$@kb=V{@5N)}y$0TLCnMmy7dvS<5Bm!6S=Km>jb!M7y>r~Bx-el0`EYlN&I8xs8Pj|7s2^fH5E=DoG@-Op-kNnEWbFp+7w6Nt"""
    r"""=7%qmA#JpHraB5^&~r2UmI$|~T@z8VQY{Ev@Trm}lRB9u49RTkT1b52I=(75WRUBhDF5`^PLUZ5Ru5sy@3un0kUvMDs}mPdnxB7a"""
    r"""+8&(2B}aXXkJw5JyEzDfXU_d<jd{<aALIJqqVUd_Jj4hr5)>=Cy9MzLC7S;;$@mHtBE1iMSGXuvJEgB9$4s6^xF5XX9u`ZbM@t^7"""
    r"""(1&C6eUc#Y<b}*e=3M!Wx^Jzr|Jqq`7?x@{((2?5S1d0D^_^L_YMPaZk)${P<)He-Je2%mJptZ!lJp?a6*(=eyHc=%vYTK+0B{vJ"""
    r""")cm`Oa^*NE6_sD;9nJYZy`%xw<JfJ&BF;dhc-dY3OZ46K&Eesh{|A&nO;Am)obq=EI-QR82h0(Y&3%kU&y~_J%{8?@I@E$LBilWz"""
    r"""%B21K2LmYod-vRC);z(hv#kDqj2}z<_PKl`g8?(;W$svc&<-Ait(Fb6-895tj|8%9H%u%-cc#r~PXUF1v&_!)Q$jkBw_|jTb^p9R"""
    r"""Iks$-i$82kf-qs~3rQlXEcL%8M!rL8`C;YWkf2E29(gJrjGr2o81Vi2ij<Fp-^J)=u@^=e_S`^+T5-#(NhmRN{8FTFJB4**9`e}H"""
    r"""&HX?iGKe)e)Wb{46}9h!pebd0FA#o3$FN@^eAYp94;5CO&h-RYkj$KzjYH9rMNqwGw#?KB`h6aEs1SL{)%9wa3gFx+g*(-7sTxz2"""
    r"""#7oS?8_y>-UaQi|0Ed*kSdG1rO@sibyv$mN$Feh#m)?VCJ%p-m2aX&T30D2FT|iG}D9^?L`w&v#V$TA662T9NuCc?{N9{r%V9P;c"""
    r"""06vD>3FJyxC9Q%Ovwby?6lFdfnxoz;N^a@`*o1+lb=X?%bao|h{JNXt)OipMV?}kJGyT?)ucbp$@~ydDA=Z<F)%S6f&I~vHA%PH8"""
    r"""nL1!<VEz4;w|HYHahol8FN=;v()=SZ_r3mYUgxy#%bMfnUFz<G@$TFH1m+$JmmjL}KxclWL5f7_9KJ1oGV{{lu&^O#mq<Ib@0s6Z"""
    r"""z3y@PF!v|2vS)$6943Q8k%E1E$v5R){qz?Z27zN{51f0o3U~Hr7?ltgrr)$msK~J*I;4b|R$AJ_p(U3^#W~Fj{Z`Wc6Z)2l@&6AB"""
    r"""4%JM_GHDGm6WIxyjipZACQ7s)sBb-KIyCH^nU8uXpjUbM#)IWUTZ59LwuYSBxxc5LRU~P%A~5J86wSQl@O|$RraD)Zn}838V@W9F"""
    r"""l#0x=fgr9l*h`D5h9XGzu>r~!|NPt8FVUR9Rj`zQMc?v*jW~FX1%==FbNEQ0;4sJpiyb_Q5&1sN(;F-A|K}Xcll*VL_T+Y-A-fYG"""
    r"""M3!h8*CZg5P^l&G^9waNV|=9+QFauO0zSIcM*+!FjUHsn;80hb#emnk4iHZjj=e`hPZ+I0M)LOeZp1`n54Kv7H)x;o>A_`_m=8#n"""
    r"""qdXf50G0{JryVC|cMIG+w?GNteU!xc6GqkWp2NVtE&Lg%7iv<fG`IAWPZ%X2gKUoh>~uC_u?&Yd5L(ScM=*H5IdAQG=$^sDnatX|"""
    r"""c{|u~eZrtgGsmI;OT73>6)L4-jPi4<2e`57m(6$#B~E*HBWAzpwGu=sHp_3w5e(7BIBxT;F#$5*1c~%)uUEldFEk_zJ=e(Tw<B8j"""
    r"""8I9Uanctle85^J$pxno}n`ALES|UG)ch;N%RKi09yEg+uPoK15z%d6J;kHYgt&wJtRGcPlpxZ@ir4}mzeax0sif4!#AIc~$d9cD9"""
    r"""v%jRN5|LXQgtZ*58~sdg%a40WmnLSO>~p!RR4)rg5aZV$3b3#wDgxLS{08B0pAa^WN{e4s`a)@TSjA!8A!EYyn@S!P5f*L?+soYY"""
    r"""C^D%K;DGyMoT|v{W?!bD{4+2ZpfS)N6;;RjA6gD|lwe)v(#84glMwC}T9D;U8(#j3w=MhK>gCagKj<vx$Dqikn@GNXyMyo4jea9;"""
    r"""gV(yB2>CUbL=3ECK*2p+)&QTSSFrBaBfXb}t?5~UR_apSdNnrT|6OZ>n?q1$goj^h(RtlQxTdli-34)I&zk|A;$R7?zLs61Q0EwH"""
    r"""xBF0sZZwi=#UaN#SH<bcn`_D-WnbBnjTq{ttUhmUZ{HUwGoI&^COE0+DsBNeo7ex&k?;Ox#ROgEb`Uw;tVAfu_R-s{3;@Gv%Tjjh"""
    r"""7artXy9V{w?^ORuz<5G(Wthj<>^|>U)d<!rC6wM#h8&@1`G%A$23&APb%Qa#bUT#>mHGT9oO<^yk>&$k1ip>c$C?Yuh405CT#^k@"""
    r"""yVdjp9-NvOOYQ76lqk1M5>5$-X8$x6wHlx_Y`>mEBn{kD2EVEh%w%T#xgH|(8tr2xWIqNin_Aw~c6|D$YVa_ho`X<mm17pZ+Ja&O"""
    r"""ET(=s-sT8r$F=`ZfQ_EzA%@C%+K+5R?PAG16pgp+3}9)}JH5}O8eY_Hhv}U^cLNJBt#&cV6MBjKvKV@H=T_#v4=*tn$!4-H{f0dm"""
    r"""bb{vZ(%M|9<q9pS;ry@x*+3jmk_`YuBU^MN>KmDvl^Z@SRwe+ZK<|NI@{j5zYmNkAIAEiV8L$RJ{p*_AVlvIQ_n1H<hV$<WmHH6$"""
    r"""v2OE?`1dU({tjh4C)tOrm$weGJhpk-8X&F)dI!^jW;9w;ZIM7JyqzY3xt}o?fJQCJS}x7u=r;sDoK<P9=kUf!mPAxwe_V#m4i+~s"""
    r"""EPLkJD4?d&XlWLqc#rHD0WsfZYDeg*!`&{);Fz9zBf|h<w#~ETTt^+k?Nk(t<6kd<Th5U1)&Hx<!hVw*G=TGfPD<z?j48sN!@$i="""
    r"""B-tYu+SRlC?GqR5frW94<B5^{>ph59v4x*bEq74`Pv^ACRHSp}{Mh3gT*c8>&-lD&lM`-JEpk%)uK&%=9}B1wPq6o(%@_8uyf!b^"""
    r"""*srB8Ge^6Uem%dCYT<Wvc=NXZ{}N;|#ASQ<BvAlO>`+VyU2C8Af%5v|115Re*=Drd_<Vy8a5<{vP<VWi%lNOu<K7F0o8t#7ccuKP"""
    r"""GOTV6lVhkB{&R9~LD5iu!O%%Zn4t{d)czWV*DErAoVp1Xr+Q)|*_j86e7R$P+ru`A!fL}a?&wWYsWSkpE19wbg7=#EJEsZnz_~gY"""
    r"""!H>dHo=5mWZUtRMMkOdzbw_E%T3xgQoK%$W7R6Akeg#PcL6sb4>O8xODpnzzF0zQg7~(-*4HE`!ycjE_afl$Myf?f@C1zjsQAWMT"""
    r"""2TP?1PPX2}2c)S_@PIlEftN<qWF@8TmPTifu}P2CEN905$VUU2*c9A*q|+WQqw5R5$`VOIJ3~Js7`#aH08Q?uIo)9+frGN{3jG`E"""
    r"""55H-xAM`{l+Eu$652Q?q#^boNf+6_rjrVu`X=p!tG2B+He04|gPNVOL>%AEPuhYqnZ{77RP3WWy<l<S}y_aI2CRJwH7nShzjT7-F"""
    r"""x6LvL&>auH7zj}z&p^B9wTO#0I|`IRCfj|wC&tB<FK@cmz04;)`~pl^A0RhtZZZ6`a8Yfw+!i~FSJ7~T77X$=6cCH(vX49SIAf#T"""
    r"""FEuC>|1&hSQg`zqqu{}N5qjh6U)W|A{OUEvJbaCD>W!a^{Ct?%>3fmg#o^I{7lGAifpppX35L@V$|UK%SL~C=IU2zmD^7ocep2<~"""
)
CODE, HIDDEN = 8, 64
STEPS, BATCH, RATE = 20, 256, 8e-3


def windows(text, place):
    """The codes of the characters before each character, and its own; nothing of the entry before is seen."""
    before, after = [], []
    for entry in text.splitlines(keepends=True):
        codes = [place["\n"]] * LENGTH + [place[each] for each in entry]
        before += [codes[at : at + LENGTH] for at in range(len(entry))]
        after += codes[LENGTH:]
    return np.array(before, dtype=np.int16), np.array(after, dtype=np.int16)


def slopes(parts, before, after):
    """The slope of the mean cross entropy for each array."""
    codes, weights1, biases1, weights2, biases2 = parts
    inputs = codes[before].reshape(len(before), -1)
    hidden = np.tanh(inputs @ weights1 + biases1)
    values = hidden @ weights2 + biases2
    values -= values.max(axis=1, keepdims=True)
    error = np.exp(values)
    error /= error.sum(axis=1, keepdims=True)
    rows = np.arange(len(after))
    error[rows, after] -= 1
    error /= len(after)
    back = (error @ weights2.T) * (1 - hidden * hidden)
    into = (back @ weights1.T).reshape(-1, codes.shape[1])
    chosen = np.zeros((before.size, len(codes)), dtype=np.float32)
    chosen[np.arange(before.size), before.ravel()] = 1
    return [chosen.T @ into, inputs.T @ back, back.sum(axis=0), hidden.T @ error, error.sum(axis=0)]


def train(before, after, size):
    """The five arrays."""
    random = np.random.default_rng(5)
    shapes = [(size, CODE), (LENGTH * CODE, HIDDEN), (HIDDEN,), (HIDDEN, size), (size,)]
    scales = [0.5, (LENGTH * CODE) ** -0.5, 0.0, HIDDEN**-0.5, 0.0]
    parts = [(random.normal(0, 1, shape) * scale).astype(np.float32) for shape, scale in zip(shapes, scales)]
    first, second = [np.zeros_like(each) for each in parts], [np.zeros_like(each) for each in parts]
    for step in range(1, STEPS + 1):
        chosen = random.integers(len(after), size=BATCH)
        found = slopes(parts, before[chosen], after[chosen])
        rate = RATE * min(1.0, 1.15 * (1 - step / (STEPS + 1)))
        for number, slope in enumerate(found):
            first[number] += 0.1 * (slope - first[number])
            second[number] += 0.01 * (slope * slope - second[number])
            change = first[number] / (1 - 0.9**step) / (np.sqrt(second[number] / (1 - 0.99**step)) + 1e-8)
            parts[number] -= (rate * change).astype(np.float32)
    return parts


def main():
    alphabet = json.loads(Path("alphabet.json").read_text())
    place = {character: number for number, character in enumerate(alphabet)}
    before, after = windows(Path("training.txt").read_text(), place)
    names = ("codes", "weights1", "biases1", "weights2", "biases2")
    np.savez("model.npz", **dict(zip(names, train(before, after, len(alphabet)))))


if __name__ == "__main__":
    main()
