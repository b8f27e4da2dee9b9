"""Gaussian processes whose settings are sampled from a library of fitted columns."""
import math

import numpy as np
import parts
import prior

ELL = np.array(prior.ELL)
S = 24
P_KEEP = 16
SETTINGS = dict(kappa=1.0, cost=0.5, sweeps=3, init=5)
OPTS = dict(exclude=None)


KNOTS = np.linspace(0, 1, 7)
SHRINK = 0.8
ASCALE = 1.0
TOP = 10
FSTR = 0.8
FLEN = 3


def kind_of(types, U):
    """How likely each kind of tables is, from the types of the columns."""
    u = [len(np.unique(U[:, j])) for j in range(len(types)) if types[j] == 4]
    me = np.array([list(types).count(t) for t in range(5)] + [max(u) if u else 0], float)
    out = {}
    for name, other in prior.SHAPES:
        if name == OPTS["exclude"]:
            continue
        o = np.array(other, float)
        scale = np.array([1.0, 0.25, 1.2, 1.2, 0.25, 0.5])
        out[name[0]] = out.get(name[0], 1e-6) + math.exp(-0.5 * (((me - o) / scale) ** 2).sum())
    t = sum(out.values())
    return {k: v / t for k, v in out.items()}


class Search:
    def __init__(self, problem):
        self.problem = problem
        self.U, self.types = parts.columns(problem)
        self.costs = np.array(problem["costs"])
        self.N, self.d = self.U.shape
        self.rng = np.random.default_rng(len(problem["rows"]) + int(1000 * sum(problem["costs"])) % 100000)
        self.rows, self.losses, self.failed = [], [], {}
        self.cap = 90
        self.E = np.zeros((self.d, len(ELL), self.N, self.cap))
        self.all_rows = []
        post = kind_of(self.types, self.U)
        self.post = post
        self.lib, self.w, self.curves, self.fcurves = [], [], [], []
        for j, t in enumerate(self.types):
            rows = [x for x in prior.LIB if x[1] == t and x[0] != OPTS["exclude"]]
            w = np.array([post[x[0][0]] / (0.5 + sum(1 for y in rows if y[0][0] == x[0][0])) for x in rows]) + 0.1 / len(rows)
            self.lib.append(np.array([(x[2], x[3]) for x in rows]))
            self.w.append(np.cumsum(w / w.sum()))
            self.curves.append(np.array([np.interp(self.U[:, j], KNOTS, x[4]) for x in rows]) if t != 4 else np.zeros((len(rows), self.N)))
            self.fcurves.append(w @ np.array([np.interp(self.U[:, j], KNOTS, x[5]) for x in rows]) / w.sum() if t != 4 else np.zeros(self.N))
        rng = self.rng
        self.A, self.L, self.Q = np.zeros((S, self.d)), np.zeros((S, self.d), int), np.zeros((S, self.d), int)
        for j in range(self.d):
            self.A[:, j], self.L[:, j], self.Q[:, j] = self.draw(j, S)
        self.nz = np.exp(rng.normal(math.log(0.22), 0.7, S))
        self.pmean = SHRINK * sum(self.curves[j].T @ np.diff(np.concatenate([[0], self.w[j]])) for j in range(self.d))
        self.fmean = np.clip(np.sum(self.fcurves, 0) + (0.13 if post["a"] > 0.5 else 0.02), 0.005, 0.8)
        self.spent = 0.0
        self.dirty = True
        self.plan = self.first()
        self.mean = np.zeros(self.N)

    def draw(self, j, n):
        i = np.minimum(np.searchsorted(self.w[j], self.rng.random(n)), len(self.w[j]) - 1)
        pick = self.lib[j][i]
        return (np.clip(pick[:, 0] * np.exp(self.rng.normal(0, 0.4, n)) * ASCALE, 0.003, 6),
                np.clip(pick[:, 1].astype(int) + self.rng.integers(-1, 2, n) * (self.rng.random(n) < 0.5), 0, len(ELL) - 1), i)

    def means(self, Q):
        """(particles, rows): what the curves of the particles expect."""
        return SHRINK * sum(self.curves[j][Q[:, j]] for j in range(self.d))

    def first(self):
        """Spread rows for the start, not at the edges, not dear."""
        V = self.U.copy()
        w = np.ones(self.d)
        for j, t in enumerate(self.types):
            if t == 4:
                w[j] = 0.6
            elif t == 3:
                w[j] = 0.6
        cont = [j for j in range(self.d) if self.types[j] != 4]
        edge = (np.maximum(np.abs(V[:, cont] - 0.5) - 0.32, 0) ** 2).sum(1) if cont else np.zeros(self.N)
        value = -2 * edge - 0.08 * self.costs - 0.7 * self.pmean - 1.0 * self.fmean
        central = (np.abs(V[:, cont] - 0.5)).sum(1) if cont else np.zeros(self.N)
        chosen = [int((0.3 * central + 0.15 * self.costs + self.pmean + self.fmean).argmin())]
        while len(chosen) < SETTINGS["init"]:
            dist = np.full(self.N, np.inf)
            for c in chosen:
                q = np.zeros(self.N)
                for j, t in enumerate(self.types):
                    q += w[j] * ((V[:, j] != V[c, j]) * 0.35 if t == 4 else (V[:, j] - V[c, j]) ** 2)
                dist = np.minimum(dist, q)
            chosen.append(int((np.sqrt(dist) + value).argmax()))
        return chosen

    def tell(self, row, loss):
        self.spent += self.costs[row]
        n = len(self.all_rows)
        if n >= self.cap:
            return
        self.all_rows.append(row)
        for j, t in enumerate(self.types):
            if t == 4:
                self.E[j, :, :, n] = (self.U[:, j] == self.U[row, j]).astype(float)[None]
            else:
                self.E[j, :, :, n] = np.exp(-0.5 * ((self.U[:, j] - self.U[row, j])[None] / ELL[:, None]) ** 2)
        self.losses.append(loss)
        self.dirty = True

    def scaled(self):
        idx = [i for i, l in enumerate(self.losses) if l is not None]
        y = np.array([self.losses[i] for i in idx])
        if len(y) < 2:
            return idx, np.zeros(len(y))
        ref = np.array([self.losses[i] for i in idx[:max(6, len(idx) // 3)]])
        mid = np.median(ref)
        low = y.min()
        spread = max(mid - low, 0.5 * (np.quantile(ref, 0.75) - np.quantile(ref, 0.25)), 1e-9)
        z = (y - mid) / spread
        z = np.where(z > 0.3, 0.3 + 0.5 * np.log1p(2 * np.maximum(z - 0.3, 0)), z)
        return idx, z

    def kernel(self, A, L, E):
        """(particles, rows, n) from E (columns, lengths, rows, n)"""
        K = None
        for j in range(self.d):
            e = E[j].take(L[:, j], axis=0)
            e *= A[:, j, None, None]
            e += 1
            if K is None:
                K = e
            else:
                K *= e
        K /= np.prod(1 + A, axis=1)[:, None, None]
        return K

    def lml(self, A, L, nz, z, obs, M):
        n = len(z)
        K = self.kernel(A, L, obs) + 1.0
        K[:, np.arange(n), np.arange(n)] += nz[:, None] ** 2
        C = np.linalg.cholesky(K)
        w = np.linalg.solve(C, (z[None] - M)[..., None])[..., 0]
        a0 = 3.0
        b0 = 0.35 * a0
        v = -(a0 + n / 2) * np.log(b0 + 0.5 * (w ** 2).sum(1)) - np.log(np.diagonal(C, axis1=1, axis2=2)).sum(1)
        return v, C, w

    def refresh(self):
        if not self.dirty:
            return
        self.dirty = False
        idx, z = self.scaled()
        n = len(z)
        self.pf = self.fail()
        if n < 2:
            self.mean, self.sd = self.pmean, np.ones(self.N)
            return
        self.cols = np.array(idx)
        obs = np.array([self.all_rows[i] for i in idx])
        rng = self.rng
        full = self.E[:, :, :, :len(self.all_rows)]
        full = full if n == len(self.all_rows) else full[:, :, :, self.cols]
        where = obs
        obs = full[:, :, obs]
        v, C, w = self.lml(self.A, self.L, self.nz, z, obs, self.means(self.Q)[:, where])
        for sweep in range(SETTINGS["sweeps"]):
            A, L, nz, Q = self.A.copy(), self.L.copy(), self.nz.copy(), self.Q.copy()
            which = rng.random((S, self.d)) < 1.3 / self.d
            for j in range(self.d):
                a, l, q = self.draw(j, S)
                Q[:, j] = np.where(which[:, j], q, Q[:, j])
                A[:, j] = np.where(which[:, j], a, A[:, j])
                L[:, j] = np.where(which[:, j], l, L[:, j])
            nz = np.where(rng.random(S) < 0.3, np.exp(rng.normal(math.log(0.22), 0.7, S)), nz)
            v2, C2, w2 = self.lml(A, L, nz, z, obs, self.means(Q)[:, where])
            ok = np.log(rng.random(S)) < v2 - v
            self.A[ok], self.L[ok], self.nz[ok], self.Q[ok] = A[ok], L[ok], nz[ok], Q[ok]
            v[ok], C[ok], w[ok] = v2[ok], C2[ok], w2[ok]
        # replace the worst particles by copies of better ones
        o = np.argsort(v)
        for k in range(4):
            if v[o[k]] < v[o[-1 - k]] - 4:
                for arr in (self.A, self.L, self.nz, self.Q, v, C, w):
                    arr[o[k]] = arr[o[-1 - k]]
        k = P_KEEP
        pick = rng.permutation(S)[:k]
        C, w = C[pick], w[pick]
        Ks = self.kernel(self.A[pick], self.L[pick], full) + 1.0
        Ci = np.linalg.inv(C)
        sol = Ci.transpose(0, 2, 1) @ w[..., None]
        mu = (Ks @ sol)[..., 0] + self.means(self.Q[pick])
        T = Ks @ Ci.transpose(0, 2, 1)
        s2 = (1.05 + 0.5 * (w ** 2).sum(1)) / (3.0 + n / 2)
        var = np.maximum(2.0 - (T ** 2).sum(2), 1e-6) * s2[:, None]
        self.mus, self.vars = mu, var
        self.mean = mu.mean(0)
        self.sd = np.sqrt(var.mean(0) + mu.var(0))

    def fail(self):
        """How likely a row fails."""
        f = np.array([1.0 if l is None else 0.0 for l in self.losses])
        if not f.any():
            return self.fmean
        n = len(f)
        K = None
        for j in range(self.d):
            e = 1 + FSTR * self.E[j][int(FLEN)][:, :n]
            K = e if K is None else K * e
        K = K / (1 + FSTR) ** self.d
        rows = np.array(self.all_rows)
        M = K[rows] + 0.08 * np.eye(n)
        p0 = np.maximum(self.fmean, 0.05)
        p = p0 + K @ np.linalg.solve(M, f - p0[rows])
        p = np.clip(p, 0.01, 0.98)
        for r, x in zip(rows, f):
            p[r] = x
        return p

    def expected(self):
        self.refresh()
        return self.mean * (1 - self.pf) + self.pf * np.maximum(0.3, self.mean)

    def choose(self):
        n = len(self.all_rows)
        if n < len(self.plan) and n < SETTINGS["init"]:
            return self.plan[n]
        self.refresh()
        e = self.expected()
        target = np.sort(e)[: int(TOP)].mean()
        # expected improvement, mean over the particles
        if not hasattr(self, "mus"):
            return int(self.rng.integers(self.N))
        sd = np.sqrt(self.vars)
        u = (target - self.mus) / sd
        pdf = np.exp(-0.5 * u * u) / 2.5066
        cdf = 1 / (1 + np.exp(-1.702 * u))
        ei = (sd * (pdf + u * cdf)).mean(0) * (1 - self.pf)
        ei /= self.costs ** SETTINGS["cost"]
        for r, l in zip(self.all_rows, self.losses):
            ei[r] = -1.0 if l is None else ei[r] * 0.5
        return int(ei.argmax())

    def shortlist(self):
        e = self.expected().copy()
        if len([l for l in self.losses if l is not None]) < 2:
            cont = [j for j in range(self.d) if self.types[j] != 4]
            e = self.pmean + self.fmean
        for r, l in zip(self.all_rows, self.losses):
            if l is None:
                e[r] = 99
        return [int(r) for r in np.argsort(e, kind="stable")[:10]]
