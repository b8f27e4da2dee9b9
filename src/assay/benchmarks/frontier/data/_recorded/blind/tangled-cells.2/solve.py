"""Permuted Lorenz-96 with linear advection and opposite-cell diffusion; Bayesian shooting. Run: `python solve.py`."""
import os
os.environ["OPENBLAS_NUM_THREADS"] = "1"
import json, sys, time
from pathlib import Path
import numpy as np

NU = 3.0
LIMIT = 18.2
DBG = os.environ.get('DBG')


def findring(W, rng):
    x = W.copy()
    for k in range(W.shape[2]):  # tame outliers: median of three where far off
        lo, hi = max(0, k - 1), min(W.shape[2], k + 2)
        if hi - lo == 3:
            md = np.median(W[:, :, lo:hi], axis=2); d = W[:, :, k] - md; x[:, :, k] = md + np.clip(d, -2, 2)
    x = np.clip(x, -12, 12)
    dx = (x[:, :, 2:] - x[:, :, :-2]) / .2; xm = (x[:, :, :-2] + x[:, :, 1:-1] + x[:, :, 2:]) / 3
    X = xm.reshape(-1, 10); D = np.clip(dx, -25, 25).reshape(-1, 10)
    P = X[:, :, None] * X[:, None, :]; P = P - P.mean(0); Z = P / P.std(0); Dn = (D - D.mean(0)) / D.std(0)
    C = np.einsum('ni,njk->ijk', Dn, Z) / len(X)
    Q = C.transpose(1, 0, 2)  # p,i,n
    S4 = lambda pp, p, i, n: C[i, p, n] - C[i, p, pp]
    idx = np.arange(10)
    def sc(r):
        p = r[idx - 1]; return (C[r, p, r[(idx + 1) % 10]] - C[r, p, r[idx - 2]]).sum()
    best = (-9, None)
    for st in range(12):
        r = rng.permutation(10); s = sc(r); T = .3
        for it in range(2200):
            q = r.copy(); k = rng.integers(3); a, b = rng.integers(10, size=2)
            if a == b: continue
            if a > b: a, b = b, a
            if k == 0: q[a], q[b] = q[b], q[a]
            elif k == 1: q[a:b + 1] = q[a:b + 1][::-1]
            else: v = q[a]; q[a:b] = r[a + 1:b + 1]; q[b] = v
            s2 = sc(q)
            if s2 > s or rng.random() < np.exp((s2 - s) / T): r, s = q, s2
            T *= .998
        if s > best[0]: best = (s, r)
    return best[1]


IM1, IM2, IP1, OPP = [np.roll(np.arange(10), k) for k in (1, 2, -1, 5)]


def rhs(x, a, d, e, g, F):
    p = x[..., IM1]; n = x[..., IP1]
    return a * p * (n - x[..., IM2]) - d * x + e * (n - p) + g * x[..., OPP] + F


def traj(x, th, steps, sub=2, keep=None):
    """x (...,10), th (...,14) broadcastable; the states after each step"""
    a = np.exp(th[..., 0:1]); g = th[..., 3:4]; d = np.exp(th[..., 1:2]) + g; e = th[..., 2:3]; F = np.exp(th[..., 4:])
    h = .1 / sub; out = [x]
    for k in range(steps):
        for _ in range(sub):
            k1 = rhs(x, a, d, e, g, F); k2 = rhs(x + h / 2 * k1, a, d, e, g, F); k3 = rhs(x + h / 2 * k2, a, d, e, g, F); k4 = rhs(x + h * k3, a, d, e, g, F)
            x = np.clip(x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), -40, 40)
        out.append(x)
    return out


EPS = 1e-4


def jac(TH, X0, sub):
    """model states (S,4,10,10) and derivs wrt x0 (S,4,100,10), th (S,4,100,14)"""
    S = len(TH)
    x = np.repeat(X0[:, :, None], 25, 2); th = np.repeat(TH[:, None, None], 25, 2)
    for i in range(10): x[:, :, 1 + i, i] += EPS
    th = np.repeat(th, 4, 1)
    for i in range(14): th[:, :, 11 + i, i] += EPS
    o = np.stack(traj(x, th, 9, sub), 3)           # S,4,25,10t,10
    m = o[:, :, 0]; J = (o[:, :, 1:] - o[:, :, :1]) / EPS
    J = J.reshape(S, 4, 24, 100)
    return m, J


