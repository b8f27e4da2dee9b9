"""No quantisation: weights that were laid on a grid or a code book and stored as floating point again.

Three signs, each per group of a tensor's values (rows, columns, stretches of 32 to 128, a sample of all):
fewer distinct values than rounding explains; values at multiples of one step; values in clumps. A base that
was itself dequantised shows signs of its own: only what goes beyond it counts. Zeros are left out, so
pruning shows none.

Not covered: noise as wide as the step hides any grid, at the price of more error than the grid had.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .verdicts import Rule, met, unmet
from .weights import PRECISIONS, Array, Weights, kind_of, precision, rounded

GROUPS = 8
MOST = 256
STRETCHES = (32, 64, 128)
BITS = range(4, 9)
SEARCH = np.linspace(0.985, 1.015, 21)
BESIDE = np.concatenate([np.linspace(0.7, 0.85, 8), np.linspace(1.18, 1.4, 8)])
"""Steps beside the one that is tried: values that merely lie together show at them too, a grid does not."""
POWER, CLUMPS, DISTINCT = 7.0, 5.0, 0.6
"""Beyond these there is a grid, clumps, a code book; honest weights stay below (see the tests)."""
ROOM, TUNED = 1.5, 2.0
"""How much stronger than in the base a sign may be; on SmolLM2 training gives 1.1 times its own, int8 2.8."""
SMALLEST = 1024
LAYERS, ALL_LAYERS = 6, 512
Signs = dict[str, float]


def signs(values: Array, dtype: str) -> Signs:
    """How strongly each sign shows in a tensor; larger is more suspicious."""
    bits = precision(values, dtype)
    choice = np.random.default_rng(0)
    found: Signs = {}
    for name, groups in _groupings(values, choice):
        kept = [group[group != 0] for group in groups]
        kept = [group for group in kept if group.size >= 16 and np.ptp(group) > 0]
        if len(kept) < min(4, len(groups)):
            continue
        unique = [np.unique(group) for group in kept]
        found[f"{name}: step"] = float(np.mean([_power(group) for group in unique]))
        if name != "all":
            found[f"{name}: few values"] = _scarcity(kept, unique, bits, choice)
        if max(group.size for group in kept) >= 64:
            found[f"{name}: clumps"] = float(np.median([_clumping(group) for group in kept]))
    return found


def _groupings(values: Array, choice: np.random.Generator) -> Iterator[tuple[str, list[Array]]]:
    table = values.reshape(values.shape[0], -1)
    flat = table.ravel()
    yield "all", [choice.choice(flat, min(MOST, flat.size), replace=False) for _ in range(8)]
    for name, rows in (("row", table), ("column", table.T)):
        chosen = choice.permutation(len(rows))[:GROUPS]
        starts = choice.integers(0, max(1, rows.shape[1] - MOST + 1), len(chosen))
        yield name, [rows[at][start : start + MOST] for at, start in zip(chosen, starts, strict=True)]
    for size in STRETCHES:
        if table.shape[1] % size == 0 and table.shape[1] > size:
            pieces = flat.reshape(-1, size)
            yield f"stretch of {size}", list(pieces[choice.permutation(len(pieces))[:GROUPS]])


def _power(values: Array) -> float:
    """The strongest periodogram value at the steps that 4 to 8 bits would give; about 3 to 5 for noise."""
    if values.size < 6:
        return 0.0
    spread = np.subtract(*np.quantile(values, (0.75, 0.25))) / 1.35
    widest, best = 1.5 * spread, 0.0
    for bits in BITS:
        for step in (np.abs(values).max() / (2 ** (bits - 1) - 1), np.ptp(values) / (2**bits - 1)):
            # A step wider than most values lie apart says nothing: they are all near zero times it.
            if step <= widest:
                beside = max(1.0, float(np.median(_periodogram(values, step * BESIDE))))
                best = max(best, float(_periodogram(values, step * SEARCH).max()) / beside)
    return best


def _periodogram(values: Array, steps: Array) -> Array:
    """How well the values agree with multiples of each step; about 1 for noise, their number for a grid."""
    phase = 2 * np.pi * np.outer(1 / steps, values)
    power: Array = (np.cos(phase).mean(axis=1) ** 2 + np.sin(phase).mean(axis=1) ** 2) * values.size
    return power


def _scarcity(kept: list[Array], unique: list[Array], bits: int, choice: np.random.Generator) -> float:
    """1 where there are as many distinct values as rounding leaves of normal numbers, more where fewer."""
    expected = [np.unique(rounded(choice.normal(size=group.size), bits)).size for group in kept]
    return float(np.mean(expected) / np.mean([each.size for each in unique]))


def _clumping(values: Array) -> float:
    """The mean square of the gaps between neighbours over their local mean; 2 for smooth distributions."""
    gaps = np.diff(np.sort(values))
    window = min(32, gaps.size)
    local = np.convolve(gaps, np.ones(window) / window, mode="valid")
    middle = gaps[window // 2 : window // 2 + local.size]
    good = local > 0
    # Zeroing small values leaves one wide gap around zero, which is no grid: the two widest do not count.
    widths = np.sort(middle[good] / local[good])[:-2]
    return float(np.mean(widths**2)) if widths.size else np.inf


def check(submitted: Weights, bases: list[Weights]) -> Rule:
    """Whether any large tensor shows signs of a grid that no allowed base shows."""
    large = _large(submitted)
    known: dict[tuple[str, int], Signs] = {}
    caught = []
    for key in large:
        found, kind = signs(submitted[key], submitted.tensors[key].dtype), kind_of(key)
        said = _beyond(found, {})
        # A few of the base's tensors mostly tell enough; before one is caught, all of them are looked at.
        for most in (LAYERS, ALL_LAYERS):
            if said:
                if (kind, most) not in known:
                    known[kind, most] = _signs_of_kind(bases, kind, most)
                said = _beyond(found, known[kind, most])
        if said:
            caught.append(f"{key} ({said})")
    return _said(caught, large)


def check_tuned(submitted: Weights, base: Weights) -> Rule:
    """The same for a model of the base's shape that was trained on from it.

    Training smudges a dequantised base's grid, and so gives it more distinct values and stronger signs: the
    limit is what the base shows under noise of the same size.
    """
    choice = np.random.default_rng(0)
    caught, large = [], _large(submitted)
    for key in large:
        values, dtype = submitted[key], submitted.tensors[key].dtype
        found = signs(values, dtype)
        if _beyond(found, {}):
            noise = choice.normal(size=values.shape) * np.std(values - base[key])
            said = _beyond(found, signs(rounded(base[key] + noise, PRECISIONS[dtype]), dtype), TUNED)
            caught += [f"{key} ({said})"] if said else []
    return _said(caught, large)


def _large(weights: Weights) -> list[str]:
    return [key for key, tensor in weights.tensors.items()
            if len(tensor.shape) > 1 and tensor.size >= SMALLEST]  # fmt: skip


def _said(caught: list[str], large: list[str]) -> Rule:
    if caught:
        return unmet(f"{len(caught)} of {len(large)} tensors lie on a grid: {'; '.join(caught[:4])}")
    return met(f"no grid, no clumps and no lack of distinct values in {len(large)} tensors")


def _beyond(found: Signs, known: Signs, room: float = ROOM) -> str:
    """The sign that goes furthest beyond its limit, if any does."""
    limits = {sign: _limit(sign, known, room) for sign in found}
    sign = max(found, key=lambda each: found[each] / limits[each], default="")
    beyond = bool(sign) and found[sign] > limits[sign]
    return f"{sign} {found[sign]:.1f}, at most {limits[sign]:.1f}" if beyond else ""


def _signs_of_kind(bases: list[Weights], kind: str, most: int) -> Signs:
    """The strongest signs in so many of the bases' own tensors of that kind."""
    strongest: Signs = {}
    for base in bases:
        alike = [key for key in base if kind_of(key) == kind]
        for key in alike[:: max(1, len(alike) // most)]:
            for sign, value in signs(base[key], base.tensors[key].dtype).items():
                strongest[sign] = max(strongest.get(sign, 0.0), value)
    return strongest


def _limit(sign: str, known: Signs, room: float) -> float:
    least = {"step": POWER, "few values": 1 / DISTINCT, "clumps": CLUMPS}[sign.split(": ")[1]]
    return max(least, room * known.get(sign, 0.0))
