"""The score: how near the forecasts come, compared with the best known program on the same windows."""

import numpy as np


def skills(found, truth):
    """For each system: one minus the root mean squared error over the spread, at least -1."""
    later, spreads = np.array(truth["later"]), np.array(truth["spreads"])
    found = np.array(found, dtype=float)
    if found.shape != later.shape or not np.isfinite(found).all():
        raise ValueError(f"expected finite numbers in the shape {later.shape}")
    error = np.sqrt(((np.clip(found, -1e3, 1e3) - later) ** 2).mean(axis=3))
    return np.maximum(-1.0, 1.0 - error / spreads[:, None, None]).mean(axis=(1, 2)).tolist()


def scores(answers, truth):
    """One for each system: the skill of the answers minus that of the best known program."""
    pairs = zip(skills(answers["later"], truth), truth["known"], strict=True)
    return [skill - known for skill, known in pairs]
