"""Maximum likelihood separation: every source is uniform, Student t, autoregressive normal or of stochastic volatility."""
import os
os.environ["OPENBLAS_NUM_THREADS"] = "1"
import json
import sys
import time
from math import lgamma, log, pi
from pathlib import Path
import numpy as np

NU, PHI, SH, MU, STEPS = 4.5, 0.96, 2.5, 0.12, 250
K = 31
AR1 = 9.0
GRID = np.linspace(-7.5, 7.5, K)
_q = SH * np.sqrt(1 - PHI**2)
TR = np.exp(-0.5 * ((GRID[None, :] - PHI * GRID[:, None]) / _q) ** 2)
TR /= TR.sum(1, keepdims=True)
P0 = np.exp(-0.5 * (GRID / SH) ** 2)
P0 /= P0.sum()
EI = np.exp(-GRID)


def hmm(S):
    """Rows of S scaled: log-likelihood and E[exp(-h)]."""
    B, n = S.shape
    L = -0.5 * GRID - 0.5 * (S.T[:, :, None] ** 2) * EI  # n,B,K
    m = L.max(2, keepdims=True)
    E = np.exp(L - m)
    F = np.empty_like(E)
    ll = m.sum((0, 2)) - 0.5 * n * log(2 * pi)
    a = np.tile(P0, (B, 1))
    for t in range(n):
        a = a * E[t]
        c = a.sum(1, keepdims=True)
        a /= c
        ll += np.log(c[:, 0])
        F[t] = a
        a = a @ TR
    b = np.ones((B, K))
    G = np.empty_like(F)
    TT = np.ascontiguousarray(TR.T)
    for t in range(n - 1, -1, -1):
        G[t] = F[t] * b
        b = (b * E[t]) @ TT
        b /= b.sum(1, keepdims=True)
    G /= G.sum(2, keepdims=True)
    return ll, (G @ EI).T


def whiten(X):
    X = X - X.mean(1, keepdims=True)
    d, V = np.linalg.eigh(np.cov(X))
    return (V / np.sqrt(d)).T @ X


def jointdiag(Ms, V):
    d = V.shape[0]
    Ms = np.array([V @ M @ V.T for M in Ms])
    for _ in range(40):
        big = 0
        for p in range(d):
            for q in range(p + 1, d):
                g = np.array([Ms[:, p, p] - Ms[:, q, q], 2 * Ms[:, p, q]])
                G = g @ g.T
                ton, toff = G[0, 0] - G[1, 1], 2 * G[0, 1]
                th = 0.5 * np.arctan2(toff, ton + np.sqrt(ton**2 + toff**2))
                if abs(th) > 1e-4:
                    big = 1
                    c, s = np.cos(th), np.sin(th)
                    R = np.eye(d)
                    R[p, p] = R[q, q] = c
                    R[p, q], R[q, p] = s, -s
                    Ms = R @ Ms @ R.T
                    V = R @ V
        if not big:
            break
    return V


def start(Z):
    d, n = Z.shape
    Ms = []
    for k in range(1, 9):
        C = Z[:, k:] @ Z[:, :-k].T / n
        Ms.append((C + C.T) / 2)
    for a, b in zip(range(0, n, 25), range(25, n + 1, 25)):
        Ms.append(0.2 * (Z[:, a:b] @ Z[:, a:b].T / 25 - np.eye(d)))
    Y = np.clip(Z, -4, 4)
    for i in range(d):
        for j in range(i, d):
            M = (Y * (Y[i] * Y[j])) @ Y.T / n
            e = np.zeros((d, d))
            e[i, j] += 1
            e[j, i] += 1
            M = M - (i == j) * np.eye(d) - e
            Ms.append(M * (0.35 if i == j else 0.5))
    return jointdiag(np.array(Ms), np.eye(d))


