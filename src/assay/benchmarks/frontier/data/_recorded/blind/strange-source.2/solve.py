"""Hidden modes with shared pair tables, own lags and a periodic copy. Run: `python solve.py`."""
import os
os.environ["OPENBLAS_NUM_THREADS"] = "1"
import json, sys, time
from pathlib import Path
import numpy as np

DBG = os.environ.get('DBG')
T0 = 6
ADD = True
NR = 1
LIMIT = 17.5
NOISES = (1.,)
SG = 1.2
KAP2 = 1e5
PAIRS = [(i, j) for i in range(1, 7) for j in range(1, 7) if i != j]
COPY = [(P, L) for P in (3, 4, 5, 6) for L in range(1, 7)]


class Data:
    def __init__(self, sources):
        self.S = len(sources)
        tx = [np.array(list(map(int, x))) for s in sources for x in s]
        self.src = np.repeat(np.arange(self.S), [len(s) for s in sources]); self.n = n = len(tx)
        self.ln = np.array([len(x) for x in tx]); T = self.T = self.ln.max() + 1
        A = np.zeros((n, T), int)
        for i, x in enumerate(tx): A[i, :len(x)] = x
        self.A = A; t = np.arange(T)
        self.live = (t[None] < self.ln[:, None]) & (t >= T0)[None]
        self.lag = np.zeros((7, n, T), int)
        for L in range(1, 7): self.lag[L][:, L:] = A[:, :-L]
        self.ctxs = np.stack([self.lag[i] * 4 + self.lag[j] for i, j in PAIRS])   # 30,n,T
        self.last = (np.arange(n), self.ln)


def forward(B, Q, pi, live_next=None):
    """B (m,T,K), Q (m,K,K), pi (m,K): scaled forward; returns prior-of-mode at each t, filtered, log-lik per text"""
    m, T, K = B.shape; pr = np.empty((T, m, K)); al = np.empty((T, m, K)); c = np.ones((T, m))
    for t in range(T0, T):
        p = pi if t == T0 else (al[t - 1][:, :, None] * Q).sum(1)
        pr[t] = p; v = p * B[:, t]; c[t] = v.sum(1); al[t] = v / c[t][:, None]
    return pr, al, c


