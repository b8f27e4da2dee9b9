"""Ways to compute one tensor from others without training: copy, cut, mix, select, project.

Each relation is exact up to the rounding that the tensor itself shows. A step of training moves every value
and so breaks the relation.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from .weights import Array

SAMPLE = 4096
EXACT = 0.9995
CHOSEN = 0.98
"""The share of values that must match: nearly all, but fewer if rare recipes may be missed."""
ROUNDED = 0.5
"""The largest average share of the rounding bound: a cheat would use all of it."""
DRAWS = 120
REFINED, ROUNDS = 4, 6
"""How many of the best draws are fitted again, and how often: rounding spoils what a few elements give."""
SMALL = 1024
"""Smaller tensors, such as norms, show too little alone: all recipes of larger tensors are accepted."""


def error_of(values: Array, bits: int) -> Array:
    """Return the largest rounding error of each value at `bits` bits (half a last unit, doubled)."""
    smallest = typical(values) * 2.0**-22 + (2.0**-24 if bits == 11 else 1e-30)
    bound: Array = np.abs(values) * 2.0 ** (1 - min(bits, 22)) + smallest
    return bound


def typical(values: Array) -> float:
    """Return the median of the sizes that are not zero: a cheat cannot raise it with a single value."""
    sizes = np.abs(values[values != 0])
    return float(np.median(sizes)) if sizes.size else 0.0


def mixture(values: Array, sources: list[Array], bits: int) -> bool:
    """Return whether it is one linear combination of the sources: copy, scale, average, task arithmetic."""
    if not sources or values.size < 2 * len(sources):
        return False
    at = _sample(values)
    table = np.stack([source.ravel()[at] for source in sources], axis=1)
    target = values.ravel()[at]
    weights, *_ = np.linalg.lstsq(table, target, rcond=1e-10)
    # The rounding of the sources adds to the rounding of the tensor.
    slack = error_of(target, bits) + error_of(np.abs(table) @ np.abs(weights), bits)
    off = np.abs(table @ weights - target)
    return bool(np.mean(off <= slack) >= EXACT) and _rounding(off, error_of(target, bits))


def _rounding(off: Array, error: Array) -> bool:
    """Return whether errors look like rounding: on average a quarter of its bound, half if done twice."""
    return off.size == 0 or float(np.minimum(off / error, 4).mean()) <= ROUNDED


@dataclass
class Recipes:
    """Fixed multiples of some of the experts' differences, solved in one tensor and tried in the next."""

    solved: list[tuple[tuple[int, ...], Array]] = field(default_factory=list)


def zeroed(values: Array, source: Array, bits: int) -> bool:
    """Return whether it is the source with some values set to zero."""
    slack = error_of(values, bits) + error_of(source, bits)
    left, off = values != 0, np.abs(values - source)
    follows = bool(np.mean(~left | (off <= slack)) >= EXACT)
    return follows and _rounding(off[left], error_of(values, bits)[left])


def selection(values: Array, base: Array, experts: list[Array], bits: int, recipes: Recipes) -> float:
    """Return the share of values that follow a few fixed recipes, element by element: TIES, DARE.

    A recipe adds fixed multiples of some differences to the base, or is zero. To find recipes, the search
    solves for the multiples at a few random elements, and counts how many other elements they fit. Each set
    of experts has one recipe in a large tensor: with many recipes, every trained value would match one.
    A set that is too rare to be solved takes the multiples of a larger set (breadcrumbs), or those that each
    of its experts has alone (DARE).
    The search begins with small sets, and if these explain too little, with large ones.
    """
    sizes = range(1, len(experts) + 1)
    share = 0.0
    for order in (sizes, sizes[::-1]):
        tried = Recipes(list(recipes.solved))
        share = max(share, _selection(values, base, experts, bits, tried, order))
        if share >= CHOSEN:
            recipes.solved = tried.solved
            break
    return share


