"""Mean losses of the table."""

from __future__ import annotations

import math
from statistics import NormalDist, mean, stdev

MARGIN = 0.25

Found = tuple[float, float, float]


def analyse(rows: list[dict[str, str]]) -> Found | None:
    calm, bold = (
        [float(row["loss"]) for row in rows if row["optimiser"] == name and row["loss"]] for name in ("calm", "bold")
    )
    error = math.hypot(stdev(calm) / math.sqrt(len(calm)), stdev(bold) / math.sqrt(len(bold)))
    half = NormalDist().inv_cdf(0.975) * error
    estimate = mean(bold) - mean(calm)
    return estimate, estimate - half, estimate + half
