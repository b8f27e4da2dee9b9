"""Plans by exchange: smallest posterior standard deviations of the effects under the Gaussian model."""
import numpy as np
import sampling

H = dict(site=.55, unit=.8, sa=.33, ua=.38, n0=1.0, ratio=.5, day=.6, drift=.6, eff=1.0, extra=.12, arm_err=.035)
PASSES = 3


class Design:
    def __init__(self, p, h, rounding):
        self.p, self.h = p, h
        self.sites = np.array(p["sites"])
        self.x = np.array(p["x"]) - np.mean(p["x"])
        self.nu = len(self.sites)
        self.KA = sampling.arm_kernel(p) * h["eff"] ** 2
        self.frac = np.bincount(self.sites, minlength=4) / self.nu
        self.d0 = max(r["day"] for r in p["pilot"]) + 1
        self.ds = p["day_size"]
        self.rounding = rounding
        U, A, D = np.meshgrid(np.arange(self.nu), np.arange(4), np.arange(2), indexing="ij")
        self.cu, self.ca, self.cd = U.ravel(), A.ravel(), D.ravel()
        pil = [r for r in p["pilot"] if r["value"] is not None]
        pu = np.array([r["unit"] for r in pil], int)
        pa = np.array([r["arm"] for r in pil], int)
        pd = np.array([r["device"] for r in pil], int)
        self.np = len(pil)
        au, aa, ad = np.r_[self.cu, pu], np.r_[self.ca, pa], np.r_[self.cd, pd]
        self.au, self.aa, self.ad = au, aa, ad
        O = sampling.OPT
        s = self.sites[au]
        same_u, same_s = au[:, None] == au, s[:, None] == s
        ea = (aa[:, None] == aa) & (aa > 0)
        K = O["vm"] + O["vdev"] * np.outer(ad - .5, ad - .5) + O["vx"] * np.outer(self.x[au], self.x[au])
        K = K + h["site"] ** 2 * same_s + h["unit"] ** 2 * same_u + self.KA[aa][:, aa]
        K = K + ea * (h["sa"] ** 2 * same_s + h["ua"] ** 2 * same_u)
        self.K = K
        one = (aa[:, None] == np.arange(1, 4))
        self.F = self.KA[aa][:, 1:] + one * (h["sa"] ** 2 * self.frac[s] + h["ua"] ** 2 / self.nu)[:, None]
        self.VF = np.diag(self.KA)[1:] + h["sa"] ** 2 * (self.frac ** 2).sum() + h["ua"] ** 2 / self.nu
        nv = h["n0"] ** 2 * np.where(ad == 1, h["ratio"] ** 2, 1.0) + rounding[ad] ** 2 / 12
        if "sn" in h:
            nv = nv * h["sn"][s] ** 2
        self.nv = nv + h["extra"] ** 2 + h["arm_err"] * np.diag(self.KA)[1:].mean()
        self.pday = np.array([r["day"] for r in pil])
        self.ppl = np.array([r["place"] for r in pil])
        self.cost = np.array(p["measure_cost"])[self.cd]
        self.known = {r["unit"] for r in p["pilot"]}
        self.isnew = np.array([u not in self.known for u in range(self.nu)])

    def slots(self, n):
        i = np.arange(n)
        day = np.r_[self.pday, self.d0 + i // self.ds]
        pl = np.r_[self.ppl, i % self.ds] / max(self.ds - 1, 1) - .5
        t = day - self.d0
        return self.h["day"] ** 2 * ((day[:, None] == day) + sampling.OPT["trend"] ** 2 * np.outer(t, t)) + self.h["drift"] ** 2 * np.outer(pl, pl)

    def value(self, seq, T):
        """Criterion of a sequence of candidate numbers."""
        nc = len(self.cu)
        idx = np.r_[nc + np.arange(self.np), seq].astype(int)
        n = len(idx)
        S = self.K[np.ix_(idx, idx)] + T[:n, :n]
        S[np.arange(n), np.arange(n)] += self.nv[idx]
        F = self.F[idx]
        return np.sqrt(np.maximum(self.VF - (F * np.linalg.solve(S, F)).sum(0), 1e-9)).sum()

    def scan(self, seq, i, cand, T, order=None):
        """Criterion for each candidate at place i (slot i of the plan), with the others of seq kept."""
        nc = len(self.cu)
        rest = [k for k in range(len(seq)) if k != i]
        idx = np.r_[nc + np.arange(self.np), [seq[k] for k in rest]].astype(int)
        sl = np.r_[np.arange(self.np), [self.np + k for k in rest]].astype(int)
        n = len(idx)
        S = self.K[np.ix_(idx, idx)] + T[np.ix_(sl, sl)]
        S[np.arange(n), np.arange(n)] += self.nv[idx]
        P = np.linalg.inv(S)
        k = self.K[np.ix_(cand, idx)] + T[self.np + i, sl]
        kP = k @ P
        var = self.K[cand, cand] + T[self.np + i, self.np + i] + self.nv[cand] - (kP * k).sum(1)
        F = self.F[idx]
        c = self.F[cand] - kP @ F
        base = self.VF - (F * (P @ F)).sum(0)
        return np.sqrt(np.maximum(base - c ** 2 / var[:, None], 1e-9)).sum(1)

    def optimise(self, units, device, rng, passes):
        """Steps with the units and the device given."""
        new = sum(self.isnew[u] for u in units)
        price = self.p["measure_cost"][device]
        n = int((self.p["budget"] - new * self.p["enrol_cost"] + 1e-9) // price)
        n = min(n, 8 * len(units))
        if n < 4:
            return None, 1e9
        T = self.slots(n)
        cand = np.flatnonzero(np.isin(self.cu, units) & (self.cd == device))
        seq = []
        count = np.zeros(len(self.cu), int)
        for i in range(n):
            ok = cand[count[cand] < 2]
            if not len(ok):
                break
            v = self.scan(seq + [-1], i, ok, T)
            j = ok[np.argmin(v + 1e-6 * rng.random(len(v)))]
            seq.append(j)
            count[j] += 1
        val = self.exchange(seq, cand, T, passes)
        return seq, val

    def exchange(self, seq, cand, T, passes):
        count = np.bincount(seq, minlength=len(self.cu))
        val = self.value(np.array(seq), T)
        for _ in range(passes):
            before = val
            for i in range(len(seq)):
                count[seq[i]] -= 1
                ok = cand[count[cand] < 2]
                v = self.scan(seq, i, ok, T)
                k = np.argmin(v)
                if v[k] < val - 1e-7:
                    seq[i], val = ok[k], v[k]
                count[seq[i]] += 1
            if before - val < .003 * before:
                break
        return val

    def mixed(self, seq, val):
        """Exchanges between devices and units within the budget, then whatever still fits."""
        p, T = self.p, self.slots(len(seq) + 40)
        full = np.arange(len(self.cu))
        count = np.bincount(seq, minlength=len(self.cu))
        for _ in range(2):
            before = val
            for i in range(len(seq)):
                used = {self.cu[j] for k, j in enumerate(seq) if k != i}
                spent = sum(self.cost[j] for k, j in enumerate(seq) if k != i) + p["enrol_cost"] * sum(self.isnew[u] for u in used)
                extra = np.array([0 if u in used or not self.isnew[u] else p["enrol_cost"] for u in range(self.nu)])
                count[seq[i]] -= 1
                ok = full[(count < 2) & (spent + self.cost + extra[self.cu] <= p["budget"] + 1e-9)]
                v = self.scan(seq, i, ok, T[:self.np + len(seq), :self.np + len(seq)])
                k = np.argmin(v)
                if v[k] < val - 1e-7:
                    seq[i], val = ok[k], v[k]
                count[seq[i]] += 1
            while True:
                used = {self.cu[j] for j in seq}
                spent = sum(self.cost[j] for j in seq) + p["enrol_cost"] * sum(self.isnew[u] for u in used)
                extra = np.array([0 if u in used or not self.isnew[u] else p["enrol_cost"] for u in range(self.nu)])
                ok = full[(count < 2) & (spent + self.cost + extra[self.cu] <= p["budget"] + 1e-9)]
                if not len(ok):
                    break
                v = self.scan(seq + [-1], len(seq), ok, T)
                k = np.argmin(v)
                seq.append(ok[k])
                count[ok[k]] += 1
                val = v[k]
            if before - val < .002 * before:
                break
        return seq, val


def unit_sets(D, rng):
    """Known units, with more and more new ones, spread over the sites."""
    known = sorted(D.known)
    new = [u for u in range(D.nu) if D.isnew[u]]
    have = np.bincount(D.sites[known], minlength=4).astype(float)
    want = D.frac
    order = []
    while new:
        s = np.argmax([want[D.sites[u]] / (have[D.sites[u]] + 1) - .01 * abs(D.x[u]) for u in new])
        u = new.pop(s)
        have[D.sites[u]] += 1
        order.append(u)
    sizes = sorted({0, round(len(order) * .3), round(len(order) * .65), len(order)})
    return [known + order[:k] for k in sizes]


def plan_one(p, h, rounding, rng):
    D = Design(p, h, rounding)
    best = (1e9, None)
    for units in unit_sets(D, rng):
        for device in (0, 1):
            seq, val = D.optimise(units, device, rng, 1)
            if seq is not None and val < best[0]:
                best = (val, seq)
    val, seq = best
    T = D.slots(len(seq))
    seq, val = D.mixed(list(seq), val)
    return [[int(D.cu[j]), int(D.ca[j]), int(D.cd[j])] for j in seq], val


PILOT = False


def pilot_hypers(problems):
    none = [[] for _ in problems]
    _, hyp = sampling.posterior(problems, none, none, iters=160, burn=40, seed=3)
    out = []
    for t, unit in hyp:
        e = np.sqrt(np.exp(2 * t).mean(0))
        h = dict(H, site=e[1], unit=e[2], sa=max(e[3], .1), ua=max(e[4], .1), n0=e[5], ratio=e[6], day=e[11], drift=e[12], eff=e[13])
        h["sn"] = np.exp(t[:, 7:11].mean(0))
        out.append((h, np.exp(t[:, 0].mean()) * unit))
    return out


def plan(problems):
    rng = np.random.default_rng(5)
    out = []
    hypers = pilot_hypers(problems) if PILOT else None
    for i, p in enumerate(problems):
        v = np.array([r["value"] for r in p["pilot"] if r["value"] is not None], float)
        scale = max(np.std(v), 1e-6) / 1.7 if len(v) > 2 else 1.0
        h = H
        if PILOT:
            h, scale = hypers[i]
        out.append(plan_one(p, h, np.minimum(np.array(p["rounding"]) / scale, 1.5), rng)[0])
    return out
