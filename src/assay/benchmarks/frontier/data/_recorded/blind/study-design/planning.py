"""Plans by exchange: the smallest expected variance of the effects in the linear model."""
import numpy as np
import parts as P

NOISE = (1.1, 0.55)


def plan_one(problem, passes=3, enrol=0.4, power=1.0):
    n = len(problem["sites"])
    sd = P.NOMINAL.copy()
    if problem["doses"] is not None:
        sd[P.EFF] = 0.25
    var = sd[P.GROUP] ** 2
    L = P.target(problem)
    first = 1 + max([r["day"] for r in problem["pilot"]], default=-1)
    cov = np.diag(var)

    def noise(device):
        return NOISE[device] ** 2 + (problem["rounding"][device] * 0) ** 2

    def update(cov, h, r, sign=1):
        v = cov @ h
        return cov - np.outer(v, v) * (sign / (r + sign * (h @ v)))

    arms = [P.arm_rows(problem, u) for u in range(n)]
    for rec in problem["pilot"]:
        if rec["value"] is not None:
            h = P.base_row(problem, rec["unit"], rec["device"], rec["day"], rec["place"]) + arms[rec["unit"]][rec["arm"]]
            cov = update(cov, h, noise(rec["device"]) * 1.3)
    cand = [(u, a, d) for u in range(n) for a in range(4) for d in range(2)]
    index = {c: i for i, c in enumerate(cand)}
    rows0 = np.array([P.base_row(problem, u, d, 0, 0) + arms[u][a] for u, a, d in cand])
    day0, sl, tr = P.STARTS[P.DAY], P.STARTS[P.SLOPE], P.STARTS[P.TREND]
    rows0[:, day0:day0 + P.ND] = 0
    cu = np.array([c[0] for c in cand])
    cd = np.array([c[2] for c in cand])
    rs = np.array([noise(d) for d in cd])
    price = np.array(problem["measure_cost"])[cd]
    enrolled = np.zeros(n, int)
    for rec in problem["pilot"]:
        enrolled[rec["unit"]] = 99
    size = problem["day_size"]

    def rows_at(slot):
        rows = rows0.copy()
        day = first + slot // size
        rows[:, day0 + min(day, P.ND - 1)] = 1
        rows[:, sl] = slot % size - (size - 1) / 2
        rows[:, tr] = day
        return rows

    def gains(cov, rows):
        ph = cov @ rows.T
        lp = L @ ph
        return (lp ** 2).sum(0) / (rs + (rows.T * ph).sum(0))

    steps, used, left = [], np.zeros(len(cand), int), problem["budget"]
    while True:
        slot = len(steps)
        costs = price + problem["enrol_cost"] * (enrolled[cu] == 0)
        ok = (used < 2) & (costs <= left + 1e-9)
        if not ok.any():
            break
        rows = rows_at(slot)
        g = gains(cov, rows)
        # an enrolled unit is worth more later: count only a part of that cost
        value = np.where(ok, g / (price + enrol * (costs - price)) ** power, -1)
        best = int(value.argmax())
        steps.append(best)
        cov = update(cov, rows[best], rs[best])
        used[best] += 1
        enrolled[cu[best]] += 1
        left -= costs[best]
    for _ in range(passes):
        changed = False
        for slot in range(len(steps)):
            old = steps[slot]
            rows = rows_at(slot)
            without = update(cov, rows[old], rs[old], -1)
            used[old] -= 1
            enrolled[cu[old]] -= 1
            back = price[old] + problem["enrol_cost"] * (enrolled[cu[old]] == 0)
            costs = price + problem["enrol_cost"] * (enrolled[cu] == 0)
            ok = (used < 2) & (costs <= left + back + 1e-9)
            # leftover money has a small value
            g = np.where(ok, gains(without, rows), -1)
            new = int(g.argmax())
            if g[new] < g[old] * 1.0001 + 1e-12:
                new = old
            changed |= new != old
            left += back - costs[new]
            steps[slot] = new
            used[new] += 1
            enrolled[cu[new]] += 1
            cov = update(without, rows[new], rs[new])
        if not changed:
            break
    return [list(cand[i]) for i in steps], float(np.trace(L @ cov @ L.T))


def plan(problems):
    return [plan_one(p)[0] for p in problems]
