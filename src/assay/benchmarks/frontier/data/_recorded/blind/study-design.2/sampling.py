"""Vectorised sampler: a hierarchical Gaussian model with wild results, wrong arms and lost results."""
import numpy as np

# log hyperparameters: 0 scale,1 site,2 unit,3 site-arm,4 unit-arm,5 noise,6 ratio,7-10 site noise,11 day,12 drift,13 effect size
M = np.log(np.array([.5, .5, .75, .2, .25, .85, .45, 1, 1, 1, 1, .55, 1.0, 1.0]))
SD = np.array([.5, .7, .45, .9, .8, .5, .45, .4, .4, .4, .4, .5, .3, .4])
SPIKE = {11: (.2, np.log(.03), .4), 12: (.57, np.log(.03), .4)}
OPT = dict(pw=.02, pa=.035, kw=7.0, iters=400, burn=100, vdev=.4, vx=.4, vm=36.0, trend=.45)


def logprior(th):
    lp = -.5 * ((th - M) / SD) ** 2
    for k, (p, m, s) in SPIKE.items():
        a = np.log(p) - np.log(s) - .5 * ((th[:, k] - m) / s) ** 2
        b = np.log(1 - p) - np.log(SD[k]) - .5 * ((th[:, k] - M[k]) / SD[k]) ** 2
        lp[:, k] = np.logaddexp(a, b)
    return lp.sum(1)


def draw_prior(rng, n, k):
    x = M[k] + SD[k] * rng.standard_normal(n)
    if k in SPIKE:
        p, m, s = SPIKE[k]
        x = np.where(rng.random(n) < p, m + s * rng.standard_normal(n), x)
    return x


def arm_kernel(problem):
    K = np.zeros((4, 4))
    if problem["doses"] is None:
        K[1:, 1:] = .5 + 1.4 * np.eye(3)
    else:
        d = np.array(problem["doses"], float) / 10
        g = d / (d + .5) * 1.5
        K[1:, 1:] = 3.0 * (.1 * np.outer(d, d) + .9 * np.outer(g, g)) + .2 ** 2 * np.eye(3)
    return K


def erfc(x):
    z = np.abs(x)
    t = 1 / (1 + .5 * z)
    r = t * np.exp(-z * z - 1.26551223 + t * (1.00002368 + t * (.37409196 + t * (.09678418 + t * (-.18628806 + t * (.27886807 + t * (-1.13520398 + t * (1.48851587 + t * (-.82215223 + t * .17087277)))))))))
    return np.where(x >= 0, r, 2 - r)


def cdf(x):
    return .5 * erfc(-x / np.sqrt(2))


def upper_normal(rng, a):
    """Standard normal above a (by inverse of the tail, with bisection-free tail formula)."""
    out = np.empty_like(a)
    todo = np.ones(a.shape, bool)
    lo = a < .3
    for _ in range(60):
        if not todo.any():
            break
        al = (a + np.sqrt(a * a + 4)) / 2
        e = a + rng.exponential(size=a.shape) / al
        n = rng.standard_normal(a.shape)
        x = np.where(lo, n, e)
        ok = np.where(lo, n > a, rng.random(a.shape) < np.exp(-.5 * (e - al) ** 2))
        new = todo & ok
        out[new] = x[new]
        todo &= ~ok
    out[todo] = a[todo] + .1
    return out