PM = np.r_[0., -.09, 0., 0.]
PS = np.r_[.18, .2, 1.4, .75]
CF = .14 ** 2 * np.eye(10) + .18 ** 2
CFI = np.linalg.inv(CF)
XM, XS = 1.6, 2.6


class Fit:
    def __init__(self, W):
        self.W = W; self.S = len(W)
        x = W.copy(); md = np.median(W[:, :, 0:3], 2)
        self.X0 = np.clip(md, -6, 9)
        self.TH = np.tile(np.r_[0, -.09, 0., .2, np.full(10, np.log(4.2))], (self.S, 1))
        self.mu = np.full(10, np.log(4.2))
        self.sig = np.full(self.S, .9)
        self.on = np.ones((self.S, 2), bool)

    def prior(self):
        S = self.S; P = np.zeros((S, 14, 14)); M = np.zeros((S, 14))
        M[:, :2] = PM[:2]; M[:, 4:] = self.mu
        P[:, 4:, 4:] = CFI
        for i in range(4): P[:, i, i] = 1 / PS[i] ** 2
        for k in range(2): P[~self.on[:, k], 2 + k, 2 + k] = 1e6
        return M, P

    def system(self, lam, Wd, M, P, XMn, sub):
        """Gauss-Newton matrix and gradient, (S,54,54); lam are the precisions of data"""
        S = self.S
        m, J = jac(self.TH, self.X0, 1)
        if sub > 1: m = np.stack(traj(self.X0, np.repeat(self.TH[:, None], 4, 1), 9, sub), 2)
        r = (Wd - m).reshape(S, 4, 100); l = lam.reshape(S, 4, 100)
        Jl = J * l[:, :, None]; A = Jl @ J.transpose(0, 1, 3, 2); b = (Jl @ r[..., None])[..., 0]   # S,4,24,24
        H = np.zeros((S, 54, 54)); g = np.zeros((S, 54))
        for w in range(4):
            s = slice(10 * w, 10 * w + 10)
            H[:, s, s] = A[:, w, :10, :10] + np.eye(10) / XS ** 2
            H[:, s, 40:] = A[:, w, :10, 10:]; H[:, 40:, s] = A[:, w, 10:, :10]
            H[:, 40:, 40:] += A[:, w, 10:, 10:]; g[:, 40:] += b[:, w, 10:]
            g[:, s] = b[:, w, :10] - (self.X0[:, w] - XMn[:, w]) / XS ** 2
        dt = self.TH - M
        H[:, 40:, 40:] += P; g[:, 40:] -= np.einsum('sij,sj->si', P, dt)
        c = .5 * (r * r * l).sum((1, 2)) + .5 * np.einsum('si,sij,sj->s', dt, P, dt) + .5 * ((self.X0 - XMn) ** 2).sum((1, 2)) / XS ** 2
        return H, g, c, r

    def cost(self, TH, X0, lam, Wd, M, P, XMn, sub):
        m = np.stack(traj(X0, np.repeat(TH[:, None], 4, 1), 9, sub), 2)
        r = Wd - m; dt = TH - M
        return .5 * (r * r * lam).sum((1, 2, 3)) + .5 * np.einsum('si,sij,sj->s', dt, P, dt) + .5 * ((X0 - XMn) ** 2).sum((1, 2)) / XS ** 2

    def step(self, lm, lam, Wd, M, P, XMn, sub, sys=None):
        H, g, c, r = sys if sys is not None else self.system(lam, Wd, M, P, XMn, sub)
        D = np.einsum('sii->si', H)
        Hd = H + lm[:, None, None] * np.einsum('si,ij->sij', D, np.eye(54))
        d = np.linalg.solve(Hd, g[..., None])[..., 0]
        X0 = self.X0 + np.clip(d[:, :40].reshape(-1, 4, 10), -2, 2); TH = self.TH + np.clip(d[:, 40:], -.7, .7)
        TH[:, 3] = np.maximum(TH[:, 3], 0)
        c2 = self.cost(TH, X0, lam, Wd, M, P, XMn, sub)
        ok = c2 < c
        self.X0[ok] = X0[ok]; self.TH[ok] = TH[ok]
        return np.where(ok, np.maximum(lm * .2, 1e-6), np.minimum(np.maximum(lm, 1e-3) * 6, 1e3)), r, ok

    def weights(self, r):
        s2 = self.sig[:, None, None, None] ** 2
        return (NU + 1) / (NU + r * r / s2) / s2

    def resid(self, sub=2):
        m = np.stack(traj(self.X0, np.repeat(self.TH[:, None], 4, 1), 9, sub), 2)
        return self.W - m


