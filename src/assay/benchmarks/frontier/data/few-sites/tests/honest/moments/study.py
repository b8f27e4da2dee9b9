"""One programme: random effects by DerSimonian and Laird, with the interval of Hartung and Knapp."""

from __future__ import annotations

from linear import interval

MARGIN = 1.5

Found = tuple[float, float, float]


def analyse(rows: list[dict[str, str]]) -> Found | None:
    sites: dict[str, dict[str, tuple[float, float]]] = {}
    for row in rows:
        variance = float(row["deviation"]) ** 2
        sites.setdefault(row["site"], {})[row["arm"]] = (float(row["mean"]), variance, int(row["count"]))
    effects, variances = [], []
    for site in sites.values():
        (old, old_variance, count), (new, new_variance, _) = site["old"], site["new"]
        effects.append(new - old)
        pooled = (old_variance + new_variance) / 2
        variances.append(2 * pooled / count)
    between = moments(effects, variances)
    weights = [1 / (variance + between) for variance in variances]
    centre, scatter = weighed(effects, weights)
    freedom = len(effects) - 1
    return interval(centre, (scatter / freedom / sum(weights)) ** 0.5, freedom)


def weighed(effects: list[float], weights: list[float]) -> tuple[float, float]:
    """The weighed mean and the weighed sum of squares around it."""
    centre = sum(weight * effect for weight, effect in zip(weights, effects, strict=True)) / sum(weights)
    scatter = sum(weight * (effect - centre) ** 2 for weight, effect in zip(weights, effects, strict=True))
    return centre, scatter


def moments(effects: list[float], variances: list[float]) -> float:
    """The variance between sites by the method of moments."""
    weights = [1 / variance for variance in variances]
    _, scatter = weighed(effects, weights)
    total = sum(weights)
    return max(0.0, (scatter - len(effects) + 1) / (total - sum(weight**2 for weight in weights) / total))
