import numpy as np
import planning
import sampling


def plan(problems):
    return planning.plan(problems)


def analyse(problems, plans, results):
    n = len(problems)
    both, _ = sampling.posterior(problems * 2, plans * 2, results * 2, iters=390, burn=90)
    draws = [np.concatenate([both[i], both[i + n]]) for i in range(n)]
    out = []
    for d in draws:
        lo, mid, hi = np.quantile(d, [.025, .5, .975], axis=0)
        lo, hi = mid + .96 * (lo - mid), mid + .96 * (hi - mid)
        out.append([[float(m), float(min(l, m)), float(max(h, m))] for m, l, h in zip(mid, lo, hi)])
    return out
