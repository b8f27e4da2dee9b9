"""Hierarchical Bayes by HMC. Run: `python solve.py`."""
import os
os.environ["OPENBLAS_NUM_THREADS"] = "1"
import json, sys, time
from pathlib import Path
import numpy as np

K = 8  # 5r, 0, 23, 678, 11, 9, cat, wave1   (+ drift = index 8)
SIG0 = np.array([.75, .5, .6, 1.0, .38, .45, .6, .95, .85])
CFG = dict(sigsd=.22, time=16.0, seed=0)


def prep(problem):
    tb = problem["tables"]
    X = np.array([[[np.nan if v is None else v for v in r] for r in t["rows"]] for t in tb], float)
    ans = [[np.nan if a is None else a for a in t["answers"]] for t in tb]
    return X, np.array(ans, float)


def features(X):
    c4 = X[:, :, 4].astype(int)
    n = np.bincount(c4.ravel(), minlength=20)
    mu = np.bincount(c4.ravel(), X[:, :, 5].ravel(), minlength=20) / np.maximum(n, 1)
    r5 = X[:, :, 5] - mu[c4]
    m = np.isnan(X[:, :, 9])
    a9 = np.where(m, 0, np.abs(np.where(m, 0, X[:, :, 9])) - .8)
    par = np.prod(2 * X[:, :, 6:9] - 1, 2)
    c10 = X[:, :, 10].astype(int)
    t = np.tile(np.arange(X.shape[1], dtype=float), (len(X), 1))
    return dict(lin=np.stack([r5, X[:, :, 0], X[:, :, 2] * X[:, :, 3], par]), x11=X[:, :, 11], c10=c10, a9=a9, m=m * 1., c4=c4, x1=X[:, :, 1] - 5, t=t - 110)


def take(F, idx):
    """rows idx (T,n) of each table"""
    g = lambda a: np.take_along_axis(a, idx, 1)
    out = {k: g(v) for k, v in F.items() if k != 'lin'}
    out['lin'] = np.stack([g(a) for a in F['lin']])
    o10 = np.eye(4)[out['c10']]; o4 = np.eye(20)[out['c4']]
    out['D11'] = out['x11'][:, :, None] * o10
    out['D4'] = o4
    out['D9'] = np.stack([out['a9'], out['m']], 2)
    # shared design, (T,n,4+4+2+20)
    out['D'] = np.concatenate([np.moveaxis(out['lin'], 0, 2), out['D11'], out['D9'], out['D4']], 2)
    return out


OWN = np.array([0, 1, 2, 3] + [4] * 4 + [5] * 2 + [6] * 20)
GRP = np.zeros((30, 7)); GRP[np.arange(30), OWN] = 1


