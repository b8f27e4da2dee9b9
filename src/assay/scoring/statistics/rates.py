"""Rates that carry their denominator, what is missing from it, and an interval."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from functools import cache
from statistics import NormalDist
from typing import Literal

from assay.errors import UsageError
from assay.grading.verdict import Owner
from assay.scoring.logs.attempts import Attempt
from assay.tasks.metric import Strict

Method = Literal["wilson", "exact", "jeffreys", "uniform"]
"""Wilson's score interval; the exact one of Clopper and Pearson, which is wider; or the equal-tailed
posterior interval after the prior Beta(½, ½) of Jeffreys, or after the flat Beta(1, 1)."""

_PRIOR: dict[Method, float] = {"jeffreys": 0.5, "uniform": 1.0}


class Rate(Strict):
    """How often attempts passed; every share is None where nothing stands below the line."""

    attempts: int
    """All attempts."""
    scored: int
    """Attempts that are known to have passed or failed."""
    passed: int
    """Attempts that passed."""
    rate: float | None
    """passed / attempts: what is unknown did not pass."""
    low: float | None
    high: float | None
    """The 95% interval of `rate`."""
    rate_scored: float | None
    """passed / scored: what is unknown is left out."""
    low_scored: float | None
    high_scored: float | None
    """The 95% interval of `rate_scored`."""
    bound_low: float | None
    """The rate had every unknown failed."""
    bound_high: float | None
    """The rate had every unknown passed."""
    missing: dict[Owner, int]
    """Unscored attempts by whose doing that is."""

    @property
    def unknown(self) -> int:
        """Attempts that are neither passed nor failed."""
        return self.attempts - self.scored


def rate_of(attempts: Iterable[Attempt], *, method: Method = "wilson") -> Rate:
    """The rate of some attempts."""
    counted = list(attempts)
    unscored = [attempt for attempt in counted if attempt.passed is None]
    owners = Counter(attempt.owner or "grader" for attempt in unscored)
    passed = sum(attempt.passed is True for attempt in counted)
    return make_rate(passed, len(counted), dict(sorted(owners.items())), method=method)


def make_rate(
    passed: int, attempts: int, missing: dict[Owner, int] | None = None, *, method: Method = "wilson"
) -> Rate:
    """The rate of `passed` in `attempts`, of which `missing` have no score."""
    owners = missing or {}
    unknown = sum(owners.values())
    scored = attempts - unknown
    if not 0 <= passed <= scored or min(owners.values(), default=0) < 0:
        raise UsageError(f"{passed} passed of {attempts} attempts with {unknown} unscored cannot be")
    low, high = interval(passed, attempts, method=method)
    low_scored, high_scored = interval(passed, scored, method=method)
    return Rate(
        attempts=attempts,
        scored=scored,
        passed=passed,
        rate=_share(passed, attempts),
        low=low,
        high=high,
        rate_scored=_share(passed, scored),
        low_scored=low_scored,
        high_scored=high_scored,
        bound_low=_share(passed, attempts),
        bound_high=_share(passed + unknown, attempts),
        missing=owners,
    )


@cache
def interval(
    passed: int, attempts: int, *, method: Method = "wilson", confidence: float = 0.95
) -> tuple[float | None, float | None]:
    """The confidence interval of a share; nothing is known of a share of nothing."""
    if attempts == 0:
        return (None, None)
    low, high = _bounds(passed, attempts, method, confidence)
    # At the ends an interval touches 0 and 1: neither rounding nor a prior may leave the rate itself outside.
    share = passed / attempts
    return (min(low, share), max(high, share))


def _bounds(passed: int, attempts: int, method: Method, confidence: float) -> tuple[float, float]:
    # statsmodels has the same intervals, but brings pandas: three seconds of imports for this one call.
    if method == "wilson":
        return _wilson(passed, attempts, confidence)
    if method == "exact":
        from scipy.stats import binomtest

        bounds = binomtest(passed, attempts).proportion_ci(confidence, method)
        return float(bounds.low), float(bounds.high)
    from scipy.stats import beta

    prior = _PRIOR[method]
    low, high = beta.interval(confidence, passed + prior, attempts - passed + prior)
    return float(low), float(high)


def _wilson(passed: int, attempts: int, confidence: float) -> tuple[float, float]:
    """Wilson's closed form, so that the scorecard after a run does not import scipy.stats for one formula."""
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    centre = passed + z * z / 2
    half = z * math.sqrt(passed * (attempts - passed) / attempts + z * z / 4)
    scale = attempts + z * z
    return max(0.0, (centre - half) / scale), min(1.0, (centre + half) / scale)


def _share(part: int, total: int) -> float | None:
    return part / total if total else None