class Model:
    def __init__(self, D, K, rng, kappa=12., pair=None):
        self.D, self.K, self.kap = D, K, kappa; S = D.S
        self.T = rng.dirichlet(np.ones(4) * 3, size=(K, 16)); self.E = np.repeat(self.T[None], S, 0)
        self.Q = np.tile(np.eye(K) * .95 + (1 - np.eye(K)) * .05 / max(K - 1, 1), (S, 1, 1)); self.Q /= self.Q.sum(2, keepdims=True)
        self.pi = np.full((S, K), 1. / K)
        self.pair = rng.integers(30, size=S) if pair is None else pair.copy(); self.cp = np.zeros(S, int); self.c = np.full(S, .02)

    def ctx(self): return self.D.ctxs[self.pair[self.D.src], np.arange(self.D.n)]

    def copyinfo(self, cp, src=None):
        D = self.D; P = np.array([COPY[q][0] for q in cp])[D.src]; L = np.array([COPY[q][1] for q in cp])[D.src]
        return (np.arange(D.T)[None] % P[:, None]) == 0, D.lag[L, np.arange(D.n)]

    def emis(self, E, ctx, cp, c):
        D = self.D; on, cs = self.copyinfo(cp)
        b = np.stack([E[D.src[:, None], k, ctx, D.A] for k in range(self.K)], 2)
        cc = (c[D.src][:, None] * on)[:, :, None]
        raw = b; eq = ((cs == D.A)[:, :, None]) * .98 + .005
        b = cc * eq + (1 - cc) * b
        return np.where(D.live[:, :, None], b, 1.), raw, cc, eq

    def ll(self, E, ctx, cp, c):
        D = self.D; B, *_ = self.emis(E, ctx, cp, c); _, _, cs = forward(B, self.Q[D.src], self.pi[D.src])
        return np.bincount(D.src, np.log(cs).sum(0), minlength=D.S)

    def step(self, upT=True):
        D = self.D; K = self.K; ctx = self.ctx(); B, raw, cc, eq = self.emis(self.E, ctx, self.cp, self.c); Qs = self.Q[D.src]
        pr, al, c = forward(B, Qs, self.pi[D.src])
        be = np.ones((D.T, D.n, K)); cq = np.zeros((D.n, K, K))
        for t in range(D.T - 2, T0 - 1, -1):
            w = B[:, t + 1] * be[t + 1] / c[t + 1][:, None]; be[t] = (Qs * w[:, None]).sum(2)
            cq += D.live[:, t + 1, None, None] * al[t][:, :, None] * Qs * w[:, None]
        g = (al * be).transpose(1, 0, 2)
        self.lls = np.bincount(D.src, np.log(c).sum(0), minlength=D.S)
        # chance that a symbol is copied
        pc = cc * eq / np.maximum(cc * eq + (1 - cc) * raw, 1e-12); gb = g * (1 - pc) * D.live[:, :, None]
        cnt = np.zeros((D.S, K, 16, 4)); si = np.broadcast_to(D.src[:, None], ctx.shape)
        for k in range(K): np.add.at(cnt[:, k], (si, ctx, D.A), gb[:, :, k])
        self.cnt = cnt
        if upT:
            # shared table: sum over sources of counts discounted by kappa
            w = self.kap / (cnt.sum(3, keepdims=True) + self.kap)
            tot = (cnt * w).sum(0) + .3 * cnt.sum((0, 1, 2))[None, None] / cnt.sum() + .15
            self.T = tot / tot.sum(2, keepdims=True)
        if ADD: self.additive(cnt, upT)
        else:
            num = cnt + self.kap * self.T[None]; self.E = num / num.sum(3, keepdims=True)
            self.E = .98 * self.E + .005
        on = (cc[:, :, 0] > 0) & D.live
        up = np.bincount(D.src, ((g * pc).sum(2) * on).sum(1), minlength=D.S); dn = np.bincount(D.src, on.sum(1), minlength=D.S)
        self.c = np.clip((up + .5) / (dn + 2), 1e-3, .97)
        q = np.zeros((D.S, K, K)); np.add.at(q, D.src, cq)
        q += np.eye(K) * 14 + .6; self.Q = q / q.sum(2, keepdims=True)
        p = np.zeros((D.S, K)); np.add.at(p, D.src, g[:, T0]); p += 5; self.pi = p / p.sum(1, keepdims=True)
        return self.lls.sum()

    def additive(self, cnt, upT):
        S, K = cnt.shape[:2]
        if not hasattr(self, 'U') or self.U.shape[:2] != (S, K):
            L = np.log(self.T).reshape(K, 4, 4, 4); L = L - L.mean(3, keepdims=True)
            b = L.mean((1, 2)) / 2; self.U0 = L.mean(2) - b[:, None]; self.V0 = L.mean(1) - b[:, None]
            self.U = np.repeat(self.U0[None], S, 0); self.V = np.repeat(self.V0[None], S, 0)
        n = cnt.sum(3).reshape(S, K, 4, 4, 1); c5 = cnt.reshape(S, K, 4, 4, 4); t1 = 1 / SG ** 2
        nz = getattr(self, 'noise', 0)
        for _ in range(1 if nz else 4):
            for w in (0, 1):
                L = self.U[:, :, :, None] + self.V[:, :, None]; p = np.exp(L - L.max(4, keepdims=True)); p /= p.sum(4, keepdims=True)
                r = c5 - n * p; h = n * p * (1 - p); ax = 3 if w == 0 else 2
                X, X0 = (self.U, self.U0) if w == 0 else (self.V, self.V0)
                X += np.clip((r.sum(ax) - t1 * (X - X0)) / (1.3 * h.sum(ax) + t1), -1, 1)
                if nz: X += nz * self.rng.normal(size=X.shape) / np.sqrt(h.sum(ax) + t1)
        if upT:
            self.U0 = self.U.sum(0) / (S + SG ** 2 / 1.); self.V0 = self.V.sum(0) / (S + SG ** 2 / 1.)
        L = self.U[:, :, :, None] + self.V[:, :, None]; p = np.exp(L - L.max(4, keepdims=True)); p /= p.sum(4, keepdims=True)
        E = p.reshape(S, K, 16, 4)
        num = cnt + KAP2 * E; self.E = .97 * num / num.sum(3, keepdims=True) + .0075
        L = self.U0[:, :, None] + self.V0[:, None]; p = np.exp(L); p /= p.sum(3, keepdims=True); self.T = p.reshape(K, 16, 4)

    def reset(self):
        if ADD and hasattr(self, 'U0'): self.U = np.repeat(self.U0[None], self.D.S, 0); self.V = np.repeat(self.V0[None], self.D.S, 0)
        self.E = np.repeat(self.T[None], self.D.S, 0)

    def retry(self, its=10, only=None):
        """all lag pairs, each with tables of its own"""
        best = None
        Q, pi, c = self.Q.copy(), self.pi.copy(), self.c.copy()
        keys = ('pair', 'E', 'Q', 'pi', 'c') + (('U', 'V') if hasattr(self, 'U') else ())
        for q in range(30):
            self.pair = np.full(self.D.S, q); self.reset(); self.Q, self.pi, self.c = Q.copy(), pi.copy(), c.copy()
            for it in range(its): self.step(False)
            sc = self.lls + self.pen()
            st = {k: getattr(self, k).copy() for k in keys}
            if best is None: best = st; bs = sc.copy()
            else:
                b = sc > bs; bs[b] = sc[b]
                for k in st: best[k][b] = st[k][b]
        for k in best: setattr(self, k, best[k])

    def pen(self):
        if ADD: return -.5 * (((self.U - self.U0) ** 2).sum((1, 2, 3)) + ((self.V - self.V0) ** 2).sum((1, 2, 3))) / SG ** 2
        return 0

    def relag(self, E=None, temp=0, rng=None):
        E = np.repeat(self.T[None], self.D.S, 0)
        L = np.array([self.ll(E, self.D.ctxs[q], self.cp, self.c) for q in range(30)])
        self.pl = L; self.pair = L.argmax(0)

    def recopy(self):
        L = []; ctx = self.ctx()
        for q in range(len(COPY)):
            for c in (.35, .7, .92): L.append(self.ll(self.E, ctx, np.full(self.D.S, q), np.full(self.D.S, c)))
        L = np.array(L); b = L.argmax(0); base = self.ll(self.E, ctx, self.cp, np.full(self.D.S, 1e-4))
        self.cg = L.max(0) - base
        self.cp = b // 3; self.c = np.where(self.cg > 2, np.array([.35, .7, .92])[b % 3], .05)

    def predict(self):
        D = self.D; ctx = self.ctx(); B, *_ = self.emis(self.E, ctx, self.cp, self.c); pr, al, c = forward(B, self.Q[D.src], self.pi[D.src])
        i = np.arange(D.n); p = pr[D.ln, i]; e = self.E[D.src, :, ctx[i, D.ln]]; base = (p[:, :, None] * e).sum(1)
        on, cs = self.copyinfo(self.cp); cc = (self.c[D.src] * on[i, D.ln])[:, None]
        return cc * (np.eye(4)[cs[i, D.ln]] * .98 + .005) + (1 - cc) * base


