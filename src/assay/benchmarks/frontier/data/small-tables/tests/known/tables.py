"""Reads a table in two ways: on straightened scales, and as normal scores."""

from statistics import NormalDist

import numpy as np

QUANTILES = np.array([NormalDist().inv_cdf((place + 0.5) / 4000) for place in range(4000)])


def straightened(numbers):
    """A column on a scale on which it is near normal; missing values stay missing."""
    there = numbers[~np.isnan(numbers)]
    if len(there) < 3:
        return np.zeros(len(numbers))
    if len(set(there.tolist())) > 30:
        if there.min() > 0 and there.max() > 2.5 * np.median(there):
            numbers = np.log(numbers)
        elif np.mean((there - there.mean()) ** 4) > 5 * np.var(there) ** 2:
            numbers = np.sign(numbers) * np.abs(numbers) ** 0.4
    return np.clip((numbers - np.nanmean(numbers)) / (np.nanstd(numbers) + 1e-9), -4, 4)


def filled(numbers):
    """Missing numbers replaced by their mean given the others, under a normal law that is fitted by repetition."""
    holes = np.isnan(numbers)
    found, (rows, width) = np.where(holes, 0.0, numbers), numbers.shape
    unsure = np.zeros_like(found)
    for _ in range(5 if width > 1 and holes.any() else 0):
        spread = found.T @ found / rows + np.diag(unsure.mean(axis=0))
        spread = spread * (rows / (rows + 10.0)) + np.eye(width) * (10.0 / (rows + 10))
        for row in np.flatnonzero(holes.any(axis=1)):
            hole = holes[row]
            if hole.all():
                found[row], unsure[row] = 0.0, np.diag(spread)
                continue
            both = spread[np.ix_(~hole, hole)]
            slopes = np.linalg.solve(spread[np.ix_(~hole, ~hole)], both)
            found[row, hole] = found[row, ~hole] @ slopes
            unsure[row, hole] = np.diag(spread)[hole] - (slopes * both).sum(axis=0)
    return found


def read_straightened(table):
    """All rows: numbers without holes, and for each category a column for each level."""
    rows, numbers, categories = table["known"] + table["asked"], [], []
    for place, kind in enumerate(table["kinds"]):
        values = [row[place] for row in rows]
        if kind == "number":
            numbers.append(straightened(np.array([np.nan if value is None else value for value in values], float)))
        else:
            levels = sorted(set(values) - {None})
            member = np.array([[float(value == level) for level in levels] for value in values])
            hole = np.array([value is None for value in values])
            member[hole] = member[~hole].mean(axis=0) if (~hole).any() else 0.0
            categories.append(member)
    return filled(np.column_stack(numbers) if numbers else np.zeros((len(rows), 0))), categories


def normal_scores(numbers):
    """Numbers replaced by what a normal variable has at their rank; missing ones stay missing."""
    found, there = np.full(len(numbers), np.nan), ~np.isnan(numbers)
    _, inverse, counts = np.unique(numbers[there], return_inverse=True, return_counts=True)
    upper = np.cumsum(counts)
    rank = (upper - counts / 2) / max(upper[-1], 1)
    found[there] = QUANTILES[np.minimum((rank * 4000).astype(int), 3999)][inverse]
    return found


def guessed(numbers, codes):
    """Replace missing numbers by what the other columns say about them."""
    holes = np.isnan(numbers)
    numbers = np.where(holes, 0.0, numbers)
    groups = [np.eye(code.max() + 2)[code + 1][:, 1:] for code in codes]
    others = np.column_stack([np.zeros((len(numbers), 0)), *groups])
    others = others - others.mean(axis=0)
    for _ in range(4):
        for column in np.flatnonzero(holes.any(axis=0)):
            inputs, there = np.column_stack([np.delete(numbers, column, 1), others]), ~holes[:, column]
            inside = inputs[there].T @ inputs[there] + 10 * np.eye(inputs.shape[1])
            weights = np.linalg.solve(inside, inputs[there].T @ numbers[there, column])
            numbers[~there, column] = inputs[~there] @ weights
    return numbers, holes


def read_scores(table):
    """All rows: numbers as normal scores, and codes of categories and of which numbers are missing."""
    rows, numbers, codes = table["known"] + table["asked"], [], []
    for place, kind in enumerate(table["kinds"]):
        values = [row[place] for row in rows]
        if kind == "number":
            numbers.append(normal_scores(np.array([np.nan if value is None else value for value in values], float)))
        else:
            levels = sorted(set(values) - {None})
            codes.append(np.array([-1 if value is None else levels.index(value) for value in values]))
    filled, holes = guessed(np.column_stack(numbers), codes)
    return filled, codes + [hole.astype(int) for hole in holes.T if hole.sum() > 3]
