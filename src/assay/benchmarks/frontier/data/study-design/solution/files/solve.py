"""Plans small studies and analyses them, many situations at a time."""

import numpy as np
from parts import Batch
from planning import best_plan
from sampling import draw_effects, quantile

TOGETHER, CHAINS, STEPS, LEFT_OUT = 60, 3, 110, 40
"""Situations of one batch, chains of each, steps of each chain, and how many of its first steps do not count."""


def groups(sizes):
    """Numbers of situations of similar size, together."""
    order = sorted(range(len(sizes)), key=sizes.__getitem__)
    return [order[first : first + TOGETHER] for first in range(0, len(order), TOGETHER)]


def plan(problems):
    """For each situation the steps [unit, arm, device], in the order in which they are measured."""
    return [best_plan(problem) for problem in problems]


def analyse(problems, plans, results):
    """For each situation and each of the arms 1 to 3: [estimate, low, high]."""
    source, answers = np.random.default_rng(1), [[] for _ in problems]
    lost = [None in values or None in [each["value"] for each in problem["pilot"]] for problem, values in zip(problems, results, strict=True)]
    sizes = [(gone, len(problem["pilot"]) + len(steps)) for gone, problem, steps in zip(lost, problems, plans, strict=True)]
    for group in groups(sizes):
        batch = Batch([problems[each] for each in group], [plans[each] for each in group], [results[each] for each in group])
        chains = [draw_effects(batch, source, STEPS, LEFT_OUT) for _ in range(CHAINS)]
        means, variances = (np.concatenate(parts) for parts in zip(*chains, strict=True))
        low, middle, high = (quantile(means, variances, share) * batch.guess[:, None] for share in (0.025, 0.5, 0.975))
        low, high = np.minimum(low, middle), np.maximum(high, middle)
        for row, number in enumerate(group):
            answers[number] = np.stack([middle[row], low[row], high[row]], 1).tolist()
    return answers
