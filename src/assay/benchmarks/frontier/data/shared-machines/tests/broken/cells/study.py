"""Differences within each machine and state, weighed by their precision."""

from __future__ import annotations

from linear import Fit, interval

MARGIN = 3.0

Found = tuple[float, float, float]


def analyse(rows: list[dict[str, str]]) -> Found | None:
    cells: dict[tuple[str, str], dict[str, list[float]]] = {}
    for row in rows:
        cell = cells.setdefault((row["machine"], row["state"]), {"old": [], "new": []})
        cell[row["kernel"]].append(float(row["seconds"]))
    total = weight = squares = 0.0
    freedom = 0
    for cell in cells.values():
        for values in cell.values():
            if values:
                middle = sum(values) / len(values)
                squares += sum((value - middle) ** 2 for value in values)
                freedom += len(values) - 1
        if cell["old"] and cell["new"]:
            share = 1 / (1 / len(cell["old"]) + 1 / len(cell["new"]))
            total += share * (sum(cell["new"]) / len(cell["new"]) - sum(cell["old"]) / len(cell["old"]))
            weight += share
    if weight == 0:
        return None
    return interval(total / weight, (squares / freedom / weight) ** 0.5, freedom)
