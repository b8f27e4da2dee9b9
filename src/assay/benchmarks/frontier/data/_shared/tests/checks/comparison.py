"""Beside the best known analysis of the same files: as good intervals, as decided, as true, moved by the same data."""

from __future__ import annotations

from statistics import correlation, mean

from batch import (
    LIMITS,
    MARGIN,
    Answered,
    Unmet,
    answer_of,
    decidable,
    decide,
    drawn_batch,
    kind_of,
    best_answers,
    truth_of,
)
from scores import error_ratio, interval_score, score_ratios

LEFT_OUT = 4.0
"""The score of a study that can be decided and has no numbers."""
LARGEST_ERROR = 2.0
"""At most this many widths of the best known interval count as an error when errors are correlated."""


def compare_scores(lines: list[Answered]) -> str:
    """The interval score, study by study, over all studies and in the kind where it compares worst."""
    answered = {line.study: line for line in lines}
    scores = []
    for name in drawn_batch():
        found, line = best_answers()[name], answered.get(name)
        target = truth_of(name, *found[3:]) if found is not None else None
        if found is None or target is None:
            continue
        unit, own = found[2] - found[1], LEFT_OUT
        truth = truth_of(name, line.choice) if line is not None else None
        if line is not None and line.numbers is not None and truth is not None:
            own = interval_score(line.numbers[1], line.numbers[2], truth, unit)
        scores.append((kind_of(name), own, interval_score(found[1], found[2], target, unit)))
    total, worst = score_ratios(scores)
    evidence = f"the interval score is {total:.3f} times that of the best known analysis, in the worst kind {worst:.3f}"
    if total > LIMITS["score"] or worst > LIMITS["kind_score"]:
        raise Unmet(evidence)
    return evidence


def compare_answers(lines: list[Answered]) -> str:
    definite = [line for line in lines if line.answer != "open"]
    right = 0
    for line in definite:
        truth = truth_of(line.study, line.choice) or 0.0
        right += abs(truth) <= MARGIN if line.answer == "same" else (truth > 0) == (line.answer == "higher")
    possible = sum(answer_of(found[1], found[2]) != "open" for found in best_answers().values() if found)
    evidence = f"{len(definite)} definite answers ({possible} by the best known analysis), {right} of them true"
    if right < LIMITS["true"] * len(definite) or len(definite) < LIMITS["definite"] * possible:
        raise Unmet(evidence)
    return evidence


def compare_errors(lines: list[Answered]) -> str:
    """Estimates are nearly as near as those of the best known analysis, and stray from the truth as the data do."""
    own, expected = [], []
    for line in lines:
        found, truth = best_answers()[line.study], truth_of(line.study, line.choice)
        target = truth_of(line.study, *(found or ())[3:])
        if found is not None and found[2] > found[1] and None not in (truth, target, line.estimate):
            unit = found[2] - found[1]
            own.append((line.estimate - truth) / unit)
            expected.append((found[0] - target) / unit)
    size = error_ratio(zip(own, expected, strict=True))
    moved = mean(error - best for error, best in zip(own, expected, strict=True))
    own = [max(-LARGEST_ERROR, min(LARGEST_ERROR, error)) for error in own]
    together = correlation(own, expected) if len(set(own)) > 1 else 0.0
    evidence = (
        f"errors of estimates are {size:.3f} times those of the best known analysis, correlate by {together:.2f}"
        f" and are {moved:+.3f} widths higher on average"
    )
    if size > LIMITS["error"] or together < LIMITS["correlation"] or abs(moved) > LIMITS["bias"]:
        raise Unmet(evidence)
    return evidence


def compare_choices(lines: list[Answered]) -> str:
    """Where something is chosen, the choices are worth nearly as much as those of the best known analysis."""
    if not any(line.choice for line in lines):
        return "nothing was chosen"
    own = mean(truth_of(line.study, line.choice) or 0.0 for line in lines)
    best = mean(truth_of(name, *found[3:]) or 0.0 for name, found in best_answers().items() if found)
    evidence = f"the choices are worth {own:.4g} on average, those of the best known analysis {best:.4g}"
    if own < LIMITS["choice"] * best:
        raise Unmet(evidence)
    return evidence


def check() -> str:
    lines = decidable()
    evidence, unmet = [], []
    for compare in (compare_scores, compare_answers, compare_errors, compare_choices):
        try:
            evidence.append(compare(lines))
        except Unmet as reason:
            unmet.append(str(reason))
    if unmet:
        raise Unmet("; ".join([*unmet, *(f"met: {text}" for text in evidence)]))
    return "; ".join(evidence)


decide(check)
