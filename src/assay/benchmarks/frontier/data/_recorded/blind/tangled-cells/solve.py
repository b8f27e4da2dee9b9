"""Lorenz-96 on a shuffled ring with opposite-cell diffusion and linear advection: robust hierarchical fit."""
import os
os.environ["OPENBLAS_NUM_THREADS"] = "1"
import json, time
from pathlib import Path
import numpy as np
from ring import find_ring, smooth

NU = 2.0
I1, I2, IM, I5 = [(np.arange(10) - k) % 10 for k in (1, 2, -1, 5)]
M0 = np.array([1.05, 0.85, 0.3, 0.0])
S0 = np.array([0.22, 0.17, 0.35, 0.9])


def f(x, th):
    p, q = x[..., I1], x[..., IM]
    return th[..., :1] * p * (q - x[..., I2]) - (th[..., 1:2] + th[..., 2:3]) * x + th[..., 2:3] * x[..., I5] + th[..., 3:4] * (q - p) + th[..., 4:]


def run(x, th, n, sub=2):
    """States after each of n steps; x (..., 4, 10), th (..., 14)."""
    th = th[..., None, :]
    h = 0.1 / sub
    out = [x]
    for _ in range(n):
        for _ in range(sub):
            a = f(x, th)
            b = f(x + h / 2 * a, th)
            c = f(x + h / 2 * b, th)
            d = f(x + h * c, th)
            x = np.clip(x + h / 6 * (a + 2 * b + 2 * c + d), -60, 60)
        out.append(x)
    return np.stack(out, -2)


def prior(mu, kind=None):
    S = np.zeros((14, 14))
    m, sd = M0.copy(), S0.copy()
    if kind is not None:
        m[2], sd[2] = (0.5, 0.3) if kind & 1 else (0.0, 0.03)
        sd[3] = 1.1 if kind & 2 else 0.03
    S[:4, :4] = np.diag(sd**2)
    S[4:, 4:] = np.diag((0.15 * mu) ** 2) + 0.04 * np.outer(mu, mu)
    return np.r_[m, mu], np.linalg.inv(S)


def cost(W, th, x0, sig, pm, pP):
    r = run(x0, th, 9) - W
    d = th - pm
    return 0.5 * (NU + 1) * np.log1p(r**2 / NU / sig**2).sum((-1, -2, -3)) + 0.5 * np.einsum("...a,ab,...b->...", d, pP, d), r


def jac(W, th, x0, r):
    S = len(W)
    E = 1e-4
    T = np.repeat(th[None], 24, 0)
    X = np.repeat(x0[None], 24, 0)
    for j in range(14):
        T[j, :, j] += E
    for j in range(10):
        X[14 + j, :, :, j] += E
    D = (run(X, T, 9) - W - r) / E
    J = np.zeros((S, 4, 100, 54))
    J[..., :14] = D[:14].transpose(1, 2, 3, 4, 0).reshape(S, 4, 100, 14)
    for w in range(4):
        J[:, w, :, 14 + 10 * w : 24 + 10 * w] = D[14:, :, w].transpose(1, 2, 3, 0).reshape(S, 100, 10)
    return J.reshape(S, 400, 54)


def hess(J, r, sig, pm, pP, th):
    sg = sig if np.ndim(sig) == 0 else sig.reshape(-1, 1)
    w = (NU + 1) / (NU * sg**2 + r.reshape(len(r), -1) ** 2)
    Jw = J * w[..., None]
    H = np.swapaxes(Jw, 1, 2) @ J
    g = np.einsum("sea,se->sa", Jw, r.reshape(len(r), -1))
    H[:, :14, :14] += pP
    g[:, :14] += (th - pm) @ pP
    return H, g


def fit(W, th, x0, sig, mu, its, lam=None, kind=None):
    pm, pP = prior(mu, kind)
    lam = np.full(len(W), 1e-2) if lam is None else lam
    c, r = cost(W, th, x0, sig, pm, pP)
    for _ in range(its):
        H, g = hess(jac(W, th, x0, r), r, sig, pm, pP, th)
        dg = np.einsum("saa->sa", H)
        st = -np.linalg.solve(H + lam[:, None, None] * dg[..., None] * np.eye(54), g[..., None])[..., 0]
        t2, x2 = th + st[:, :14], x0 + st[:, 14:].reshape(-1, 4, 10)
        c2, r2 = cost(W, t2, x2, sig, pm, pP)
        ok = c2 < c
        th, x0, c, r = np.where(ok[:, None], t2, th), np.where(ok[:, None, None], x2, x0), np.where(ok, c2, c), np.where(ok[:, None, None, None], r2, r)
        lam = np.clip(np.where(ok, lam / 4, lam * 5), 1e-6, 1e4)
    return th, x0, c, r