class Group:
    """Some situations, padded to the same number of records."""

    def __init__(self, problems, plans, results, rng):
        self.rng, B = rng, len(problems)
        rows = []
        for p, plan, res in zip(problems, plans, results):
            d0 = max(r["day"] for r in p["pilot"]) + 1
            ds = p["day_size"]
            r = [(q["unit"], q["arm"], q["device"], q["day"], q["place"], q["value"]) for q in p["pilot"]]
            r += [(s[0], s[1], s[2], d0 + i // ds, i % ds, v) for i, (s, v) in enumerate(zip(plan, res))]
            rows.append(r)
        n = max(len(r) for r in rows)
        self.B, self.n = B, n
        z = lambda *s: np.zeros((B, n) + s)
        self.mask, self.lost, self.y = z(), z(), z()
        self.U, self.S, self.D = z(20), z(4), z(16)
        self.dev, self.x, self.pl, self.tr, self.rv = z(), z(), z(), z(), z()
        self.arm = np.zeros((B, n), int)
        self.KA = np.array([arm_kernel(p) for p in problems])
        self.frac = np.zeros((B, 4))
        self.nu = np.zeros(B)
        self.shift, self.unit = np.zeros(B), np.zeros(B)
        for b, (p, r) in enumerate(zip(problems, rows)):
            v = np.array([q[5] for q in r if q[5] is not None], float)
            self.shift[b] = np.median(v) if len(v) else 0.0
            self.unit[b] = (np.std(v) if len(v) > 1 else 0.0) + 1e-9 + .2 * p["rounding"][0]
            k = len(r)
            u = np.array([q[0] for q in r])
            st = np.array(p["sites"])
            self.nu[b] = len(st)
            self.frac[b] = np.bincount(st, minlength=4) / len(st)
            self.mask[b, :k] = 1
            self.U[b, np.arange(k), u] = 1
            self.S[b, np.arange(k), st[u]] = 1
            day = np.array([q[3] for q in r])
            self.D[b, np.arange(k), np.minimum(day, 15)] = 1
            dev = np.array([q[2] for q in r])
            self.dev[b, :k] = dev - .5
            xs = np.array(p["x"])
            self.x[b, :k] = xs[u] - xs.mean()
            self.pl[b, :k] = np.array([q[4] for q in r]) / max(p["day_size"] - 1, 1) - .5
            self.tr[b, :k] = day - day.mean()
            self.arm[b, :k] = [q[1] for q in r]
            self.lost[b, :k] = [q[5] is None for q in r]
            self.y[b, :k] = [0 if q[5] is None else (q[5] - self.shift[b]) / self.unit[b] for q in r]
            self.rv[b, :k] = (np.array(p["rounding"])[dev] / self.unit[b]) ** 2 / 12
        o = lambda a: a[:, :, None] * a[:, None, :]
        m2 = o(self.mask)
        self.C0 = OPT["vm"] * m2 + OPT["vdev"] * o(self.dev) + OPT["vx"] * o(self.x)
        self.SS = self.S @ self.S.transpose(0, 2, 1)
        self.UU = self.U @ self.U.transpose(0, 2, 1)
        self.DD = self.D @ self.D.transpose(0, 2, 1) + OPT["trend"] ** 2 * o(self.tr)
        self.PP = o(self.pl)
        self.has = (self.lost.sum(1) > 0)

    def set_arms(self, z):
        self.z = z
        A = (z[:, :, None] == np.arange(4)) * self.mask[:, :, None]
        self.A = A
        E = A[:, :, 1:] @ A[:, :, 1:].transpose(0, 2, 1)
        self.AK = A @ self.KA @ A.transpose(0, 2, 1)
        self.SE, self.UE = self.SS * E, self.UU * E

    def noise(self, th):
        s = np.exp(th[:, 0])[:, None]
        f = th[:, 7:11][:, None, :]
        v = np.exp(2 * (th[:, 5][:, None] + th[:, 6][:, None] * (self.dev > 0) + (self.S * f).sum(2))) * s * s
        return v

    def cov(self, th, v):
        e = np.exp(2 * th)
        c = lambda k: e[:, k][:, None, None]
        K = self.C0 + c(1) * self.SS
        K += c(2) * self.UU
        K += c(13) * self.AK
        K += c(3) * self.SE
        K += c(4) * self.UE
        K += c(11) * self.DD
        K += c(12) * self.PP
        K *= c(0)
        i = np.arange(self.n)
        K[:, i, i] += np.where(self.mask > 0, v, 1.0) + 1e-9
        return K

    def loglik(self, K, y):
        B, n = self.B, self.n
        G = np.empty((B, n + 1, n + 1))
        G[:, :n, :n] = K
        G[:, n, :n] = G[:, :n, n] = y
        G[:, n, n] = 1e8
        L = np.linalg.cholesky(G)
        d = np.diagonal(L, axis1=1, axis2=2)
        return -np.log(d[:, :n]).sum(1) - .5 * (1e8 - d[:, n] ** 2)

    def run(self, iters, burn):
        rng, B, n = self.rng, self.B, self.n
        th = np.array([draw_prior(rng, B, k) for k in range(14)]).T
        th[:, 7:11] *= .3
        self.set_arms(self.arm.copy())
        o = np.zeros((B, n))
        y = self.y.copy()
        lost = self.lost > 0
        top = np.array([np.max(self.y[b][(self.mask[b] > 0) & ~lost[b]], initial=0) for b in range(B)])
        y[lost] = np.repeat(top[:, None] * .7, n, 1)[lost]
        T, lw, q = .5 * top, np.log(.2) * np.ones(B), .65 * np.ones(B)
        kw2 = OPT["kw"] ** 2
        keep, hyp = [], []
        for it in range(iters):
            mult = np.where(o > 0, kw2, 1.0)
            v = self.noise(th) * mult + self.rv
            K = self.cov(th, v)
            cur = self.loglik(K, y) + logprior(th)
            for rep in range(2):
                sel = rng.random((B, 14)) < .3
                st = sel * rng.standard_normal((B, 14)) * SD * 1.1 / np.sqrt(np.maximum(sel.sum(1), 1))[:, None]
                new = th + st
                for k in SPIKE:
                    jump = rng.random(B) < .3
                    flip = rng.random(B) < .5
                    p, m, s = SPIKE[k]
                    # independent proposal from the prior, corrected below
                    prop = draw_prior(rng, B, k)
                    new[:, k] = np.where(jump, prop, new[:, k])
                    sel[:, k] |= jump
                    setattr(self, "j%d" % k, jump)
                vn = self.noise(new) * mult + self.rv
                Kn = self.cov(new, vn)
                cand = self.loglik(Kn, y) + logprior(new)
                corr = np.zeros(B)
                for k in SPIKE:
                    p, m, s = SPIKE[k]
                    lp = lambda t: np.logaddexp(np.log(p) - np.log(s) - .5 * ((t - m) / s) ** 2, np.log(1 - p) - np.log(SD[k]) - .5 * ((t - M[k]) / SD[k]) ** 2)
                    corr += np.where(getattr(self, "j%d" % k), lp(th[:, k]) - lp(new[:, k]), 0)
                acc = np.log(rng.random(B)) < cand - cur + corr
                th = np.where(acc[:, None], new, th)
                K = np.where(acc[:, None, None], Kn, K)
                v = np.where(acc[:, None], vn, v)
                cur = np.where(acc, cand, cur)
            # coefficients
            e = np.exp(2 * th)
            s2 = e[:, 0]
            g = rng.standard_normal
            sd = lambda k: np.exp(th[:, 0] + th[:, k])
            s1 = np.exp(th[:, 0])
            KA = self.KA[:, 1:, 1:] * e[:, 13][:, None, None]
            LA = np.linalg.cholesky(KA)
            m0 = g(B) * s1 * OPT["vm"] ** .5
            d0 = g(B) * s1 * OPT["vdev"] ** .5
            x0 = g(B) * s1 * OPT["vx"] ** .5
            si0 = g((B, 4)) * sd(1)[:, None]
            u0 = g((B, 20)) * sd(2)[:, None]
            a0 = (LA @ g((B, 3, 1)))[:, :, 0] * s1[:, None]
            sa0 = g((B, 4, 3)) * sd(3)[:, None, None]
            ua0 = g((B, 20, 3)) * sd(4)[:, None, None]
            da0 = g((B, 16)) * sd(11)[:, None]
            t0 = g(B) * sd(11) * OPT["trend"]
            p0 = g(B) * sd(12)
            A3 = self.A[:, :, 1:]

            def base(m, d, x, si, u, da, t, p):
                return (m[:, None] + d[:, None] * self.dev + x[:, None] * self.x + (self.S @ si[:, :, None])[:, :, 0] + (self.U @ u[:, :, None])[:, :, 0]
                        + (self.D @ da[:, :, None])[:, :, 0] + t[:, None] * self.tr + p[:, None] * self.pl)

            def effs(a, sa, ua):
                return a[:, None, :] + self.S @ sa + self.U @ ua  # B,n,3
            f0 = base(m0, d0, x0, si0, u0, da0, t0, p0) + (A3 * effs(a0, sa0, ua0)).sum(2)
            r0 = (y - f0 - np.sqrt(v) * g((B, n))) * self.mask
            Sf = (self.S @ self.frac[:, :, None])[:, :, 0]
            Cf = (A3 @ KA + A3 * (e[:, 3][:, None] * Sf + (e[:, 4] / self.nu)[:, None])[:, :, None]) * s2[:, None, None]
            sol = np.linalg.solve(K, np.concatenate([r0[:, :, None], Cf], 2))
            w = sol[:, :, 0] * self.mask
            if it >= burn:
                Vf = (KA + np.eye(3) * (e[:, 3] * (self.frac ** 2).sum(1) + e[:, 4] / self.nu)[:, None, None]) * s2[:, None, None]
                mean = (sol[:, :, 1:] * y[:, :, None]).sum(1)
                var = np.diagonal(Vf - Cf.transpose(0, 2, 1) @ sol[:, :, 1:], axis1=1, axis2=2)
                keep.append((mean, np.sqrt(np.maximum(var, 1e-12))))
                hyp.append(th)
            t_ = lambda X: (X.transpose(0, 2, 1) @ w[:, :, None])[:, :, 0]
            m1 = m0 + OPT["vm"] * s2 * w.sum(1)
            d1 = d0 + OPT["vdev"] * s2 * (w * self.dev).sum(1)
            x1 = x0 + OPT["vx"] * s2 * (w * self.x).sum(1)
            si1 = si0 + (sd(1) ** 2)[:, None] * t_(self.S)
            u1 = u0 + (sd(2) ** 2)[:, None] * t_(self.U)
            da1 = da0 + (sd(11) ** 2)[:, None] * t_(self.D)
            tr1 = t0 + sd(11) ** 2 * OPT["trend"] ** 2 * (w * self.tr).sum(1)
            p1 = p0 + sd(12) ** 2 * (w * self.pl).sum(1)
            wa = w[:, :, None] * A3
            a1 = a0 + s2[:, None] * (KA @ wa.sum(1)[:, :, None])[:, :, 0]
            sa1 = sa0 + (sd(3) ** 2)[:, None, None] * (self.S.transpose(0, 2, 1) @ wa)
            ua1 = ua0 + (sd(4) ** 2)[:, None, None] * (self.U.transpose(0, 2, 1) @ wa)
            b1 = base(m1, d1, x1, si1, u1, da1, tr1, p1)
            F = np.concatenate([b1[:, :, None], b1[:, :, None] + effs(a1, sa1, ua1)], 2)  # B,n,4
            # joint draw of true arm and wildness (for the lost: from the probability of loss)
            nv = self.noise(th)
            v2 = np.stack([nv + self.rv, nv * kw2 + self.rv], 2)  # B,n,2
            pa = OPT["pa"]
            lpa = np.where(np.arange(4) == self.arm[:, :, None], np.log(1 - pa), np.log(pa / 3))
            lpw = np.log([1 - OPT["pw"], OPT["pw"]])
            sp = np.exp(lw) * s1
            dlt = y[:, :, None] - F
            lo_ = -.5 * dlt[:, :, :, None] ** 2 / v2[:, :, None, :] - .5 * np.log(v2)[:, :, None, :]
            ll_ = np.log(cdf((F[:, :, :, None] - T[:, None, None, None]) / np.sqrt(v2[:, :, None, :] + (sp ** 2)[:, None, None, None])) + 1e-30)
            lt = np.where(lost[:, :, None, None], ll_, lo_) + lpa[:, :, :, None] + lpw
            lt = lt.reshape(B, n, 8)
            pick = np.argmax(lt + rng.gumbel(size=lt.shape), 2)
            z = pick // 2
            o = (pick % 2) * self.mask
            self.set_arms(np.where(self.mask > 0, z, 0))
            if self.has.any():
                f = np.take_along_axis(F, z[:, :, None], 2)[:, :, 0]
                vv = np.where(o > 0, v2[:, :, 1], v2[:, :, 0])
                tot = np.sqrt(vv + (sp ** 2)[:, None])
                lim = np.where(lost, (T[:, None] - f) / tot, 0)
                Sx = f + tot * upper_normal(rng, lim)
                h = vv / tot ** 2
                ys = f + h * (Sx - f) + np.sqrt(vv * (1 - h)) * g((B, n))
                y = np.where(lost, ys, y)

                def lossl(T, lw, q):
                    pr = q[:, None] * cdf((y - T[:, None]) / (np.exp(lw) * s1)[:, None])
                    l = np.where(lost, np.log(pr + 1e-30), np.log1p(-np.minimum(pr, 1 - 1e-9))) * self.mask
                    c = m1 + .3 * s1
                    return l.sum(1) - .5 * ((T - c) / (1.5 * s1)) ** 2 - .5 * ((lw - np.log(.25)) / .6) ** 2 + np.where((q > .3) & (q < 1), 0, -1e9)
                c0 = lossl(T, lw, q)
                for _ in range(3):
                    k = rng.integers(0, 2)
                    T2 = T + s1 * g(B) * (.5, .15)[k]
                    l2 = lw + .4 * g(B)
                    q2 = np.clip(q + .2 * g(B), .2, 1.1)
                    c2 = lossl(T2, l2, q2)
                    ac = np.log(rng.random(B)) < c2 - c0
                    T, lw, q, c0 = np.where(ac, T2, T), np.where(ac, l2, lw), np.where(ac, q2, q), np.where(ac, c2, c0)
        self.hyp = np.array(hyp)
        means = np.array([k[0] for k in keep])
        sds = np.array([k[1] for k in keep])
        return means, sds


def posterior(problems, plans, results, iters=None, burn=None, seed=1, size=24):
    order = np.argsort([len(p["pilot"]) + len(q) for p, q in zip(problems, plans)], kind="stable")
    out, hyp = [None] * len(problems), [None] * len(problems)
    rng = np.random.default_rng(seed)
    for i in range(0, len(order), size):
        idx = order[i:i + size]
        G = Group([problems[j] for j in idx], [plans[j] for j in idx], [results[j] for j in idx], rng)
        m, s = G.run(iters or OPT["iters"], burn or OPT["burn"])
        for k, j in enumerate(idx):
            d = m[:, None, k] + s[:, None, k] * rng.standard_normal((m.shape[0], 12, 3))
            out[j] = d.reshape(-1, 3) * G.unit[k]
            hyp[j] = (G.hyp[:, k], G.unit[k])
    return out, hyp
