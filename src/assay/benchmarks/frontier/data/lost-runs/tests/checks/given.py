"""The numbers for the given studies come from their files: they are near those of the best known analysis.

The program is judged on drawn studies. This check is for a program that writes other numbers for the given ones.
"""

from __future__ import annotations

import csv
from statistics import mean, median

from batch import DRAWN, GIVEN, LIMITS, TESTS, Answered, Found, Unmet, analyse_all, decide, submitted

MOST_WIDER = 4.0
"""By how much intervals for the given studies may be wider or narrower than those for the drawn ones, at the median."""
FARTHEST = 1.0
"""The distance of one estimate counts at most as much as one interval of the best known analysis."""


def given_studies() -> dict[str, list[dict[str, str]]]:
    """The rows of each study in the workspace."""
    rows = {}
    for path in sorted((TESTS / "given").glob("*.csv")):
        with path.open(newline="") as file:
            rows[path.stem] = list(csv.DictReader(file))
    return rows


def check_widths() -> None:
    """The given studies have intervals of the same size as the drawn ones."""
    own, expected = (
        median([line.numbers[2] - line.numbers[1] for line in submitted(run).values() if line.numbers] or [0.0])
        for run in (GIVEN, DRAWN)
    )
    if own > MOST_WIDER * expected or expected > MOST_WIDER * own:
        raise Unmet(f"the median width is {own:.4g} on the given studies and {expected:.4g} on the drawn ones")


def distance(line: Answered, best: Found) -> float:
    """How far the estimate is from that of the best known analysis, in widths of its interval; Unmet if far apart."""
    if line.numbers is None:
        return FARTHEST
    estimate, low, high = line.numbers
    if low > best[2] or high < best[1]:
        raise Unmet(f"the interval of {line.study!r} in data/ and the best known one have no number in common")
    return min(abs(estimate - best[0]) / (best[2] - best[1]), FARTHEST)


def check() -> str:
    lines, best = submitted(GIVEN), analyse_all(given_studies())
    if set(lines) != set(best):
        raise Unmet(f"answers.csv has {len(lines)} lines for {len(best)} given studies, or other names")
    check_widths()
    far = mean(distance(lines[name], found) for name, found in best.items() if found is not None and found[2] > found[1])
    evidence = f"estimates of {len(lines)} given studies are on average {far:.3f} widths from the best known ones"
    if far > LIMITS["given"]:
        raise Unmet(evidence)
    return evidence


decide(check)