def solve(W, verbose=False, draws=48):
    ring = find_ring(W)[0]
    W = W[..., ring]
    S = len(W)
    X = smooth(W)[0][:, :, 0]
    mu = np.full(10, 4.3)
    starts = []
    for b in (0.0, -1.0, 1.0):
        th = np.tile(np.r_[M0, mu], (S, 1))
        th[:, 3] = b
        starts.append((th, X.copy()))
    for rnd, (sig, its) in enumerate(((1.5, 7), (0.8, 7), (0.6, 7))):
        new = [fit(W, th, x, sig, mu, its) for th, x in starts]
        C = np.array([n[2] for n in new])
        k = C.argmin(0)
        best = np.array([new[k[s]][0][s] for s in range(S)])
        mu = np.clip(np.median(best[:, 4:], 0), 1, 9)
        starts = [(n[0], n[1]) for n in new]
    th = best
    x0 = np.array([new[k[s]][1][s] for s in range(S)])
    for _ in range(4):
        r = run(x0, th, 9) - W
        sig = np.clip(np.median(np.abs(r), (1, 2, 3)) * 1.3, 0.15, 1.5)[:, None, None, None] * 1.0
        th, x0, c, r = fit(W, th, x0, sig, mu, 6)
        mu = np.clip(0.3 * mu + 0.7 * th[:, 4:].mean(0), 1, 9)
    if verbose:
        print("sig", sig.ravel(), "mu", mu)
        q = np.abs(r / sig)
        print("resid quant", np.quantile(q, [0.25, 0.5, 0.75, 0.9, 0.95, 0.99]))
    rng = np.random.default_rng(0)
    m = run(x0, th, 21)[:, :, [13, 17, 21]]
    parts, ev = [], []
    for kind in range(4):
        pm, pP = prior(mu, kind)
        t, x = th.copy(), x0.copy()
        if not kind & 1:
            t[:, 2] *= 0.1
        if not kind & 2:
            t[:, 3] *= 0.1
        t, x, c, r = fit(W, t, x, sig, mu, 10, kind=kind)
        H, _ = hess(jac(W, t, x, r), r, sig, pm, pP, t)
        Lc = np.linalg.cholesky(np.linalg.inv(H + 1e-6 * np.eye(54)))
        ev.append(-c - 0.5 * np.linalg.slogdet(H)[1] + 0.5 * np.linalg.slogdet(pP)[1])
        zs = rng.normal(size=(draws // 2, S, 54))
        zs = np.concatenate([zs, -zs])
        st = np.einsum("sab,dsb->dsa", Lc, zs)
        xs, ts = x + st[..., 14:].reshape(-1, S, 4, 10), t + st[..., :14]
        Y = run(xs, ts, 21)
        rr = Y[..., :10, :] - W
        d = ts - pm
        c2 = 0.5 * (NU + 1) * np.log1p(rr**2 / NU / sig**2).sum((-1, -2, -3)) + 0.5 * np.einsum("...a,ab,...b->...", d, pP, d)
        lw = -(c2 - c) + 0.5 * (zs**2).sum(-1)
        w = np.exp(0.4 * (lw - lw.max(0)))
        w /= w.sum(0)
        parts.append(np.einsum("ds,dswtc->swtc", w, Y[:, :, :, [13, 17, 21]]))
    ev = np.array(ev)
    pw = np.exp(0.7 * (ev - ev.max(0)))
    pw /= pw.sum(0)
    if verbose:
        print("kinds", pw.T[:8])
    avg = np.einsum("ks,kswtc->swtc", pw, np.array(parts))
    inv = np.argsort(ring)
    return m[..., inv], avg[..., inv], th


def main():
    W = np.array(json.loads(Path("problem.json").read_text())["windows"])
    m, avg, _ = solve(W)
    out = np.where(np.isfinite(avg), avg, 1.5)
    Path("answers.json").write_text(json.dumps({"later": out.round(4).tolist()}))


if __name__ == "__main__":
    main()
