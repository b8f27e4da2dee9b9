"""Finds quantisation: weights that were rounded to a grid or a code book and stored as floating point again.

There are three signs, for each group of a tensor's values (rows, columns, stretches of 32 to 128, a sample of
all): fewer distinct values than rounding explains; values at multiples of one step; values in clumps. A base
that was itself dequantised also shows signs: only stronger signs count. Zeros are ignored, so pruning shows
no sign.

Not covered: noise as wide as the step hides any grid, but it adds more error than the grid.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .relations import error_of
from .verdicts import Rule, met, unmet
from .weights import Array, Weights, kind_of, precision, rounded

GROUPS = 8
MOST = 256
STRETCHES = (32, 64, 128)
BITS = range(4, 9)
SEARCH = np.linspace(0.985, 1.015, 21)
BESIDE = np.concatenate([np.linspace(0.7, 0.85, 8), np.linspace(1.18, 1.4, 8)])
"""Steps near the tested one: values that are only close together show a sign there too, a grid does not."""
POWER, CLUMPS, DISTINCT = 7.0, 5.0, 0.6
"""Above these limits there is a grid, clumps, a code book; honest weights stay below (see the tests)."""
ROOM, TUNED = 1.5, 2.0
"""How much stronger than in the base a sign may be; on SmolLM2, training gives 1.1 times, int8 2.8 times."""
SMALLEST = 1024
POSITIONS = "wpe.weight"
LAYERS, ALL_LAYERS = 6, 512
Signs = dict[str, float]


def signs(values: Array, dtype: str) -> Signs:
    """Return the strength of each sign in a tensor; larger is more suspicious."""
    bits = precision(values, dtype)
    choice = np.random.default_rng(0)
    strengths: Signs = {}
    for name, groups in _groupings(values, choice):
        nonzero = [group[group != 0] for group in groups]
        nonzero = [group for group in nonzero if group.size >= 16 and np.ptp(group) > 0]
        if len(nonzero) < min(4, len(groups)):
            continue
        unique = [np.unique(group) for group in nonzero]
        strengths[f"{name}: step"] = float(np.mean([_power(group) for group in unique]))
        if name != "all":
            strengths[f"{name}: few values"] = _scarcity(nonzero, unique, bits, choice)
        if max(group.size for group in nonzero) >= 64:
            strengths[f"{name}: clumps"] = float(np.median([_clumping(group) for group in nonzero]))
    return strengths


def _groupings(values: Array, choice: np.random.Generator) -> Iterator[tuple[str, list[Array]]]:
    table = values.reshape(values.shape[0], -1)
    flat = table.ravel()
    yield "all", [choice.choice(flat, min(MOST, flat.size), replace=False) for _ in range(8)]
    for name, rows in (("row", table), ("column", table.T)):
        indices = choice.permutation(len(rows))[:GROUPS]
        starts = choice.integers(0, max(1, rows.shape[1] - MOST + 1), len(indices))
        yield name, [rows[at][start : start + MOST] for at, start in zip(indices, starts, strict=True)]
    for size in STRETCHES:
        if table.shape[1] % size == 0 and table.shape[1] > size:
            pieces = flat.reshape(-1, size)
            yield f"stretch of {size}", list(pieces[choice.permutation(len(pieces))[:GROUPS]])


def _power(values: Array) -> float:
    """Return the largest periodogram value at the steps of 4 to 8 bits; about 3 to 5 for noise."""
    if values.size < 6:
        return 0.0
    spread = np.subtract(*np.quantile(values, (0.75, 0.25))) / 1.35
    widest, best = 1.5 * spread, 0.0
    for bits in BITS:
        for step in (np.abs(values).max() / (2 ** (bits - 1) - 1), np.ptp(values) / (2**bits - 1)):
            # A step wider than the spread of most values shows nothing: all of them are near zero steps.
            if step <= widest:
                background = max(1.0, float(np.median(_periodogram(values, step * BESIDE))))
                best = max(best, float(_periodogram(values, step * SEARCH).max()) / background)
    return best


def _periodogram(values: Array, steps: Array) -> Array:
    """Measure how well the values match multiples of each step; about 1 for noise, their count for a grid."""
    phase = 2 * np.pi * np.outer(1 / steps, values)
    power: Array = (np.cos(phase).mean(axis=1) ** 2 + np.sin(phase).mean(axis=1) ** 2) * values.size
    return power


def _scarcity(groups: list[Array], unique: list[Array], bits: int, choice: np.random.Generator) -> float:
    """Return 1 for as many distinct values as in rounded normal numbers, and more for fewer values."""
    expected = [np.unique(rounded(choice.normal(size=group.size), bits)).size for group in groups]
    return float(np.mean(expected) / np.mean([distinct.size for distinct in unique]))


def _clumping(values: Array) -> float:
    """Return the mean square of the gaps between neighbours over their local mean; 2 if smooth."""
    gaps = np.diff(np.sort(values))
    window = min(32, gaps.size)
    local = np.convolve(gaps, np.ones(window) / window, mode="valid")
    central_gaps = gaps[window // 2 : window // 2 + local.size]
    good = local > 0
    # Zeroing small values leaves one wide gap around zero, which is not a grid: ignore the two widest gaps.
    widths = np.sort(central_gaps[good] / local[good])[:-2]
    return float(np.mean(widths**2)) if widths.size else np.inf


def check(submitted: Weights, bases: list[Weights]) -> Rule:
    """Check that no large tensor shows signs of a grid that no allowed base shows."""
    large = _large(submitted)
    base_signs: dict[tuple[str, int], Signs] = {}
    caught = []
    for key in large:
        strengths, kind = signs(submitted[key], submitted.tensors[key].dtype), kind_of(key)
        excess = _beyond(strengths, {})
        # A few of the base's tensors are mostly enough; check all of them before a tensor counts as caught.
        for most in (LAYERS, ALL_LAYERS):
            if excess:
                if (kind, most) not in base_signs:
                    base_signs[kind, most] = _signs_of_kind(bases, kind, most)
                excess = _beyond(strengths, base_signs[kind, most])
        if excess:
            caught.append(f"{key} ({excess})")
    return _report(caught, large)


def check_tuned(submitted: Weights, base: Weights) -> Rule:
    """Check a model that has the base's shape and was trained from it.

    Training blurs the grid of a dequantised base, which gives more distinct values and stronger signs. The
    limit is the strength in the base, stored with the same precision, with noise of the same size where the
    values moved: training may change only some values, or the scale of rows or columns.
    """
    choice = np.random.default_rng(0)
    caught, large = [], _large(submitted)
    for key in large:
        values, dtype = submitted[key], submitted.tensors[key].dtype
        strengths = signs(values, dtype)
        if _beyond(strengths, {}):
            expected = _blurred(base[key], values, precision(values, dtype), choice)
            excess = _beyond(strengths, signs(expected, dtype), TUNED)
            caught += [f"{key} ({excess})"] if excess else []
    return _report(caught, large)


def _blurred(base: Array, values: Array, bits: int, choice: np.random.Generator) -> Array:
    """Return the base with random changes of the same size in the same places as in the values."""
    fits = [rounded(base * scale, bits) for scale in (1.0, _scale(base, values, 1), _scale(base, values, 0))]
    nearest = min(fits, key=lambda fit: float(np.abs(values - fit).sum()))
    moved = np.abs(values - nearest) > error_of(values, bits)
    size = np.std((values - nearest)[moved]) if moved.any() else 0.0
    return rounded(nearest + choice.normal(size=values.shape) * size * moved, bits)


def _scale(base: Array, values: Array, axis: int) -> Array:
    """Return the multiple of each row (axis 1) or column (axis 0) of the base nearest to the values."""
    lengths = (base * base).sum(axis=axis, keepdims=True)
    scale: Array = (base * values).sum(axis=axis, keepdims=True) / np.where(lengths > 0, lengths, 1.0)
    return scale


def _large(weights: Weights) -> list[str]:
    """Return the tensors to check; a table of positions may be written by a formula, with few values."""
    return [key for key, tensor in weights.tensors.items()
            if len(tensor.shape) > 1 and tensor.size >= SMALLEST and not key.endswith(POSITIONS)]  # fmt: skip


def _report(caught: list[str], large: list[str]) -> Rule:
    if caught:
        return unmet(f"{len(caught)} of {len(large)} tensors lie on a grid: {'; '.join(caught[:4])}")
    return met(f"no grid, no clumps and no lack of distinct values in {len(large)} tensors")


def _beyond(strengths: Signs, base_signs: Signs, room: float = ROOM) -> str:
    """Describe the sign that exceeds its limit most, or return an empty text."""
    limits = {sign: _limit(sign, base_signs, room) for sign in strengths}
    sign = max(strengths, key=lambda name: strengths[name] / limits[name], default="")
    is_beyond = bool(sign) and strengths[sign] > limits[sign]
    return f"{sign} {strengths[sign]:.1f}, at most {limits[sign]:.1f}" if is_beyond else ""


def _signs_of_kind(bases: list[Weights], kind: str, most: int) -> Signs:
    """Return the strongest signs in about `most` tensors of this kind in each base."""
    strongest: Signs = {}
    for base in bases:
        alike = [key for key in base if kind_of(key) == kind]
        for key in alike[:: max(1, len(alike) // most)]:
            for sign, value in signs(base[key], base.tensors[key].dtype).items():
                strongest[sign] = max(strongest.get(sign, 0.0), value)
    return strongest


def _limit(sign: str, base_signs: Signs, room: float) -> float:
    lower_limit = {"step": POWER, "few values": 1 / DISTINCT, "clumps": CLUMPS}[sign.split(": ")[1]]
    return max(lower_limit, room * base_signs.get(sign, 0.0))
