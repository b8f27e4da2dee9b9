"""Skill, its trend, floors, host, tiredness and a turning interaction of two traits; the posterior is sampled. Run: `python solve.py`."""
import os
os.environ["OPENBLAS_NUM_THREADS"] = "1"
import json
import time
from pathlib import Path
import numpy as np

N = 40
# theta: skill 0:40, trend 40:80, floor 80:240, X 240:320 (u then v), host 320, tired 321, log tau 322
GROUPS = [(0, 40, 0.7), (40, 80, 0.4), (80, 240, 0.5), (240, 320, 1.0)]
P = 323


class Data:
    def __init__(self, G, T, gap, y=None):
        self.a, self.b, h, self.f = G.T
        self.host = (h == 1) * 1.0 - (h == 2)
        self.T, self.gap, self.y = T, gap, y
        self.n = len(G)
        self.af, self.bf = self.a * 4 + self.f, self.b * 4 + self.f

    def eta(self, th):
        a, b = self.a, self.b
        tau = np.exp(th[322])
        E = np.exp(-self.gap / tau)
        u, v = th[240:280], th[280:320]
        ua, ub, va, vb = u[a], u[b], v[a], v[b]
        s, d, F = th[:40], th[40:80], th[80:240]
        e = s[a] - s[b] + (d[a] - d[b]) * self.T + F[self.af] - F[self.bf] + ua * vb - va * ub + th[320] * self.host + th[321] * (E[:, 0] - E[:, 1])
        self.c = (E, tau, ua, ub, va, vb)
        return e

    def back(self, th, r):
        """Gradient of sum r*eta."""
        a, b = self.a, self.b
        E, tau, ua, ub, va, vb = self.c
        bc = lambda i, w, m=N: np.bincount(i, w, m)
        g = np.empty(P)
        g[:40] = bc(a, r) - bc(b, r)
        rt = r * self.T
        g[40:80] = bc(a, rt) - bc(b, rt)
        g[80:240] = bc(self.af, r, 160) - bc(self.bf, r, 160)
        g[240:280] = bc(a, r * vb) - bc(b, r * va)
        g[280:320] = bc(b, r * ua) - bc(a, r * ub)
        g[320] = r @ self.host
        g[321] = r @ (E[:, 0] - E[:, 1])
        EG = E * self.gap / tau
        g[322] = th[321] * (r @ (EG[:, 0] - EG[:, 1]))
        return g

    def jac(self, th):
        self.eta(th)
        E, tau, ua, ub, va, vb = self.c
        J = np.zeros((self.n, P))
        r = np.arange(self.n)
        a, b = self.a, self.b
        J[r, a] += 1
        J[r, b] -= 1
        J[r, 40 + a] += self.T
        J[r, 40 + b] -= self.T
        J[r, 80 + self.af] += 1
        J[r, 80 + self.bf] -= 1
        J[r, 240 + a] += vb
        J[r, 240 + b] -= va
        J[r, 280 + b] += ua
        J[r, 280 + a] -= ub
        J[:, 320] = self.host
        J[:, 321] = E[:, 0] - E[:, 1]
        EG = E * self.gap / tau
        J[:, 322] = th[321] * (EG[:, 0] - EG[:, 1])
        return J


M0 = np.zeros(P)
M0[322] = np.log(6.0)


def precision(sds):
    lam = np.empty(P)
    for (i, j, _), s in zip(GROUPS, sds):
        lam[i:j] = 1 / s**2
    lam[320], lam[321], lam[322] = 1.0, 0.25, 4.0
    return lam


def energy(D, th, lam):
    e = D.eta(th)
    return np.logaddexp(0, e).sum() - D.y @ e + 0.5 * (lam * (th - M0) ** 2).sum(), e


