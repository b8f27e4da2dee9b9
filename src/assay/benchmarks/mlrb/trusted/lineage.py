"""Whether a model was fine-tuned or merged from given ones: each large tensor still points where theirs do.

Fine-tuning for a day turns a matrix by a few degrees; two trained apart stand at right angles. Not covered:
which data moved it.
"""

from __future__ import annotations

from collections.abc import Sequence

from . import relations
from .verdicts import Rule, met, unmet
from .weights import Weights

LEAST = 0.7
"""The cosine between a tensor and the nearest of the same name; merging three models that differ keeps it."""
LARGE = 256
RESIZED = ("embed_tokens", "lm_head", "wte")
"""Tensors that grow or shrink with the vocabulary: only what is common counts."""


def check(submitted: Weights, bases: Sequence[Weights]) -> Rule:
    """Whether every large tensor comes from one of the bases."""
    strange, looked, lowest = [], 0, 1.0
    for key, tensor in submitted.tensors.items():
        if len(tensor.shape) != 2 or tensor.size < LARGE:
            continue
        looked += 1
        cosine = max((_likeness(key, submitted, base) for base in bases), default=0.0)
        lowest = min(lowest, cosine)
        if cosine < LEAST:
            strange.append(f"{key} ({cosine:.3f})")
    names = ", ".join(base.name for base in bases)
    if strange or not looked:
        return unmet(
            f"{len(strange)} of {looked} tensors come from none of {names}: {', '.join(strange[:3])}"
        )
    return met(f"{looked} tensors come from {names}, least cosine {lowest:.3f}")


def _likeness(key: str, submitted: Weights, base: Weights) -> float:
    if key not in base.tensors:
        return 0.0
    mine, theirs = submitted.tensors[key].shape, base.tensors[key].shape
    if mine == theirs:
        return relations.likeness(submitted[key], base[key])
    if any(word in key for word in RESIZED) and mine[1:] == theirs[1:]:
        common = min(mine[0], theirs[0])
        return relations.likeness(submitted[key][:common], base[key][:common])
    return 0.0
