"""The score: how much smaller the pinball loss of the quantiles is than that of the best known program."""

import numpy as np

LEVELS = np.array([0.1, 0.5, 0.9])


def loss(quantiles, futures):
    """The pinball loss of steps x levels, on the mean over the futures (futures x steps), steps and levels."""
    above = futures[:, :, None] - quantiles[None]
    return float(np.maximum(LEVELS * above, (LEVELS - 1) * above).mean())


def scores(answers, truth):
    """One for each group: the loss of the best known program minus yours, in hundredths of the scale of a series."""
    groups, found = answers["quantiles"], []
    if not isinstance(groups, list) or len(groups) != len(truth["groups"]):
        raise ValueError(f"expected quantiles for {len(truth['groups'])} groups")
    for quantiles, group in zip(groups, truth["groups"], strict=True):
        if not isinstance(quantiles, list) or len(quantiles) != len(group["futures"]):
            raise ValueError(f"expected quantiles for {len(group['futures'])} series of a group")
        gains = []
        for one, futures, scale, compared in zip(
            quantiles, group["futures"], group["scales"], group["comparison"], strict=True
        ):
            futures, given = np.array(futures), np.array(one, dtype=float)
            if given.shape != (futures.shape[1], len(LEVELS)) or not np.isfinite(given).all():
                raise ValueError(f"expected {futures.shape[1]} times {len(LEVELS)} finite numbers for a series")
            gains.append(100 * (loss(np.array(compared), futures) - loss(given, futures)) / scale)
        found.append(float(np.mean(gains)))
    return found
