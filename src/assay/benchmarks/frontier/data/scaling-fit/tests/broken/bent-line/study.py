"""A parabola in the logarithm of the size."""

from __future__ import annotations

import math

from linear import Fit, interval

MARGIN = 0.24

Found = tuple[float, float, float]


def analyse(rows: list[dict[str, str]]) -> Found | None:
    done = [row for row in rows if int(row["steps"]) >= int(row["planned"])]
    logs = [math.log(float(row["size"])) for row in done]
    fit = Fit([[1.0, log, log**2] for log in logs], [float(row["loss"]) for row in done])
    place = math.log(float(rows[0]["target"]))
    weights = [1.0, place, place**2]
    value = sum(a * b for a, b in zip(fit.coefficients, weights, strict=True))
    return interval(value - float(rows[0]["goal"]), fit.error(weights), fit.freedom)
