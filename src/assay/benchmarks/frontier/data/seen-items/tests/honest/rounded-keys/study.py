"""Groups records into items by their nearest neighbours, all records at once."""

from __future__ import annotations

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


def analyse(rows: list[dict[str, str]]) -> Found | None:
    points = sorted(((values_of(row), row) for row in rows), key=lambda point: point[0][0])
    group = list(range(len(points)))
    for first in range(len(points)):
        for second in range(first + 1, len(points)):
            if points[second][0][0] - points[first][0][0] > 0.15:
                break
            one, other = points[first][0], points[second][0]
            if abs(one[1] - other[1]) < 0.15 and max(abs(a - b) for a, b in zip(one, other, strict=True)) < 0.15:
                old, new = group[second], group[first]
                group = [new if number == old else number for number in group]
    items: dict[int, list[dict[str, str]]] = {}
    for number, (_, row) in zip(group, points, strict=True):
        items.setdefault(number, []).append(row)
    unseen = [records for records in items.values() if all(row["part"] == "test" for row in records)]
    return paired([mean(difference(row) for row in records) for records in unseen])
