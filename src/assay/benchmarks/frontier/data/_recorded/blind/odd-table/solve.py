"""Hierarchical Bayes over all tables, sampled with Hamiltonian Monte Carlo."""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
import time
from pathlib import Path

import numpy as np

TAU = 2 * np.pi
NP = 9  # parts: x0, 2*3, r5, par, x9, x11|x10, group, sine, time
# prior of log sigma of strengths
CFG = {"ls_mu": np.full(NP, np.log(0.65)), "ls_sd": np.full(NP, 0.35), "budget": 16.5, "chains": 2, "warm": 220, "m_sd": 0.7}


def features(X):
    x = [X[..., j] for j in range(13)]
    g = x[4].astype(int)
    gm = np.array([x[5][g == k].mean() if (g == k).any() else 0.0 for k in range(20)])
    r5 = x[5] - gm[g]
    miss = np.isnan(x[9])
    z9 = np.where(miss, 0, x[9])
    par = np.prod([2 * x[j] - 1 for j in (6, 7, 8)], axis=0)
    cols = [np.ones_like(r5), x[0], x[2] * x[3], r5, par, np.where(miss, 0, 1.6 * (np.abs(z9) - 0.8)), miss - 0.18]
    cols += [x[11] * (x[10] == k) for k in range(4)]
    cols += [(g == k) * 1.0 for k in range(20)]
    t = np.broadcast_to((np.arange(X.shape[1]) - (X.shape[1] - 1) / 2) / 220, r5.shape)
    return np.stack(cols, -1), x[1] - 5.0, t


class Layout:
    def __init__(self, T):
        self.s, n = {}, 0
        for name, size in (("m", 5), ("S", 4), ("G", 20), ("A", 2), ("miss", 1), ("lsg", 1), ("lst", 1), ("mb", 1),
                           ("lsb", 1), ("f1", 1), ("ft", 1), ("ls", NP), ("z", NP * T), ("b", T), ("n", 2 * T)):
            self.s[name] = slice(n, n + size)
            n += size
        self.n = n


def coefs(q, L, T):
    """Table coefficients (T, D, C) for the fixed features and the waves' amplitudes."""
    s = L.s
    C = q.shape[1]
    sig = np.exp(q[s["ls"]])
    z = q[s["z"]].reshape(NP, T, C)
    e = np.exp(np.clip(sig[:, None] * z, -8, 4))
    W = np.empty((T, 31, C))
    sb = np.exp(q[s["lsb"]])
    W[:, 0] = q[s["mb"]] + sb * q[s["b"]]
    W[:, 1:6] = (q[s["m"]][:, None] * e[:5]).transpose(1, 0, 2)
    W[:, 6] = q[s["miss"]]
    W[:, 7:11] = e[5][:, None] * q[s["S"]][None]
    sg = np.exp(q[s["lsg"]])
    W[:, 11:] = e[6][:, None] * (q[s["G"]] * sg)[None]
    U = e[7][:, None] * q[s["A"]][None]
    st = np.exp(q[s["lst"]])
    V = (e[8] * st)[:, None] * q[s["n"]].reshape(T, 2, C)
    return W, U, V, sig, z, e, sb, sg, st


class Wide:
    """The fixed features with room for the four waves of each chain."""

    def __init__(self, F, x1, t, C):
        T, N, D = F.shape
        self.M = np.zeros((C, T, N, 35), np.float32)
        self.M[..., :31] = F
        self.x1 = (TAU * x1).astype(np.float32)
        self.t = (TAU * t).astype(np.float32)

    def fill(self, q, L):
        w = self.x1 * q[L.s["f1"]].T.astype(np.float32)[:, :, None]
        self.M[..., 31], self.M[..., 32] = np.sin(w), np.cos(w)
        w = self.t * q[L.s["ft"]].T.astype(np.float32)[:, :, None]
        self.M[..., 33], self.M[..., 34] = np.sin(w), np.cos(w)
        return self.M

    def eta(self, q, L):
        W, U, V, *rest = coefs(q, L, self.M.shape[1])
        WW = np.concatenate([W, U, V], 1).transpose(2, 0, 1).astype(np.float32)
        M = self.fill(q, L)
        return (M @ np.ascontiguousarray(WW)[..., None])[..., 0], (W, U, V, *rest)