class Model:
    def __init__(self, F, Y, f1, ft, cfg):
        self.F, self.Y, self.cfg = F, Y, cfg
        self.T = T = len(Y)
        self.f1, self.ft = f1, ft  # base freqs (rad per unit)
        sizes = [('b', T), ('z', 9 * T), ('s', 30), ('ab', 2), ('n', 2 * T), ('la', 1), ('w1', 1), ('wt', 1), ('ls', 9), ('lb', 1), ('lu', 1)]
        self.sl = {}; o = 0
        for k, n in sizes: self.sl[k] = slice(o, o + n); o += n
        self.N = o
        self.ssd = np.array([.8] * 4 + [.7] * 4 + [.4] * 2 + [1.] * 20)

    def init(self, rng):
        th = rng.normal(size=self.N) * .1
        th[self.sl['n']] = rng.normal(size=2 * self.T)
        th[self.sl['w1']] = 0; th[self.sl['wt']] = 0; th[self.sl['la']] = np.log(.45)
        th[self.sl['ab']] = 0.05
        return th

    def parts(self, th, F):
        s = self.sl; T = self.T
        sig = SIG0 * np.exp(self.cfg['sigsd'] * th[s['ls']])
        z = th[s['z']].reshape(T, 9); A = np.exp(z * sig)
        sb = .6 * np.exp(.3 * th[s['lb']]); su = .57 * np.exp(.3 * th[s['lu']])
        sc = self.ssd.copy(); sc[10:] = su[0]
        S = th[s['s']] * sc
        W = S[None] * A[:, OWN]                      # (T,30)
        ab = th[s['ab']] * .6
        n = th[s['n']].reshape(T, 2); r = np.sqrt((n * n).sum(1)) + 1e-9; d = n / r[:, None]
        amp = np.exp(th[s['la']])
        w1 = self.f1 + .05 * th[s['w1']]; wt = self.ft + .002 * th[s['wt']]
        s1, c1 = np.sin(w1 * F['x1']), np.cos(w1 * F['x1'])
        st, ct = np.sin(wt * F['t']), np.cos(wt * F['t'])
        wave = ab[0] * s1 + ab[1] * c1
        A8 = A[:, 8] * amp
        dr = d[:, :1] * st + d[:, 1:] * ct
        lin = np.matmul(F['D'], W[:, :, None])[:, :, 0]
        eta = (th[s['b']] * sb)[:, None] + lin + A[:, 7:8] * wave + A8[:, None] * dr
        return eta, (sig, z, A, sb, su, sc, S, W, ab, n, r, d, amp, s1, c1, st, ct, wave, A8, dr)

    def lg(self, th):
        F = self.F; s = self.sl
        eta, (sig, z, A, sb, su, sc, S, W, ab, n, r, d, amp, s1, c1, st, ct, wave, A8, dr) = self.parts(th, F)
        p = 1 / (1 + np.exp(-eta))
        ll = np.sum(self.Y * eta + np.log(np.maximum(1 - p, 1e-300)))
        R = self.Y - p
        lp = ll - .5 * (th @ th) ; g = -th.copy()
        la = th[s['la']]; lp += .5 * la @ la - .5 * ((la - np.log(.45)) @ (la - np.log(.45))) / .5 ** 2
        g[s['la']] = -(la - np.log(.45)) / .25
        Rs = R.sum(1)
        g[s['b']] += sb * Rs
        g[s['lb']] += .3 * sb * (th[s['b']] @ Rs)
        G = np.matmul(R[:, None, :], F['D'])[:, 0]          # (T,30)
        g[s['s']] += (G * A[:, OWN]).sum(0) * sc
        g[s['lu']] += .3 * (G * W)[:, 10:].sum()
        gA = np.empty((self.T, 9))                   # dlp / d log A
        gA[:, :7] = (G * W) @ GRP
        rw = R * A[:, 7:8]; gA[:, 7] = (rw * wave).sum(1)
        rd = R * A8[:, None]; gA[:, 8] = (rd * dr).sum(1)
        g[s['z']] += (gA * sig).ravel()
        g[s['ls']] += self.cfg['sigsd'] * sig * (gA * z).sum(0)
        g[s['ab']] += .6 * np.array([(rw * s1).sum(), (rw * c1).sum()])
        g[s['la']] += gA[:, 8].sum()
        g[s['w1']] += .05 * (rw * F['x1'] * (ab[0] * c1 - ab[1] * s1)).sum()
        g[s['wt']] += .002 * (rd * F['t'] * (d[:, :1] * ct - d[:, 1:] * st)).sum()
        gd = np.stack([(rd * st).sum(1), (rd * ct).sum(1)], 1)
        gn = (gd - d * (gd * d).sum(1, keepdims=True)) / r[:, None]
        g[s['n']] += gn.ravel()
        return lp, g


def scan(F, Y):
    """initial frequencies from per-table ridge residuals"""
    T = len(Y); pre = []
    for t in range(T):
        B = np.concatenate([np.ones((Y.shape[1], 1)), F['D'][t][:, :10]], 1)
        w = np.zeros(11); lam = np.full(11, 2.)
        for _ in range(8):
            p = 1 / (1 + np.exp(-B @ w)); v = p * (1 - p)
            H = (B * v[:, None]).T @ B + np.diag(lam); w = w + np.linalg.solve(H, B.T @ (Y[t] - p) - lam * w)
        p = 1 / (1 + np.exp(-B @ w)); v = p * (1 - p); pre.append((B, Y[t] - p, v, np.linalg.inv((B * v[:, None]).T @ B + np.diag(lam)*.5)))
    def stat(x, fr, common):
        out = []
        for f in fr:
            U = 0; H = 0; tot = 0
            for t, (B, r, v, I) in enumerate(pre):
                E = np.stack([np.sin(f * x[t]), np.cos(f * x[t])], 1)
                G = E - B @ (I @ ((B * v[:, None]).T @ E)); u = G.T @ r; h = (G * v[:, None]).T @ G
                if common: U = U + u; H = H + h
                else:
                    # Gaussian amplitude prior, log evidence
                    M = h + np.eye(2) / .5; tot += .5 * u @ np.linalg.solve(M, u) - .5 * np.log(np.linalg.det(M * .5))
            out.append(.5 * U @ np.linalg.solve(H + 4 * np.eye(2), U) if common else tot)
        return np.array(out)
    fr1 = 2 * np.pi * np.arange(.1, 1.6, .015); frt = 2 * np.pi * np.arange(.5, 12, .2) / 220
    return fr1, stat(F['x1'], fr1, True), frt, stat(F['t'], frt, False)


