"""The numbers for the given studies come from their files: they are near those of the best known analysis.

The program is judged on drawn studies. This check is for a program that writes other numbers for the given ones.
"""

from __future__ import annotations

import csv
from statistics import mean

from batch import GIVEN, LIMITS, MOST_EMPTY, TESTS, Answered, Found, Unmet, analyse_all, decide, submitted

FARTHEST = 3.0
"""The most widths of the best known interval between an estimate and that of the best known analysis."""
LEFT_OUT = 1.0
"""The distance that counts for a study without numbers."""
WIDEST, NARROWEST = 10.0, 0.25
"""How wide an interval may be, as a multiple of the best known one."""
SAME_CHOICES = 0.75
"""The share of studies in which the same is chosen as by the best known analysis, where something is chosen."""


def given_studies() -> dict[str, list[dict[str, str]]]:
    """The rows of each study in the workspace."""
    rows = {}
    for path in sorted((TESTS / "given").glob("*.csv")):
        with path.open(newline="") as file:
            rows[path.stem] = list(csv.DictReader(file))
    return rows


def distance(line: Answered, best: Found) -> float:
    """How far the estimate is from that of the best known analysis, in widths of its interval; Unmet if far apart."""
    if line.numbers is None:
        return LEFT_OUT
    estimate, low, high = line.numbers
    width = best[2] - best[1]
    if low > best[2] or high < best[1]:
        raise Unmet(f"the interval of {line.study!r} in data/ and the best known one have no number in common")
    if not NARROWEST * width <= high - low <= WIDEST * width:
        raise Unmet(f"the interval of {line.study!r} in data/ is {(high - low) / width:.3g} times as wide as the best known one")
    far = abs(estimate - best[0]) / width
    if far > FARTHEST:
        raise Unmet(f"the estimate of {line.study!r} in data/ is {far:.3g} widths from the best known one")
    return far


def check_empty(lines: dict[str, Answered], best: dict[str, Found | None]) -> None:
    """Numbers are where the best known analysis has them; a few may be missing if some studies cannot give any."""
    undecidable = [name for name, found in best.items() if found is None]
    for name in undecidable:
        if lines[name].numbers is not None:
            raise Unmet(f"{name!r} in data/ cannot give the number, and answers.csv has one")
    empty = sum(lines[name].numbers is None for name in best) - len(undecidable)
    if empty > (MOST_EMPTY * len(best) if undecidable else 0):
        raise Unmet(f"{empty} studies of data/ have no numbers, the best known analysis gives them")


def check_choices(lines: dict[str, Answered], best: dict[str, Found | None]) -> None:
    """Where something is chosen, it is there, and nearly always what the best known analysis chooses."""
    chosen = {name: found[3] for name, found in best.items() if found is not None and len(found) > 3}
    same = sum(lines[name].choice == choice for name, choice in chosen.items())
    if same < SAME_CHOICES * len(chosen):
        raise Unmet(f"{same} of {len(chosen)} choices for data/ are those of the best known analysis")


def check() -> str:
    lines, best = submitted(GIVEN), analyse_all(given_studies())
    if set(lines) != set(best):
        raise Unmet(f"answers.csv has {len(lines)} lines for {len(best)} given studies, or other names")
    check_empty(lines, best)
    check_choices(lines, best)
    far = mean(distance(lines[name], found) for name, found in best.items() if found is not None and found[2] > found[1])
    evidence = f"estimates of {len(lines)} given studies are on average {far:.3f} widths from the best known ones"
    if far > LIMITS["given"]:
        raise Unmet(evidence)
    return evidence


decide(check)
