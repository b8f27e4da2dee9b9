"""Checks that a model was fine-tuned or merged from given ones: its large tensors still have their direction.

Fine-tuning for a day turns a matrix by a few degrees; two matrices trained separately are at right angles.
Not covered: which data the model was trained on.
"""

from __future__ import annotations

from collections.abc import Sequence

from . import relations
from .verdicts import Rule, met, unmet
from .weights import Weights

LEAST = 0.7
"""The least cosine between a tensor and the nearest of the same name; a merge of three models keeps it."""
LARGE = 256
RESIZED = ("embed_tokens", "lm_head", "wte")
"""Tensors that grow or shrink with the vocabulary: only their common part is compared."""


def check(submitted: Weights, bases: Sequence[Weights]) -> Rule:
    """Check that every large tensor comes from one of the bases."""
    strange, checked, lowest = [], 0, 1.0
    for key, tensor in submitted.tensors.items():
        if len(tensor.shape) != 2 or tensor.size < LARGE:
            continue
        checked += 1
        cosine = max((_likeness(key, submitted, base) for base in bases), default=0.0)
        lowest = min(lowest, cosine)
        if cosine < LEAST:
            strange.append(f"{key} ({cosine:.3f})")
    names = ", ".join(base.name for base in bases)
    if strange or not checked:
        return unmet(
            f"{len(strange)} of {checked} tensors come from none of {names}: {', '.join(strange[:3])}"
        )
    return met(f"{checked} tensors come from {names}, least cosine {lowest:.3f}")


def _likeness(key: str, submitted: Weights, base: Weights) -> float:
    if key not in base.tensors:
        return 0.0
    own_shape, base_shape = submitted.tensors[key].shape, base.tensors[key].shape
    if own_shape == base_shape:
        return relations.likeness(submitted[key], base[key])
    if any(word in key for word in RESIZED) and own_shape[1:] == base_shape[1:]:
        common = min(own_shape[0], base_shape[0])
        return relations.likeness(submitted[key][:common], base[key][:common])
    return 0.0
