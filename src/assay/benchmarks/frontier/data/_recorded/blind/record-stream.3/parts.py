"""Sparse maximum-entropy mix of many contexts."""
import math

ALNUM = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
DIG = frozenset(b"0123456789")
HEX = {c: i for i, c in enumerate(b"0123456789abcdef")}
LOW = frozenset(b"abcdefghijklmnopqrstuvwxyz")
LOGT = [math.log(1 + i / 2 / .3) for i in range(0, 400)]


def cls(c):
    if c in DIG:
        return 0
    if c in LOW:
        return 1
    if c in ALNUM:
        return 2
    if c == 32:
        return 3
    if c == 10:
        return 4
    return 5


def logc(c):
    return math.log(1 + c / .3)


class State:
    """All contexts of a stream, and the guesses of the next byte."""

    def __init__(self):
        self.h = bytearray(b"\n")
        self.tabs = {}
        self.line = bytearray()
        self.prev = b""
        self.lines = []
        self.toks = []          # tokens of this line
        self.prevtoks = []
        self.tok = b""
        self.key = b""
        self.alpha = b""
        self.delim = b"\n"
        self.skel = 0
        self.skels = [0, 0, 0]
        self.fi = 0
        self.last = {}          # field -> list of last token values
        self.hit = {}
        self.stack = []
        self.ptr = 0
        self.mlen = 0
        self.idx = {}
        self.prevfi = {}
        self.curfi = {}
        # hex dump
        self.hexdump = None
        self.bytes = []
        self.nib = None
        self.linebytes = []
        self.bidx = {}
        self.bptr = None
        self.asc = None
        self.lineno = 0
        self.lastkey = b""
        self.linekey = b""
        self.keyorder = {}
        self.prevline_key = b""

    def contexts(self):
        h, tok, fi, key, d = self.h, self.tok, self.fi, self.key, self.delim
        hb = bytes(h[-8:])
        n = len(self.line)
        above = self.prev[n:n + 2] if n < len(self.prev) else b"\n"
        t = self.toks
        t1 = t[-1] if t else b""
        t2 = t[-2] if len(t) > 1 else b""
        p = len(tok)
        dd = hb[-1]
        l0 = t[0] if t else b""
        l1 = t[1] if len(t) > 1 else b""
        l2 = t[2] if len(t) > 2 else b""
        pl = self.prevfi.get(fi, b"")
        lv = self.last.get((key, d), ())
        lv1 = lv[-1] if lv else b""
        same = lv1[:p] == tok
        nxt = lv1[p:p + 1] if same else b"?"
        c = [hb[-1:], hb[-2:], hb[-3:], hb[-4:], hb[-5:], hb[-6:], hb,
             (tok, t1), (tok, t1, t2), (fi, tok), (key, d, tok), (key, tok, fi),
             (n, dd), (above, dd), (fi, p, d), (self.skel, p, cls(dd)), (self.skels[-1], self.skels[-2], p, d),
             (tok, d), (l0, fi, tok), (l1, fi, tok), (l2, fi, tok), (pl, tok, fi), (lv1, tok, d, key),
             (self.prevkeyline(), tok, d) if not t else (key, t1, tok), (nxt, len(lv1) - p, same, p == 0), (p, cls(dd), d),
             (self.stack[-1] if self.stack else b"", tok, d), (self.prevtoks[0] if self.prevtoks else b"", fi, tok), (self.skel, tok)]
        if self.hexdump:
            b, q = self.bytes, self.nib
            if self.asc is not None:
                q = -2
            c += [(q, tuple(b[-1:])), (q, tuple(b[-2:])), (q, tuple(b[-3:])), (q, tuple(b[-4:])), (q, tuple(b[-6:])), (q, self.since()), (q, self.since(), tuple(b[-1:]))]
        else:
            c += [None] * 7
        return c

    def since(self):
        b = self.bytes
        if self.bptr is None:
            return -1
        return len(b) - self.bstart

    def prevkeyline(self):
        return self.prevtoks[0] if self.prevtoks else b""

    def guesses(self):
        """(symbol, confidence bucket) of special guesses; -1: none."""
        out = []
        h, tok, p = self.h, self.tok, len(self.tok)
        # match model
        if self.mlen:
            out.append((self.h[self.ptr], min(self.mlen // 3, 7)))
        else:
            out.append(None)
        # same field: last value, value before last, extrapolation
        for f in ((self.key, self.delim), (self.fi, self.delim)):
            lv = self.last.get(f, ())
            g1 = g2 = g3 = None
            if lv:
                a = lv[-1]
                hits = self.hit.get(f, [0, 0, 0])
                if a[:p] == tok and (p or self.h[-1] not in ALNUM):
                    s = a[p] if p < len(a) else -2
                    g1 = (s, hits[0])
                if len(lv) > 1:
                    b = lv[-2]
                    if b != a and b[:p] == tok:
                        g2 = (b[p] if p < len(b) else -2, hits[1])
                    e = self.extra(f, a, b)
                    if e is not None and e[:p] == tok:
                        g3 = (e[p] if p < len(e) else -2, hits[2])
            out += [g1, g2, g3]
        # closing tag
        if self.stack and self.delim.endswith(b"</"):
            s = self.stack[-1]
            out.append((s[p] if p < len(s) and s[:p] == tok else 62, 0))
        else:
            out.append(None)
        # hex dump
        g = None
        if self.hexdump:
            g = self.hexguess()
        out += g or [None] * 4
        out.append(self.deltaguess() if self.hexdump else None)
        return out

    def extra(self, f, a, b):
        k = (f, a, b)
        if getattr(self, "_ek", None) == k:
            return self._ev
        e = None
        if len(a) <= 12 and len(b) <= 12:
            for base in (10, 16):
                try:
                    x, y = int(a, base), int(b, base)
                except ValueError:
                    continue
                if base == 16 and not any(z in LOW for z in a + b) and not self.hexdump:
                    continue
                v = x + x - y
                if v < 0:
                    break
                s = (b"%d" if base == 10 else b"%x") % v
                if a[:1] == b"0" and len(s) < len(a):
                    s = s.rjust(len(a), b"0")
                e = s
                break
        self._ek, self._ev = k, e
        return e

    def relative(self):
        """For digits: (context, last value's digit) of the same field."""
        out = []
        tok, p = self.tok, len(self.tok)
        for f in ((self.key, self.delim), (self.fi, self.delim)):
            lv = self.last.get(f, ())
            if not lv or not lv[-1].isdigit() or p >= len(lv[-1]) or (tok and not tok.isdigit()):
                out.append(None)
                continue
            a = lv[-1]
            if a[:p] == tok:
                st = 0
            else:
                try:
                    df = int(tok or b"0") - int(a[:p] or b"0")
                except ValueError:
                    df = 9
                st = 1 if df == 1 else 2 if df == -1 else 3
            out.append(((st, len(a) - p, len(a)), (f, st, len(a) - p), a[p]))
        return out

    def hexguess(self):
        n = len(self.line)
        g = [None] * 4
        if self.asc is not None:
            k = n - self.asc
            if k < len(self.linebytes):
                b = self.linebytes[k]
                g[0] = (b if 32 <= b < 127 else 46, 0)
            else:
                g[0] = (124, 1)
            return g
        if n < 8 and self.lineno >= 2:
            s = b"%08x" % (self.addr + self.step)
            if s[:n] == bytes(self.line):
                g[1] = (s[n], 0)
            return g
        if n >= 8 and n < len(self.prev) and self.prev[n] in b" |" :
            g[2] = (self.prev[n], 0)
        if self.bptr is not None and self.nib is not None and n >= 10 and self.prev[n:n + 1] != b" ":
            b = self.bytes
            q = b[self.bptr] if self.bptr < len(b) else 0
            r = self.bptr - self.blen
            d = 0
            if r >= 0 and r < len(b) and self.blen:
                d = (q - b[r]) & 255
            nb = self.nib
            v = q
            bucket = min(self.bhit.get(len(b) - self.bstart, 0), 3)
            if nb < 0:
                g[3] = (b"0123456789abcdef"[v >> 4], bucket)
            elif v >> 4 == nb:
                g[3] = (b"0123456789abcdef"[v & 15], bucket)
            else:
                g[3] = None
        return g

    def deltaguess(self):
        st, b, n = getattr(self, "starts", ()), self.bytes, len(self.line)
        if len(st) < 3 or self.asc is not None or n < 10 or self.prev[n:n + 1] in (b" ", b"|", b"") or self.nib is None:
            return None
        k = len(b) - st[-1]
        if st[-2] + k >= len(b) or k > 7:
            return None
        q, q2 = b[st[-2] + k], b[st[-3] + k]
        v = (2 * q - q2) & 255
        bk = min(self.dhit.get(k, 0), 4)
        if self.nib < 0:
            return (b"0123456789abcdef"[v >> 4], bk)
        if v >> 4 == self.nib:
            return (b"0123456789abcdef"[v & 15], 5 + bk)
        return None

    def push(self, c):
        h = self.h
        h.append(c)
        n = len(h)
        # match
        if self.mlen and h[self.ptr] == c:
            self.mlen += 1
            self.ptr += 1
        else:
            self.mlen = 0
        k = bytes(h[-5:])
        if not self.mlen:
            j = self.idx.get(k)
            if j is not None:
                self.ptr, self.mlen = j, 1
                while self.mlen < 24 and j - 1 - self.mlen >= 0 and h[j - 1 - self.mlen] == h[n - 1 - self.mlen]:
                    self.mlen += 1
        self.idx[k] = n
        if c in ALNUM:
            if not self.tok:
                self.delim0 = self.delim
            self.tok = self.tok + bytes((c,))
        else:
            if self.tok:
                self.endtok()
                self.delim = bytes((c,))
            else:
                self.delim = (self.delim + bytes((c,)))[-3:]
            self.skel = hash((self.skel, c)) & 0xffffffff
            if c != 32 or True:
                self.fi += 1
        if self.hexdump is None and n == 14:
            x = bytes(h[1:13])
            self.hexdump = x[8:10] == b"  " and all(z in HEX for z in x[:8])
            if self.hexdump:
                self.addr = int(x[:8], 16)
                self.step = 8
                self.nib = -1
                for z in x[10:12]:
                    self.hexpush(z)
                self.line.append(c)
                if c in HEX:
                    self.hexpush(c)
                return
        if c == 10:
            if self.hexdump:
                try:
                    a = int(bytes(self.line[:8]), 16)
                    if self.lineno >= 1:
                        self.step = a - self.addr
                    else:
                        self.step = len(self.linebytes)
                    self.step = len(self.linebytes)
                    self.addr = a
                except ValueError:
                    pass
                self.lineno += 1
                if self.lineno == 1:
                    self.lineno = 2
            self.linebytes = []
            self.asc = None
            self.prev = bytes(self.line)
            self.line = bytearray()
            self.prevtoks, self.toks = self.toks, []
            self.prevfi, self.curfi = self.curfi, {}
            self.fi = 0
            self.key = b""
            self.skels.append(self.skel)
            self.skel = 0
            self.delim = b"\n"
        else:
            self.line.append(c)
            if self.hexdump:
                if c == 124 and self.asc is None and len(self.line) > 10:
                    self.asc = len(self.line)
                elif self.asc is None and len(self.line) > 10 and c in HEX:
                    self.hexpush(c)

    def hexpush(self, c):
        v = HEX[c]
        if self.nib is None or self.nib < 0:
            self.nib = v
            return
        b = self.nib * 16 + v
        self.nib = -1
        B = self.bytes
        if self.bptr is not None:
            k = len(B) - self.bstart
            ok = self.bptr < len(B) and B[self.bptr] == b
            self.bhit[k] = self.bhit.get(k, 0) + 1 if ok else 0
            self.bptr += 1
        st = getattr(self, "starts", None)
        if st is None:
            st, self.dhit = [], {}
            self.starts = st
        if len(st) >= 3:
            k = len(B) - st[-1]
            if st[-2] + k < len(B):
                ok = (2 * B[st[-2] + k] - B[st[-3] + k]) & 255 == b
                self.dhit[k] = self.dhit.get(k, 0) + 1 if ok else 0
        B.append(b)
        self.linebytes.append(b)
        k = tuple(B[-2:])
        n = len(B)
        # records begin with the most usual pair
        cnt = self.bidx.setdefault(k, [0, 0])
        prev = cnt[1]
        cnt[0] += 1
        cnt[1] = n
        if cnt[0] >= 2 and k != (0, 0):
            best = max((x for q, x in self.bidx.items() if q != (0, 0)), key=lambda x: x[0])
            if cnt[0] >= best[0] and (self.bptr is None or not hasattr(self, "magic") or self.magic == k or cnt[0] > self.bidx[self.magic][0]):
                self.magic = k
                if not hasattr(self, "bhit"):
                    self.bhit = {}
                self.bptr, self.bstart, self.blen = prev, n, n - prev
                if not st or st[-1] != prev:
                    st.append(prev)
                st.append(n)
        if not hasattr(self, "bhit"):
            self.bhit = {}

    def endtok(self):
        t = self.tok
        d = self.delim
        for f in ((self.key, d), (self.fi, d)):
            lv = self.last.get(f)
            if lv is None:
                self.last[f] = [t]
                self.hit[f] = [0, 0, 0]
                continue
            hh = self.hit[f]
            hh[0] = min(hh[0] + 1, 3) if lv[-1] == t else (4 if hh[0] < 4 else min(hh[0] + 1, 6)) if False else (min(hh[0] + 1, 3) if lv[-1] == t else 0)
            if len(lv) > 1:
                hh[1] = 1 if lv[-2] == t else 0
                e = self.extra(f, lv[-1], lv[-2])
                hh[2] = min(hh[2] + 1, 3) if e == t else 0
            lv.append(t)
            if len(lv) > 3:
                del lv[0]
        self.curfi[self.fi] = t
        self.toks.append(t)
        if t[0] not in DIG:
            if t.isalpha():
                self.key = t
            self.skel = hash((self.skel, 1)) & 0xffffffff
        else:
            self.skel = hash((self.skel, 2)) & 0xffffffff
        if t.isalpha() and self.stack is not None:
            if d.endswith(b"</"):
                if self.stack:
                    self.stack.pop()
            elif d.endswith(b"<"):
                self.stack.append(t)
        self.tok = b""


SYMS = [10] + list(range(32, 127))
IDX = {s: i for i, s in enumerate(SYMS)}
NS = len(SYMS)


def cmap(c):
    """Class of a byte: vowels, consonants, digits, others as they are."""
    if c in DIG:
        return 48
    if c in LOW:
        return 97 if c in b"aeiou" else 98
    if 65 <= c < 91:
        return 65 if c in b"AEIOU" else 66
    return c