def logp_grad(q, L, wide, y):
    T = y.shape[0]
    s = L.s
    C = q.shape[1]
    eta, (W, U, V, sig, z, e, sb, sg, st) = wide.eta(q, L)
    ex = np.exp(-np.abs(eta))
    ll = (y * eta - np.maximum(eta, 0) - np.log1p(ex)).sum((1, 2), dtype=float)
    R = y - np.where(eta > 0, np.float32(1), ex) / (1 + ex)
    gA = (R[:, :, None, :] @ wide.M)[:, :, 0].astype(float).transpose(1, 2, 0)
    gW, gU, gV = gA[:, :31], gA[:, 31:33], gA[:, 33:35]
    d = np.zeros_like(q)
    M = wide.M
    UT, VT = U.transpose(2, 0, 1)[:, :, None].astype(np.float32), V.transpose(2, 0, 1)[:, :, None].astype(np.float32)
    d[s["f1"]] = (R * wide.x1 * (M[..., 32] * UT[..., 0] - M[..., 31] * UT[..., 1])).sum((1, 2))
    d[s["ft"]] = (R * wide.t * (M[..., 34] * VT[..., 0] - M[..., 33] * VT[..., 1])).sum((1, 2))
    ge = np.empty((NP, T, C))  # gradient with respect to log strength
    ge[:5] = (gW[:, 1:6] * W[:, 1:6]).transpose(1, 0, 2)
    ge[5] = (gW[:, 7:11] * W[:, 7:11]).sum(1)
    ge[6] = (gW[:, 11:] * W[:, 11:]).sum(1)
    ge[7] = (gU * U).sum(1)
    ge[8] = (gV * V).sum(1)
    d[s["m"]] = (gW[:, 1:6] * e[:5].transpose(1, 0, 2)).sum(0)
    d[s["S"]] = (gW[:, 7:11] * e[5][:, None]).sum(0)
    d[s["G"]] = (gW[:, 11:] * e[6][:, None]).sum(0) * sg
    d[s["lsg"]] = ge[6].sum(0)
    d[s["A"]] = (gU * e[7][:, None]).sum(0)
    d[s["n"]] = (gV * (e[8] * st)[:, None]).reshape(2 * T, C)
    d[s["lst"]] = ge[8].sum(0)
    d[s["miss"]] = gW[:, 6].sum(0)
    d[s["mb"]] = gW[:, 0].sum(0)
    d[s["b"]] = gW[:, 0] * sb
    d[s["lsb"]] = (gW[:, 0] * sb * q[s["b"]]).sum(0)
    d[s["z"]] = (ge * sig[:, None]).reshape(NP * T, C)
    d[s["ls"]] = (ge * z).sum(1) * sig
    lp = ll + 0

    def normal(name, mu, sd):
        nonlocal lp
        u = (q[s[name]] - mu) / sd
        lp = lp - 0.5 * (u * u).sum(0)
        d[s[name]] -= u / sd

    normal("m", 0, CFG["m_sd"]), normal("S", 0, 0.7), normal("A", 0, 0.5), normal("miss", 0, 0.3)
    normal("G", 0, 1), normal("z", 0, 1), normal("b", 0, 1), normal("n", 0, 1)
    normal("lsg", np.log(0.6), 0.4), normal("lst", np.log(0.4), 0.4), normal("mb", 0, 0.4), normal("lsb", np.log(0.5), 0.3)
    normal("f1", 0.9, 0.5), normal("ft", 2.0, 2.0)
    normal("ls", CFG["ls_mu"][:, None], CFG["ls_sd"][:, None])
    return lp, d


def start(F, x1, t, y, L, C, rng):
    """A pooled fit for the first point; scans for both frequencies."""
    T, N, D = F.shape
    A = F.reshape(-1, D)
    yy = y.ravel()
    pen = np.r_[np.full(11, 1.0), np.full(20, 3.0)]
    w = np.zeros(D)
    for _ in range(12):
        p = 1 / (1 + np.exp(-A @ w))
        w = w + np.linalg.solve((A * (p * (1 - p))[:, None]).T @ A + np.diag(pen), A.T @ (yy - p) - pen * w)
    p = 1 / (1 + np.exp(-(F @ w)))
    R, V = y - p, p * (1 - p)
    f1s = np.arange(0.3, 2.6, 0.01)
    sc = []
    for f in f1s:
        B = np.stack([np.sin(TAU * f * x1), np.cos(TAU * f * x1)], -1)
        H = np.einsum("tn,tna,tnb->ab", V, B, B) + 10 * np.eye(2)
        g = np.einsum("tn,tna->a", R, B)
        a = np.linalg.solve(H, g)
        loc = 0.0
        sc.append((g @ a / 2 + loc, f, a))
    sc.sort(key=lambda v: -v[0])
    tops = []
    for v in sc:
        if all(abs(v[1] - u[1]) > 0.06 for u in tops):
            tops.append(v)
        if len(tops) == 3:
            break
    fts = np.arange(0.3, 8, 0.05)
    st = []
    for f in fts:
        B = np.stack([np.sin(TAU * f * t), np.cos(TAU * f * t)], -1)
        H = np.einsum("tn,tna,tnb->tab", V, B, B) + 5 * np.eye(2)
        g = np.einsum("tn,tna->ta", R, B)
        a = np.linalg.solve(H, g[..., None])[..., 0]
        st.append(((g * a).sum() / 2 - 0.5 * np.linalg.slogdet(H)[1].sum(), f))
    st.sort(key=lambda v: -v[0])
    s = L.s
    q = rng.normal(size=(L.n, C)) * 0.3
    q[s["m"]] = w[1:6, None]
    q[s["S"]] = w[7:11, None]
    q[s["G"]] = w[11:, None] / 0.6
    q[s["miss"]] = 0
    q[s["lsg"]], q[s["lst"]], q[s["mb"]], q[s["lsb"]] = np.log(0.6), np.log(0.4), w[0], np.log(0.5)
    for c in range(C):
        v = tops[0]
        q[s["f1"], c] = v[1]
        q[s["A"], c] = v[2]
    q[s["ft"]] = st[0][1]
    q[s["ls"]] = CFG["ls_mu"][:, None]
    return q, tops, st[:5]


