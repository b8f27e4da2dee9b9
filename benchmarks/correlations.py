"""Pearson's, Spearman's and Kendall's correlation, with intervals from draws with replacement."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

DRAWS = 2_000
CorrelationRow = tuple[tuple[float, float, float], ...]
"""For each of the three: value, lower and upper end of the interval at 95%."""


def correlate(left: Sequence[float], right: Sequence[float]) -> CorrelationRow:
    """Return the three correlations over pairs of numbers, each with its interval."""
    pairs = np.array([left, right], dtype=float)
    generator = np.random.default_rng(0)
    draws = generator.integers(pairs.shape[1], size=(DRAWS, pairs.shape[1]))
    return tuple(_with_interval(measure, pairs, draws) for measure in (pearson, spearman, kendall))


def _with_interval(
    measure: Callable[[Any, Any], float], pairs: Any, draws: Any
) -> tuple[float, float, float]:
    found = np.array([measure(*pairs[:, draw]) for draw in draws])
    low, high = np.nanquantile(found, (0.025, 0.975)) if not np.isnan(found).all() else (np.nan, np.nan)
    return measure(*pairs), float(low), float(high)


def pearson(left: Any, right: Any) -> float:
    """Return the linear correlation; not a number if one side is constant."""
    first, second = left - left.mean(), right - right.mean()
    scale = np.sqrt((first**2).sum() * (second**2).sum())
    return float((first * second).sum() / scale) if scale > 0 else float("nan")


def spearman(left: Any, right: Any) -> float:
    """Return the correlation of the ranks; equal numbers share their mean rank."""
    return pearson(_ranks(left), _ranks(right))


def _ranks(values: Any) -> Any:
    return (values[:, None] > values[None]).sum(1) + (values[:, None] == values[None]).sum(1) / 2


def kendall(left: Any, right: Any) -> float:
    """Return tau-b: pairs in the same order minus pairs in the other one, with a correction for ties."""
    first, second = (np.sign(values[:, None] - values[None]) for values in (left, right))
    scale = np.sqrt((first**2).sum() * (second**2).sum())
    return float((first * second).sum() / scale) if scale > 0 else float("nan")
