"""How two numbers are compared: one tolerance, right at zero, for negatives and for NaN."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

from pydantic import BaseModel, ConfigDict, Field


class Strict(BaseModel):
    """A frozen model that refuses unknown keys and silent conversions."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Metric(Strict):
    """One number that a run writes, and how far it may stand from gold."""

    name: str
    """What the number is called in verdicts and tables."""
    path: str
    """Where it stands in the results file: keys and list indices joined by dots."""
    absolute: float = Field(default=0.0, ge=0)
    """Allowed distance, in the metric's own unit."""
    relative: float = Field(default=0.0, ge=0)
    """Allowed distance as a share of |gold|, added to the absolute one."""

    def tolerance(self, gold: Sequence[float]) -> float:
        """The written tolerance, or the 95% prediction interval of repeated gold runs where that is wider."""
        written = self.absolute + self.relative * abs(centre(gold))
        return max(written, prediction_half_width(gold))

    def agrees(self, gold: Sequence[float], got: float) -> bool:
        """Whether a re-made number is gold's, within tolerance; NaN agrees only with NaN."""
        middle = centre(gold)
        if math.isnan(middle) or math.isnan(got):
            return math.isnan(middle) and math.isnan(got)
        if math.isinf(middle) or math.isinf(got):
            return middle == got
        return abs(got - middle) <= self.tolerance(gold)


def centre(gold: Sequence[float]) -> float:
    """The mean of the gold runs."""
    return gold[0] if len(set(gold)) == 1 else math.fsum(gold) / len(gold)


def prediction_half_width(gold: Sequence[float], confidence: float = 0.95) -> float:
    """Half the interval in which one more gold run would fall; zero for fewer than three runs."""
    if len(gold) < 3 or len(set(gold)) == 1 or not all(map(math.isfinite, gold)):
        return 0.0
    middle = centre(gold)
    spread = math.sqrt(math.fsum((value - middle) ** 2 for value in gold) / (len(gold) - 1))
    return student_bound(len(gold) - 1, confidence) * spread * math.sqrt(1 + 1 / len(gold))


@cache
def student_bound(freedom: int, confidence: float) -> float:
    """The number below which |t| stays with this probability, for Student's t of whole degrees of freedom.

    By the closed form of its distribution (Abramowitz and Stegun, 26.7.3 and 26.7.4): every attempt that is
    graded needs one such number, and the import of scipy.stats costs more than the whole grading.
    """
    low, high = 0.0, math.pi / 2
    while low < (angle := (low + high) / 2) < high:
        low, high = (angle, high) if _student_within(freedom, angle) < confidence else (low, angle)
    return math.sqrt(freedom) * math.tan(high)


def _student_within(freedom: int, angle: float) -> float:
    """The probability that |t| is at most sqrt(freedom) * tan(angle)."""
    sine, cosine = math.sin(angle), math.cos(angle)
    odd = freedom % 2
    term = cosine if odd else 1.0
    terms = [term] if freedom > 1 else []
    for step in range(2 + odd, freedom - 1, 2):
        term *= cosine * cosine * (step - 1) / step
        terms.append(term)
    series = sine * math.fsum(terms)
    return (angle + series) * 2 / math.pi if odd else series


def look_up(results: object, path: str) -> float:
    """The number at a dotted path; KeyError says how far the path led."""
    place = results
    for step in path.split("."):
        if isinstance(place, dict) and step in place:
            place = place[step]
        elif isinstance(place, list) and step.isdecimal() and int(step) < len(place):
            place = place[int(step)]
        else:
            said = f", where it says: {place}" if isinstance(place, str) else ""
            raise KeyError(f"no {step!r} on the way to {path!r}{said[:200]}")
    if isinstance(place, bool) or not isinstance(place, int | float):
        raise KeyError(f"{path!r} holds {type(place).__name__}, not a number")
    try:
        return float(place)
    except OverflowError:
        raise KeyError(f"{path!r} holds a whole number that is too large to compare") from None
