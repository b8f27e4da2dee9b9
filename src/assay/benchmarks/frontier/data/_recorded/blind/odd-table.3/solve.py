"""Hierarchical logistic model, sampled with HMC."""
import os
os.environ["OPENBLAS_NUM_THREADS"] = "1"
import json, time
from pathlib import Path
import numpy as np

LIMIT = float(os.environ.get("LIMIT", "17.5"))
C = int(os.environ.get("CH", "4"))
PARTS = 5  # x0, x2x3, d, s678, |x9|
F1 = (0.2, 1.3)
FT = (0.004, 0.03)


def features(problem):
    X = np.array([[[np.nan if v is None else v for v in r] for r in t["rows"]] for t in problem["tables"]], float)
    Y = np.array([[np.nan if v is None else v for v in t["answers"]] for t in problem["tables"]], float)
    T, n = Y.shape
    g = X[:, :, 4].astype(int)
    gm = np.array([X[:, :, 5][g == k].mean() if (g == k).any() else 0 for k in range(20)])
    m = np.isnan(X[:, :, 9])
    x9 = np.nan_to_num(X[:, :, 9])
    s = 2 * X[:, :, 6:9] - 1
    V = np.stack([X[:, :, 0], X[:, :, 2] * X[:, :, 3], X[:, :, 5] - gm[g], s.prod(2), np.where(m, 0, abs(x9) - 0.8)], 1)
    S = np.stack([(X[:, :, 10] == k) * X[:, :, 11] for k in range(4)], 1)
    U = np.stack([(g == k) * 1.0 for k in range(20)] + [m * 1.0, X[:, :, 12]], 1)
    x1 = X[:, :, 1] - 5
    tt = np.tile(np.arange(n) - (n - 1) / 2, (T, 1))
    return dict(V=V, S=S, U=U, x1=x1, tt=tt, Y=Y)


def subset(D, mask):
    k = mask.sum(1).min()
    idx = np.array([np.flatnonzero(r)[:k] for r in mask])
    t = np.arange(len(mask))[:, None]
    out = {}
    for key, v in D.items():
        out[key] = np.ascontiguousarray(v[t, idx] if v.ndim == 2 else v.transpose(0, 2, 1)[t, idx].transpose(0, 2, 1))
    return out