def hmc(model, rng, seconds, warm=.25, thin=2, th=None):
    th = model.init(rng) if th is None else th
    N = model.N; M = np.full(N, .3); M[model.sl['s']] = .15; M[model.sl['n']] = .8; M[model.sl['ls']] = .8; M[model.sl['lb']] = .8; M[model.sl['lu']] = .8
    M[model.sl['z']] = .8; M[model.sl['b']] = .4; M[model.sl['w1']] = .5; M[model.sl['wt']] = .5
    eps = .05; lp, g = model.lg(th); t0 = time.process_time(); it = 0; acc = 0; keep = []; wsum = []; phase = 0
    while True:
        el = (time.process_time() - t0) / seconds
        if el >= 1: break
        L = rng.integers(6, 18); e = eps * rng.uniform(.7, 1.3)
        p = rng.normal(size=N); q = th; h0 = lp - .5 * p @ p; gg = g; pp = p + .5 * e * M * gg
        for i in range(L):
            q = q + e * M * pp; l2, gg = model.lg(q)
            pp = pp + (e if i < L - 1 else .5 * e) * M * gg
        a = l2 - .5 * pp @ pp - h0
        a = np.exp(min(0, a)) if np.isfinite(a) else 0.
        if rng.random() < a: th, lp, g = q, l2, gg
        it += 1
        if el < warm:
            eps *= np.exp((a - .8) * (.15 if it < 100 else .05)); eps = min(max(eps, .01), .6)
            if el > warm * .25: wsum.append(th)
            if phase == 0 and el > warm * .6 and len(wsum) > 50:
                v = np.var(wsum, 0); n = len(wsum); M = np.sqrt((v * n + M ** 2 * 20) / (n + 20)); phase = 1; eps *= .8
        else:
            acc += a
            if it % thin == 0: keep.append(th)
    if os.environ.get('DBG'): print('its', it, 'eps', eps, 'kept', len(keep), 'acc', acc / max(1, len(keep) * thin), file=sys.stderr)
    return keep


def odds_of(problem, cfg=CFG, info=None):
    X, ans = prep(problem); F = features(X); T = len(X)
    lab = [np.where(~np.isnan(a))[0] for a in ans]; ask = [np.where(np.isnan(a))[0] for a in ans]
    n = min(map(len, lab))
    assert all(len(l) == n for l in lab)
    li, ai = np.array(lab), np.array(ask)
    FL = take(F, li); Y = np.take_along_axis(ans, li, 1); FA = take(F, ai) if ai.shape[1] else FL
    fr1, S1, frt, St = scan(FL, Y)
    rng = np.random.default_rng(cfg['seed'])
    tot = 0; cnt = 0
    model = Model(FL, Y, fr1[S1.argmax()], frt[St.argmax()], cfg)
    if os.environ.get('DBG'):
        print('f1', model.f1/2/np.pi, np.sort(S1)[-3:], 'ft', model.ft/2/np.pi*220, np.sort(St)[-3:], file=sys.stderr)
    keep = hmc(model, rng, cfg['time'])
    if info is not None: info['keep'] = keep; info['model'] = model
    for th in keep[::max(1, len(keep) // 800)]:
        eta, _ = model.parts(th, FA); tot = tot + 1 / (1 + np.exp(-eta)); cnt += 1
    P = np.clip(tot / cnt, .001, .999)
    return P.round(6).tolist()


def main():
    problem = json.loads(Path("problem.json").read_text())
    Path("answers.json").write_text(json.dumps({"odds": odds_of(problem)}))


if __name__ == "__main__":
    main()