def uniform_row(X, w, v, iters=8):
    """max n log(v.w) + MU sum log barrier, |w.x - c| < 1."""
    d, n = X.shape
    A = np.vstack([X, -np.ones(n)])
    s = w @ X
    c = (s.max() + s.min()) / 2
    r = (s.max() - s.min()) / 2 * 1.01
    u = np.append(w, c) / r
    vv = np.append(v, 0.0)
    if vv @ u < 0:
        vv = -vv
    def f(u):
        s = u @ A
        if np.abs(s).max() >= 1 or vv @ u <= 0:
            return -np.inf
        return n * np.log(vv @ u) + MU * np.log(1 - s * s).sum()
    fu = f(u)
    for _ in range(iters):
        s = u @ A
        g = n * vv / (vv @ u) + MU * (A @ (1 / (1 + s) - 1 / (1 - s)))
        H = n * np.outer(vv, vv) / (vv @ u) ** 2 + MU * (A * (1 / (1 + s) ** 2 + 1 / (1 - s) ** 2)) @ A.T
        st = np.linalg.solve(H, g)
        t = 1.0
        while t > 1e-6:
            fn = f(u + t * st)
            if fn > fu:
                break
            t /= 2
        else:
            break
        u = u + t * st
        gain = fn - fu
        fu = fn
        if gain < 1e-6:
            break
    return u[:d], u[d]


def uniform_mean(X, w, v, rng, chains=48, steps=None):
    """The mean of the posterior of the row of a uniform signal, by hit and run."""
    steps = steps or STEPS
    d, n = X.shape
    w, c = uniform_row(X, w, v, 25)
    A = np.vstack([X, -np.ones(n)])
    u = np.append(w, c)
    vv = np.append(v, 0.0)
    if vv @ u < 0:
        vv = -vv
    s = u @ A
    H = n * np.outer(vv, vv) / (vv @ u) ** 2 + 0.3 * (A * (1 / (1 + s) ** 2 + 1 / (1 - s) ** 2)) @ A.T
    R = np.linalg.cholesky(np.linalg.inv(H))
    near = np.argsort(-np.abs(s))[:200]  # only points that can touch the edge
    B = A[:, near]
    U = np.tile(u, (chains, 1))
    tot = np.zeros(d + 1)
    cnt = 0
    Q = U @ B
    for k in range(steps):
        D = rng.normal(size=(chains, d + 1)) @ R.T
        G = D @ B
        if k % 50 == 0:
            Q = U @ B
        with np.errstate(divide="ignore", invalid="ignore"):
            up = ((np.sign(G) - Q) / G)
            dn = ((-np.sign(G) - Q) / G)
        hi, lo = up.min(1), dn.max(1)
        p, q = U @ vv, D @ vv
        a, b = np.maximum(1 + lo * q / p, 1e-9), np.maximum(1 + hi * q / p, 1e-9)
        la, lb = (n + 1) * np.log(a), (n + 1) * np.log(b)
        r = rng.random(chains)
        m = np.maximum(la, lb)
        y = m + np.log((1 - r) * np.exp(la - m) + r * np.exp(lb - m))
        t = (np.exp(y / (n + 1)) - 1) * p / q
        t = np.clip(t, lo, hi)
        U = U + t[:, None] * D
        Q = Q + t[:, None] * G
        if k >= steps // 4:
            tot += U.sum(0)
            cnt += chains
    u = tot / cnt
    return u[:d]


def arfit(s):
    s = s - s.mean()
    X = np.array([s[1:-1], s[:-2]])
    y = s[2:]
    a = np.linalg.solve(X @ X.T, X @ y)
    if a[1] > AR1:
        a = np.array([X[0] @ y / (X[0] @ X[0]), 0.0])
    e = y - a @ X
    return a, e


