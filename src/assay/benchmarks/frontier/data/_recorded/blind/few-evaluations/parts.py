"""Kinds, roles of columns, kernels."""
import itertools
import numpy as np

ROLES = {"a": ["LR", "P2", "WC"], "b": ["L1", "L2", "P2", "WC"], "c": ["LC", "L2"], "d": ["WC", "W2"], "e": [],
         "f": ["WC", "LA", "LB", "RA"], "g": ["CC", "S2"]}


class View:
    """Scaled columns of a table, its kind, and the possible assignments of roles."""

    def __init__(self, problem):
        R = np.array(problem["rows"], float)
        self.kinds = problem["kinds"]
        cost = np.log(np.array(problem["costs"]))
        self.num, self.cats, self.V = [], [], {}
        self.r2 = {}
        for i, k in enumerate(self.kinds):
            if k == "category":
                c = R[:, i].astype(int)
                self.cats.append(i)
                self.V[i] = c
                m = np.array([cost[c == z].mean() if (c == z).any() else 0 for z in range(c.max() + 1)])
                self.r2[i] = np.var(m[c]) / max(np.var(cost), 1e-12)
                continue
            v = np.log(R[:, i]) if k == "log" else R[:, i]
            v = (v - v.min()) / max(v.max() - v.min(), 1e-12)
            self.V[i] = v
            self.num.append(i)
            self.r2[i] = np.corrcoef(v, cost)[0, 1] ** 2
        self.p2 = [i for i in self.num if self.kinds[i] == "log" and len(set(R[:, i])) <= 14]
        self.kind = self.find_kind()
        self.hyps = self.assignments()
        self.cats.sort(key=lambda i: -len(set(self.V[i])))

    def of(self, kind, but=()):
        return [i for i in self.num if self.kinds[i] == kind and i not in but and i not in self.p2]

    def top(self, cols):
        return max(cols, key=lambda i: self.r2[i])

    def find_kind(self):
        if self.p2:
            return "a" if self.cats else "b"
        if len(self.cats) >= 2:
            return "d"
        best = max(self.r2, key=self.r2.get)
        if best in self.cats:
            return "e"
        k = self.kinds[best]
        if k == "whole":
            return "f"
        if k == "real":
            return "g"
        v, R = self.V[best], self.r2[best]
        self.slope = None
        return "c?" 

    def assignments(self):
        k, out = self.kind, []
        if k == "a":
            wc = self.top(self.of("whole"))
            return [{"LR": i, "P2": self.p2[0], "WC": wc} for i in self.of("log")]
        if k == "b":
            wc = self.top(self.of("whole"))
            logs = self.of("log")
            return [{"L1": i, "L2": j, "P2": self.p2[0], "WC": wc} for i, j in itertools.permutations(logs, 2)]
        if k == "c":
            lc = self.top(self.of("log"))
            return [{"LC": lc, "L2": j} for j in self.of("log", [lc])]
        if k == "d":
            wc = self.top(self.of("whole"))
            return [{"WC": wc, "W2": j} for j in self.of("whole", [wc])] or [{"WC": wc}]
        if k == "f":
            wc = self.top(self.of("whole"))
            logs, reals = self.of("log"), self.of("real")
            for i, j in itertools.combinations(logs, 2):
                for r in reals:
                    out.append({"WC": wc, "LA": i, "LB": j, "RA": r})
            return out[:12] or [{"WC": wc}]
        if k == "g":
            cc = self.top(self.num)
            return [{"CC": cc, "S2": j} for j in self.num if j != cc and self.kinds[j] != "whole"]
        return [{}]


def finish_kind(view, problem):
    if view.kind == "c?":
        lc = view.top(view.num)
        cost = np.log(np.array(problem["costs"]))
        slope = np.polyfit(view.V[lc], cost, 1)[0]
        view.slope = slope
        view.kind = "c" if slope > 1.3 else "g"
        view.hyps = view.assignments()
    return view


def make_view(problem):
    return finish_kind(View(problem), problem)


def columns(view, hyp):
    """Role number of each numeric column (the last number: minor), in the order of roles."""
    roles = ROLES[view.kind]
    cols, rid = [], []
    for n, r in enumerate(roles):
        if r in hyp:
            cols.append(hyp[r])
            rid.append(n)
    for i in view.num:
        if i not in cols:
            cols.append(i)
            rid.append(len(roles))
    return cols, rid


def phi(view, hyp):
    """Quadratic features of the active roles."""
    roles = ROLES[view.kind]
    n = len(next(iter(view.V.values())))
    vs = [view.V[hyp[r]] - .5 if r in hyp else np.zeros(n) for r in roles]
    f = [np.ones(n)] + vs + [v * v for v in vs] + [a * b for a, b in itertools.combinations(vs, 2)] + [v ** 3 for v in vs] + [v ** 4 for v in vs]
    return np.array(f).T


def lin(view, hyp):
    """Features with random coefficients, and their groups."""
    roles = ROLES[view.kind]
    n = len(next(iter(view.V.values())))
    vs = [view.V[hyp[r]] - .5 if r in hyp else np.zeros(n) for r in roles]
    R, F, g = len(roles), [], []
    for k, v in enumerate(vs):
        F += [v, v * v]
        g += [k, R + k]
    q = 2 * R
    for a, b in itertools.combinations(vs, 2):
        F.append(a * b)
        g.append(q)
        q += 1
    q0 = q
    for c, i in enumerate(view.cats[:2]):
        x = view.V[i]
        for z in range(x.max() + 1):
            for k, v in enumerate([np.ones(n)] + vs):
                F.append((x == z) * v)
                g.append(q0 + c * (R + 1) + k)
    return np.array(F).T, np.array(g), q0 + 2 * (R + 1)


def n_params(kind):
    return 4 * (len(ROLES[kind]) + 1) + 2 * 2 + 1


def start_params(kind):
    R = len(ROLES[kind])
    p = []
    for r in range(R + 1):
        act = r < R
        p += [np.log(.4 if act else .15), np.log(.4), np.log(.2 if act else .15), np.log(.5 if act else 1.5)]
    return np.array(p + [np.log(.3), np.log(.7)] * 2 + [np.log(.5)])


def kernel(view, hyp, p, rows, cols_rows, L=None):
    """Kernel between the given rows (index arrays)."""
    R = len(ROLES[view.kind])
    cols, rid = columns(view, hyp)
    e = np.exp(np.clip(p, -6, 4))
    cat = np.zeros((len(rows), len(cols_rows)))
    same = np.ones((len(rows), len(cols_rows)))
    K = np.zeros_like(same)
    for n, i in enumerate(view.cats[:2]):
        s = view.V[i][rows][:, None] == view.V[i][cols_rows]
        off, rho = e[4 * (R + 1) + 2 * n], e[4 * (R + 1) + 2 * n + 1]
        K += off ** 2 * s
        cat += rho * ~s
        same = same * s
    dist = np.zeros_like(same)
    for i, r in zip(cols, rid):
        a, la, ac, lp = e[4 * r:4 * r + 4]
        d = (view.V[i][rows][:, None] - view.V[i][cols_rows]) ** 2
        k1 = np.exp(-.5 * d / la ** 2)
        K += (a ** 2 + ac ** 2 * same) * k1
        dist += .5 * d / lp ** 2
    K += e[-1] ** 2 * np.exp(-dist - cat)
    if L is not None:
        K += L[rows] @ L[cols_rows].T
    return K
