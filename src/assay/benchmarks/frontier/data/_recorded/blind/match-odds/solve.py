"""Skill, drift, floor, host, fatigue and a plane of styles; sampled (HMC). Run: `python solve.py`."""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
import time
from pathlib import Path

import numpy as np

BUDGET = float(os.environ.get("BUDGET", "17"))
CUB = float(os.environ.get("CUB", "0"))
HF = os.environ.get("HF", "1") == "1"


def newton(X, y, pen, it=15):
    b = np.zeros(X.shape[1])
    for _ in range(it):
        p = 1 / (1 + np.exp(-np.clip(X @ b, -30, 30)))
        W = p * (1 - p) + 1e-9
        s = np.linalg.solve((X * W[:, None]).T @ X + np.diag(pen), X.T @ (y - p) - pen * b)
        b += s
        if abs(s).max() < 1e-3:
            break
    return b


def main():
    problem = json.loads(Path("problem.json").read_text())
    games = np.array(problem["games"])
    one, two, host, floor = games.T
    ask = np.array([w is None for w in problem["won"]])
    y = np.array([w for w in problem["won"] if w is not None], float)
    n, P = len(one), int(games[:, :2].max()) + 1
    Fl = int(floor.max()) + 1
    r = np.arange(n)
    S = np.zeros((n, P))
    S[r, one] += 1
    S[r, two] -= 1
    F = np.zeros((n, P * Fl))
    F[r, one * Fl + floor] += 1
    F[r, two * Fl + floor] -= 1
    h = (host == 1) * 1.0 - (host == 2)
    H = np.zeros((n, Fl))
    H[r, floor] = h
    lin = S * ((r / n - 0.5) * 2)[:, None]
    rest = np.zeros((n, 2))
    last = {}
    for i in range(n):
        for k, a in enumerate((one[i], two[i])):
            rest[i, k] = i - last.get(a, i - 200)
            last[a] = i
    rest -= 1

    def fatigue(tau):
        E = np.exp(-rest / tau)
        return E[:, 0] - E[:, 1], (E[:, 0] * rest[:, 0] - E[:, 1] * rest[:, 1]) / tau  # value, d/dlog tau

    lo, hi = np.minimum(one, two), np.maximum(one, two)
    code = lo * P + hi
    u, inv = np.unique(code, return_inverse=True)
    pair = np.zeros((n, len(u)))
    pair[r, inv] = np.where(one < two, 1, -1)
    tr = ~ask
    base = np.concatenate([S, F, lin, h[:, None], fatigue(5.0)[0][:, None]], 1)
    X = np.concatenate([base, pair], 1)[tr]
    pen = np.r_[np.full(P, 0.7), np.full(P * Fl, 3), np.full(P, 2), 0.1, 0.1, np.full(len(u), 0.7)]
    w = newton(X, y, pen)
    M = np.zeros((P, P))
    M[u // P, u % P] = w[base.shape[1]:]
    M = M - M.T
    U, sv, _ = np.linalg.svd(M)
    a0, b0 = U[:, 0] * np.sqrt(sv[0] * 1.5), U[:, 1] * np.sqrt(sv[0] * 1.5)
    if a0 @ M @ b0 < 0:
        b0 = -b0
    # full model: theta = [s, f, lin, h, hf(4), A, logtau, a, b]
    X = np.concatenate([S, F, lin, h[:, None], H], 1)
    D = X.shape[1]
    groups = {"s": slice(0, P), "f": slice(P, P + P * Fl), "l": slice(P + P * Fl, 2 * P + P * Fl), "h": slice(D - Fl - 1, D - Fl),
              "hf": slice(D - Fl, D), "A": slice(D, D + 1), "t": slice(D + 1, D + 2), "ab": slice(D + 2, D + 2 + 2 * P)}
    size = D + 2 + 2 * P
    mean = np.zeros(size)
    mean[D + 1] = np.log(5)
    mean[D] = -1.5
    var = np.ones(size)
    start = {"s": 1.0, "f": 0.25, "l": 0.5, "h": 1.0, "hf": 0.01 if HF else 1e-6, "A": 1.0, "t": 0.25, "ab": 1.0}
    for k, v in start.items():
        var[groups[k]] = v
    Xt, ot, tt, rt = X[tr], one[tr], two[tr], rest[tr]
    XtT = np.ascontiguousarray(Xt.T)

    def parts(th, XX, o, t, rr):
        tau = np.exp(th[D + 1])
        E = np.exp(-rr / tau)
        fv = E[:, 0] - E[:, 1]
        a, b = th[D + 2:D + 2 + P], th[D + 2 + P:]
        eta = XX @ th[:D] + th[D] * fv + a[o] * b[t] - b[o] * a[t]
        return eta, E, fv, a, b, tau

    def logp(th):
        eta, E, fv, a, b, tau = parts(th, Xt, ot, tt, rt)
        slope = 1 + 3 * CUB * eta * eta
        eta = np.clip(eta * (1 + CUB * eta * eta), -500, 500)
        p = 1 / (1 + np.exp(-eta))
        ll = -np.logaddexp(0, np.where(y > 0.5, -eta, eta)).sum()
        e = (y - p) * slope
        g = np.empty(size)
        g[:D] = XtT @ e
        g[D] = fv @ e
        g[D + 1] = th[D] * ((E[:, 0] * rt[:, 0] - E[:, 1] * rt[:, 1]) @ e) / tau
        g[D + 2:D + 2 + P] = np.bincount(ot, e * b[tt], P) - np.bincount(tt, e * b[ot], P)
        g[D + 2 + P:] = np.bincount(tt, e * a[ot], P) - np.bincount(ot, e * a[tt], P)
        z = th - mean
        return ll - 0.5 * (z * z / var).sum(), g - z / var

    def jac(th):
        eta, E, fv, a, b, tau = parts(th, Xt, ot, tt, rt)
        m = len(ot)
        q = np.arange(m)
        A, B = np.zeros((m, P)), np.zeros((m, P))
        A[q, ot] += b[tt]
        A[q, tt] -= b[ot]
        B[q, tt] += a[ot]
        B[q, ot] -= a[tt]
        dt = th[D] * (E[:, 0] * rt[:, 0] - E[:, 1] * rt[:, 1]) / tau
        J = np.concatenate([Xt, fv[:, None], dt[:, None], A, B], 1)
        p = 1 / (1 + np.exp(-eta))
        return J, p

    th = mean.copy()
    th[D + 2:D + 2 + P] = a0
    th[D + 2 + P:] = b0
    for _ in range(20):
        J, p = jac(th)
        Hs = (J * (p * (1 - p) + 1e-6)[:, None]).T @ J + np.diag(1 / var)
        st = np.linalg.solve(Hs, J.T @ (y - p) - (th - mean) / var)
        st *= min(1, 1 / abs(st).max())
        th = th + st
        if abs(st).max() < 1e-2:
            break
    C = np.linalg.cholesky(np.linalg.inv(Hs))
    rs = np.random.default_rng(3)
    total, count = 0, 0
    Xa, oa, ta, ra = X[ask], one[ask], two[ask], rest[ask]
    lp, g = logp(th)
    eps, acc = 0.3, []
    k = 0
    trace = []
    t0 = time.process_time()
    burn = None
    while time.process_time() < BUDGET:
        mom = rs.normal(size=size)
        h0 = lp - 0.5 * mom @ mom
        q, gq = th, g
        e = eps * rs.uniform(0.7, 1.1)
        mo = mom + 0.5 * e * (C.T @ gq)
        L = rs.integers(4, 9)
        for j in range(L):
            q = q + e * (C @ mo)
            lq, gq = logp(q)
            mo = mo + (e if j < L - 1 else 0.5 * e) * (C.T @ gq)
        ok = np.log(rs.random()) < lq - 0.5 * mo @ mo - h0
        acc.append(ok)
        if ok:
            th, lp, g = q, lq, gq
        k += 1
        if k < 200:
            eps *= 1.03 if ok else 0.92
        # Gibbs for the scales
        for name, (nu, sc) in {"s": (4, 0.8), "f": (4, 0.2), "l": (4, 0.4), "ab": (4, 1.0)}.items():
            z = th[groups[name]]
            var[groups[name]] = (nu * sc + z @ z) / rs.chisquare(nu + len(z))
        lp, g = logp(th)
        if time.process_time() - t0 > 0.15 * (BUDGET - t0) and k % 2 == 0:
            eta = parts(th, Xa, oa, ta, ra)[0]
            total = total + 1 / (1 + np.exp(-np.clip(eta * (1 + CUB * eta * eta), -500, 500)))
            count += 1
            trace.append([np.sqrt(var[groups[x]][0]) for x in ("s", "f", "l", "ab")] + [th[D], np.exp(th[D + 1]), th[D - Fl - 1]])
    odds = total / count
    if os.environ.get("LOG"):
        print(k, np.mean(acc), eps, np.mean(trace, 0).round(2), np.std(trace, 0).round(2))
    Path("answers.json").write_text(json.dumps({"odds": np.clip(odds, 0.001, 0.999).round(5).tolist()}))


if __name__ == "__main__":
    main()
