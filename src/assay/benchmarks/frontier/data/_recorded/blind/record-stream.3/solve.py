"""Sparse mix of contexts with weights that were learned from the examples and go on learning."""
import math
import numpy as np
import parts
from parts import State, cls, IDX, SYMS, NS, logc
import tables

import os
TEMP = float(os.environ.get('TEMP', '1'))
TLR = float(os.environ.get('TLR', '.1'))
LR = .02
NB = 10
ENDERS = frozenset(range(32, 127)) - parts.ALNUM


def bucket(t):
    k = len(t[1])
    n = t[0]
    if k == 1:
        return 0 if n < 2 else 1 if n < 3 else 2 if n < 5 else 3 if n < 10 else 4
    if k == 2:
        return 5 if n < 4 else 6
    return 7 if k < 5 else 8 if k < 9 else 9


class Model:
    def __init__(self, weights=None, static=None):
        self.s = State()
        self.tabs = {}
        self.W = dict(weights if weights is not None else tables.weights())
        self.static = static if static is not None else tables.static()
        self.rel = {}
        for b in range(10):
            self.W.setdefault(2192 + b, (.2, .6, 1.2, 1.8, 2.2)[b % 5])
        self.p = None
        self.tt = {}
        self.G = {}

    def features(self):
        """List of (weight key, {symbol: value})."""
        F = []
        s = self.s
        self.keys = [(i, c) for i, c in enumerate(s.contexts()) if c is not None]
        last = cls(s.h[-1])
        tabs = self.tabs
        for k in self.keys:
            t = tabs.get(k)
            if t is not None:
                F.append((k[0] * 16 + bucket(t), 5000 + k[0] * 8 + last, t[2]))
        gs = s.guesses()
        self.sure = next((g[0] for g in gs[8:11] if g is not None), None)
        for i, g in enumerate(gs):
            if g is not None:
                sym, b = g
                if sym == -2:
                    # the token ends: what usually follows this field
                    f = self.ends.get((s.key, s.delim)) or self.ends.get(s.fi)
                    sym = f if f is not None else 32
                    b += 8
                F.append((2000 + i * 16 + b, 1000 + i * 8 + last, {sym: 3.0}))
        self.rels = s.relative()
        for i, r in enumerate(self.rels):
            if r is None:
                continue
            for j in (0, 1):
                t = self.rel.get((i, j, r[j]))
                if t is not None:
                    F.append((3000 + (i * 2 + j) * 16 + bucket(t), 1200 + (i * 2 + j) * 8 + last, {48 + (r[2] - 48 + d) % 10: v for d, v in t[2].items()}))
        return F

    ends = {}

    def predict(self):
        s = self.s
        if not s.h[1:]:
            self.ends = {}
        base = self.base()
        sc = base.copy()
        self.F = self.features()
        W = self.W
        get = W.get
        acc = {}
        for a, b, f in self.F:
            w = get(a, .3) + get(b, 0.0)
            for sym, v in f.items():
                acc[sym] = acc.get(sym, 0.0) + w * v
        tk = self.tk = ((s.key, s.delim, min(len(s.tok), 5)), (s.fi, min(len(s.tok), 5)))
        T = self.T = math.exp(max(-1.5, min(.7, self.tt.get(tk[0], 0.0) + self.tt.get(tk[1], 0.0))))
        self.acc = acc
        for sym, v in acc.items():
            if sym in IDX:
                sc[IDX[sym]] += T * v
        sc -= sc.max()
        p = np.exp(sc)
        p /= p.sum()
        self.p = p
        if self.sure is not None:
            p = p * .006
            p[IDX[self.sure]] += .994
        out = np.zeros(256)
        out[SYMS] = p * (1 - 2e-4) + 2e-4 / NS
        return out

    def base(self):
        h = self.s.h
        st = self.static
        k = bytes(parts.cmap(c) for c in h[-3:])
        while k not in st:
            k = k[1:]
        return st[k]

    def update(self, c, lr=None):
        lr = LR if lr is None else lr
        p, W = self.p, self.W
        if p is not None:
            g = self.acc.get(c, 0.0) - sum(p[IDX[q]] * x for q, x in self.acc.items() if q in IDX)
            g = max(-3.0, min(1.5, g * self.T)) * TLR
            for q in self.tk:
                self.tt[q] = self.tt.get(q, 0.0) + g
            for a, b, f in self.F:
                g = f.get(c, 0.0)
                for sym, v in f.items():
                    j = IDX.get(sym)
                    if j is not None:
                        g -= p[j] * v
                if g:
                    g = max(-3.0, min(3.0, g))
                    W[a] = W.get(a, .3) + lr * g
                    W[b] = W.get(b, 0.0) + .5 * lr * g
        tabs = self.tabs
        for k in self.keys:
            t = tabs.get(k)
            if t is None:
                tabs[k] = [1, {c: 1.0}, {c: logc(1.0)}]
                continue
            t[0] += 1
            cnt, lg = t[1], t[2]
            for sym in cnt:
                if sym != c:
                    x = cnt[sym]
                    if x > .6:
                        x = cnt[sym] = x * .8
                        lg[sym] = logc(x)
            x = cnt[c] = cnt.get(c, 0.0) + 1.0
            lg[c] = logc(x)
        for i, r in enumerate(self.rels):
            if r is None or not 48 <= c < 58:
                continue
            d = (c - r[2]) % 10
            for j in (0, 1):
                t = self.rel.setdefault((i, j, r[j]), [0, {}, {}])
                t[0] += 1
                x = t[1][d] = t[1].get(d, 0.0) + 1.0
                t[2][d] = logc(x)
        s = self.s
        if c not in parts.ALNUM and s.tok:
            self.ends[(s.key, s.delim)] = c
            self.ends[s.fi] = c
        s.push(c)