def sample(F, x1, t, y, Fa, xa, ta, seed=0, verbose=False):
    rng = np.random.default_rng(seed)
    T = len(F)
    L = Layout(T)
    C = CFG["chains"]
    q, tops, st = start(F, x1, t, y, L, C, rng)
    if verbose:
        print("f1", [(round(v[0], 1), round(v[1], 2)) for v in tops], "ft", [(round(v[0], 1), round(v[1], 2)) for v in st])
    args = (L, Wide(F, x1, t, C), y.astype(np.float32))
    asked = Wide(Fa, xa, ta, C)
    lp, g = logp_grad(q, *args)
    begin = time.process_time()
    scale = np.full((L.n, 1), 0.3)
    scale[L.s["f1"]], scale[L.s["ft"]] = 0.005, 0.02
    scale[L.s["m"]] = scale[L.s["A"]] = scale[L.s["S"]] = 0.1
    eps, it, total, count, keep = 0.1, 0, 0.0, 0, []
    m1 = m2 = 0.0
    nacc = 0
    warm = CFG["warm"]
    acc_log = []
    while True:
        used = time.process_time() - begin
        if used > CFG["budget"]:
            break
        steps = int(rng.integers(8, 25)) if it > 30 else 8
        mom = rng.normal(size=q.shape)
        q1, g1, p1 = q, g, mom
        h = eps * (0.8 + 0.4 * rng.random())
        p1 = p1 + 0.5 * h * scale * g1
        for k in range(steps):
            q1 = q1 + h * scale * p1
            lp1, g1 = logp_grad(q1, *args)
            p1 = p1 + (h if k < steps - 1 else 0.5 * h) * scale * g1
        dH = lp1 - lp - 0.5 * (p1 * p1).sum(0) + 0.5 * (mom * mom).sum(0)
        dH = np.where(np.isfinite(dH), dH, -1e9)
        ok = np.log(rng.random(C)) < dH
        q = np.where(ok, q1, q)
        g = np.where(ok, g1, g)
        lp = np.where(ok, lp1, lp)
        acc = np.minimum(1, np.exp(np.minimum(dH, 0))).mean()
        it += 1
        if it <= warm:
            eps *= np.exp((acc - 0.8) * (0.3 if it < 60 else 0.1))
            if it > 40:
                m1, m2, nacc = m1 + q, m2 + q * q, nacc + 1
            if it in (90, 150) or it == warm:
                mu = m1.mean(1) / nacc
                var = m2.mean(1) / nacc - mu**2
                scale = np.sqrt(np.maximum(var, 1e-8) * 0.9 + 0.1 * scale[:, 0] ** 2)[:, None]
                m1 = m2 = 0.0
                nacc = 0
                if it < warm:
                    eps = min(eps, 0.15)
        else:
            acc_log.append(acc)
            total = total + (1 / (1 + np.exp(-asked.eta(q, L)[0]))).mean(0)
            count += 1
            keep.append(q.copy())
    if verbose:
        print("its", it, "eps", round(eps, 3), "acc", np.mean(acc_log), "count", count)
    return total / count, np.array(keep), L


def load(problem):
    X = np.array([[[np.nan if v is None else v for v in r] for r in t["rows"]] for t in problem["tables"]], float)
    Y = np.array([[np.nan if a is None else a for a in t["answers"]] for t in problem["tables"]], float)
    return X, Y


def pick(a, mask):
    n = mask.sum(1).max()
    return np.stack([a[i][mask[i]] for i in range(len(a))])


def odds_of(problem, verbose=False):
    X, Y = load(problem)
    F, x1, t = features(X)
    known = ~np.isnan(Y)
    P, keep, L = sample(*[pick(a, known) for a in (F, x1, t, Y)], *[pick(a, ~known) for a in (F, x1, t)], verbose=verbose)
    return P, keep, L


def main():
    problem = json.loads(Path("problem.json").read_text())
    P = odds_of(problem)[0]
    Path("answers.json").write_text(json.dumps({"odds": np.clip(P, 0.001, 0.999).round(5).tolist()}))


if __name__ == "__main__":
    main()
