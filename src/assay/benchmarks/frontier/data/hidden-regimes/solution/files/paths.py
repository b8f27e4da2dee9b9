"""The most probable sequence of states."""

from __future__ import annotations

import numpy as np
from model import Model, log_densities, power
from series import Series


def best_path(model: Model, series: Series) -> np.ndarray:
    """The most probable states of a series, all of them together."""
    logs = log_densities(model, series.values)
    score = np.log(model.initial) + logs[0]
    origins = np.zeros((len(series), model.size), dtype=int)
    for row in range(1, len(series)):
        step = np.log(power(model.transition, series.gaps[row - 1]))
        through = score[:, None] + step
        origins[row] = through.argmax(axis=0)
        score = through.max(axis=0) + logs[row]
    path = np.empty(len(series), dtype=int)
    path[-1] = int(score.argmax())
    for row in range(len(series) - 1, 0, -1):
        path[row - 1] = origins[row, path[row]]
    return path


def runs(paths: list[np.ndarray]) -> list[tuple[int, int]]:
    """State and number of rows of each run of equal states."""
    found: list[tuple[int, int]] = []
    for path in paths:
        first = len(found)
        for state in path.tolist():
            if len(found) > first and found[-1][0] == state:
                found[-1] = (state, found[-1][1] + 1)
            else:
                found.append((state, 1))
    return found


def path_numbers(paths: list[np.ndarray], size: int) -> dict[str, float]:
    """Shares of the first and the last state, runs and their length."""
    rows = np.concatenate(paths)
    found = runs(paths)
    lengths = [length for _, length in found]
    return {
        "share_first": float(np.mean(rows == 0)),
        "share_last": float(np.mean(rows == size - 1)),
        "runs": float(len(found)),
        "run_length": float(np.mean(lengths)),
        "longest_run": float(max(lengths)),
    }