class Model:
    def __init__(self, D, rng):
        self.D = D = {k: np.ascontiguousarray(v, dtype=np.float32) for k, v in D.items()}
        for k in "VSU":
            D[k + "T"] = np.ascontiguousarray(D[k].transpose(0, 2, 1))
        B = np.concatenate([D["V"], D["S"], D["U"]], 1)
        D["ti"] = (D["tt"] + 109.5).astype(int); D["A"] = B; D["AT"] = np.ascontiguousarray(B.transpose(0, 2, 1))
        self.T, self.n = D["Y"].shape
        T = self.T
        self.sl = {}
        pos = 0
        for name, size in [("a0", 1), ("lt0", 1), ("z0", T), ("b", PARTS), ("lt", PARTS + 2), ("z", T * (PARTS + 2)), ("beta", 4), ("lsb", 1),
                           ("u", 20), ("lsg", 1), ("m", 2), ("ts", T), ("tc", T), ("ltt", 1), ("p1", 2), ("f1", 1), ("ft", 1)]:
            self.sl[name] = slice(pos, pos + size)
            pos += size
        self.dim = pos
        if rng is None:
            return
        y = D["Y"]
        r = y - y.mean(1, keepdims=True)
        fr = np.arange(*F1, 0.005)
        o = np.array([abs((np.exp(2j * np.pi * f * D["x1"]) * r).sum()) ** 2 / (r.size * 0.25) for f in fr])
        pr = np.exp(np.minimum(o - o.max(), 0)); pr /= pr.sum()
        self.f1 = rng.choice(fr, C, p=pr)
        ft = np.arange(*FT, 0.0004)
        o = np.array([(abs((np.exp(2j * np.pi * f * D["tt"]) * r).sum(1)) ** 2 / (self.n * 0.25)).sum() / 2 for f in ft])
        pr = np.exp((o - o.max())); pr /= pr.sum()
        self.ft = rng.choice(ft, C, p=pr)

    def eta(self, th, D, keep=False):
        q = {k: th[:, v] for k, v in self.sl.items()}
        T = self.T
        z = q["z"].reshape(C, T, PARTS + 2)
        tau = np.exp(q["lt"])
        mult = np.exp(tau[:, None] * z)  # C,T,P+2
        bb = q["b"]
        t0 = np.exp(q["lt0"]); tt = np.exp(q["ltt"]); sg = np.exp(q["lsg"]); sb = np.exp(q["lsb"])
        w = bb[:, None] * mult[:, :, :PARTS]
        ms = mult[:, :, PARTS]
        be = sb * q["beta"]
        uu = np.concatenate([sg * q["u"], q["m"]], 1)
        W = np.empty((T, C, PARTS + 26), np.float32)
        W[:, :, :PARTS] = w.transpose(1, 0, 2)
        W[:, :, PARTS:PARTS + 4] = (ms[:, :, None] * be[:, None]).transpose(1, 0, 2)
        W[:, :, PARTS + 4:] = uu[None]
        eta = np.matmul(W, D["A"])
        f1 = (self.f1 + 0.01 * q["f1"][:, 0])[None, :, None].astype(np.float32)
        ang = np.float32(2 * np.pi) * f1 * D["x1"][:, None]
        s1, c1 = np.sin(ang), np.cos(ang)
        p1 = q["p1"].astype(np.float32)
        wave = p1[None, :, :1] * s1 + p1[None, :, 1:] * c1
        mp = mult[:, :, PARTS + 1].T[:, :, None].astype(np.float32)
        eta += mp * wave
        f2 = (self.ft + 0.0004 * q["ft"][:, 0])[None, :, None]
        ang2 = 2 * np.pi * f2[0] * (np.arange(220) - 109.5)
        ix = D["ti"]
        s2, c2 = np.sin(ang2).astype(np.float32)[:, ix].transpose(1, 0, 2), np.cos(ang2).astype(np.float32)[:, ix].transpose(1, 0, 2)
        As = (tt * q["ts"]).T[:, :, None].astype(np.float32); Ac = (tt * q["tc"]).T[:, :, None].astype(np.float32)
        eta += As * s2 + Ac * c2
        eta += (q["a0"] + t0 * q["z0"]).T[:, :, None].astype(np.float32)
        if not keep:
            return eta
        return eta, (q, z, tau, mult, w, t0, tt, sg, sb, be, ms, s1, c1, wave, mp, s2, c2, As, Ac, p1)

    def lp(self, th):
        D = self.D
        T = self.T
        eta, (q, z, tau, mult, w, t0, tt, sg, sb, be, ms, s1, c1, wave, mp, s2, c2, As, Ac, p1) = self.eta(th, D, True)
        y = D["Y"][:, None]
        e = np.exp(-np.abs(eta))
        ll = (y * eta - np.maximum(eta, 0) - np.log1p(e)).sum((0, 2), dtype=float)
        g = y - np.where(eta >= 0, 1, e) / (1 + e)
        G = np.zeros_like(th)
        sl = self.sl
        ga = g.sum(2).T  # C,T
        G[:, sl["a0"]] = ga.sum(1, keepdims=True)
        G[:, sl["z0"]] = t0 * ga
        G[:, sl["lt0"]] = (t0 * q["z0"] * ga).sum(1, keepdims=True)
        dA = np.matmul(g, D["AT"]).transpose(1, 0, 2)  # C,T,P
        dw = dA[:, :, :PARTS]
        dS = dA[:, :, PARTS:PARTS + 4]
        G[:, sl["b"]] = (dw * mult[:, :, :PARTS]).sum(1)
        dl = np.empty_like(mult)  # d/d log mult
        dl[:, :, :PARTS] = dw * w
        dl[:, :, PARTS] = (dS * be[:, None]).sum(2) * ms
        gm = g * mp
        dl[:, :, PARTS + 1] = (gm * wave).sum(2).T
        G[:, sl["z"]] = (dl * tau[:, None]).reshape(C, -1)
        G[:, sl["lt"]] = (dl * z).sum(1) * tau
        db = (dS * ms[:, :, None]).sum(1)
        G[:, sl["beta"]] = sb * db
        G[:, sl["lsb"]] = (sb * q["beta"] * db).sum(1, keepdims=True)
        du = dA[:, :, PARTS + 4:].sum(1)
        G[:, sl["u"]] = sg * du[:, :20]
        G[:, sl["lsg"]] = (sg * q["u"] * du[:, :20]).sum(1, keepdims=True)
        G[:, sl["m"]] = du[:, 20:]
        G[:, sl["p1"]] = np.stack([(gm * s1).sum((0, 2)), (gm * c1).sum((0, 2))], 1)
        G[:, sl["f1"]] = (gm * (p1[None, :, :1] * c1 - p1[None, :, 1:] * s1) * D["x1"][:, None]).sum((0, 2))[:, None] * 2 * np.pi * 0.01
        ds = (g * s2).sum(2).T; dc = (g * c2).sum(2).T
        G[:, sl["ts"]] = tt * ds
        G[:, sl["tc"]] = tt * dc
        G[:, sl["ltt"]] = (tt * (q["ts"] * ds + q["tc"] * dc)).sum(1, keepdims=True)
        G[:, sl["ft"]] = (g * (As * c2 - Ac * s2) * D["tt"][:, None]).sum((0, 2))[:, None] * 2 * np.pi * 0.0004
        for name, mu, sd in PRIOR:
            v = q[name] - mu
            ll = ll - 0.5 * (v * v).sum(1) / sd**2
            G[:, sl[name]] -= v / sd**2
        return ll, G


