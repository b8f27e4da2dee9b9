"""Many simple forecasts of each series, mixed and given quantiles by a small network that is trained when it runs."""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
import sys
import time
from pathlib import Path

import numpy as np

LEVELS = np.array([0.1, 0.5, 0.9])
H = 12
_cache = {}


def weights(n):
    """(methods, H, n): linear forecasts of a series without season."""
    if n in _cache:
        return _cache[n]
    eye, out = np.eye(n), []
    steps = np.arange(1, H + 1)

    def ses(a):
        w = a * (1 - a) ** np.arange(n - 1, -1, -1)
        return w / w.sum()

    def holt(a, b, phi):
        k = min(6, n // 2)
        level = eye[:k].mean(0)
        trend = (eye[k:2 * k].mean(0) - level) / k
        level = level - trend * (k + 1) / 2
        for t in range(n):
            new = a * eye[t] + (1 - a) * (level + phi * trend)
            trend = b * (new - level) + (1 - b) * phi * trend
            level = new
        c = np.cumsum(phi ** steps)
        return level[None] + c[:, None] * trend[None]

    mean = np.full(n, 1 / n)
    for a in (0.08, 0.2, 0.4, 0.7):
        out.append(np.tile(ses(a), (H, 1)))
    out.append(np.tile(eye[-1], (H, 1)))
    out.append(holt(0.3, 0.1, 0.9))
    out.append(holt(0.6, 0.3, 0.85))
    out.append(holt(0.2, 0.05, 0.98))
    for phi in (0.75, 0.92):
        out.append(mean + (phi ** steps)[:, None] * (ses(0.6) - mean))
    # drift of half the mean slope on top of smoothing
    t = np.arange(n) - (n - 1) / 2
    slope = t / (t ** 2).sum()
    out.append(ses(0.3) + 0.5 * (steps[:, None] + 2) * slope)
    _cache[n] = np.array(out)
    return _cache[n]


NL = 11


def transform_of(group):
    flat = np.concatenate([np.array(s, float) for s in group["series"]])
    kinds = []
    for s in group["series"]:
        v = np.array(s, float)
        med = np.median(v)
        if flat.min() > 0 and (flat != np.round(flat)).any() or (v.min() > 0 and np.min(v[len(v) // 2:]) > 0.15 * med and med > 20):
            kinds.append("log")
        elif v.min() >= 0:
            kinds.append("sqrt")
        else:
            kinds.append("raw")
    if "raw" in kinds:
        kinds = ["raw"] * len(kinds)
    elif "sqrt" in kinds and any(np.min(s) <= 0 for s in group["series"]):
        kinds = ["sqrt"] * len(kinds)
    return kinds[0] if len(set(kinds)) == 1 else "sqrt"


def forward(v, kind):
    return np.log(np.maximum(v, 1e-6)) if kind == "log" else np.sqrt(np.maximum(v, 0)) if kind == "sqrt" else v


def backward(z, kind):
    return np.exp(z) if kind == "log" else np.maximum(z, 0) ** 2 if kind == "sqrt" else z


def slopes(z, kind):
    return np.exp(z) if kind == "log" else 2 * np.maximum(z, 0.3) if kind == "sqrt" else np.ones_like(z)


def smooth(x, P):
    """Centred moving mean over about one period, the ends by the nearest windows."""
    n = len(x)
    k = P if P % 2 else P + 1
    ker = np.ones(k)
    if P % 2 == 0:
        ker[0] = ker[-1] = 0.5
    num = np.convolve(x, ker, "same")
    den = np.convolve(np.ones(n), ker, "same")
    t = np.arange(n, dtype=float)
    ct = np.convolve(t, ker, "same") / den
    m = num / den
    # at the ends the window is not centred: correct by the local slope
    w = min(n, 2 * P)
    for part in (slice(0, w), slice(n - w, n)):
        tt = t[part] - t[part].mean()
        b = 0.5 * (tt * x[part]).sum() / (tt ** 2).sum()
        sel = np.zeros(n, bool)
        sel[part] = True
        sel &= np.abs(t - ct) > 1e-9
        m[sel] += b * (t - ct)[sel]
    return m


def longest_end(Z, offsets):
    return max(o + len(z) for z, o in zip(Z, offsets))


def ar_fit(xs, p, ridge, diff):
    A, b = np.eye(p) * ridge, np.zeros(p)
    for x in xs:
        y = np.diff(x) if diff else x - x.mean()
        lim = 4 * np.median(np.abs(y)) + 1e-9
        y = np.clip(y, -lim, lim)
        n = len(y)
        if n < p + 4:
            continue
        M = np.stack([y[p - 1 - k:n - 1 - k] for k in range(p)], 1)
        v = (y ** 2).mean() + 1e-9
        A += M.T @ M / v
        b += M.T @ y[p:] / v
    return np.linalg.solve(A, b)


def ar_run(x, w, h, diff):
    y = np.diff(x) if diff else x - x.mean()
    p = len(w)
    if len(y) < p:
        return np.full(h, x[-1])
    buf = np.zeros(p + h)
    buf[:p] = y[-p:]
    wr = w[::-1].copy()
    for t in range(h):
        buf[p + t] = min(max(wr @ buf[t:t + p], -8), 8)
    out = buf[p:]
    res = x[-1] + np.cumsum(out) if diff else x.mean() + out
    return np.clip(res, x.min() - 4, x.max() + 4)


ARS = ((2, 3.0, False), (4, 3.0, False), (9, 6.0, False), (3, 4.0, True), (12, 8.0, True))


def at_origin(Z, offsets, P, first, marks, h, longest):
    """Forecasts (series, methods, h) and features from the histories Z (arrays; offset of their first step)."""
    m = len(Z)
    scale, res, phase = [], [], []
    for z, off in zip(Z, offsets):
        d = np.abs(z[P:] - z[:-P]).mean() if len(z) > P else np.abs(np.diff(z)).mean()
        d2 = np.abs(np.diff(z)).mean()
        scale.append(max(0.7 * d + 0.3 * d2, 1e-3 * (np.abs(z).mean() + 1e-3)))
        phase.append((first + off + np.arange(len(z))) % P)
    own, cnt = np.zeros((m, P)), np.zeros((m, P))
    var = np.zeros(m)
    mk = np.array(marks) if len(marks) else None
    mr = [None] * m
    eff = np.zeros(4)
    total = max(o + len(z) for z, o in zip(Z, offsets)) + h
    MK = np.zeros((total, 4))
    if mk is not None:
        for lag in range(4):
            k = min(len(mk), total - lag)
            MK[lag:lag + k, lag] = mk[:k]
    for loop in range(4 if mk is not None else 1):
        res = []
        for i, z in enumerate(Z):
            x = z / scale[i] - MK[offsets[i]:offsets[i] + len(z)] @ eff
            r = x - smooth(x, P)
            lim = 4 * np.median(np.abs(r)) + 1e-9
            rr = np.clip(r, -lim, lim)
            res.append(rr)
            own[i] = np.bincount(phase[i], rr, P)
            cnt[i] = np.bincount(phase[i], minlength=P)
        if mk is not None and loop < 3:
            g = own.sum(0) / np.maximum(cnt.sum(0), 1)
            A, bb = np.zeros((4, 4)), np.zeros(4)
            for i, z in enumerate(Z):
                M = MK[offsets[i]:offsets[i] + len(z)]
                x = z / scale[i]
                e = x - smooth(x - M @ eff, P) - g[phase[i]]
                lim = 6 * np.median(np.abs(e)) + 1e-9
                e = np.clip(e, -max(lim, 4), max(lim, 4))
                A += M.T @ M
                bb += M.T @ e
            eff = np.linalg.solve(A + 2.0 * np.eye(4), bb)
    gsum, gcnt = own.sum(0), cnt.sum(0)
    g = gsum / np.maximum(gcnt, 1)
    g = g - g.mean()
    own = own / np.maximum(cnt, 1)
    own -= own.mean(1, keepdims=True)
    futM = MK[longest_end(Z, offsets):][:h] @ eff
    fut = MK[longest_end(Z, offsets):][:h, 0]
    # strength of the shared season: explained part with a correction for its parameters
    ssr = [(r ** 2).mean() for r in res]
    noise = np.array([((res[i] - own[i][phase[i]]) ** 2).mean() for i in range(m)])
    groupvar = max((g ** 2).mean() - np.mean(noise) / max(gcnt.mean(), 1), 0.0)
    shrink_g = groupvar / (groupvar + np.mean(noise) / max(gcnt.mean(), 1) + 1e-9)
    dev = own - g
    within = max((dev ** 2).mean() - (noise / np.maximum(cnt.mean(1), 1)).mean(), 0.0)
    F, feats = [], []
    sea, seag = [], []
    for i in range(m):
        b = ((own[i] * g).sum() + 0.5 * (g ** 2).sum()) / (1.5 * (g ** 2).sum() + 1e-9)
        sg = shrink_g * g * b
        sea.append(sg + (within / (within + noise[i] / max(cnt[i].mean(), 1) + 1e-9)) * (own[i] - g * b))
        seag.append(sg)
    XD = [z / scale[i] - MK[offsets[i]:offsets[i] + len(z)] @ eff - sea[i][phase[i]] for i, z in enumerate(Z)]
    fits = [ar_fit(XD, *a) for a in ARS]
    ages = [len(z) for z in Z]
    for i, z in enumerate(Z):
        n, s = len(z), scale[i]
        b = ((own[i] * g).sum() + 0.5 * (g ** 2).sum()) / (1.5 * (g ** 2).sum() + 1e-9)
        sg = shrink_g * g * b
        so = sg + (within / (within + noise[i] / max(cnt[i].mean(), 1) + 1e-9)) * (own[i] - g * b)
        fp = (first + offsets[i] + n + np.arange(h)) % P
        x = z / s
        adj = MK[offsets[i]:offsets[i] + n] @ eff
        W = weights(n)[:, :h]
        f = []
        f.append((W @ (x - adj))[[1, 2, 4, 5, 9]] + futM)
        f.append(W @ (x - adj - sg[phase[i]]) + sg[fp] + futM)
        f.append(W @ (x - adj - so[phase[i]]) + so[fp] + futM)
        base = x - adj
        sn = np.array([base[n - P + k % P] if n >= P else base[-1] for k in range(h)])
        sn2 = np.array([base[n - 2 * P + k % P] if n >= 2 * P else sn[k] for k in range(h)])
        f.append((sn + futM)[None])
        lev = (base[-P:].mean() - base[-2 * P:-P].mean()) if n >= 2 * P else 0.0
        f.append(((sn + sn2 + lev) / 2 + futM)[None])
        f.append((sn + 0.6 * lev + futM)[None])
        for a, wv in zip(ARS, fits):
            f.append((ar_run(XD[i], wv, h, a[2]) + so[fp] + futM)[None])
        # the course of older series of the group from the same age on
        xd = x - adj - so[phase[i]]
        now = W[2, 0] @ xd
        an, wt = np.zeros(h), np.full(h, 1e-9)
        for j in range(m):
            if ages[j] > n:
                xj = Z[j] / s if True else 0
                aj = xj - (MK[offsets[j]:offsets[j] + ages[j]] @ eff) * scale[j] / s - own[j][phase[j]] * scale[j] / s
                ref = weights(n)[2, 0] @ aj[:n]
                k = min(h, ages[j] - n)
                an[:k] += aj[n:n + k] - ref
                wt[:k] += 1
        have = (wt > 0.5).astype(float)
        life = now + np.where(have > 0, an / wt, 0.0)
        f.append((np.clip(life, now - 6, now + 6) + so[fp] + futM)[None])
        f = np.concatenate(f)
        F.append(f * s)
        d1 = np.diff(xd)
        c = xd - xd.mean()
        ac = (d1[1:] * d1[:-1]).sum() / ((d1 ** 2).sum() + 1e-9)
        a1 = (c[1:] * c[:-1]).sum() / ((c ** 2).sum() + 1e-9)
        half = max(3, n // 3)
        feats.append([np.log(n / P), ac, a1, np.log(noise[i] + 0.01), np.log(ssr[i] + 0.01), shrink_g, np.log(within + 0.01),
                      np.log(d1.std() + 0.05), np.log(d1[-half:].std() + 0.05), np.log(np.abs(d1).mean() / (d1.std() + 1e-9) + 1e-3),
                      (xd[-1] - now), xd[-3:].mean() - xd[-6:-3].mean(), np.clip(xd[-P:].mean() - xd.mean(), -5, 5),
                      np.log(s / (np.abs(z).mean() + 1e-9) + 1e-3), (z <= 0).mean(), np.log(n), float(len(set(ages)) > 1),
                      float(np.mean(np.array(ages) > n)), np.clip((xd[-half:].mean() - xd[:half].mean()), -6, 6), eff[0], eff[1], eff[2],
                      float(mk is not None), float(P == 12), float(P == 4), np.clip(xd.max() - xd[-1], 0, 8), np.clip(xd[-1] - xd.min(), 0, 8)])
    return F, np.array(scale), np.array(feats), np.array(fut), sg


NM = 5 + 2 * NL + 4 + 5
REF = 5 + NL + 1


def rows_of(group, truth=None, origins=6):
    """Rows for training and for the answer; each is a dict of arrays for a series at an origin."""
    kind = transform_of(group)
    raw = [np.array(s, float) for s in group["series"]]
    Zall = [forward(v, kind) for v in raw]
    longest = max(map(len, raw))
    off = [longest - len(v) for v in raw]
    P, h = group["period"], group["horizon"]
    step = max(4, h // 2)
    cuts = [k * step for k in range(origins)]
    m = len(raw)
    store, out = {}, []
    for c in reversed(cuts):
        keep = [i for i in range(m) if len(raw[i]) - c >= max(20, P + 6)]
        if not keep or (c and len(keep) < 1):
            continue
        Z = [Zall[i][:len(Zall[i]) - c] for i in keep]
        F, sc, ft, fut, _ = at_origin(Z, [off[i] for i in keep], P, group["first"], group["marks"], h, longest - c)
        store[c] = (keep, F, sc, ft, fut)
        # errors of the methods at earlier origins, with what is known at this one
        E = np.full((m, NM, 2), np.nan)
        W3 = np.full((m, 2), np.nan)
        tot, num = np.zeros((m, NM, 2)), np.zeros((m, 1, 2))
        for c2, (keep2, F2, sc2, _, _) in store.items():
            if c2 <= c:
                continue
            for j, i in enumerate(keep2):
                k = min(h, c2 - c)
                act = Zall[i][len(Zall[i]) - c2:len(Zall[i]) - c2 + k]
                e = np.minimum(np.abs(F2[j][:, :k] - act) / sc2[j], 5)
                decay = 0.85 ** ((c2 - c) / step)
                tot[i, :, 0] += decay * e[:, :4].sum(1)
                num[i, :, 0] += decay * min(k, 4)
                if k > 4:
                    tot[i, :, 1] += decay * e[:, 4:].sum(1)
                    num[i, :, 1] += decay * (k - 4)
        gt, gn = tot.sum(0), num.sum(0)
        prior = np.array([0.9, 1.1])
        gE = (gt + 8 * prior) / (gn + 8)
        oE = (tot + 6 * gE) / (num + 6)
        for j, i in enumerate(keep):
            z = Z[j]
            f = F[j] / sc[j]
            r = f[REF]
            e = oE[i]
            best = np.sort(e, 0)[:5].mean(0)
            gbest = np.sort(gE, 0)[:5].mean(0)
            hh = np.arange(h)
            mix = np.clip((hh - 1) / 5.0, 0, 1)
            be = best[0] * (1 - mix) + best[1] * mix
            dif = np.clip(f - r, -4, 4)
            sd = dif.std(0)
            static = np.concatenate([ft[j], np.log(e / best).ravel(), np.log(gE / gbest).ravel(), np.log(best), np.log(gbest),
                                     [kind == "log", kind == "sqrt", np.log1p(num[i].sum())]])
            X = np.concatenate([np.tile(static, (h, 1)), dif.T, sd[:, None], np.log(hh + 1)[:, None], (hh / 10.0)[:, None], fut[:, None]], 1)
            v = raw[i][:len(z)]
            rs = np.abs(v[P:] - v[:-P]).mean()
            rs = max(rs, 0.1 * np.abs(v[-P:]).mean(), 1e-9)
            w = np.clip(slopes(r * sc[j], kind) * sc[j] / rs, 0.1, 4)
            row = dict(X=X, D=dif.T, be=be, ref=r, s=sc[j], w=w / m, i=i, c=c, kind=kind)
            if c > 0:
                k = min(h, c)
                act = Zall[i][len(z):len(z) + k] / sc[j]
                row["y"] = (act[:, None] - r[:k, None])
                row["k"] = k
            elif truth is not None:
                row["y"] = forward(np.array(truth["futures"][i]).T, kind) / sc[j] - r[:, None]
                row["k"] = h
                row["w"] = np.clip(slopes(r * sc[j], kind) * sc[j] / truth["scales"][i], 0.1, 4) / m
            out.append(row)
    return out


class Net:
    def __init__(self, nin, hidden, rng):
        self.rng = rng
        o = NM + 3
        self.p = [rng.standard_normal((nin, hidden)) * np.sqrt(1 / nin), np.zeros(hidden),
                  rng.standard_normal((hidden, hidden)) * np.sqrt(1 / hidden), np.zeros(hidden),
                  rng.standard_normal((hidden, o)) * 0.05, np.zeros(o)]
        self.p[5][NM + 1:] = np.log(1.3)
        self.p = [a.astype(np.float32) for a in self.p]
        self.m = [np.zeros_like(a) for a in self.p]
        self.v = [np.zeros_like(a) for a in self.p]
        self.t = 0

    def run(self, X, D, be, train=False, drop=0.1):
        p = self.p
        if train:
            mask0 = (self.rng.random(X.shape, dtype=np.float32) > drop) / np.float32(1 - drop)
            X = X * mask0
        a1 = np.tanh(X @ p[0] + p[1])
        mask = (self.rng.random(a1.shape, dtype=np.float32) > drop) / np.float32(1 - drop) if train else np.float32(1)
        b1 = a1 * mask
        a2 = np.tanh(b1 @ p[2] + p[3])
        o = a2 @ p[4] + p[5]
        l = o[:, :NM]
        e = np.exp(l - l.max(1, keepdims=True))
        w = e / e.sum(1, keepdims=True)
        med = (w * D).sum(1) + 0.3 * o[:, NM] * be
        up, down = np.exp(np.clip(o[:, NM + 1], -5, 4)) * be, np.exp(np.clip(o[:, NM + 2], -5, 4)) * be
        return X, a1, mask, b1, a2, w, med, up, down

    def step(self, X, D, be, Y, weight, lr, decay=1e-4):
        p = self.p
        X, a1, mask, b1, a2, w, med, up, down = self.run(X, D, be, True)
        B = len(X)
        q = np.stack([med - down, med, med + up], 1)
        g = ((q[:, :, None] > Y[:, None, :]).mean(2) - LEVELS.astype(np.float32)) * (weight / B)[:, None]
        gm = g.sum(1)
        go = np.zeros((B, NM + 3), np.float32)
        go[:, :NM] = gm[:, None] * w * (D - (w * D).sum(1, keepdims=True))
        go[:, NM] = gm * 0.3 * be
        go[:, NM + 1] = g[:, 2] * up
        go[:, NM + 2] = -g[:, 0] * down
        g4 = a2.T @ go
        d2 = (go @ p[4].T) * (1 - a2 ** 2)
        d1 = (d2 @ p[2].T) * mask * (1 - a1 ** 2)
        grads = [X.T @ d1, d1.sum(0), b1.T @ d2, d2.sum(0), g4, go.sum(0)]
        self.t += 1
        for k, gr in enumerate(grads):
            self.m[k] = 0.9 * self.m[k] + 0.1 * gr
            self.v[k] = 0.995 * self.v[k] + 0.005 * gr * gr
            mh = self.m[k] / (1 - 0.9 ** self.t)
            vh = self.v[k] / (1 - 0.995 ** self.t)
            p[k] -= (lr * (mh / (np.sqrt(vh) + 1e-7) + (decay * 100 * p[k] if p[k].ndim == 2 else 0))).astype(np.float32)


def stack(rows):
    X = np.concatenate([r["X"][:r["k"]] for r in rows]).astype(np.float32)
    D = np.concatenate([r["D"][:r["k"]] for r in rows]).astype(np.float32)
    be = np.concatenate([r["be"][:r["k"]] for r in rows]).astype(np.float32)
    Y = np.concatenate([np.broadcast_to(r["y"], (r["k"], 16)) for r in rows]).astype(np.float32)
    w = np.concatenate([r["w"][:r["k"]] for r in rows]).astype(np.float32)
    real = np.concatenate([np.full(r["k"], r["c"] == 0) for r in rows])
    return X, D, be, Y, w, real


def train_predict(train, test, nets=3, epochs=10, hidden=40, lr=2e-3, back=0.35, seed=0, limit=1e9):
    X, D, be, Y, w, real = stack(train)
    mu, sd = X.mean(0), X.std(0) + 1e-3
    X = np.clip((X - mu) / sd, -4, 4)
    w = w * np.where(real, 1.0, back)
    w /= w.mean()
    XT = np.clip((np.concatenate([r["X"] for r in test]).astype(np.float32) - mu) / sd, -4, 4)
    DT = np.concatenate([r["D"] for r in test]).astype(np.float32)
    bT = np.concatenate([r["be"] for r in test]).astype(np.float32)
    total = 0
    done = 0
    for k in range(nets):
        rng = np.random.default_rng(seed + k)
        net = Net(X.shape[1], hidden, rng)
        B = 512
        nb = len(X) // B
        steps = epochs * nb
        t = 0
        avg = None
        for ep in range(epochs):
            order = rng.permutation(len(X))
            for b in range(nb):
                idx = order[b * B:(b + 1) * B]
                net.step(X[idx], D[idx], be[idx], Y[idx], w[idx], lr * (0.02 + 0.98 * 0.5 * (1 + np.cos(np.pi * t / steps))))
                t += 1
        _, _, _, _, _, _, med, up, down = net.run(XT, DT, bT)
        total = total + np.stack([med - down, med, med + up], 1)
        done += 1
        if time.process_time() > limit:
            break
    return total / done


def finish(groups, test, q):
    """Answers from the quantiles of the rows of the test."""
    out, at = [], 0
    pos = 0
    for g in groups:
        ans = [None] * len(g["series"])
        for _ in g["series"]:
            r = test[pos]
            pos += 1
            h = g["horizon"]
            z = (q[at:at + h] + r["ref"][:, None]) * r["s"]
            at += h
            v = np.array(g["series"][r["i"]], float)
            ans[r["i"]] = np.nan_to_num(np.sort(backward(z, r["kind"]), 1)).round(5).tolist()
        out.append(ans)
    return out


def main():
    groups = json.loads(Path("problem.json").read_text())["groups"]
    train, test = [], []
    for g in groups:
        rows = rows_of(g)
        test += [r for r in rows if r["c"] == 0]
        train += [r for r in rows if r["c"] > 0]
    for folder in sorted(Path("examples").iterdir()):
        problem = json.loads((folder / "problem.json").read_text())["groups"]
        truth = json.loads((folder / "truth.json").read_text())["groups"]
        for g, t in zip(problem, truth):
            train += rows_of(g, t)
    q = train_predict(train, test, nets=4, epochs=8, limit=33)
    Path("answers.json").write_text(json.dumps({"quantiles": finish(groups, test, q)}))


if __name__ == "__main__":
    main()
