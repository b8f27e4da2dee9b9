"""Gibbs sampling of the model for many situations at once."""
import numpy as np
import parts as P

G = np.exp(np.linspace(np.log(0.04), np.log(5.0), 40))
LG = np.log(G)


def lognormal_table(median, sd, spike=0.0):
    t = np.exp(-0.5 * ((LG - np.log(median)) / sd) ** 2)
    t /= t.sum()
    t *= 1 - spike
    t[0] += spike
    return np.log(t + 1e-12)


# median, sd of log, probability of absence
PRIORS = {
    P.SITE: (0.55, 0.5, 0.2), P.DEV: (0.55, 0.15, 0.0), P.DAY: (0.75, 0.4, 0.33), P.SLOPE: (0.22, 0.3, 0.6),
    P.TREND: (0.28, 0.3, 0.25), P.BX: (0.5, 0.4, 0.15), P.UNIT: (0.75, 0.42, 0.0), P.EFF: (1.3, 0.2, 0.0),
    P.SA: (0.45, 0.5, 0.4), P.UA: (0.2, 0.6, 0.1), P.DOSE: (1.5, 0.25, 0.0),
}
DOSE_EFF = (0.2, 0.35, 0.0)
S0 = (0.72, 0.4, 0.0)
S1 = (0.35, 0.38, 0.0)
FAC = np.exp(np.linspace(np.log(0.4), np.log(6), 24))
FACP = np.log(0.6 * np.exp(-0.5 * (np.log(FAC) / 0.25) ** 2) / 0.25 + 0.4 * np.exp(-0.5 * ((np.log(FAC) - np.log(1.9)) / 0.5) ** 2) / 0.5)
WILD = 7.0
RATES = np.array([0.001, 0.02, 0.05, 0.1])
WILDP = np.log(np.array([0.4, 0.25, 0.2, 0.15]))
WRONGP = np.log(np.array([0.4, 0.25, 0.2, 0.15]))


def draw(logp, rng):
    """An index from unnormalised log probabilities on the last axis."""
    p = np.exp(logp - logp.max(-1, keepdims=True))
    c = np.cumsum(p, -1)
    u = rng.random(c.shape[:-1] + (1,)) * c[..., -1:]
    return np.minimum((c < u).sum(-1), logp.shape[-1] - 1)


def phi(z):
    return 1 / (1 + np.exp(-np.clip(1.702 * z, -40, 40)))


