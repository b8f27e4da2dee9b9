"""The score: how near the forecast comes, compared with the forecast of one who knows the equation."""

import numpy as np


def scores(answers, truth):
    """One for each window: the skill of the answer minus that of the judge. An example has only the judge's mean.

    Skill is one minus the root mean squared error over the spread of the record, and at least -1.
    """
    later = np.array(truth["later"])
    found = np.array(answers["later"], dtype=float)
    if found.shape != later.shape or not np.isfinite(found).all():
        raise ValueError(f"expected {later.shape[0]} rows of {later.shape[1]} finite numbers")
    error = np.sqrt(((np.clip(found, -1e3, 1e3) - later) ** 2).mean(axis=1))
    return (np.maximum(-1.0, 1.0 - error / truth["spread"]) - np.array(truth["judge"])).tolist()
