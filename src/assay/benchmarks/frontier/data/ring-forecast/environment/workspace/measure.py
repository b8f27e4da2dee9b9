"""The score: how near the forecast comes, compared with the forecast of one who knows the equation."""

import numpy as np


def skill(forecast, truth):
    """One minus the root mean squared error over the spread of the record, at least -1, for each window."""
    error = np.sqrt(((np.clip(forecast, -1e3, 1e3) - np.array(truth["later"])) ** 2).mean(axis=1))
    return np.maximum(-1.0, 1.0 - error / truth["spread"])


def scores(answers, truth):
    """One for each window: the skill of the answer minus the skill of the knowing forecast."""
    shape = np.array(truth["later"]).shape
    found = np.array(answers["later"], dtype=float)
    if found.shape != shape or not np.isfinite(found).all():
        raise ValueError(f"expected {shape[0]} rows of {shape[1]} finite numbers")
    return (skill(found, truth) - skill(np.array(truth["knowing"]), truth)).tolist()
