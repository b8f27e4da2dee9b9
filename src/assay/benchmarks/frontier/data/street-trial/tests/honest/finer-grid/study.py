"""One street: own treatment and treated neighbours at each distance within reach, with errors that neighbours share."""

from __future__ import annotations

import math

import numpy as np

from linear import interval

MARGIN = 1.0
REACH = 4

Found = tuple[float, float, float]


def analyse(rows: list[dict[str, str]]) -> Found | None:
    y = np.array([float(row["value"]) for row in rows])
    treated = np.array([float(row["treated"] == "yes") for row in rows])
    columns = [np.ones(len(y)), treated]
    for distance in range(1, REACH + 1):
        near = np.zeros(len(y))
        near[distance:] += treated[:-distance]
        near[:-distance] += treated[distance:]
        columns.append(near)
    x = np.column_stack(columns)
    direction = np.array([0.0, 1.0] + [2.0] * REACH)
    _, estimate, error = max(fit(x, y, direction, float(memory)) for memory in np.linspace(-0.1, 0.97, 60))
    return interval(estimate, error, len(y) - x.shape[1] - 1)


def fit(x: np.ndarray, y: np.ndarray, direction: np.ndarray, memory: float) -> tuple[float, float, float]:
    """Restricted log-likelihood, estimate and standard error, for one correlation of neighbouring errors."""
    first = math.sqrt(1 - memory**2)
    moved_x = np.vstack([first * x[:1], x[1:] - memory * x[:-1]])
    moved_y = np.concatenate([first * y[:1], y[1:] - memory * y[:-1]])
    squares = moved_x.T @ moved_x
    bread = np.linalg.inv(squares)
    solved = bread @ (moved_x.T @ moved_y)
    rest = float(((moved_y - moved_x @ solved) ** 2).sum())
    freedom = len(y) - x.shape[1]
    log = math.log(first) - 0.5 * float(np.linalg.slogdet(squares)[1]) - 0.5 * freedom * math.log(rest)
    return log, float(direction @ solved), math.sqrt(rest / freedom * float(direction @ bread @ direction))
