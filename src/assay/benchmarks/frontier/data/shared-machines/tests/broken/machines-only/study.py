"""Compares kernels within machines."""

from __future__ import annotations

from linear import Fit, interval

MARGIN = 3.0

Found = tuple[float, float, float]


def analyse(rows: list[dict[str, str]]) -> Found | None:
    machines = sorted({row["machine"] for row in rows})
    x = [[float(row["kernel"] == "new"), *(float(row["machine"] == name) for name in machines)] for row in rows]
    try:
        fit = Fit(x, [float(row["seconds"]) for row in rows])
    except ZeroDivisionError:
        return None
    return interval(fit.coefficients[0], fit.error([1.0] + [0.0] * len(machines)), fit.freedom)