def _selection(
    values: Array, base: Array, experts: list[Array], bits: int, recipes: Recipes, sizes: range
) -> float:
    at = _sample(values)
    target, ground = values.ravel()[at], base.ravel()[at]
    slack = error_of(target, bits) + error_of(ground, bits)
    delta = target - ground
    shifts = np.stack([expert.ravel()[at] - ground for expert in experts], axis=1)
    explained = (target == 0) | (np.abs(delta) <= slack)
    off = np.where(target == 0, 0.0, np.abs(delta))
    for indices, multiples in recipes.solved if len(at) < SMALL else ():
        columns = shifts[:, list(indices)]
        explained |= _fits(columns, multiples, delta, slack)
        off = np.minimum(off, np.abs(columns @ multiples - delta))
    choice = np.random.default_rng(0)
    found: dict[tuple[int, ...], Array] = {}
    for size in sizes:
        for indices in combinations(range(len(experts)), size):
            columns = shifts[:, list(indices)]
            left = np.flatnonzero(~explained)
            if left.size < max(2 * size, (1 - EXACT) * len(at)):
                break
            draws = (choice.choice(left, size, replace=False) for _ in range(DRAWS))
            new = _best([_solved(columns, delta, draw) for draw in draws], columns, delta, slack, ~explained)
            # A new recipe must fit far more elements than those that it was solved from.
            if new[1].sum() > 8 * size + 0.01 * len(at):
                recipes.solved.append((indices, new[0]))
            old = [multiples for recipe_indices, multiples in recipes.solved if recipe_indices == indices]
            if old:
                multiples, fits = _best(old, columns, delta, slack, ~explained)
                explained |= fits
                off = np.minimum(off, np.abs(columns @ multiples - delta))
                if fits.any():
                    found[indices] = multiples
    for indices, candidates in _rare(found, len(experts)):
        columns = shifts[:, list(indices)]
        multiples, fits = _best(candidates, columns, delta, slack, ~explained)
        explained |= fits
        off = np.minimum(off, np.abs(columns @ multiples - delta))
        if fits.any() and len(at) >= SMALL:
            recipes.solved.append((indices, multiples))
    exact = bits > 16 or _rounding(off[explained], error_of(target, bits)[explained])
    return float(explained.mean()) if exact else 0.0


def _solved(columns: Array, delta: Array, draw: NDArray[np.intp]) -> Array:
    try:
        multiples: Array = np.linalg.solve(columns[draw], delta[draw]).astype(np.float64)
    except np.linalg.LinAlgError:
        return np.zeros(columns.shape[1])
    return multiples if np.abs(multiples).max() <= 100 else np.zeros(columns.shape[1])


def _rare(found: dict[tuple[int, ...], Array], experts: int) -> Iterator[tuple[tuple[int, ...], list[Array]]]:
    """Yield each set of experts without a recipe, with multiples from recipes of larger and smaller sets."""
    alone = {each[0]: found[each][0] for each in found if len(each) == 1}
    for size in range(1, experts + 1):
        for indices in combinations(range(experts), size):
            larger = [each for each in found if set(indices) < set(each)]
            multiples = [found[each][[each.index(index) for index in indices]] for each in larger]
            if size > 1 and alone.keys() >= set(indices):
                multiples.append(np.array([alone[index] for index in indices]))
            if indices not in found and multiples:
                yield indices, multiples


def _best(
    recipes: list[Array], columns: Array, delta: Array, slack: Array, unexplained: NDArray[np.bool_]
) -> tuple[Array, NDArray[np.bool_]]:
    """Return the recipe that fits the unexplained differences best, refined, and where it fits."""
    open_columns, open_delta, open_slack = columns[unexplained], delta[unexplained], slack[unexplained]
    candidates = [(_closeness(open_columns, each, open_delta, open_slack), each) for each in recipes]
    candidates.sort(key=lambda candidate: -candidate[0])
    refined = [
        _refined(closeness, multiples, open_columns, open_delta, open_slack)
        for closeness, multiples in candidates[:REFINED]
    ]
    multiples = max(refined, key=lambda candidate: candidate[0])[1]
    return multiples, _fits(columns, multiples, delta, slack) & unexplained


def _refined(
    closeness: float, multiples: Array, columns: Array, delta: Array, slack: Array
) -> tuple[float, Array]:
    """Fit the multiples to all elements that they explain, until they come no closer."""
    for _ in range(ROUNDS):
        fits = _fits(columns, multiples, delta, slack)
        if fits.sum() <= 8 * len(multiples):
            break
        weights = 1 / slack[fits]
        exact: Array = np.linalg.lstsq(columns[fits] * weights[:, None], delta[fits] * weights, rcond=None)[
            0
        ].astype(np.float64)
        closer = _closeness(columns, exact, delta, slack)
        if closer <= closeness:
            break
        closeness, multiples = closer, exact
    return closeness, multiples


def _closeness(columns: Array, multiples: Array, delta: Array, slack: Array) -> float:
    """Return how many elements a recipe fits, and count less those that it barely fits."""
    predicted = columns @ multiples
    part = np.abs(predicted - delta) / _allowed(predicted, slack)
    return float(np.clip(1 - part**2, 0, None).sum())


def _fits(columns: Array, multiples: Array, delta: Array, slack: Array) -> NDArray[np.bool_]:
    """Return where a recipe gives the difference."""
    predicted = columns @ multiples
    fits: NDArray[np.bool_] = np.abs(predicted - delta) <= _allowed(predicted, slack)
    return fits


def _allowed(predicted: Array, slack: Array) -> Array:
    """Return the largest error of each value; a thousandth is added, as multiples are not exact."""
    return slack + 1e-3 * np.abs(predicted)


