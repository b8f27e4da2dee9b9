"""A straight line in logarithms, without a constant."""

from __future__ import annotations

import math

from linear import Fit, interval

MARGIN = 0.24

Found = tuple[float, float, float]


def analyse(rows: list[dict[str, str]]) -> Found | None:
    done = [row for row in rows if int(row["steps"]) >= int(row["planned"])]
    fit = Fit([[1.0, math.log(float(row["size"]))] for row in done], [math.log(float(row["loss"])) for row in done])
    place = math.log(float(rows[0]["target"]))
    value = math.exp(fit.coefficients[0] + fit.coefficients[1] * place)
    return interval(value - float(rows[0]["goal"]), value * fit.error([1.0, place]), fit.freedom)