def run(sources, t0=0, seed=0, hook=None):
    rng = np.random.default_rng(seed); D = Data(sources)
    # K=1 stage: lags by code length of the pair
    best = None
    for K, n in ((1, 1), (2, NR)):
        cands = []
        for r in range(n):
            m = Model(D, K, rng, 12.)
            if K == 1:
                from math import lgamma
                for s in range(D.S):
                    sc = []
                    for q, (i, j) in enumerate(PAIRS):
                        if i > j: sc.append(-1e9); continue
                        c = np.zeros((16, 4)); sel = (D.src == s)[:, None] & D.live
                        np.add.at(c, (D.ctxs[q][sel], D.A[sel]), 1); a = .3
                        sc.append(sum(lgamma(4 * a) - lgamma(4 * a + x.sum()) + sum(lgamma(a + v) - lgamma(a) for v in x) for x in c))
                    m.pair[s] = int(np.argmax(sc))
                for it in range(6): m.step()
            else:
                m.pair = best.pair.copy(); m.cp = best.cp.copy(); m.c = best.c.copy()
                m.T = best.T[[0, 0]] * rng.gamma(2., .5, size=(2, 16, 4)) + .01; m.T /= m.T.sum(2, keepdims=True); m.E = np.repeat(m.T[None], D.S, 0)
                for it in range(12): m.step()
            if K == 1:
                for it in range(4): m.step()
                m.recopy()
                for it in range(4): m.step()
            for o in range(1):
                m.retry(6 if K == 1 else 8)
                for it in range(5): l = m.step()
                m.recopy()
                for it in range(6): l = m.step()
                l = m.lls.sum() + np.sum(m.pen())
                if hook: hook(m, f'K{K} r{r} o{o} {time.process_time() - t0:.1f}s ll {l:.1f}')
            cands.append((l, m))
        best = max(cands, key=lambda q: q[0])[1]
    best.rng = rng; acc = 0; n = 0
    for noise in NOISES:
        best.noise = noise; acc, n = (0, 0) if noise else (acc, n)
        for it in range(1000):
            l = best.step(noise > 0)
            if it >= 10: acc = acc + best.predict(); n += 1
            if time.process_time() - t0 > LIMIT: break
            if hook and it == 120: break
        if hook:
            class Z: pass
            z = Z(); z.__dict__.update(best.__dict__); z.predict = lambda: acc / n
            hook(z, f'noise {noise} n {n} {time.process_time() - t0:.1f}s')
    return acc / n, D


def main():
    t0 = time.process_time()
    sources = json.loads(Path("problem.json").read_text())["sources"]
    p, D = run(sources, t0)
    p = np.clip(p, 1e-4, 1); p /= p.sum(1, keepdims=True)
    out = []; i = 0
    for s in sources: out.append(p[i:i + len(s)].tolist()); i += len(s)
    Path("answers.json").write_text(json.dumps({"odds": out}))


if __name__ == "__main__":
    main()
