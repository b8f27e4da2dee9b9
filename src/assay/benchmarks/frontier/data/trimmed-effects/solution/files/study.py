"""The analysis of one study."""

from __future__ import annotations

import numpy as np
from balance import differences, effective_size
from inference import bootstrap_ratios, interval, standard_error, surprise
from nuisance import Nuisance
from scores import ESTIMATORS, Sample, doubly_robust_parts
from subgroups import GROUPS, adjusted, cut_points, group_effects, group_of
from tables import Table
from trimming import kept_rows


def sample_of(models: Nuisance, repeat: int, kept: np.ndarray, name: str) -> Sample:
    """Kept rows of one repeat with an outcome and its predictions."""
    table = models.table
    return Sample(
        cluster=table.cluster[kept],
        weight=table.weight[kept],
        treated=table.treated[kept],
        outcome=getattr(table, name)[kept],
        propensity=models.propensity(repeat)[kept],
        without=models.outcome(repeat, 0, name)[kept],
        with_treatment=models.outcome(repeat, 1, name)[kept],
        normalise=table.settings.normalise,
    )


def combine(values: list[float], errors: list[float]) -> tuple[float, float]:
    """One estimate and one standard error from those of all repeats."""
    centre = float(np.median(values))
    squares = [error**2 + (value - centre) ** 2 for value, error in zip(values, errors, strict=True)]
    return centre, float(np.sqrt(np.median(squares)))


def summary(table: Table, samples: list[Sample], name: str) -> dict[str, float]:
    """Value, error and interval of one estimator over all repeats."""
    settings = table.settings
    values, errors, lows, highs = [], [], [], []
    for sample in samples:
        estimate = ESTIMATORS[name](sample)
        error = standard_error(estimate.influence, sample.weight, sample.cluster, table.labels)
        ratios = bootstrap_ratios(
            estimate.influence,
            sample.weight,
            sample.cluster,
            table.labels,
            settings.seed,
            settings.replicates,
        )
        low, high = interval(estimate.value, error, ratios, settings.alpha)
        values.append(estimate.value)
        errors.append(error)
        lows.append(low)
        highs.append(high)
    value, error = combine(values, errors)
    return {"value": value, "error": error, "low": float(np.median(lows)), "high": float(np.median(highs))}


def subgroup_summary(table: Table, samples: list[Sample], masks: list[np.ndarray]) -> dict[str, float]:
    """Combined effects of the groups and their adjusted p-values."""
    first = table.covariates[:, 0]
    groups = group_of(first, cut_points(first))
    found: dict[int, list[tuple[float, float]]] = {group: [] for group in GROUPS}
    for sample, kept in zip(samples, masks, strict=True):
        effects = group_effects(doubly_robust_parts(sample), sample.weight, sample.cluster, groups[kept])
        for group, pair in effects.items():
            found[group].append(pair)
    combined = {
        group: combine([value for value, _ in pairs], [error for _, error in pairs])
        for group, pairs in found.items()
        if pairs
    }
    chances = adjusted(combined)
    numbers = {}
    for group in GROUPS:
        numbers[f"effect_{group}"] = combined[group][0] if group in combined else 0.0
        numbers[f"chance_{group}"] = chances.get(group, 1.0)
    return numbers


def analyse(table: Table) -> dict[str, object]:
    """All numbers of one study."""
    settings = table.settings
    models = Nuisance(table)
    repeats = range(1, settings.repeats + 1)
    trimmed = [kept_rows(models.propensity(repeat), table.weight, settings.trim) for repeat in repeats]
    masks = [kept for kept, _ in trimmed]
    main = [sample_of(models, repeat, kept, "outcome") for repeat, kept in zip(repeats, masks, strict=True)]
    other = [sample_of(models, repeat, kept, "placebo") for repeat, kept in zip(repeats, masks, strict=True)]
    results: dict[str, object] = {name: summary(table, main, name) for name in ESTIMATORS}
    placebo = summary(table, other, "average")
    placebo["surprise"] = surprise(placebo["value"], placebo["error"])
    results["placebo"] = placebo
    results["groups"] = subgroup_summary(table, main, masks)
    pairs = [
        differences(table, kept, models.propensity(repeat))
        for repeat, kept in zip(repeats, masks, strict=True)
    ]
    sizes = [
        [effective_size(sample.weight, inverse) for inverse in sample.inverse_weights()] for sample in main
    ]
    results["overlap"] = {
        "kept": float(np.mean([kept.sum() for kept in masks])),
        "level": float(np.mean([level for _, level in trimmed])),
        "before": float(np.mean([before for before, _ in pairs])),
        "after": float(np.mean([after for _, after in pairs])),
        "size_treated": float(np.mean([size[0] for size in sizes])),
        "size_others": float(np.mean([size[1] for size in sizes])),
    }
    return results