def sample(problems, plans, results, iterations, burn, seed=1):
    """Draws of the conditional means and variances of the effects: (draws, S, 3) each."""
    rng = np.random.default_rng(seed)
    data = [P.records(*t) for t in zip(problems, plans, results)]
    S, N, K = len(problems), max(map(len, data)), P.K
    base, arms = np.zeros((S, N, K)), np.zeros((S, N, 4, K))
    real, lost = np.zeros((S, N), bool), np.zeros((S, N), bool)
    value, half = np.zeros((S, N)), np.zeros((S, N))
    arm0, dev, site = (np.zeros((S, N), int) for _ in range(3))
    L = np.stack([P.target(p) for p in problems])
    n_units = np.array([len(p["sites"]) for p in problems])
    has_dose = np.array([p["doses"] is not None for p in problems])
    start = np.zeros(S)
    days = np.zeros(S, int)
    for s, (p, rows) in enumerate(zip(problems, data)):
        cache = {}
        for i, (u, a, d, day, place, v) in enumerate(rows):
            base[s, i] = P.base_row(p, u, d, day, place)
            if u not in cache:
                cache[u] = P.arm_rows(p, u)
            arms[s, i] = cache[u]
            real[s, i], lost[s, i] = True, v is None
            value[s, i] = 0 if v is None else v
            half[s, i] = p["rounding"][d] / 2
            arm0[s, i], dev[s, i], site[s, i] = a, d, p["sites"][u]
        seen = value[s][real[s] & ~lost[s]]
        start[s] = max(np.std(seen) / 1.7, p["rounding"][0] / 3, 1e-3) if len(seen) > 1 else p["rounding"][0] + 0.01
        centre = np.median(seen) if len(seen) else 0.0
        value[s] -= centre * (real[s] & ~lost[s])
        value[s][lost[s]] = start[s]
        days[s] = 1 + max(r[3] for r in rows)
    # everything in units of the starting scale
    value /= start[:, None]
    half /= start[:, None]
    pilot_day = None
    counts = np.tile(np.array(P.SIZES, float), (S, 1))
    counts[:, P.SITE] = [max(p["sites"]) + 1 for p in problems]
    counts[:, P.DAY] = np.minimum(days, P.ND)
    counts[:, P.UNIT] = n_units
    counts[:, P.SA] = counts[:, P.SITE] * 3
    counts[:, P.UA] = n_units * 3
    exists = np.zeros((S, K), bool)
    for g in range(12):
        idx = np.arange(P.SIZES[g])
        exists[:, P.STARTS[g]:P.STARTS[g + 1]] = idx[None] < counts[:, g:g + 1]
    exists[:, P.STARTS[P.DOSE]:] &= has_dose[:, None]
    counts[:, P.DOSE] *= has_dose
    tables = np.zeros((S, 12, len(G)))
    tau = np.ones((S, 12))
    for g in range(1, 12):
        tables[:, g] = lognormal_table(*PRIORS[g])
        tau[:, g] = PRIORS[g][0]
    tables[has_dose, P.EFF] = lognormal_table(*DOSE_EFF)
    tau[has_dose, P.EFF] = DOSE_EFF[0]
    t0, t1 = lognormal_table(*S0), lognormal_table(*S1)
    s0, s1 = np.full(S, S0[0]), np.full(S, S1[0])
    fac = np.ones((S, 4))
    scale = np.ones(S)
    SG = np.exp(np.linspace(-1.6, 1.6, 65))
    LSG = np.log(SG)
    wild = np.zeros((S, N), bool)
    pw, pa = np.full(S, 0.02), np.full(S, 0.02)
    arm = arm0.copy()
    y = value.copy()
    any_lost = lost.any(1)
    # losses: probability q * phi((y - c) / w)
    c, q, w = np.full(S, 1.0), np.where(any_lost, 0.7, 0.02), np.full(S, 0.4)
    si, ni = np.arange(S)[:, None], np.arange(N)[None]
    onehot = np.stack([(site == k) & real for k in range(4)], -1)
    T = 20
    E0 = int(P.STARTS[P.EFF])
    arms_e = np.ascontiguousarray(arms[..., E0:].reshape(S, N * 4, K - E0))
    means, variances = [], []
    edges = (np.arange(T) + 0.5) / T
    for it in range(iterations):
        # linear parameters
        sd = tau.copy() * scale[:, None]
        sd[:, P.MU] = 6.0 * scale
        sdk = sd[:, P.GROUP] * exists
        noise = np.where(dev == 0, s0[:, None], s1[:, None]) * fac[si, site] * scale[:, None]
        R = (noise * np.where(wild, WILD, 1.0)) ** 2
        R = np.where(real, R, 1e4)
        H = base + arms[si, ni, arm]
        A = H * sdk[:, None, :]
        V = A @ A.transpose(0, 2, 1)
        V[:, np.arange(N), np.arange(N)] += R
        LA = L * sdk[:, None, :]
        C = A @ LA.transpose(0, 2, 1)
        z = rng.standard_normal((S, K))
        y0 = (A @ z[..., None])[..., 0] + np.sqrt(R) * rng.standard_normal((S, N))
        rhs = np.concatenate([(y - y0)[..., None], y[..., None], C], -1)
        sol = np.linalg.solve(V, rhs)
        theta = sdk * (z + (A.transpose(0, 2, 1) @ sol[..., :1])[..., 0])
        if it >= burn:
            means.append((C * sol[..., 1:2]).sum(1) * start[:, None])
            variances.append(np.maximum((LA ** 2).sum(-1) - (C * sol[..., 2:]).sum(1), 1e-12) * start[:, None] ** 2)
        # predictions for each arm
        pred = (base @ theta[..., None])[..., 0][..., None] + (arms_e @ theta[:, E0:, None]).reshape(S, N, 4)
        # wrong arms and wild results
        res = y[..., None] - pred
        lw = []
        for wl in (False, True):
            sdn = noise * (WILD if wl else 1.0)
            lp = -0.5 * (res / sdn[..., None]) ** 2 - np.log(sdn)[..., None]
            pr = np.where(np.arange(4) == arm0[..., None], 1 - pa[:, None, None], pa[:, None, None] / 3)
            lp = lp + np.log(pr) + np.log(pw if wl else 1 - pw)[:, None, None]
            lw.append(lp)
        k = draw(np.concatenate(lw, -1), rng)
        wild, arm = k >= 4, k % 4
        nr = real.sum(1)
        nw, na = (wild & real).sum(1), ((arm != arm0) & real).sum(1)
        pw = RATES[draw(nw[:, None] * np.log(RATES) + (nr - nw)[:, None] * np.log(1 - RATES) + WILDP, rng)]
        pa = RATES[draw(na[:, None] * np.log(RATES) + (nr - na)[:, None] * np.log(1 - RATES) + WRONGP, rng)]
        # the values behind rounding and losses
        m = pred[si, ni, arm]
        sdn = noise * np.where(wild, WILD, 1.0)
        low = np.where(lost, m - 4 * sdn, value - half)
        width = np.where(lost, 8 * sdn, 2 * half)
        grid = low[..., None] + width[..., None] * (edges + (rng.random((S, N, 1)) - 0.5) / T)
        lp = -0.5 * ((grid - m[..., None]) / sdn[..., None]) ** 2
        f = q[:, None, None] * phi((grid - c[:, None, None]) / w[:, None, None])
        lp += np.log(np.where(lost[..., None], f, 1 - f) + 1e-9)
        y = grid[si, ni, draw(lp, rng)]
        y = np.where(real, y, 0.0)
        # losses
        for _ in range(3):
            cn = c + rng.standard_normal(S) * 0.4 * scale
            qn = np.clip(q + rng.standard_normal(S) * 0.15, 0.005, 0.99)
            wn = np.clip(w * np.exp(rng.standard_normal(S) * 0.3), 0.1 * scale, 0.8 * scale)
            def ll(c, q, w):
                f = q[:, None] * phi((y - c[:, None]) / w[:, None])
                t = (np.log(np.where(lost, f, 1 - f) + 1e-9) * real).sum(1)
                return t - 0.5 * ((c - 0.7 * scale) / (1.3 * scale)) ** 2 + np.where(q < 0.02, 1.5, 0) - 0.5 * ((np.clip(q, 0, 0.8) - 0.8) / 0.25) ** 2 * (q > 0.02)
            ok = np.log(rng.random(S)) < ll(cn, qn, wn) - ll(c, q, w)
            c, q, w = np.where(ok, cn, c), np.where(ok, qn, q), np.where(ok, wn, w)
        # standard deviations
        ss = np.add.reduceat(theta ** 2, P.STARTS[:-1], axis=1)
        rel = ss / scale[:, None] ** 2
        lp = tables - counts[..., None] * LG - 0.5 * rel[..., None] / G ** 2
        tau = G[draw(lp, rng)]
        e2 = ((y - m) / np.where(wild, WILD, 1.0)) ** 2 * real
        base_sd = np.where(dev == 0, s0[:, None], s1[:, None]) * scale[:, None]
        for ek in [0]:
            q2 = (e2 / base_sd ** 2)
            qs = (q2[..., None] * onehot).sum(1)
            cs = onehot.sum(1)
            fac = FAC[draw(FACP - cs[..., None] * np.log(FAC) - 0.5 * qs[..., None] / FAC ** 2, rng)]
        e3 = e2 / (fac[si, site] * scale[:, None]) ** 2
        for d, t in ((0, t0), (1, t1)):
            pick = (dev == d) & real
            lp = t - pick.sum(1)[:, None] * LG - 0.5 * (e3 * pick).sum(1)[:, None] / G ** 2
            if d == 0:
                s0 = G[draw(lp, rng)]
            else:
                s1 = G[draw(lp, rng)]
        # the scale
        f = fac[si, site] * np.where(dev == 0, s0[:, None], s1[:, None])
        tot = (e2 / f ** 2).sum(1)
        cnt = real.sum(1).astype(float)
        g = np.concatenate([np.full((S, 1), 6.0), tau[:, 1:]], 1)
        tot = tot + (ss / g ** 2).sum(1)
        cnt = cnt + counts.sum(1)
        lp = -cnt[:, None] * LSG - 0.5 * tot[:, None] / SG ** 2 - 0.5 * (LSG / 0.6) ** 2
        scale = SG[draw(lp, rng)]
    return np.array(means), np.array(variances)


def quantiles(means, variances, level=0.025):
    """The quantiles of the mixtures of normals, by bisection."""
    sd = np.sqrt(variances)
    out = []
    for p in (level, 0.5, 1 - level):
        lo, hi = (means - 6 * sd).min(0), (means + 6 * sd).max(0)
        for _ in range(40):
            mid = (lo + hi) / 2
            below = phi2((mid - means) / sd).mean(0) < p
            lo, hi = np.where(below, mid, lo), np.where(below, hi, mid)
        out.append((lo + hi) / 2)
    return out


def phi2(z):
    """The normal distribution function (Abramowitz and Stegun 26.2.17)."""
    a = np.abs(z)
    t = 1 / (1 + 0.2316419 * a)
    poly = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
    tail = np.exp(-0.5 * a * a) / 2.5066282746310002 * poly
    return np.where(z > 0, 1 - tail, tail)
