"""Plans by optimal design, analysis by Gibbs sampling of a hierarchical model."""
import time

import numpy as np
import planning
import sampling


def plan(problems):
    return planning.plan(problems)


def analyse(problems, plans, results):
    draws = []
    for seed in (1, 2):
        draws.append(sampling.sample(problems, plans, results, 420, 60, seed))
        if time.process_time() > 52:
            break
    means, variances = (np.concatenate(part) for part in zip(*draws))
    low, mid, high = sampling.quantiles(means, variances)
    return [[[float(mid[s, a]), float(low[s, a]), float(high[s, a])] for a in range(3)] for s in range(len(problems))]
