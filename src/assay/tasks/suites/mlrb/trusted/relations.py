"""How one tensor can be got from others without training: copied, cut, mixed, chosen among, projected.

Each relation is exact up to the rounding that the tensor itself shows, so that a step of training, which
moves every value, breaks it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from .weights import Array

SAMPLE = 4096
EXACT = 0.9995
CHOSEN = 0.98
"""The share of values that must follow: nearly all, fewer where rare recipes may go unfound."""
DRAWS = 120


def error_of(values: Array, bits: int) -> Array:
    """How far each value may be off by rounding to so many bits (half a unit in the last place, doubled)."""
    smallest = float(np.abs(values).max(initial=0.0)) * 2.0**-24 + (2.0**-24 if bits == 11 else 1e-30)
    found: Array = np.abs(values) * 2.0 ** (1 - min(bits, 22)) + smallest
    return found


def mixture(values: Array, sources: list[Array], bits: int) -> bool:
    """Whether it is one linear combination of the sources: copied, scaled, averaged, task arithmetic."""
    if not sources or values.size < 2 * len(sources):
        return False
    at = _sample(values.size)
    table = np.stack([source.ravel()[at] for source in sources], axis=1)
    wanted = values.ravel()[at]
    weights, *_ = np.linalg.lstsq(table, wanted, rcond=1e-10)
    # Rounding of the sources adds to that of the result.
    slack = error_of(wanted, bits) + error_of(np.abs(table) @ np.abs(weights), bits)
    return bool(np.mean(np.abs(table @ weights - wanted) <= slack) >= EXACT)


@dataclass
class Recipes:
    """Fixed multiples of some of the experts' differences, found in one tensor and tried in the next."""

    found: list[tuple[tuple[int, ...], Array]] = field(default_factory=list)


def zeroed(values: Array, source: Array, bits: int) -> bool:
    """Whether it is the source with some values set to zero."""
    slack = error_of(values, bits) + error_of(source, bits)
    return bool(np.mean((values == 0) | (np.abs(values - source) <= slack)) >= EXACT)


def selection(values: Array, base: Array, others: list[Array], bits: int, known: Recipes) -> float:
    """The share of values that follow a few fixed recipes, element by element: TIES, DARE.

    A recipe adds fixed multiples of some differences to the base, or is zero. Recipes are found by solving
    for the multiples at a few elements drawn at random, and counting how many others they fit.
    """
    at = _sample(values.size)
    wanted, ground = values.ravel()[at], base.ravel()[at]
    slack = error_of(wanted, bits) + error_of(ground, bits)
    delta = wanted - ground
    shifts = np.stack([other.ravel()[at] - ground for other in others], axis=1)
    explained = (wanted == 0) | (np.abs(delta) <= slack)
    for chosen, multiples in known.found:
        explained |= _fits(shifts[:, list(chosen)], multiples, delta, slack)
    choice = np.random.default_rng(0)
    for size in range(1, len(others) + 1):
        for chosen in combinations(range(len(others)), size):
            columns = shifts[:, list(chosen)]
            for _ in range(DRAWS):
                left = np.flatnonzero(~explained)
                if left.size < max(2 * size, (1 - EXACT) * len(at)):
                    return float(explained.mean())
                multiples = _solved(columns, delta, choice.choice(left, size, replace=False))
                fits = _fits(columns, multiples, delta, slack) & ~explained
                # A recipe must fit far more than the elements that it was made from.
                if fits.sum() > 8 * size + 0.01 * len(at):
                    explained |= fits
                    known.found.append((chosen, multiples))
    return float(explained.mean())


def _solved(columns: Array, delta: Array, drawn: NDArray[np.intp]) -> Array:
    try:
        found: Array = np.linalg.solve(columns[drawn], delta[drawn]).astype(np.float64)
    except np.linalg.LinAlgError:
        return np.zeros(columns.shape[1])
    return found if np.abs(found).max() <= 100 else np.zeros(columns.shape[1])


def _fits(columns: Array, multiples: Array, delta: Array, slack: Array) -> NDArray[np.bool_]:
    """Where a recipe gives the difference; its multiples come from rounded numbers: a thousandth is free."""
    made = columns @ multiples
    fits: NDArray[np.bool_] = np.abs(made - delta) <= slack + 1e-3 * np.abs(made)
    return fits


def subset(values: Array, source: Array, bits: int) -> bool:
    """Whether it is the source with rows or columns left out, in their order."""
    one, other = np.atleast_2d(values), np.atleast_2d(source)
    if one.ndim != 2 or other.ndim != 2 or one.shape == other.shape:
        return False
    if one.shape[0] > other.shape[0] or one.shape[1] > other.shape[1]:
        return False
    columns = _kept(one, other, bits)
    rows = _kept(one.T, other[:, columns].T, bits) if columns is not None else None
    if columns is None or rows is None:
        return False
    there = other[rows][:, columns]
    return bool(np.mean(np.abs(there - one) <= error_of(one, bits)) >= EXACT)


def _kept(one: Array, other: Array, bits: int) -> NDArray[np.intp] | None:
    """Which columns of the other stand in this one; where rows are missing too, by their values alone.

    Each value has the slack of its own rounding: that of the largest would make all small ones alike.
    """
    if one.shape[1] == other.shape[1]:
        return np.arange(other.shape[1])
    whole = len(one) == len(other)
    found, start = [], 0
    ordered = other.T.copy() if whole else np.sort(other.T, axis=1)
    for column in one.T.copy():
        slack = error_of(column, bits)
        for at in range(start, other.shape[1]):
            near = np.abs((ordered[at] if whole else _nearest(ordered[at], column)) - column)
            if np.mean(near <= slack) >= EXACT:
                found.append(at)
                start = at + 1
                break
        else:
            return None
    return np.array(found)


def _nearest(ordered: Array, values: Array) -> Array:
    """For each value the one of an ordered row that is nearest to it."""
    place = np.clip(np.searchsorted(ordered, values), 1, max(1, len(ordered) - 1))
    below, above = ordered[place - 1], ordered[np.minimum(place, len(ordered) - 1)]
    return np.where(np.abs(below - values) <= np.abs(above - values), below, above)


def low_rank(values: Array, bits: int) -> bool:
    """Whether a matrix has clearly fewer dimensions than its shape allows."""
    if values.ndim != 2:
        return False
    sizes = np.linalg.svd(values, compute_uv=False)
    return bool(0 < (sizes > sizes[0] * 2.0 ** (3 - min(bits, 22))).sum() <= 0.95 * len(sizes))


def projection(values: Array, source: Array, bits: int) -> bool:
    """Whether a matrix of low rank is the source after a projection: SVD, weighted or not."""
    one, other = (values, source) if values.shape[0] <= values.shape[1] else (values.T, source.T)
    # For a projection P of W: (PW) W⁺ (PW) = PPW = PW.
    again = one @ np.linalg.pinv(other) @ one
    apart = np.linalg.norm(again - one) / np.linalg.norm(one)
    return bool(apart < 2.0 ** (6 - min(bits, 16)))


def likeness(values: Array, source: Array) -> float:
    """The cosine between two tensors of the same shape."""
    one, other = values.ravel(), source.ravel()
    below = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(one @ other) / below if below else 0.0


def _sample(size: int) -> NDArray[np.intp]:
    if size <= SAMPLE:
        return np.arange(size)
    return np.sort(np.random.default_rng(size).choice(size, SAMPLE, replace=False))