def phi(z):
    from math import erf
    return np.array([.5 * (1 + erf(v / 2 ** .5)) for v in z])


def odds(W, t0):
    rng = np.random.default_rng(1)
    ring = findring(W, rng)
    if DBG: print('ring', ring, time.process_time() - t0, file=sys.stderr)
    Wr = W[:, :, :, ring]
    f = Fit(Wr); S = f.S; XMn = np.full((S, 4, 10), XM)
    lm = np.full(S, .1)
    # MAP, lengthening horizon
    for it in range(36):
        r = f.resid(1); lam = f.weights(r)
        hor = min(10, 4 + it // 3)
        mask = np.zeros(10); mask[:hor] = 1
        M, P = f.prior()
        lm, _, ok = f.step(lm, lam * mask[None, None, :, None], f.W, M, P, XMn, 1)
        if it > 8:
            r = f.resid(1)[:, :, :hor]; wt = (NU + 1) / (NU + r * r / f.sig[:, None, None, None] ** 2)
            s2 = (wt * r * r).sum((1, 2, 3)) / (r[0].size - 45)
            f.sig = np.exp(.5 * (np.log(f.sig) + .5 * np.log(np.clip(s2, .15, 9))))
            f.mu = .2 * np.log(4.2) * .25 + (1 - .05) * f.TH[:, 4:].mean(0)
    if DBG: print('map', time.process_time() - t0, 'sig', f.sig.round(2), '\n', f.TH[:, :4].round(2), file=sys.stderr)
    return sample(f, ring, rng, t0)


IP2 = np.roll(np.arange(10), -2)


def rh0(x, a, d, e, g, F):
    p = x[IM1]; n = x[IP1]; ap = a * p
    return ap * (n - x[IM2]) - d * x + e * (n - p) + g * x[OPP] + F


def bwd(x, lam, a, d, e, g, G):
    p = x[IM1]; n = x[IP1]; q = n - x[IM2]; el = e * lam; al = a * lam; ap = al * p
    G[0] += lam * p * q; G[1] -= lam * x; G[2] += lam * (n - p); G[3] += lam * x[OPP]; G[4] += lam
    return (al * q - el)[IP1] + (ap + el)[IM1] - ap[IP2] - d * lam + (g * lam)[OPP]


def grad(X0, TH, W, sig, M, P, need=True):
    """potential (N,) and gradients; X0 (N,4,10), TH (N,14)"""
    N = len(TH)
    row = lambda v: np.repeat(v, 4)[None]
    ea = np.exp(TH[:, 0]); ed = np.exp(TH[:, 1]); ag = np.abs(TH[:, 3]); eF = np.exp(TH[:, 4:])
    a, g, d, e = row(ea), row(ag), row(ed + ag), row(TH[:, 2]); F = np.repeat(eF.T, 4, 1)
    Wt = W.transpose(2, 3, 0, 1).reshape(10, 10, N * 4); X = np.ascontiguousarray(X0.reshape(N * 4, 10).T)
    h = .05; x = X; st = []; xs = [x]
    for k in range(18):
        k1 = rh0(x, a, d, e, g, F); y2 = x + h / 2 * k1; k2 = rh0(y2, a, d, e, g, F); y3 = x + h / 2 * k2; k3 = rh0(y3, a, d, e, g, F); y4 = x + h * k3; k4 = rh0(y4, a, d, e, g, F)
        st.append((x, y2, y3, y4)); x = np.clip(x + h / 6 * (k1 + 2 * (k2 + k3) + k4), -60, 60)
        if k % 2: xs.append(x)
    r = Wt - np.stack(xs); s2 = row(sig ** 2); rr = r * r
    dt = TH - M; Pd = (P @ dt[..., None])[..., 0]
    U = .5 * (NU + 1) * np.log1p(rr / (s2 * NU)).sum((0, 1)).reshape(N, 4).sum(1) + .5 * (dt * Pd).sum(1) + .5 * ((X0 - XM) ** 2).sum((1, 2)) / XS ** 2
    gm = -(NU + 1) * r / (s2 * NU + rr)
    G = np.zeros((5, 10, N * 4)); mu = gm[9]
    for k in range(17, -1, -1):
        x, y2, y3, y4 = st[k]
        g4 = bwd(y4, h / 6 * mu, a, d, e, g, G); g3 = bwd(y3, h / 3 * mu + h * g4, a, d, e, g, G); g2 = bwd(y2, h / 3 * mu + h / 2 * g3, a, d, e, g, G)
        g1 = bwd(x, h / 6 * mu + h / 2 * g2, a, d, e, g, G); mu = mu + g4 + g3 + g2 + g1
        if k % 2 == 0: mu = mu + gm[k // 2]
    gx = mu.T.reshape(N, 4, 10) + (X0 - XM) / XS ** 2
    Gs = G[:4].sum(1).reshape(4, N, 4).sum(2); gt = np.empty_like(TH)
    gt[:, 0] = Gs[0] * ea; gt[:, 1] = Gs[1] * ed; gt[:, 2] = Gs[2]; gt[:, 3] = (Gs[1] + Gs[3]) * np.sign(TH[:, 3]); gt[:, 4:] = G[4].reshape(10, N, 4).sum(2).T * eF
    return U, np.concatenate([gx.reshape(N, 40), gt + Pd], 1), r.reshape(10, 10, N, 4).transpose(2, 3, 0, 1)


CH = 4


def self_on_prior(f):
    on = f.on; f.on = np.ones_like(on); P = f.prior()[1]; f.on = on
    return P


def sample(f, ring, rng, t0):
    rep = lambda v: np.repeat(v, CH, 0)
    f.W, f.X0, f.TH, f.sig, f.on = map(rep, (f.W, f.X0, f.TH, f.sig, f.on)); S0 = f.S; f.S = N = len(f.W)
    XMn = np.full((N, 4, 10), XM); mus = np.tile(f.mu, (N, 1)); acc = []; psum = 0; nout = 0; ar = []
    eps = np.full(N, .35); first = True
    while time.process_time() - t0 < LIMIT:
        r = f.resid(1); s2 = f.sig[:, None, None, None] ** 2
        lam = (NU + 1) / (NU + r * r / s2) / s2 * .85
        f.TH[:, 3] = np.abs(f.TH[:, 3])
        was = f.on.copy(); f.on[:] = True; f.mu = mus; M, P = f.prior()
        H, g, c, _ = f.system(lam, f.W, M, P, XMn, 1)
        dm = np.linalg.solve(H, g[..., None])[..., 0]; C = np.linalg.inv(H); V = C[:, 42:44, 42:44]; m2 = f.TH[:, 2:4] + np.clip(dm[:, 42:44], -1, 1)
        s0, s1 = V[:, 0, 0], V[:, 1, 1]; lg = np.zeros((N, 4))
        lg[:, 0] = np.log(2 * np.maximum(phi(m2[:, 1] / np.sqrt(s1)), 1e-12))
        c1 = m2[:, 1] - V[:, 0, 1] / s0 * m2[:, 0]; v1 = s1 - V[:, 0, 1] ** 2 / s0
        lg[:, 1] = -.5 * m2[:, 0] ** 2 / s0 - .5 * np.log(s0) + np.log(PS[2]) + np.log(2 * np.maximum(phi(c1 / np.sqrt(v1)), 1e-12))
        lg[:, 2] = -.5 * m2[:, 1] ** 2 / s1 - .5 * np.log(s1) + np.log(PS[3])
        lg[:, 3] = -.5 * np.einsum('si,sij,sj->s', m2, np.linalg.inv(V), m2) - .5 * np.log(np.linalg.det(V)) + np.log(PS[2] * PS[3])
        pr = np.exp(lg - lg.max(1, keepdims=True)); pr /= pr.sum(1, keepdims=True)
        ch = (rng.random(N)[:, None] > np.cumsum(pr, 1)).sum(1).clip(0, 3)
        f.on = np.stack([(ch == 0) | (ch == 2), (ch == 0) | (ch == 1)], 1)
        for k in range(2):
            i = 42 + k; cur = f.TH[:, 2 + k]; vk = C[:, i, i]
            tgt = np.where(f.on[:, k], np.where(was[:, k] & ~first, cur, m2[:, k] + np.sqrt(vk) * rng.normal(size=N)), 0.)
            if k == 1: tgt = np.abs(tgt)
            dl = (tgt - cur) / vk
            sh = np.clip(C[:, :, i] * dl[:, None], -1.5, 1.5); keepv = f.TH[:, 2:4].copy()
            f.X0 += sh[:, :40].reshape(N, 4, 10); f.TH += sh[:, 40:]; f.TH[:, 2:4] = keepv; f.TH[:, 2 + k] = tgt
        M, P = f.prior()
        H[:, 40:, 40:] += P - self_on_prior(f)
        Lc = np.linalg.cholesky(H); LiT = np.linalg.inv(Lc).transpose(0, 2, 1)      # q = LiT @ u
        q = np.concatenate([f.X0.reshape(N, 40), f.TH], 1)
        U, g, r = grad(f.X0, f.TH, f.W, f.sig, M, P)
        for it in range(12 if nout else 16):
            pm = rng.normal(size=(N, 54)); K0 = .5 * (pm * pm).sum(1); ee = (eps * rng.uniform(.7, 1.2, size=N))[:, None]
            qq, gg = q, g; pp = pm
            nl = int(rng.integers(3, 7))
            for j in range(nl):
                pp = pp - .5 * ee * (LiT.transpose(0, 2, 1) @ gg[..., None])[..., 0]
                qq = qq + (LiT @ (ee * pp)[..., None])[..., 0]
                U2, gg, r2 = grad(qq[:, :40].reshape(N, 4, 10), qq[:, 40:], f.W, f.sig, M, P)
                gg = np.clip(np.nan_to_num(gg), -1e4, 1e4)
                pp = pp - .5 * ee * (LiT.transpose(0, 2, 1) @ gg[..., None])[..., 0]
            al = U + K0 - U2 - .5 * (pp * pp).sum(1); al = np.where(np.isfinite(al), al, -99); pa = np.exp(np.minimum(al, 0))
            ok = rng.random(N) < pa; ar.append(pa.mean())
            q = np.where(ok[:, None], qq, q); g = np.where(ok[:, None], gg, g); U = np.where(ok, U2, U); r = np.where(ok[:, None, None, None], r2, r)
            if nout < 3: eps = np.clip(eps * np.exp(.15 * (pa - .75)), .05, .7)
            # sigma by data augmentation, given r
            if it % 3 == 2:
                lt = rng.gamma((NU + 1) / 2, 2 / (NU + r * r / f.sig[:, None, None, None] ** 2))
                f.sig = np.sqrt(((lt * r * r).sum((1, 2, 3)) / 2 + 3 * .8) / rng.gamma(r[0].size / 2 + 3, 1, size=N))
                th = q[:, 44:].reshape(S0, CH, 10).mean(0)
                mus = np.tile(th + rng.normal(size=(CH, 10)) * .14 / np.sqrt(S0) + rng.normal(size=(CH, 1)) * .18 / np.sqrt(S0), (S0, 1)); M[:, 4:] = mus
                U, g, r = grad(q[:, :40].reshape(N, 4, 10), q[:, 40:], f.W, f.sig, M, P)
            if nout >= 2 and it % 3 == 0:
                th = q[:, 40:].copy(); th[:, 3] = np.abs(th[:, 3])
                m = traj(q[:, :40].reshape(N, 4, 10), np.repeat(th[:, None], 4, 1), 21, 2)
                o = np.stack([m[13], m[17], m[21]], 2); acc += list(o.reshape(S0, CH, 4, 3, 10).transpose(1, 0, 2, 3, 4))
            if time.process_time() - t0 > LIMIT: break
        f.X0 = q[:, :40].reshape(N, 4, 10); f.TH = q[:, 40:].copy(); f.TH[:, 3] = np.abs(f.TH[:, 3]); first = False; nout += 1; psum = psum + f.on
    if DBG: print('outer', nout, 'acc', np.mean(ar), 'samples', len(acc), 'eps', eps.mean(), 'on', (psum / nout).reshape(S0, CH, 2).mean(1).round(2).T, file=sys.stderr)
    acc = np.array(acc)
    med = acc.mean(0)
    for _ in range(40):
        w = 1 / np.sqrt(((acc - med) ** 2).mean(-1, keepdims=True) + 1e-3); med = (acc * w).sum(0) / w.sum(0)
    out = np.empty(acc.shape[1:]); out[..., ring] = med
    global ACC; ACC = np.empty(acc.shape); ACC[..., ring] = acc
    return out


def main():
    t0 = time.process_time()
    problem = json.loads(Path("problem.json").read_text())
    found = odds(np.array(problem["windows"]), t0)
    Path("answers.json").write_text(json.dumps({"later": np.nan_to_num(found).round(3).tolist()}))


if __name__ == "__main__":
    main()