def run(Xs, Ws, iters=40, means=()):
    """Xs M,d,n; Ws M,d,d.  Returns Ws, log-likelihoods, types."""
    M, d, n = Xs.shape
    Ws = Ws.copy()
    S0 = Ws @ Xs
    off = S0.mean(2)
    scale = np.exp(0.5 * (np.log((S0 - off[..., None]) ** 2 + 1e-8).mean(2) + 1.27))
    tsc = np.median(np.abs(S0 - off[..., None]), 2) / 0.74
    toff = off.copy()
    total = np.zeros(M)
    typ = np.zeros((M, d), int)
    gen = np.random.default_rng(5)
    fixed = False
    for it in range(iters):
        S = Ws @ Xs
        ll, wt = hmm(((S - off[..., None]) / scale[..., None]).reshape(M * d, n))
        ll = ll.reshape(M, d) - n * np.log(scale)
        wt = wt.reshape(M, d, n)
        soff = (wt * S).sum(2) / wt.sum(2)
        ssc = scale.copy()
        scale = np.sqrt((wt * (S - soff[..., None]) ** 2).mean(2)) 
        off = soff
        for _ in range(3):
            Z = (S - toff[..., None]) / tsc[..., None]
            tw = (NU + 1) / (NU + Z * Z)
            toff = (tw * S).sum(2) / tw.sum(2)
            tsc = np.sqrt((tw * (S - toff[..., None]) ** 2).mean(2))
        Z = (S - toff[..., None]) / tsc[..., None]
        tw = (NU + 1) / (NU + Z * Z)
        tll = n * (lgamma((NU + 1) / 2) - lgamma(NU / 2) - 0.5 * log(NU * pi)) - n * np.log(tsc) - (NU + 1) / 2 * np.log1p(Z * Z / NU).sum(2)
        C0 = S - S.mean(2, keepdims=True)
        rng = np.ptp(S, axis=2)
        ull_exact = -n * np.log(rng) - 2
        a6 = (6 * (np.abs(C0 - (C0.max(2) + C0.min(2))[..., None] / 2) ** 6).mean(2)) ** (1 / 6)
        ull = -n * np.log(2 * a6) - n * lgamma(1 + 1 / 6) - n / 6
        if it >= iters - 2:
            ull = np.maximum(ull, ull_exact)
        else:
            ull = np.maximum(ull, ull_exact)
        for m in range(M):
            X, W = Xs[m], Ws[m]
            ars = []
            all_ = np.empty(d)
            for i in range(d):
                a, e = arfit(S[m, i])
                ars.append(a)
                all_[i] = -n / 2 * (log(2 * pi * e.var()) + 1) - 3
            Ls = np.array([ll[m], tll[m], ull[m], all_])
            best = Ls.argmax(0)
            typ[m] = best
            total[m] = n * np.linalg.slogdet(W)[1] + Ls.max(0).sum()
            if it == iters - 1:
                continue
            for i in range(d):
                if best[i] == 2:
                    v = np.linalg.inv(W)[:, i]
                    if it in means:
                        W[i] = uniform_mean(X, W[i], v, gen)
                    elif not fixed:
                        W[i] = uniform_row(X, W[i], v)[0]
                else:
                    if best[i] == 3:
                        a = ars[i]
                        Y = X[:, 2:] - a[0] * X[:, 1:-1] - a[1] * X[:, :-2]
                        Y = Y - Y.mean(1, keepdims=True)
                        C = Y @ Y.T / n
                    else:
                        g = wt[m, i] / 1.0 if best[i] == 0 else tw[m, i]
                        sc = ssc[m, i] if best[i] == 0 else tsc[m, i]
                        mu = (X * g).sum(1, keepdims=True) / g.sum()
                        Y = X - mu
                        C = (Y * g) @ Y.T / n / sc**2
                    w = np.linalg.solve(W @ C, np.eye(d)[i])
                    w /= np.sqrt(w @ C @ w)
                    W[i] = w
                # keep the carried scales and offsets in step with the row's new scale
                sn = W[i] @ X
                k = np.std(sn) / np.std(S[m, i])
                if sn @ (S[m, i] - S[m, i].mean()) < 0:
                    W[i] = -W[i]
                    sn = -sn
                W[i] /= k
        fixed = fixed or it in means
    return Ws, total, typ


def main():
    mixed = np.array(json.loads(Path("problem.json").read_text())["mixed"])
    M, d, n = mixed.shape
    rng = np.random.default_rng(1)
    Xs = np.array([whiten(x) for x in mixed])
    W0 = np.array([start(x) for x in Xs])
    bestW, best, bt = run(Xs, W0, 30)
    if len(sys.argv) > 1:
        np.save("first.npy", bestW)
    t0 = time.process_time()
    for r in range(50):
        t1 = time.process_time()
        if t1 > 9:
            break
        if r % 2 == 0:
            R = np.array([np.linalg.qr(rng.normal(size=(d, d)))[0] for _ in range(M)])
        else:  # shuffle inside a random three-dimensional subspace of the sources
            R = bestW.copy()
            for m in range(M):
                p = rng.permutation(d)[:3]
                R[m, p] = np.linalg.qr(rng.normal(size=(3, 3)))[0] @ R[m, p]
        W, t, ty = run(Xs, R, 20)
        for m in range(M):
            if t[m] > best[m] + 1e-6:
                best[m], bestW[m] = t[m], W[m]
        if len(sys.argv) > 1:
            print(r, time.process_time(), best.sum())
    bestW, best, bt = run(Xs, bestW, 22, (12, 16))
    if len(sys.argv) > 1:
        print(bt, best)
    out = bestW @ Xs
    out = out / out.std(2, keepdims=True)
    Path("answers.json").write_text(json.dumps({"signals": out.round(5).tolist()}))


if __name__ == "__main__":
    main()