PRIOR = [("a0", 0, 0.5), ("lt0", np.log(0.4), 0.5), ("z0", 0, 1), ("b", 0, 0.6), ("lt", np.log(0.5), 0.6), ("z", 0, 1), ("beta", 0, 1),
         ("lsb", np.log(0.6), 0.5), ("u", 0, 1), ("lsg", np.log(0.6), 0.5), ("m", 0, 0.15), ("ts", 0, 1), ("tc", 0, 1), ("ltt", np.log(0.6), 0.4),
         ("p1", 0, 0.5), ("f1", 0, 4), ("ft", 0, 4)]


def odds_of(problem, seed=1):
    start = time.process_time()
    rng = np.random.default_rng(seed)
    D = features(problem)
    asked = np.isnan(D["Y"])
    tr, te = subset(D, ~asked), subset(D, asked)
    M = Model(tr, rng)
    te = Model(te, None).D
    th = rng.normal(0, 0.2, (C, M.dim))
    for name, mu, sd in PRIOR:
        th[:, M.sl[name]] += mu
    mass = np.ones(M.dim)  # inverse mass = variance
    step = 0.05
    l, G = M.lp(th)
    total, cnt, it = 0, 0, 0
    hist = []
    acc_all = []
    while True:
        used = time.process_time() - start
        if used > LIMIT:
            break
        frac = used / LIMIT
        warm = frac < 0.3
        p = rng.normal(size=th.shape) / np.sqrt(mass)
        h0 = l - 0.5 * (p * p * mass).sum(1)
        x, g, st = th, G, step * rng.uniform(0.8, 1.2)
        L = int(rng.integers(8, 25)) if frac > 0.05 else 8
        for _ in range(L):
            p = p + 0.5 * st * g
            x = x + st * mass * p
            ln, g = M.lp(x)
            p = p + 0.5 * st * g
        h1 = ln - 0.5 * (p * p * mass).sum(1)
        a = np.exp(np.minimum(0, np.nan_to_num(h1 - h0, nan=-1e9)))
        ok = rng.random(C) < a
        th = np.where(ok[:, None], x, th); G = np.where(ok[:, None], g, G); l = np.where(ok, ln, l)
        it += 1
        if warm:
            step *= np.exp((a.mean() - 0.8) * 0.3 / (1 + it / 60))
            if frac > 0.06:
                hist.append(th.copy())
            if len(hist) in (60, 150):
                v = np.mean([np.var(np.array(hist)[len(hist)//3:, c], 0) for c in range(C)], 0)
                mass = 0.9 * v + 0.1 * np.median(v); step *= 1.0 if len(hist) > 60 else np.median(1 / np.sqrt(mass)); it = 0 
                hist.append(th.copy())
        else:
            acc_all.append(a.mean())
            if it % 2 == 0:
                total = total + 1 / (1 + np.exp(-M.eta(th, te)))
                cnt += 1
    P = (total / cnt).mean(1)
    if os.environ.get("VERBOSE"):
        print("samples", cnt, "acc", np.mean(acc_all), "step", step, "f1", M.f1 + .01 * th[:, M.sl["f1"]][:, 0], "ft", M.ft + .0004 * th[:, M.sl["ft"]][:, 0])
        for k in ("b", "lt", "m", "beta", "lt0", "lsg", "ltt", "p1"):
            print(k, np.round(th[:, M.sl[k]].mean(0), 2), np.round(th[:, M.sl[k]].std(0), 2))
        print("lp", l)
    return [[float(v) for v in np.clip(r, 1e-4, 1 - 1e-4).round(5)] for r in P]


def main():
    problem = json.loads(Path("problem.json").read_text())
    Path("answers.json").write_text(json.dumps({"odds": odds_of(problem)}))


if __name__ == "__main__":
    main()
