"""Where weights come from: each tensor beside those of the allowed models; the unexplained ones are named.

Beside re-execution, which is what binds: the build sees nothing but the allowed inputs. Known and allowed
means: unchanged or rounded, layers left out, rows or columns left out, zeroed, scaled, averaged (over
models and layers), task arithmetic, TIES, DARE, projected (SVD). Means that recompute every value
(SparseGPT, RegMean, Fisher weighting, training) are not explained.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np

from . import relations
from .verdicts import Rule, met, unmet
from .weights import Array, Weights, kind_of, layer_of, precision

NEAR = 0.3
"""Cosine beyond which two tensors trained apart do not come; norms of all ones are not looked at."""
SPECTRUM = 0.0005


def check(submitted: Weights, sources: Sequence[Weights]) -> Rule:
    """Whether every tensor can be got from the sources without training; the first source is the base."""
    how: Counter[str] = Counter()
    foreign = []
    recipes = relations.Recipes()
    # Large tensors first: what is found in them is too faint to be found in small ones.
    for key in sorted(submitted, key=lambda name: -submitted.tensors[name].size):
        values = submitted[key]
        bits = precision(values, submitted.tensors[key].dtype)
        found = explain(key, values, bits, sources, recipes)
        if found is None:
            foreign.append(f"{key} (nearest {_nearest(key, values, sources)})")
        else:
            how[found] += 1
    summary = ", ".join(f"{number} {name}" for name, number in how.most_common())
    if foreign:
        return unmet(
            f"{len(foreign)} tensors come from no allowed model: {'; '.join(foreign[:3])}; {summary}"
        )
    return met(f"every tensor is explained by {', '.join(each.name for each in sources)}: {summary}")


def explain(
    key: str, values: Array, bits: int, sources: Sequence[Weights], recipes: relations.Recipes
) -> str | None:
    """The means by which a tensor comes from the sources, or None."""
    if not values.any():
        return "zero"
    own = [source[key] for source in sources if key in source.tensors]
    alike = [each for each in own if each.shape == values.shape]
    for each in alike:
        if relations.mixture(values, [each], bits):
            return "taken over"
    if relations.mixture(values, alike, bits):
        return "mixed"
    others = list(_other_layers(key, sources, values.shape))
    for each in others:
        if relations.mixture(values, [each], bits):
            return "taken over from another layer"
    if others and relations.mixture(values, [*alike, *others], bits):
        return "mixed over layers"
    if any(relations.zeroed(values, each, bits) for each in [*alike, *others]):
        return "zeroed in part"
    if len(alike) > 1:
        share = relations.selection(values, alike[0], alike[1:], bits, recipes)
        if share >= relations.CHOSEN:
            return "chosen by element"
    if any(relations.subset(values, each, bits) for each in chain(own, _other_layers(key, sources))):
        return "cut"
    low = relations.low_rank(values, bits)
    candidates = [*alike, *others] if low else []
    return "projected" if any(relations.projection(values, each, bits) for each in candidates) else None


def _other_layers(
    key: str, sources: Sequence[Weights], shape: tuple[int, ...] | None = None
) -> Iterator[Array]:
    """Tensors of the same kind from other layers, of any shape or of this one, read as they are asked for."""
    kind = kind_of(key)
    for source in sources if layer_of(key) is not None else ():
        for other in source:
            if other != key and kind_of(other) == kind and shape in (None, source.tensors[other].shape):
                yield source[other]


def _nearest(key: str, values: Array, sources: Sequence[Weights]) -> str:
    best = ("no tensor of its shape", 0.0)
    for source in sources:
        for other in source:
            if kind_of(other) == kind_of(key) and source.tensors[other].shape == values.shape:
                cosine = relations.likeness(values, source[other])
                if abs(cosine) > abs(best[1]):
                    best = (f"{source.name} {other}", cosine)
    return f"{best[0]}, cosine {best[1]:.3f}"


def check_from_scratch(submitted: Weights, known: Sequence[Weights]) -> Rule:
    """Whether no large tensor is near one of a known model, turned round or permuted ones among them.

    A tensor's singular values do not change when its rows and columns are permuted or rotated.
    """
    stolen, looked = [], 0
    spectra = {(each.name, key): _spectrum(each[key]) for each in known for key in each if _large(each, key)}
    for key in submitted:
        if not _large(submitted, key):
            continue
        looked += 1
        values = submitted[key]
        own = _spectrum(values)
        for (name, other), spectrum in spectra.items():
            source = next(each for each in known if each.name == name)
            same = spectrum.shape == own.shape and float(np.abs(spectrum - own).max()) < SPECTRUM * own[0]
            cosine = 0.0
            if source.tensors[other].shape == values.shape and kind_of(other) == kind_of(key):
                cosine = relations.likeness(values, source[other])
            if same or abs(cosine) > NEAR:
                why = f"cosine {cosine:.3f}" if abs(cosine) > NEAR else "the same singular values"
                stolen.append(f"{key} is {name}'s {other} ({why})")
                break
    if stolen:
        return unmet(f"{len(stolen)} of {looked} tensors come from a known model: {'; '.join(stolen[:3])}")
    return met(
        f"none of {looked} tensors is near one of {', '.join(each.name for each in known) or 'no model'}"
    )


def _large(weights: Weights, key: str) -> bool:
    tensor = weights.tensors[key]
    return len(tensor.shape) == 2 and tensor.size >= 256


def _spectrum(values: Array) -> Array:
    small = values @ values.T if values.shape[0] <= values.shape[1] else values.T @ values
    found: Array = np.sqrt(np.clip(np.linalg.eigvalsh(small)[::-1], 0, None))
    return found / np.linalg.norm(found) if found.any() else found
