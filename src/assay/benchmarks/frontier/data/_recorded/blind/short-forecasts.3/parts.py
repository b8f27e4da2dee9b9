"""Simple forecasts of all series of a group, and their errors in the past."""
import numpy as np

NAMES = ["naive", "ses.2", "ses.5", "snaive", "own.3", "own.7", "grp.2", "grp.5", "grp.8", "damp", "mean", "ar", "arg", "life", "gtrend", "dir", "rev", "grpn", "dirs", "glob"]
M = len(NAMES)


NF = 14
GLOBAL = None
STATS = None


def features(z, p, gm):
    n = len(z)
    t = np.arange(n)
    c = np.r_[0, np.cumsum(z)]

    def ma(k):
        return (c[t + 1] - c[np.maximum(t + 1 - k, 0)]) / np.minimum(t + 1, k)
    lag = lambda k: z[np.maximum(t - k, 0)]
    dm = z - c[t + 1] / (t + 1)
    d4 = z - lag(4)
    return np.column_stack([z - lag(1), z - lag(2), d4, z - lag(p), z - lag(2 * p), dm, z - ma(3), z - ma(6), z - ma(12), gm[0], gm[1], gm[2], d4 * 10 / (t + 5), np.clip(z - lag(1), -3, 3)])


def ses(y, a):
    n = len(y)
    w = a * (1 - a) ** np.arange(n - 1, -1, -1)
    w[0] += max(1 - w.sum(), 0)
    w /= w.sum()
    return float(w @ y)


def holt(y, a, b, phi, h):
    l, t = y[0], 0.0
    for v in y[1:]:
        l0 = l
        l = a * v + (1 - a) * (l + phi * t)
        t = b * (l - l0) + (1 - b) * phi * t
    return l + t * np.cumsum(phi ** np.arange(1, h + 1))


def smooth(y, p):
    """Centred moving average over one period, ends held with a shrinking window."""
    n = len(y)
    k = p // 2
    c = np.r_[0, np.cumsum(y)]
    out = np.empty(n)
    for i in range(n):
        m = min(k, i, n - 1 - i)
        if p % 2 == 0 and m == k:
            out[i] = (c[i + k] - c[i - k + 1] + .5 * (y[i - k] + y[i + k])) / p
        elif m < k:
            lo, hi = max(0, i - k), min(n, i + k + 1)
            out[i] = (c[hi] - c[lo]) / (hi - lo)
        else:
            out[i] = (c[i + m + 1] - c[i - m]) / (2 * m + 1)
    return out


