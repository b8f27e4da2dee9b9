"""Plans small studies by exchange and analyses them by a Gibbs sampler, many situations at a time."""

import numpy as np
from parts import all_records
from planning import plan_one
from sampling import Chain, quantile

TOGETHER, ITERATIONS, LEFT_OUT = 40, 420, 60
"""Situations of one batch, iterations of its chain, and how many of the first do not count."""


def groups(sizes):
    """Numbers of situations of similar size, together."""
    order = sorted(range(len(sizes)), key=sizes.__getitem__)
    return [order[first : first + TOGETHER] for first in range(0, len(order), TOGETHER)]


def plan(problems):
    """For each situation the steps [unit, arm, device], in the order in which they are measured."""
    return [plan_one(problem) for problem in problems]


def analyse(problems, plans, results):
    """For each situation and each of the arms 1 to 3: [estimate, low, high]."""
    source, answers = np.random.default_rng(1), [[] for _ in problems]
    records = [all_records(*situation) for situation in zip(problems, plans, results, strict=True)]
    sizes = [(any(row[-1] is None for row in rows), len(rows)) for rows in records]
    for group in groups(sizes):
        chain = Chain([problems[each] for each in group], [records[each] for each in group], source)
        means, variances = chain.run(ITERATIONS, LEFT_OUT)
        low, middle, high = (quantile(means, variances, share) for share in (0.025, 0.5, 0.975))
        low, high = np.minimum(low, middle), np.maximum(high, middle)
        for row, number in enumerate(group):
            answers[number] = np.stack([middle[row], low[row], high[row]], 1).tolist()
    return answers
