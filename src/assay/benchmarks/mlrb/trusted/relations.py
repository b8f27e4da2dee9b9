"""How one tensor can be got from others without training: copied, cut, mixed, chosen among, projected.

Each relation is exact up to the rounding that the tensor itself shows, so that a step of training, which
moves every value, breaks it.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from .weights import Array

SAMPLE = 4096
EXACT = 0.9995
CHOSEN = 0.98
"""The share of values that must follow: nearly all, fewer where rare recipes may go unfound."""
ROUNDED = 0.5
"""Of the bound on rounding, at most so much on average: a cheat would use it up."""
DRAWS = 120
SMALL = 1024
"""Tensors of fewer values, such as norms, tell too little by themselves: all recipes of larger ones count."""


def error_of(values: Array, bits: int) -> Array:
    """How far each value may be off by rounding to so many bits (half a unit in the last place, doubled)."""
    smallest = typical(values) * 2.0**-22 + (2.0**-24 if bits == 11 else 1e-30)
    found: Array = np.abs(values) * 2.0 ** (1 - min(bits, 22)) + smallest
    return found


def typical(values: Array) -> float:
    """The median of the sizes that are not zero: no single value of a cheat's choice makes it larger."""
    sizes = np.abs(values[values != 0])
    return float(np.median(sizes)) if sizes.size else 0.0


def mixture(values: Array, sources: list[Array], bits: int) -> bool:
    """Whether it is one linear combination of the sources: copied, scaled, averaged, task arithmetic."""
    if not sources or values.size < 2 * len(sources):
        return False
    at = _sample(values)
    table = np.stack([source.ravel()[at] for source in sources], axis=1)
    wanted = values.ravel()[at]
    weights, *_ = np.linalg.lstsq(table, wanted, rcond=1e-10)
    # Rounding of the sources adds to that of the result.
    slack = error_of(wanted, bits) + error_of(np.abs(table) @ np.abs(weights), bits)
    off = np.abs(table @ weights - wanted)
    return bool(np.mean(off <= slack) >= EXACT) and _rounding(off, error_of(wanted, bits))


def _rounding(off: Array, error: Array) -> bool:
    """Whether values are off as rounding leaves them: a quarter of its bound, half if it was done twice."""
    return off.size == 0 or float(np.minimum(off / error, 4).mean()) <= ROUNDED


@dataclass
class Recipes:
    """Fixed multiples of some of the experts' differences, found in one tensor and tried in the next."""

    found: list[tuple[tuple[int, ...], Array]] = field(default_factory=list)


def zeroed(values: Array, source: Array, bits: int) -> bool:
    """Whether it is the source with some values set to zero."""
    slack = error_of(values, bits) + error_of(source, bits)
    left, off = values != 0, np.abs(values - source)
    follows = bool(np.mean(~left | (off <= slack)) >= EXACT)
    return follows and _rounding(off[left], error_of(values, bits)[left])