def forecasts(series, phase, period, marks, h, logs, births):
    """series: arrays (in logs where told) that end at the same step; phase: place in the period of the step after the end;
    marks: (past marks aligned to the end, future marks). Returns array series x M x h."""
    G = len(series)
    out = np.zeros((G, M, h))
    det, own = [], []
    fut_s = (phase + np.arange(h)) % period
    has = marks is not None
    N = max(len(y) for y in series)
    num, den, pooled = np.zeros(period), np.zeros(period), []
    rows = []
    for y in series:
        n = len(y)
        d = y - smooth(y, period)
        e = min(period // 2, n // 6)
        idx = np.arange(n)
        ph = (phase - n + idx) % period
        rows.append((d, ph, e))
    # marked steps: effect on the detrended values
    beta = np.zeros((G, 2))
    if has:
        past, future = marks
        lag = np.r_[0, past[:-1]]
        flag = np.r_[past[-1:], future[:h - 1]]
        AA, AB, sdl = np.zeros((2, 2)), np.zeros(2), []
        for (d, ph, e), y in zip(rows, series):
            n = len(y)
            cols = [c[len(past) - n:] for c in (past, lag)]
            X = np.column_stack([(ph == k) * 1.0 for k in range(period)] + [c - smooth(c, period) for c in cols])
            sd = np.std(d) + 1e-9
            Sx = X[:, :period]
            H = np.linalg.solve(Sx.T @ Sx + .3 * np.eye(period), Sx.T)
            Xr = X[:, period:] - Sx @ (H @ X[:, period:])
            dr = (d - Sx @ (H @ d)) / sd
            sdl.append((sd, Xr.T @ Xr, Xr.T @ dr))
            AA += Xr.T @ Xr
            AB += Xr.T @ dr
        tot = np.linalg.solve(AA + .8 * np.eye(2), AB)
        for i, (sd, a, b) in enumerate(sdl):
            beta[i] = np.linalg.solve(a + 3 * np.eye(2), b + 3 * tot) * sd
    adj = []
    for i, y in enumerate(series):
        if has:
            mk = past[len(past) - len(y):]
            y = y - beta[i, 0] * mk - beta[i, 1] * lag[len(past) - len(y):]
        adj.append(y)
        d = y - smooth(y, period)
        _, ph, e = rows[i]
        rows[i] = (d, ph, e)
    seas = []
    sds = []
    for d, ph, e in rows:
        s = np.zeros(period)
        c = np.zeros(period)
        for k in range(period):
            z = d[e:len(d) - e or None][ph[e:len(d) - e or None] == k]
            c[k] = len(z)
            s[k] = z.mean() if len(z) else 0
        s -= s.mean()
        r = d - s[ph]
        v = np.var(r) / np.maximum(c, 1).mean()
        sh = max(0.0, 1 - v / (np.mean(s * s) + 1e-12)) if len(d) > period else 0
        seas.append((s, sh, c.mean()))
        sds.append(np.std(d) + 1e-9)
    gs = np.zeros(period)
    W = 0
    for (s, sh, c), sd in zip(seas, sds):
        gs += c * s / sd
        W += c
    gs /= max(W, 1e-9)
    # common part against own part of the season
    comb = []
    for (s, sh, c), sd in zip(seas, sds):
        o = s / sd
        dev = np.mean([np.mean((t / q - gs) ** 2) for (t, _, _), q in zip(seas, sds)])
        noise = 1.0 / max(c, 1)
        w = max(0.0, min(1.0, (dev - noise * .8) / (dev + 1e-9)))
        cs = gs + w * (o - gs)
        k2 = max(0.0, 1 - noise / G / (np.mean(cs ** 2) + 1e-9))
        comb.append(cs * sd * k2)
    sa = [y - comb[i][rows[i][1]] for i, y in enumerate(adj)]
    # pooled autoregressions on adjusted values, scaled by the spread of differences
    X, Y, X2, XD, YD = [], [], [], [], []
    scl = [np.std(np.diff(z)) + 1e-9 for z in sa]
    mu = [z.mean() for z in sa]
    Z = [(z - m) / s for z, m, s in zip(sa, mu, scl)]
    L = min(len(z) for z in Z)
    com = np.mean([np.diff(z)[-(L - 1):] for z in Z], axis=0)
    for z in Z:
        n = len(z)
        t = np.arange(3, n)
        X.append(np.column_stack([z[t - 1], z[t - 2], z[t - 3]]))
        Y.append(z[t])
        q = np.arange(max(3, n - L + 3), n)
        dz = np.diff(z)
        c = com[q - (n - L) - 2]
        X2.append(np.column_stack([z[q - 1], z[q - 2], z[q - 3], c, np.ones(len(q))]))
        YD.append(z[q])
    Xa, Ya = np.concatenate(X), np.concatenate(Y)
    lam = 3.0
    prior = np.array([1.0, 0, 0])
    b = np.linalg.solve(Xa.T @ Xa + lam * np.eye(3), Xa.T @ Ya + lam * prior)
    Xb, Yb = np.concatenate(X2), np.concatenate(YD)
    pr2 = np.array([1.0, 0, 0, 0, 0])
    b2 = np.linalg.solve(Xb.T @ Xb + 5 * np.eye(5), Xb.T @ Yb + 5 * pr2)
    # direct regressions of changes, near the coefficients of all groups
    gm = np.zeros((3, N))
    gc = np.zeros(N)
    for z in Z:
        n = len(z)
        o = N - n
        c = np.r_[0, np.cumsum(z)]
        t = np.arange(n)
        gm[0, o + 1:] += z[1:] - z[:-1]
        gm[1, o + 4:] += z[4:] - z[:-4]
        gm[2, o:] += z - (c[t + 1] - c[np.maximum(t - 11, 0)]) / np.minimum(t + 1, 12)
        gc[o:] += 1
    gm /= np.maximum(gc, 1)
    FF = [features(z, period, gm[:, N - len(z):]) for z in Z]
    dirs, pure, stats = [], [], []
    knots = [1, 2, 4, 7, 10, 12]
    for kn, k in enumerate(knots):
        A, B = [], []
        for z, f in zip(Z, FF):
            if len(z) > 8 + k:
                A.append(f[8:len(z) - k])
                B.append(z[8 + k:] - z[8:len(z) - k])
        if A:
            A, B = np.concatenate(A), np.clip(np.concatenate(B), -8, 8)
            a, b_ = A.T @ A, A.T @ B
        else:
            a, b_ = np.zeros((NF, NF)), np.zeros(NF)
        stats.append((a, b_, len(B)))
        if GLOBAL is not None:
            c0, S0 = GLOBAL[0][kn], GLOBAL[1]
            pure.append(c0)
            dirs.append(np.linalg.solve(a + 80 * S0 + 1e-6 * np.eye(NF), b_ + 80 * S0 @ c0))
        else:
            pure.append(np.zeros(NF))
            dirs.append(np.linalg.solve(a + 30 * np.eye(NF), b_))
    if STATS is not None:
        STATS.append(stats)
    gt = np.mean([(z[-1] - z[max(0, len(z) - 1 - 2 * period)]) / min(len(z) - 1, 2 * period) for z in Z])
    st = np.arange(1, h + 1)
    for i, y in enumerate(adj):
        n = len(y)
        f = out[i]
        s_own = seas[i][0] * seas[i][1]
        so = s_own[fut_s]
        sg = comb[i][fut_s]
        yo = y - s_own[rows[i][1]]
        z = sa[i]
        f[0] = y[-1]
        f[1] = holt(z, .4, .12, 1.0, h) + sg
        k = min(n - 1, 2 * period)
        f[2] = ses(z, .6) + np.median(z[k:] - z[:n - k] if n < 3 * period else (z[k:] - z[:n - k])[-period:]) / k * st + sg
        f[3] = [y[n - period + k % period] if n >= period else y[-1] for k in range(h)]
        f[4] = ses(yo, .3) + so
        f[5] = ses(yo, .7) + so
        f[6] = ses(z, .2) + sg
        f[7] = ses(z, .5) + sg
        f[8] = ses(z, .8) + sg
        f[9] = holt(z, .5, .15, .9, h) + sg
        f[10] = z[-3 * period:].mean() + sg
        w = list(Z[i][-3:])
        for k in range(h):
            w.append(b[0] * w[-1] + b[1] * w[-2] + b[2] * w[-3])
        f[11] = np.array(w[3:]) * scl[i] + mu[i] + sg
        w = list(Z[i][-3:])
        c = com[-1] if len(com) else 0.0
        for k in range(h):
            w.append(b2[0] * w[-1] + b2[1] * w[-2] + b2[2] * w[-3] + b2[3] * c + b2[4])
            c = 0.5 * c
        f[12] = np.array(w[3:]) * scl[i] + mu[i] + sg
        # the same age in older series
        g, wt = np.zeros(h), 0
        cnt = np.zeros(h)
        for j, q in enumerate(sa):
            if j == i:
                continue
            m = len(q) - n
            if m >= 1:
                k = min(h, m)
                inc = (q[n:n + k] - np.mean(q[max(0, n - 3):n])) / scl[j]
                g[:k] += inc
                cnt[:k] += 1
        base = ses(z, .6)
        inc = np.zeros(h)
        last = 0.0
        for k in range(h):
            if cnt[k]:
                last = g[k] / (cnt[k] + .3)
            inc[k] = last
        f[13] = base + inc * scl[i] + sg
        f[14] = ses(z, .6) + gt * scl[i] * np.cumsum(.93 ** st) + sg
        fe = FF[i][-1]
        f[15] = z[-1] + np.interp(st, [0] + knots, [0] + [float(fe @ q) for q in dirs]) * scl[i] + sg
        f[19] = z[-1] + np.interp(st, [0] + knots, [0] + [float(fe @ q) for q in pure]) * scl[i] + sg
        f[16] = holt(z, .6, .35, .95, h) + sg
        f[17] = z[-1] + sg
        f[18] = .5 * f[15] + .5 * f[7]
        if has:
            f += beta[i, 0] * future[:h] + beta[i, 1] * flag[:h]
        lo, hi = y.min(), y.max()
        r = (hi - lo) + 1e-9
        np.clip(f, lo - 1.0 * r, hi + 1.0 * r, out=f)
    return out


def prepare(group):
    raw = [np.array(s, float) for s in group["series"]]
    logs = all(s.min() > 0 for s in raw)
    N = max(len(s) for s in raw)
    marks = np.array(group["marks"], float) if group["marks"] else None
    return raw, logs, N, marks


def at(group, cut, h):
    """Forecasts with the last `cut` values hidden; None for series that are too short."""
    raw, logs, N, marks = prepare(group)
    p = group["period"]
    keep = [i for i, s in enumerate(raw) if len(s) - cut >= max(2 * p + 1, 14)] if cut else list(range(len(raw)))
    if not keep:
        return None
    ser = [raw[i][:len(raw[i]) - cut] if cut else raw[i] for i in keep]
    if logs:
        ser = [np.log(s) for s in ser]
    end = N - cut
    mk = None
    if marks is not None:
        mk = (marks[:end], marks[end:end + h])
        if len(mk[1]) < h:
            mk = (mk[0], np.r_[mk[1], np.zeros(h - len(mk[1]))])
    f = forecasts(ser, (group["first"] + end) % p, p, mk, h, logs, None)
    if logs:
        f = np.exp(f)
    return keep, f


def describe(group, cut=0):
    """All that the combination needs for the series with `cut` values hidden: list of dicts."""
    h = group["horizon"]
    now = at(group, cut, h)
    if now is None:
        return []
    raw, logs, N, marks = prepare(group)
    p = group["period"]
    keep, F = now
    err = {i: [] for i in keep}
    sc = {}
    for i in keep:
        y = raw[i][:len(raw[i]) - cut] if cut else raw[i]
        sc[i] = np.mean(np.abs(y[p:] - y[:-p])) + 1e-9 if len(y) > p else np.std(y) + 1e-9
    for back in (2, 4, 7, 10, 13, 17):
        r = at(group, cut + back, min(h, back))
        if r is None:
            continue
        for i, f in zip(*r):
            if i not in err:
                continue
            y = raw[i][len(raw[i]) - cut - back:len(raw[i]) - cut][:f.shape[1]]
            e = np.abs(f - y) / sc[i]
            err[i].append((e[:, :3].mean(1), e[:, 3:].mean(1) if f.shape[1] > 3 else None))
    def mean(which, k):
        v = [x[k] for x in which if x[k] is not None]
        return (np.sum(v, axis=0), len(v)) if v else (np.zeros(M), 0)
    gs, gl = mean([x for e in err.values() for x in e], 0), mean([x for e in err.values() for x in e], 1)
    out = []
    gS = (gs[0] + .6) / (gs[1] + 1)
    gL = (gl[0] + .9) / (gl[1] + 1)
    for i, f in zip(keep, F):
        a, b = mean(err[i], 0), mean(err[i], 1)
        sS, sL = (a[0] + 3 * gS) / (a[1] + 3), (b[0] + 3 * gL) / (b[1] + 3)
        y = raw[i][:len(raw[i]) - cut] if cut else raw[i]
        out.append(dict(i=i, f=f, scale=sc[i], last=y[-1], n=len(y), gS=gS, gL=gL, sS=sS, sL=sL, logs=logs, period=p, marks=marks is not None, level=np.abs(y).mean(),
                        d1=np.mean(np.abs(np.diff(y[-25:]))), G=len(raw), vary=len({len(s) for s in raw}) > 1))
    return out
