"""Compares kernels within machines and states; where nothing overlaps there is no answer."""

from __future__ import annotations

from linear import Fit, interval

MARGIN = 3.0

Found = tuple[float, float, float]


def analyse(rows: list[dict[str, str]]) -> Found | None:
    machines = sorted({row["machine"] for row in rows})
    x = []
    for row in rows:
        places = [float(row["machine"] == machine) for machine in machines]
        x.append([float(row["kernel"] == "new"), float(row["state"] == "cold"), *places])
    try:
        fit = Fit(x, [float(row["seconds"]) for row in rows])
    except ZeroDivisionError:
        return None
    weights = [1.0] + [0.0] * (len(machines) + 1)
    return interval(fit.coefficients[0], fit.error(weights), fit.freedom)