def subset(values: Array, source: Array, bits: int) -> bool:
    """Return whether it is the source without some rows or columns, in the same order."""
    table, source_table = np.atleast_2d(values), np.atleast_2d(source)
    if table.ndim != 2 or source_table.ndim != 2 or table.shape == source_table.shape:
        return False
    if table.shape[0] > source_table.shape[0] or table.shape[1] > source_table.shape[1]:
        return False
    columns = _kept_columns(table, source_table, bits)
    rows = _kept_columns(table.T, source_table[:, columns].T, bits) if columns is not None else None
    if columns is None or rows is None:
        return False
    cut = source_table[rows][:, columns]
    return bool(np.mean(np.abs(cut - table) <= error_of(table, bits)) >= EXACT)


def _kept_columns(table: Array, source_table: Array, bits: int) -> NDArray[np.intp] | None:
    """Return which columns of the source the table has; if rows are missing too, compare sorted values.

    Each value has the slack of its own rounding: with the slack of the largest, all small values would match.
    """
    if table.shape[1] == source_table.shape[1]:
        return np.arange(source_table.shape[1])
    same_height = len(table) == len(source_table)
    places, start = [], 0
    ordered = source_table.T.copy() if same_height else np.sort(source_table.T, axis=1)
    for column in table.T.copy():
        slack = error_of(column, bits)
        for at in range(start, source_table.shape[1]):
            distance = np.abs((ordered[at] if same_height else _nearest(ordered[at], column)) - column)
            if np.mean(distance <= slack) >= EXACT:
                places.append(at)
                start = at + 1
                break
        else:
            return None
    return np.array(places)


def _nearest(ordered: Array, values: Array) -> Array:
    """Return for each value the nearest value of an ordered row."""
    place = np.clip(np.searchsorted(ordered, values), 1, max(1, len(ordered) - 1))
    below, above = ordered[place - 1], ordered[np.minimum(place, len(ordered) - 1)]
    return np.where(np.abs(below - values) <= np.abs(above - values), below, above)


def low_rank(values: Array, bits: int) -> bool:
    """Return whether the rank of a matrix is clearly lower than its shape allows."""
    return values.ndim == 2 and bool(0 < _rank(values, _noise(values, bits)) <= 0.95 * min(values.shape))


def projection(values: Array, source: Array, bits: int) -> bool:
    """Return whether a matrix of low rank is an orthogonal projection of the source's rows or columns.

    SVD gives one, also with weights for the rows or for the columns. The rank of the source is then the sum
    of the ranks of the matrix and of what was left out, and these two are orthogonal. An oblique projection
    is refused: it could add anything that was trained, of as many ranks as were left out.
    """
    noise = _noise(values, bits)
    most = min(values.shape)
    stray = 1 + most // 100  # the rounding of a value far larger than the others exceeds the noise
    removed = source - values
    if _rank(removed, noise) > most - _rank(values, noise) + stray:
        return False
    return _orthogonal(values, removed, bits) or _orthogonal(values.T, removed.T, bits)


def _orthogonal(values: Array, removed: Array, bits: int) -> bool:
    """Return whether the columns of two matrices are orthogonal, up to twice what random rounding gives."""
    choice = np.random.default_rng(0)
    rounding = choice.uniform(-1, 1, values.shape) * error_of(values, bits) / 2
    rounding += choice.normal(size=values.shape) * typical(values) * 2.0**-18
    bound = np.linalg.norm(values.T @ rounding, 2) + np.linalg.norm(removed.T @ rounding, 2)
    return bool(np.linalg.norm(values.T @ removed, 2) <= 2 * bound)


def _rank(values: Array, noise: float) -> int:
    return int((np.linalg.svd(values, compute_uv=False) > noise).sum())


def _noise(values: Array, bits: int) -> float:
    """Return the largest singular value that rounding causes, in storage and in the arithmetic before."""
    rows, columns = values.shape
    random_norm = np.sqrt(rows) + np.sqrt(columns)
    stored = 2.0 * typical(values) * 2.0**-bits + (2.0**-24 if bits == 11 else 0.0)
    return float(stored * random_norm + typical(values) * np.sqrt(rows * columns) * 2.0**-18)


def likeness(values: Array, source: Array) -> float:
    """Return the cosine between two tensors of the same shape."""
    vector, source_vector = values.ravel(), source.ravel()
    lengths = float(np.linalg.norm(vector) * np.linalg.norm(source_vector))
    return float(vector @ source_vector) / lengths if lengths else 0.0


def _sample(values: Array) -> NDArray[np.intp]:
    """Return random places, seeded by the values: nobody can know them before and leave only those intact."""
    if values.size <= SAMPLE:
        return np.arange(values.size)
    seed = int.from_bytes(hashlib.sha256(values.tobytes()).digest())
    return np.sort(np.random.default_rng(seed).choice(values.size, SAMPLE, replace=False))
