"""The variant with the highest mean, its gain as a share of its lead, and one width for all studies."""

from __future__ import annotations

from statistics import fmean as mean

MARGIN = 0.25

Found = tuple[float, float, float, str]


def analyse(rows: list[dict[str, str]]) -> Found | None:
    names = [name for name in rows[0] if name not in ("item", "baseline")]
    gains = {name: mean(float(row[name]) - float(row["baseline"]) for row in rows) for name in names}
    best = max(names, key=lambda name: gains[name])
    middle = mean(gains.values())
    estimate = middle + 0.6 * (gains[best] - middle)
    return estimate, estimate - 0.4, estimate + 0.4, best
