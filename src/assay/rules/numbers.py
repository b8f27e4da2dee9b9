"""How two numbers are compared: one tolerance, right at zero, for negatives and for NaN."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache


def within(number: float, gold: float, tolerance: float) -> bool:
    """Whether a number is gold's, within tolerance; NaN agrees only with NaN, an infinity with itself."""
    if math.isnan(gold) or math.isnan(number):
        return math.isnan(gold) and math.isnan(number)
    if math.isinf(gold) or math.isinf(number):
        return gold == number
    return abs(number - gold) <= tolerance


def centre(gold: Sequence[float]) -> float:
    """The mean of the gold runs."""
    return gold[0] if len(set(gold)) == 1 else math.fsum(gold) / len(gold)


def prediction_half_width(gold: Sequence[float], confidence: float = 0.95) -> float:
    """Half the interval in which one more gold run would fall; zero for fewer than three runs."""
    return _noise_bound(gold, confidence) * math.sqrt(1 + 1 / len(gold)) if gold else 0.0


def difference_half_width(gold: Sequence[float], confidence: float = 0.95) -> float:
    """Half the interval for the difference of two more gold runs; zero for fewer than three runs."""
    return _noise_bound(gold, confidence) * math.sqrt(2)


def _noise_bound(gold: Sequence[float], confidence: float) -> float:
    """Student's bound times the standard deviation of gold runs."""
    if len(gold) < 3 or len(set(gold)) == 1 or not all(map(math.isfinite, gold)):
        return 0.0
    mean = centre(gold)
    spread = math.sqrt(math.fsum((value - mean) ** 2 for value in gold) / (len(gold) - 1))
    return student_bound(len(gold) - 1, confidence) * spread


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
    remainder = freedom % 2
    term = cosine if remainder else 1.0
    terms = [term] if freedom > 1 else []
    for step in range(2 + remainder, freedom - 1, 2):
        term *= cosine * cosine * (step - 1) / step
        terms.append(term)
    series = sine * math.fsum(terms)
    return (angle + series) * 2 / math.pi if remainder else series


def look_up(results: object, path: str) -> float:
    """The number at a dotted path; KeyError says how far the path led."""
    place = results
    for step in path.split("."):
        if isinstance(place, dict) and step in place:
            place = place[step]
        elif isinstance(place, list) and step.isdecimal() and int(step) < len(place):
            place = place[int(step)]
        else:
            text = f", where it says: {place}" if isinstance(place, str) else ""
            raise KeyError(f"no {step!r} on the way to {path!r}{text[:200]}")
    if isinstance(place, bool) or not isinstance(place, int | float):
        raise KeyError(f"{path!r} holds {type(place).__name__}, not a number")
    try:
        return float(place)
    except OverflowError:
        raise KeyError(f"{path!r} holds a whole number that is too large to compare") from None


def comparison(number: float, gold: float, tolerance: float) -> str:
    """Two numbers with as many digits as show how far apart they are, and how far they may be."""
    distance = abs(number - gold)
    finest = min(
        (value for value in (distance, tolerance) if value > 0 and math.isfinite(value)), default=0.0
    )
    largest = max((abs(value) for value in (number, gold) if math.isfinite(value)), default=0.0)
    digits = 6
    if finest > 0 and largest > 0:
        digits = min(max(6, math.floor(math.log10(largest)) - math.floor(math.log10(finest)) + 2), 17)
    text = f"re-made {number:.{digits}g}, gold {gold:.{digits}g} ± {tolerance:.2g}"
    return f"{text}, {distance:.2g} apart" if distance > tolerance and math.isfinite(distance) else text
