"""How far a judge agrees with known labels: agreement, Cohen's κ, false passes and false fails."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from assay.grading.judge.calibration import Judged
from assay.grading.verdict import Judging
from assay.scoring.statistics.rates import interval
from assay.tasks.metric import Strict

DRAWS = 2_000
ALL = "all"


class Share(Strict):
    """Some of a number of items, with its 95% Wilson interval; None where there are none."""

    count: int
    """How many are such."""
    of: int
    """Of how many."""
    rate: float | None
    """The share."""
    low: float | None
    """The lower end of its interval."""
    high: float | None
    """The upper end of its interval."""


class Agreement(Strict):
    """A judge on the items of one phase, or of all."""

    phase: str
    agreed: Share
    """Verdicts that are the label; an unknown is none."""
    kappa: float | None
    """Cohen's, with unknown as a verdict of its own; None where labels and verdicts do not vary."""
    kappa_low: float | None
    kappa_high: float | None
    """The middle 95% of 2,000 seeded bootstrap draws of the items."""
    false_passes: Share
    """Called met, of those labelled unmet."""
    false_fails: Share
    """Called unmet, of those labelled met."""
    unknown: Share


class Resisted(Strict):
    """What became of the copies with one kind of fault."""

    fault: str
    passed: Share
    """Called met although they are not."""


class Calibration(Strict):
    """All that a labelled set says of a judge."""

    model: str
    repeats: int
    phases: list[Agreement]
    """All phases together come last."""
    faults: list[Resisted]
    failed: Share
    """Votes without an answer of the asked form, after one repetition."""
    void: Share
    """Votes for met whose quote proves nothing."""
    judging: Judging
    rows: list[Judged]


def calibrate(rows: Sequence[Judged], judging: Judging) -> Calibration:
    """The figures of a judge that was put to labelled items."""
    phases = list(dict.fromkeys(row.phase for row in rows))
    faults = list(dict.fromkeys(row.fault for row in rows if row.label == "unmet"))
    votes = [vote for row in rows for vote in row.votes]
    unanswered = sum(vote.void is not None and vote.verdict == "unknown" for vote in votes)
    unproved = sum(vote.void is not None and vote.verdict == "met" for vote in votes)
    return Calibration(
        model=judging.model,
        repeats=judging.repeats,
        phases=[
            *[agreement_of(phase, [row for row in rows if row.phase == phase]) for phase in phases],
            agreement_of(ALL, rows),
        ],
        faults=[
            Resisted(
                fault=fault,
                passed=share(
                    (row for row in rows if row.fault == fault and row.label == "unmet"),
                    lambda row: row.verdict == "met",
                ),
            )
            for fault in faults
        ],
        failed=make_share(unanswered, len(votes)),
        void=make_share(unproved, len(votes)),
        judging=judging.model_copy(update={"votes": {}}),
        rows=list(rows),
    )


def agreement_of(phase: str, rows: Sequence[Judged]) -> Agreement:
    """The figures of some items."""
    pairs = [(row.label, row.verdict) for row in rows]
    low, high = kappa_interval(pairs)
    return Agreement(
        phase=phase,
        agreed=share(rows, lambda row: row.verdict == row.label),
        kappa=kappa(pairs),
        kappa_low=low,
        kappa_high=high,
        false_passes=share((row for row in rows if row.label == "unmet"), lambda row: row.verdict == "met"),
        false_fails=share((row for row in rows if row.label == "met"), lambda row: row.verdict == "unmet"),
        unknown=share(rows, lambda row: row.verdict == "unknown"),
    )


def share(rows: Iterable[Judged], condition: Callable[[Judged], bool]) -> Share:
    """How many of some items are such."""
    counted = list(rows)
    return make_share(sum(map(condition, counted)), len(counted))


def make_share(count: int, of: int) -> Share:
    """A count with what it is counted of."""
    low, high = interval(count, of)
    return Share(count=count, of=of, rate=count / of if of else None, low=low, high=high)


def kappa(pairs: Sequence[tuple[str, str]]) -> float | None:
    """Cohen's κ of pairs of words: agreement beyond what the words' shares alone would give."""
    if not pairs:
        return None
    total = len(pairs)
    labels, verdicts = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    expected = sum(labels.count(word) * verdicts.count(word) for word in set(labels)) / total**2
    observed = sum(label == verdict for label, verdict in pairs) / total
    return None if expected == 1 else (observed - expected) / (1 - expected)


def kappa_interval(pairs: Sequence[tuple[str, str]]) -> tuple[float | None, float | None]:
    """The middle 95% of κ over bootstrap draws of the pairs."""
    import numpy as np

    if not pairs:
        return None, None
    words = sorted({word for pair in pairs for word in pair})
    labels = np.array([words.index(label) for label, _ in pairs])
    verdicts = np.array([words.index(verdict) for _, verdict in pairs])
    samples = np.random.default_rng(0).integers(0, len(pairs), (DRAWS, len(pairs)))
    first, second = labels[samples], verdicts[samples]
    observed = (first == second).mean(axis=1)
    expected = sum(
        (first == number).mean(axis=1) * (second == number).mean(axis=1) for number in range(len(words))
    )
    varied = expected < 1
    if not varied.any():
        return None, None
    kappas = (observed[varied] - expected[varied]) / (1 - expected[varied])
    low, high = np.percentile(kappas, [2.5, 97.5])
    return float(low), float(high)
