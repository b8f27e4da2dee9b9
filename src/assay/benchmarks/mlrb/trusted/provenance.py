"""Where weights come from: compares each tensor with those of the allowed models, and names the unexplained.

This is a second check. The main one is re-execution: the build sees only the allowed inputs. Allowed means
are: unchanged or rounded, layers left out, rows or columns left out, zeroed, scaled, averaged (over models
and layers), task arithmetic, TIES, DARE, projected (SVD, with weights for rows or columns). Means that
recompute every value (SparseGPT, RegMean, Fisher weighting, training) stay unexplained.

Not covered: training may choose what is left out, zeroed or projected away.
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
"""The cosine of two tensors that were trained separately stays below; norms of all ones are not checked."""
SPECTRUM = 0.0005


def check(submitted: Weights, sources: Sequence[Weights], projects: bool = True) -> Rule:
    """Check that every tensor comes from the sources without training; the first source is the base.

    `projects` allows projections of a source.
    """
    counts: Counter[str] = Counter()
    foreign = []
    recipes = relations.Recipes()
    # Large tensors first: recipes that they reveal are too faint to be solved in small tensors.
    for key in sorted(submitted, key=lambda name: -submitted.tensors[name].size):
        values = submitted[key]
        bits = precision(values, submitted.tensors[key].dtype)
        means = explain(key, values, bits, sources, recipes, projects)
        if means is None:
            foreign.append(f"{key} (nearest {_nearest(key, values, sources)})")
        else:
            counts[means] += 1
    summary = ", ".join(f"{number} {name}" for name, number in counts.most_common())
    if foreign:
        return unmet(
            f"{len(foreign)} tensors come from no allowed model: {'; '.join(foreign[:3])}; {summary}"
        )
    return met(f"every tensor is explained by {', '.join(source.name for source in sources)}: {summary}")


def explain(
    key: str, values: Array, bits: int, sources: Sequence[Weights], recipes: relations.Recipes, projects: bool
) -> str | None:
    """Return the means by which a tensor comes from the sources, or None."""
    if not values.any():
        return "zero"
    same_name = [source[key] for source in sources if key in source.tensors]
    alike = [tensor for tensor in same_name if tensor.shape == values.shape]
    for tensor in alike:
        if relations.mixture(values, [tensor], bits):
            return "taken over"
    if relations.mixture(values, alike, bits):
        return "mixed"
    other_layers = list(_other_layers(key, sources, values.shape))
    for tensor in other_layers:
        if relations.mixture(values, [tensor], bits):
            return "taken over from another layer"
    if other_layers and relations.mixture(values, [*alike, *other_layers], bits):
        return "mixed over layers"
    if any(relations.zeroed(values, tensor, bits) for tensor in [*alike, *other_layers]):
        return "zeroed in part"
    if len(alike) > 1:
        share = relations.selection(values, alike[0], alike[1:], bits, recipes)
        if share >= relations.CHOSEN:
            return "chosen by element"
    if any(
        relations.subset(values, tensor, bits) for tensor in chain(same_name, _other_layers(key, sources))
    ):
        return "cut"
    candidates = [*alike, *other_layers] if projects and relations.low_rank(values, bits) else []
    return "projected" if any(relations.projection(values, tensor, bits) for tensor in candidates) else None


def _other_layers(
    key: str, sources: Sequence[Weights], shape: tuple[int, ...] | None = None
) -> Iterator[Array]:
    """Yield tensors of the same kind from other layers, of any shape or only of the given one."""
    kind = kind_of(key)
    for source in sources if layer_of(key) is not None else ():
        for other_key in source:
            if (
                other_key != key
                and kind_of(other_key) == kind
                and shape in (None, source.tensors[other_key].shape)
            ):
                yield source[other_key]


def _nearest(key: str, values: Array, sources: Sequence[Weights]) -> str:
    best = ("no tensor of its shape", 0.0)
    for source in sources:
        for other_key in source:
            if kind_of(other_key) == kind_of(key) and source.tensors[other_key].shape == values.shape:
                cosine = relations.likeness(values, source[other_key])
                if abs(cosine) > abs(best[1]):
                    best = (f"{source.name} {other_key}", cosine)
    return f"{best[0]}, cosine {best[1]:.3f}"


def check_from_scratch(submitted: Weights, models: Sequence[Weights]) -> Rule:
    """Check that no large tensor is near one of a known model, including rotated or permuted tensors.

    The singular values of a tensor do not change when its rows and columns are permuted or rotated.
    """
    stolen, checked = [], 0
    spectra = {
        (model.name, key): _spectrum(model[key]) for model in models for key in model if _large(model, key)
    }
    for key in submitted:
        if not _large(submitted, key):
            continue
        checked += 1
        values = submitted[key]
        own_spectrum = _spectrum(values)
        for (name, other_key), spectrum in spectra.items():
            source = next(model for model in models if model.name == name)
            same_spectrum = (
                spectrum.shape == own_spectrum.shape
                and float(np.abs(spectrum - own_spectrum).max()) < SPECTRUM * own_spectrum[0]
            )
            cosine = 0.0
            if source.tensors[other_key].shape == values.shape and kind_of(other_key) == kind_of(key):
                cosine = relations.likeness(values, source[other_key])
            if same_spectrum or abs(cosine) > NEAR:
                why = f"cosine {cosine:.3f}" if abs(cosine) > NEAR else "the same singular values"
                stolen.append(f"{key} is {name}'s {other_key} ({why})")
                break
    if stolen:
        return unmet(f"{len(stolen)} of {checked} tensors come from a known model: {'; '.join(stolen[:3])}")
    return met(
        f"none of {checked} tensors is near one of {', '.join(model.name for model in models) or 'no model'}"
    )


def _large(weights: Weights, key: str) -> bool:
    tensor = weights.tensors[key]
    return len(tensor.shape) == 2 and tensor.size >= 256


def _spectrum(values: Array) -> Array:
    small = values @ values.T if values.shape[0] <= values.shape[1] else values.T @ values
    singular_values: Array = np.sqrt(np.clip(np.linalg.eigvalsh(small)[::-1], 0, None))
    return singular_values / np.linalg.norm(singular_values) if singular_values.any() else singular_values
