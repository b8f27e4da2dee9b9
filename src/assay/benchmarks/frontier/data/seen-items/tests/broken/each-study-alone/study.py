"""Analyses each study alone: leaves out test items that were trained on, and counts each item once."""

from __future__ import annotations

from bisect import bisect_left, insort
from statistics import fmean as mean
from statistics import stdev

from linear import interval

MARGIN = 8.0
NEAR = 0.1
"""How far measurements of one item may be apart: their error is about 0.01, and other items are rarely so near in all."""

Found = tuple[float, float, float]


def values_of(row: dict[str, str]) -> list[float]:
    """The measurements in one unit."""
    unit = 1000 if row["source"] == "west" else 1
    return [float(row[f"x{place}"]) / unit for place in range(1, 6)]


def same(one: list[float], other: list[float]) -> bool:
    if abs(one[0] - other[0]) > NEAR or abs(one[1] - other[1]) > NEAR:
        return False
    return all(abs(a - b) < NEAR for a, b in zip(one, other, strict=True))


def paired(differences: list[float]) -> Found:
    return interval(mean(differences), stdev(differences) / len(differences) ** 0.5, len(differences) - 1)


def difference(row: dict[str, str]) -> float:
    return 100.0 * (int(row["right_a"]) - int(row["right_b"]))


def find(values: list[float], items: list[tuple[list[float], list[float]]]) -> list[float] | None:
    """The marks of the item that was measured again; None if it is new. Items are in the order of their first value."""
    for place in range(bisect_left(items, ([values[0] - NEAR], [])), len(items)):
        other, marks = items[place]
        if other[0] > values[0] + NEAR:
            return None
        if same(values, other):
            return marks
    return None


def analyse(rows: list[dict[str, str]]) -> Found | None:
    trained = sorted((values_of(row), [0.0]) for row in rows if row["part"] == "train")
    items: list[tuple[list[float], list[float]]] = []
    for row in rows:
        if row["part"] != "test":
            continue
        values = values_of(row)
        if find(values, trained) is not None:
            continue
        known = find(values, items)
        if known is None:
            insort(items, (values, [difference(row)]))
        else:
            known.append(difference(row))
    return paired([mean(marks) for _, marks in items])
