"""Analyses each study alone: clean the lines, compare within rooms and days, mind the instrument's end."""

from __future__ import annotations

import math
from collections import Counter
from statistics import NormalDist, median

import numpy as np

from linear import interval

MARGIN = 3.0
CODE = -9.0
NORMAL = NormalDist()

Found = tuple[float, float, float]
Line = dict[str, float | str]


def analyse(rows: list[dict[str, str]]) -> Found | None:
    lines = clean(rows)
    arms_of_unit: dict[object, set[object]] = {}
    arms_of_room: dict[object, set[object]] = {}
    for line in lines:
        arms_of_unit.setdefault(line["unit"], set()).add(line["arm"])
        arms_of_room.setdefault(line["room"], set()).add(line["arm"])
    if any(len(arms) == 2 for arms in arms_of_unit.values()):
        both = [line for line in lines if len(arms_of_unit[line["unit"]]) == 2]
        return compare_within_units(both)
    if any(len(arms) == 2 for arms in arms_of_room.values()):
        return compare(lines, ["room", "day"], covariate=True)
    return compare_rooms(lines) if len(arms_of_room) > 3 else None


def clean(rows: list[dict[str, str]]) -> list[Line]:
    """Lines without codes for missing scores, without copies, all on one scale."""
    kept: dict[tuple[str, str, str], list[Line]] = {}
    for row in rows:
        line: Line = {**row, "before": float(row["before"]), "after": float(row["after"])}
        others = kept.setdefault((row["room"], row["day"], row["arm"]), [])
        if line["after"] != CODE and not any(is_copy(line, other) for other in others):
            others.append(line)
    lines = [line for group in kept.values() for line in group]
    for column in ("before", "after"):
        levels: dict[object, list[float]] = {}
        for line in lines:
            levels.setdefault(line["room"], []).append(float(line[column]))
        middle = median(median(values) for values in levels.values())
        halved = {room for room, values in levels.items() if median(values) < 0.65 * middle}
        if column == "after" and not any(
            len({line["arm"] for line in lines if line["room"] == room}) > 1 for room in levels
        ):
            halved = set()
        for line in lines:
            if line["room"] in halved:
                line["after"] = 2 * float(line["after"])
                line["before"] = float(line["before"]) * (2 if column == "before" else 1)
    return lines


def is_copy(line: Line, other: Line) -> bool:
    """Whether two lines are two readings of one measurement: nearly the same numbers."""
    return all(abs(float(line[name]) - float(other[name])) < 0.1 for name in ("before", "after"))


def columns(lines: list[Line], factors: list[str], covariate: bool) -> np.ndarray:
    """The first factor in full, the other factors without their first value, then the covariate."""
    parts = []
    for number, factor in enumerate(factors):
        values = sorted({line[factor] for line in lines}, key=str)[min(number, 1) :]
        parts += [[float(line[factor] == value) for line in lines] for value in values]
    if covariate:
        parts.append([float(line["before"]) - 50 for line in lines])
    return np.array(parts).T


def fit(x: np.ndarray, lines: list[Line]) -> tuple[np.ndarray, np.ndarray, int]:
    """Coefficients, covariance and degrees of freedom; scores at the instrument's end count as censored."""
    y = np.array([float(line["after"]) for line in lines])
    top, hits = Counter(y).most_common(1)[0]
    censored = (y == top) & (hits > 6) & (top >= y.max() - 1e-9)
    freedom = len(y) - x.shape[1]
    bread = np.linalg.inv(x.T @ x)
    coefficients = bread @ (x.T @ y)
    if not censored.any():
        spread = float(((y - x @ coefficients) ** 2).sum()) / freedom
        return coefficients, spread * bread, freedom
    coefficients, covariance = fit_censored(x, y, censored, coefficients)
    freedom = max(int((~censored).sum()) - x.shape[1], 8)
    return coefficients, covariance * len(y) / (len(y) - x.shape[1]), freedom


