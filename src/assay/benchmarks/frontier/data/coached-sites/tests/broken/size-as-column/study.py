"""The second mark adjusted for the first with a slope and a weight that depend on the size, without the law behind both."""

from __future__ import annotations

import numpy as np
from linear import interval

MARGIN = 5.0

Found = tuple[float, float, float]


def analyse(rows: list[dict[str, str]]) -> Found | None:
    first, second = (np.array([float(row[name]) for row in rows]) for name in ("first", "second"))
    coached = np.array([float(row["coached"] == "yes") for row in rows])
    coach = np.array([float(row["marker"] == "coach") for row in rows])
    part = 1 / np.array([float(row["size"]) for row in rows])
    first = first - first.mean()
    x = np.column_stack([np.ones(len(rows)), coached, coach, first, first * part, part])
    weights = np.ones(len(rows))
    for _ in range(6):
        bread = np.linalg.inv(x.T @ (weights[:, None] * x))
        found = bread @ (x.T @ (weights * second))
        squares = (second - x @ found) ** 2
        line = np.column_stack([np.ones(len(rows)), part])
        trend = np.linalg.lstsq(line * weights[:, None], squares * weights, rcond=None)[0]
        weights = 1 / np.maximum(line @ trend, 0.2 * squares.mean())
    bread = np.linalg.inv(x.T @ (weights[:, None] * x))
    found = bread @ (x.T @ (weights * second))
    spread = float((weights * (second - x @ found) ** 2).sum()) / (len(rows) - 6)
    return interval(float(found[1]), (spread * float(bread[1, 1])) ** 0.5, len(rows) - 6)