def fit(D, th, lam, iters=30):
    o, _ = energy(D, th, lam)
    mu = 1e-2
    for _ in range(iters):
        J = D.jac(th)
        q = 1 / (1 + np.exp(-D.eta(th)))
        H = (J * (q * (1 - q))[:, None]).T @ J + np.diag(lam)
        g = J.T @ (D.y - q) - lam * (th - M0)
        while mu < 1e6:
            t2 = th + np.linalg.solve(H + mu * np.diag(np.diag(H)), g)
            o2, _ = energy(D, t2, lam)
            if o2 < o:
                break
            mu *= 4
        else:
            break
        d = o - o2
        th, o = t2, o2
        mu = max(mu / 5, 1e-7)
        if d < 0.1:
            break
    return th, o, H


def gaps(G):
    last = np.full(N, -10**6)
    out = np.empty((len(G), 2))
    for t, (a, b) in enumerate(G[:, :2]):
        out[t] = t - last[a], t - last[b]
        last[a] = last[b] = t
    return out


def predict(G, won, budget=17.0, verbose=None):
    asked = np.array([w is None for w in won])
    y = np.array([w for w in won if w is not None], float)
    T = (np.arange(len(G)) / len(G) - 0.5) * 3.46
    gp = gaps(G)
    D = Data(G[~asked], T[~asked], gp[~asked], y)
    Q = Data(G[asked], T[asked], gp[asked])
    rng = np.random.default_rng(1)
    sds = np.array([g[2] for g in GROUPS])
    lam = precision(sds)
    best = None
    for s in range(10):
        th = M0.copy()
        th[240:320] = rng.normal(size=80) * 0.5
        th[321] = -1.5
        th, o, H = fit(D, th, lam, 30)
        if verbose:
            print("map", o, time.process_time())
        if best is None or o < best[1]:
            best = (th, o, H)
    th, _, H = best
    th, _, H = fit(D, th, lam, 10)
    q_map = 1 / (1 + np.exp(-Q.eta(th)))
    R = np.linalg.cholesky(np.linalg.inv(H + 1e-6 * np.eye(P)))
    tot, cnt, k, acc = 0.0, 0, 0, 0
    eps = 0.3
    burn = 250
    hist = []
    while time.process_time() < budget or cnt < 100:
        U, e = energy(D, th, lam)
        def grad(th, e):
            q = 1 / (1 + np.exp(-np.clip(e, -40, 40)))
            return D.back(th, q - D.y) + lam * (th - M0)
        p = rng.normal(size=P)
        U0, K0 = U, 0.5 * p @ p
        t, st = th, eps * rng.uniform(0.7, 1.1)
        g = R.T @ grad(t, e)
        for _ in range(6):
            p = p - 0.5 * st * g
            t = t + R @ (st * p)
            e = D.eta(t)
            g = R.T @ grad(t, e)
            p = p - 0.5 * st * g
        U, _ = energy(D, t, lam)
        ok = np.log(rng.random()) < U0 + K0 - U - 0.5 * p @ p
        if ok:
            th = t
            acc += 1
        if k < 400:
            eps *= 1.03 if ok else 0.92
        # spreads of the groups given the parameters
        sds = np.array([np.sqrt((2 * 0.3 * g[2] ** 2 * 5 + (th[g[0]:g[1]] ** 2).sum()) / rng.chisquare(3 + g[1] - g[0])) for g in GROUPS])
        lam = precision(sds)
        k += 1
        if k > burn:
            tot = tot + 1 / (1 + np.exp(-Q.eta(th)))
            cnt += 1
            hist.append(np.r_[sds, th[320:323]])
    if verbose:
        print("hmc", k, "acc", acc / k, "eps", eps, np.mean(hist, 0).round(3))
    return tot / cnt, q_map


def main():
    problem = json.loads(Path("problem.json").read_text())
    q, _ = predict(np.array(problem["games"]), problem["won"])
    Path("answers.json").write_text(json.dumps({"odds": q.clip(0, 1).round(6).tolist()}))


if __name__ == "__main__":
    main()
