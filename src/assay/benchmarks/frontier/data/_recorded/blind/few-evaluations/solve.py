"""Bayesian search with a prior for each kind of method."""
import numpy as np
import itertools
from parts import make_view, kernel, phi, lin
import prior

OPT = dict(kappa=1.8, gamma=.12, end=.6, loo=None, acq="lcb", ehyps=100, seen=.6)
NOISE = np.array([.05, .12, .25, .45])
CONST = 9.0


class Search:
    def __init__(self, problem):
        self.problem = problem
        self.costs = np.array(problem["costs"])
        self.budget, self.spent = problem["budget"], 0.0
        self.n = len(self.costs)
        self.view = make_view(problem)
        k = self.view.kind
        fit = prior.FIT[k]
        self.p = np.array(fit["p"])
        beta = np.array(fit["beta"]) if OPT["loo"] is None else np.array(fit["loo"][OPT["loo"]])
        self.hyps = self.view.hyps
        self.M = [phi(self.view, h) @ beta for h in self.hyps]
        self.all = np.arange(self.n)
        tau = np.array(fit["tau"])
        self.L = []
        for h in self.hyps:
            F, g, _ = lin(self.view, h)
            self.L.append(F * tau[g])
        # prior variances (the same for every row)
        self.pv = [kernel(self.view, h, self.p, self.all[:1], self.all[:1])[0, 0] + (L ** 2).sum(1) for h, L in zip(self.hyps, self.L)]
        if k == "e":
            self.setup_e()
        w = np.array([sum(np.exp(-.5 * ((np.log(z) - np.log(x)) / .5) ** 2) for x in fit["noise"]) for z in NOISE])
        self.lw_noise = np.log(w / w.sum())
        self.seen, self.y, self.failed = [], [], set()
        self.cols = [[] for _ in self.hyps]
        self.dirty = True

    def setup_e(self):
        """Each category has an offset and a column of its own; one log column is shared."""
        v, rng = self.view, np.random.default_rng(3)
        c = v.V[v.cats[0]]
        Z = c.max() + 1
        logs = [i for i in v.num if v.kinds[i] == "log"] or v.num
        hyps = []
        for s in logs:
            rest = [i for i in v.num if i != s]
            if len(rest) >= Z:
                hyps += [(s, o) for o in itertools.permutations(rest, int(Z))]
            else:
                hyps += [(s, tuple(rng.choice(rest, Z))) for _ in range(20)]
        if len(hyps) > OPT["ehyps"]:
            hyps = [hyps[i] for i in rng.choice(len(hyps), OPT["ehyps"], replace=False)]
        self.hyps, self.M, self.L, self.pv = hyps, [], [], []
        one = (c[:, None] == np.arange(Z)) * 1.0
        for s, own in hyps:
            us = v.V[s] - .5
            uo = np.array([v.V[i] - .5 for i in own]).T[self.all, c]
            self.M.append(.75 + 1.5 * us ** 2 + 1.6 * uo ** 2)
            self.L.append(np.column_stack([one * .5, us * .7, us ** 2 * .8, us[:, None] * one * .15, us[:, None] ** 2 * one * .4, one * (uo * 1.5)[:, None], one * (uo ** 2 * 1.4)[:, None]]))
            self.pv.append((self.L[-1] ** 2).sum(1) + .0)

    def tell(self, row, loss):
        self.spent += self.costs[row]
        self.dirty = True
        if loss is None:
            self.failed.add(row)
            if self.view.kind == "f":
                return
        self.seen.append(row)
        self.y.append(np.nan if loss is None else loss)
        for c, h, L in zip(self.cols, self.hyps, self.L):
            c.append(L @ L[row] if self.view.kind == "e" else kernel(self.view, h, self.p, self.all, np.array([row]), L)[:, 0])

    def update(self):
        if not self.dirty:
            return
        self.dirty = False
        H = len(self.hyps)
        n = len(self.seen)
        if n == 0:
            mus = np.array(self.M)
            self.mu = mus.mean(0)
            self.sd = np.sqrt(np.mean(self.pv, axis=0) + mus.var(0))
            self.cov = None
            return
        idx = np.array(self.seen)
        y = np.array(self.y)
        ok = ~np.isnan(y)
        good = y[ok]
        flat = ok.sum() < 3
        if not flat:
            lo, med = np.min(good), np.median(good)
            if len(good) >= 6:
                y = np.where(ok, np.minimum(y, med + 2.5 * (med - lo)), y)
                good = y[ok]
            top = max(np.max(good), 0) if False else np.max(good)
            y = np.where(ok, y, top)
            y = y - y.mean()
            sp = np.std(y) + 1e-12
            S = sp * np.exp(np.linspace(-1.2, 3.2, 17))
        lw, mus, var = [], [], []
        for h in range(H):
            C = np.array(self.cols[h]).T  # n_rows x n
            Kb = C[idx] + CONST
            m = self.M[h][idx]
            for q, z in enumerate(NOISE):
                K = Kb + np.diag(np.where(ok, z * z, .3 ** 2)) + 1e-9 * np.eye(n)
                A = np.linalg.inv(K)
                ld = np.linalg.slogdet(K)[1]
                C1 = C + CONST
                v = np.maximum(self.pv[h] + CONST - np.einsum("ij,ij->i", C1 @ A, C1), 1e-6)
                if flat:
                    lw.append(self.lw_noise[q])
                    mus.append(self.M[h])
                    var.append(v)
                    continue
                Ay, Am = A @ y, A @ m
                yy, ym, mm = y @ Ay, y @ Am, m @ Am
                ls = -.5 * (yy / S ** 2 - 2 * ym / S + mm) - .5 * ld - n * np.log(S)
                ls = ls - .5 * ((np.log(S / sp) - .3) / 1.5) ** 2
                mx = ls.max()
                w = np.exp(ls - mx)
                lw.append(mx + np.log(w.sum()) + self.lw_noise[q])
                w /= w.sum()
                inv = (w / S).sum()
                vi = (w / S ** 2).sum() - inv ** 2
                CA = C @ Ay
                mus.append(self.M[h] + CA * inv - C @ Am)
                var.append(v + vi * CA ** 2)
        lw = np.array(lw)
        w = np.exp(lw - lw.max())
        w /= w.sum()
        mus, var = np.array(mus), np.array(var)
        self.mu = w @ mus
        self.sd = np.sqrt(w @ (var + (mus - self.mu) ** 2))
        self.w = w
        if self.view.kind == "e" and H > 12:
            Q = len(NOISE)
            hw = w.reshape(H, Q).sum(1)
            keep = np.flatnonzero(hw > 3e-4 * hw.max())
            for name in ("hyps", "M", "L", "pv", "cols"):
                old = getattr(self, name)
                setattr(self, name, [old[i] for i in keep])

    def choose(self):
        self.update()
        left = max(1 - self.spent / self.budget, 0)
        kappa = OPT["kappa"] * (OPT["end"] + (1 - OPT["end"]) * left)
        a = self.mu - kappa * self.sd + OPT["gamma"] * self.costs
        a = a.copy()
        for r in self.failed:
            a[r] = 1e9
        for r in set(self.seen):
            a[r] += OPT["seen"] if self.view.kind in "abcde" else .12
        return int(np.argmin(a))

    def shortlist(self):
        self.update()
        a = self.mu + .0 * self.sd
        a = a.copy()
        for r in self.failed:
            a[r] = 1e9
        return [int(r) for r in np.argsort(a, kind="stable")[:10]]