def fit_censored(
    x: np.ndarray, y: np.ndarray, censored: np.ndarray, start: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Maximum likelihood by Newton's method in Olsen's form, where the likelihood is concave."""
    size = x.shape[1]
    precision = 1 / float(np.std(y - x @ start))
    point = np.append(start * precision, precision)
    for _ in range(60):
        gradient, curvature = slopes(x, y, censored, point)
        step = np.linalg.solve(curvature + 1e-9 * np.eye(size + 1), gradient)
        factor = min(1.0, 0.5 * point[-1] / abs(step[-1])) if step[-1] else 1.0
        point = point + factor * step
        if np.abs(step).max() < 1e-8:
            break
    beta, precision = point[:-1] / point[-1], point[-1]
    jacobian = np.hstack([np.eye(size) / precision, -(beta / precision)[:, None]])
    return beta, jacobian @ np.linalg.pinv(slopes(x, y, censored, point)[1]) @ jacobian.T


def slopes(
    x: np.ndarray, y: np.ndarray, censored: np.ndarray, point: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Gradient and negative second derivative of the log-likelihood."""
    scaled = point[-1] * y - x @ point[:-1]
    both = np.hstack([-x, y[:, None]])
    ratio = np.array(
        [hazard(value) if is_cut else 0.0 for value, is_cut in zip(scaled, censored, strict=True)]
    )
    first = np.where(censored, -ratio, -scaled)
    second = np.where(censored, ratio * (ratio - scaled), 1.0)
    gradient = both.T @ first
    curvature = (both * second[:, None]).T @ both
    gradient[-1] += (~censored).sum() / point[-1]
    curvature[-1, -1] += (~censored).sum() / point[-1] ** 2
    return gradient, curvature


def hazard(value: float) -> float:
    """Density over upper tail of the normal distribution."""
    return (
        math.exp(-(value**2) / 2) / math.sqrt(2 * math.pi) / max(math.erfc(value / math.sqrt(2)) / 2, 1e-300)
    )


def compare(lines: list[Line], factors: list[str], covariate: bool) -> Found:
    """Arms compared within the factors, line by line."""
    arm = np.array([[float(line["arm"] == "b")] for line in lines])
    coefficients, covariance, freedom = fit(np.hstack([arm, columns(lines, factors, covariate)]), lines)
    return interval(float(coefficients[0]), math.sqrt(covariance[0, 0]), freedom)


def compare_within_units(lines: list[Line]) -> Found:
    """Arms compared by the two lines of each unit, within days."""
    x, y = (
        columns(lines, ["arm", "day"], covariate=False)[:, 1:],
        np.array([float(line["after"]) for line in lines]),
    )
    places: dict[object, list[int]] = {}
    for place, line in enumerate(lines):
        places.setdefault(line["unit"], []).append(place)
    first, second = (np.array([pair[number] for pair in places.values()]) for number in (0, 1))
    x, y = x[first] - x[second], y[first] - y[second]
    bread = np.linalg.inv(x.T @ x)
    coefficients = bread @ (x.T @ y)
    freedom = len(y) - x.shape[1]
    spread = float(((y - x @ coefficients) ** 2).sum()) / freedom
    return interval(float(coefficients[0]), math.sqrt(spread * bread[0, 0]), freedom)


def compare_rooms(lines: list[Line]) -> Found:
    """Arms compared between rooms: each room counts once, after what differs within rooms is taken out."""
    coefficients, _, _ = fit(columns(lines, ["room", "day"], covariate=True), lines)
    rooms = sorted({line["room"] for line in lines}, key=str)
    groups: dict[object, list[float]] = {"a": [], "b": []}
    for room, level in zip(rooms, coefficients, strict=False):
        mean_before = np.mean([float(line["before"]) - 50 for line in lines if line["room"] == room])
        arm = next(line["arm"] for line in lines if line["room"] == room)
        groups[arm].append((float(level), float(mean_before)))
    x = [[1.0, float(arm == "b"), before] for arm, members in groups.items() for _, before in members]
    y = [level for members in groups.values() for level, _ in members]
    design, target = np.array(x), np.array(y)
    solved, *_ = np.linalg.lstsq(design, target, rcond=None)
    freedom = len(target) - 3
    spread = float(((target - design @ solved) ** 2).sum()) / freedom
    return interval(float(solved[1]), math.sqrt(spread * np.linalg.inv(design.T @ design)[1, 1]), freedom)