def selection(values: Array, base: Array, others: list[Array], bits: int, known: Recipes) -> float:
    """The share of values that follow a few fixed recipes, element by element: TIES, DARE.

    A recipe adds fixed multiples of some differences to the base, or is zero. Recipes are found by solving
    for the multiples at a few elements drawn at random, and counting how many others they fit. Each set of
    experts has one recipe in a large tensor: among many, every trained value would find one near to it.
    """
    at = _sample(values)
    wanted, ground = values.ravel()[at], base.ravel()[at]
    slack = error_of(wanted, bits) + error_of(ground, bits)
    delta = wanted - ground
    shifts = np.stack([other.ravel()[at] - ground for other in others], axis=1)
    explained = (wanted == 0) | (np.abs(delta) <= slack)
    off = np.where(wanted == 0, 0.0, np.abs(delta))
    for chosen, multiples in known.found if len(at) < SMALL else ():
        columns = shifts[:, list(chosen)]
        explained |= _fits(columns, multiples, delta, slack)
        off = np.minimum(off, np.abs(columns @ multiples - delta))
    choice = np.random.default_rng(0)
    for size in range(1, len(others) + 1):
        for chosen in combinations(range(len(others)), size):
            columns = shifts[:, list(chosen)]
            left = np.flatnonzero(~explained)
            if left.size < max(2 * size, (1 - EXACT) * len(at)):
                break
            drawn = (choice.choice(left, size, replace=False) for _ in range(DRAWS))
            new = _best([_solved(columns, delta, each) for each in drawn], columns, delta, slack, ~explained)
            # A new recipe must fit far more than the elements that it was made from.
            if new[1].sum() > 8 * size + 0.01 * len(at):
                known.found.append((chosen, new[0]))
            old = [multiples for those, multiples in known.found if those == chosen]
            if old:
                multiples, fits = _best(old, columns, delta, slack, ~explained)
                explained |= fits
                off = np.minimum(off, np.abs(columns @ multiples - delta))
    exact = bits > 16 or _rounding(off[explained], error_of(wanted, bits)[explained])
    return float(explained.mean()) if exact else 0.0


def _solved(columns: Array, delta: Array, drawn: NDArray[np.intp]) -> Array:
    try:
        found: Array = np.linalg.solve(columns[drawn], delta[drawn]).astype(np.float64)
    except np.linalg.LinAlgError:
        return np.zeros(columns.shape[1])
    return found if np.abs(found).max() <= 100 else np.zeros(columns.shape[1])


def _best(
    recipes: list[Array], columns: Array, delta: Array, slack: Array, wanted: NDArray[np.bool_]
) -> tuple[Array, NDArray[np.bool_]]:
    """The recipe that gives most of the wanted differences, made exact by them, and which those are."""
    found = [(multiples, _fits(columns, multiples, delta, slack) & wanted) for multiples in recipes]
    multiples, fits = max(found, key=lambda each: int(each[1].sum()))
    if fits.sum() > 8 * len(multiples):
        exact: Array = np.linalg.lstsq(columns[fits], delta[fits], rcond=None)[0].astype(np.float64)
        again = _fits(columns, exact, delta, slack) & wanted
        if again.sum() >= fits.sum():
            return exact, again
    return multiples, fits


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
    return values.ndim == 2 and bool(0 < _rank(values, _noise(values, bits)) <= 0.95 * min(values.shape))


def projection(values: Array, source: Array, bits: int) -> bool:
    """Whether a matrix of low rank is the source after a projection: SVD, weighted or not.

    PW is one exactly where W has as many dimensions as PW and W − PW together.
    """
    noise = _noise(values, bits)
    most = min(values.shape)
    stray = 1 + most // 100  # a value far larger than the others is rounded by more than the noise
    return bool(_rank(source - values, noise) <= most - _rank(values, noise) + stray)


def _rank(values: Array, noise: float) -> int:
    return int((np.linalg.svd(values, compute_uv=False) > noise).sum())


def _noise(values: Array, bits: int) -> float:
    """The largest singular value that rounding alone leaves, in the storing and in the arithmetic before."""
    rows, columns = values.shape
    around = np.sqrt(rows) + np.sqrt(columns)
    stored = 2.0 * typical(values) * 2.0**-bits + (2.0**-24 if bits == 11 else 0.0)
    return float(stored * around + typical(values) * np.sqrt(rows * columns) * 2.0**-18)


def likeness(values: Array, source: Array) -> float:
    """The cosine between two tensors of the same shape."""
    one, other = values.ravel(), source.ravel()
    below = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(one @ other) / below if below else 0.0


def _sample(values: Array) -> NDArray[np.intp]:
    """Places to look at, drawn by the values themselves: nobody can know them and spare only those."""
    if values.size <= SAMPLE:
        return np.arange(values.size)
    seed = int.from_bytes(hashlib.sha256(values.tobytes()).digest())
    return np.sort(np.random.default_rng(seed).choice(values.size, SAMPLE, replace=False))
