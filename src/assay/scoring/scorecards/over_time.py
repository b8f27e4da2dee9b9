"""Challenges over time: what the submissions on the way were worth, and how an agent iterates.

The score is the normalised one: baseline 0, reference 1. What was handed in before the first valid submission
is worth nothing that is known, so a curve begins at the first valid one. A workspace without a change is no
submission, although many challenges can score it: it is not counted, and not called valid.
"""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache

from assay.grading.checkpoint import Checkpoint
from assay.scoring.logs.attempts import Attempt
from assay.scoring.scorecards.submission_tree import Node, ablations, approaches, tree_of
from assay.tasks.kinds import CHALLENGE
from assay.tasks.metric import Strict
from assay.workspace import Submission

Steps = list[tuple[float, float]]
"""Seconds and the best valid score from then on."""


class Iteration(Strict):
    """How one attempt came to its score; the numbers of an agent are means of these."""

    epoch: int
    submissions: int
    """Submissions scored on the way, without those that hold nothing."""
    valid: int
    first: float | None
    """The first valid score; None where no submission was valid."""
    final: float | None
    """The last valid score."""
    best: float | None
    gain: float | None
    """final − first."""
    budget_used: float | None
    """When the last submission was handed in, as a share of the time that was allowed."""
    steps: Steps
    """The best valid score so far, at each time at which it rises."""
    approaches: int | None
    """Distinct approaches among the submissions; None where an archive is missing."""
    ablations: int | None
    """Valid submissions that are an earlier one with a part left out or switched off."""
    tree: list[Node]
    """How the states of the code follow from each other; empty where that is not known."""


class Timeline(Strict):
    """One agent with one model on one challenge."""

    suite: str
    task: str
    title: str
    agent: str
    model: str
    attempts: int
    """Attempts with submissions scored on the way."""
    untold: int
    """Attempts without: what they were worth on the way is not known."""
    submissions: float
    """Mean submissions of an attempt."""
    valid: float | None
    """Valid submissions as a share of all; None where nothing was handed in."""
    gain: float | None
    """Mean of final − first over the `gained` attempts that have a valid submission."""
    gained: int
    best: float | None
    """Median of the best scores; None where half of the attempts or more have none."""
    budget_used: float | None
    """Mean over the attempts whose allowed time is known."""
    approaches: float | None
    """Mean over the `explored` attempts whose submissions are all archived."""
    ablations: float | None
    explored: int
    median: Steps
    """The median of the best scores so far; an attempt without a valid submission stands below all."""
    each: list[Iteration]


def timelines(attempts: Iterable[Attempt]) -> list[Timeline]:
    """A timeline for each challenge and agent of which at least one attempt has checkpoints."""
    groups: dict[tuple[str, str, str, str], list[Attempt]] = defaultdict(list)
    for attempt in attempts:
        if attempt.kind == CHALLENGE:
            groups[attempt.suite, attempt.task, attempt.agent, attempt.model].append(attempt)
    return [
        _timeline(group)
        for _, group in sorted(groups.items())
        if any(attempt.checkpoints for attempt in group)
    ]


def best_so_far(checkpoints: Sequence[Checkpoint]) -> Steps:
    """The best valid score at each time at which it rises."""
    steps: Steps = []
    for checkpoint in sorted(checkpoints, key=lambda candidate: candidate.seconds):
        if (
            checkpoint.valid
            and checkpoint.normalised is not None
            and (not steps or checkpoint.normalised > steps[-1][1])
        ):
            if steps and steps[-1][0] == checkpoint.seconds:
                steps.pop()
            steps.append((checkpoint.seconds, checkpoint.normalised))
    return steps


def median_steps(curves: Sequence[Steps]) -> Steps:
    """The median of several curves at each time at which one rises, from when it is defined."""
    times = sorted({seconds for curve in curves for seconds, _ in curve})
    steps: Steps = []
    for seconds in times:
        median = statistics.median(_at(curve, seconds) for curve in curves)
        if math.isfinite(median) and (not steps or median > steps[-1][1]):
            steps.append((seconds, median))
    return steps


@cache
def empty_submission() -> str:
    """The hash of a submission without any change."""
    return Submission().digest


def is_empty(digest: str) -> bool:
    """Whether a submission holds nothing; one without a hash is not known to."""
    return digest == empty_submission()


def iteration_of(attempt: Attempt) -> Iteration:
    """How an attempt with checkpoints came to its score."""
    submissions = [checkpoint for checkpoint in attempt.checkpoints if not is_empty(checkpoint.submission)]
    scores = [
        checkpoint.normalised
        for checkpoint in submissions
        if checkpoint.valid and checkpoint.normalised is not None
    ]
    tree = tree_of(attempt)
    allowed = attempt.seconds_allowed
    last = max((checkpoint.seconds for checkpoint in submissions), default=0.0)
    return Iteration(
        epoch=attempt.epoch,
        submissions=len(submissions),
        valid=len(scores),
        first=scores[0] if scores else None,
        final=scores[-1] if scores else None,
        best=max(scores, default=None),
        gain=scores[-1] - scores[0] if scores else None,
        budget_used=min(1.0, last / allowed) if allowed and submissions else None,
        steps=best_so_far(submissions),
        approaches=None if tree is None else approaches(tree),
        ablations=None if tree is None else ablations(tree),
        tree=tree or [],
    )


def _timeline(attempts: Sequence[Attempt]) -> Timeline:
    first = attempts[0]
    iterations = [iteration_of(attempt) for attempt in attempts if attempt.checkpoints]
    submissions = sum(iteration.submissions for iteration in iterations)
    gains = [iteration.gain for iteration in iterations if iteration.gain is not None]
    used = [iteration.budget_used for iteration in iterations if iteration.budget_used is not None]
    approach_counts = [iteration.approaches for iteration in iterations if iteration.approaches is not None]
    ablated = [iteration.ablations for iteration in iterations if iteration.ablations is not None]
    best = statistics.median(
        -math.inf if iteration.best is None else iteration.best for iteration in iterations
    )
    return Timeline(
        suite=first.suite,
        task=first.task,
        title=first.title or first.task,
        agent=first.agent,
        model=first.model,
        attempts=len(iterations),
        untold=len(attempts) - len(iterations),
        submissions=submissions / len(iterations),
        valid=sum(iteration.valid for iteration in iterations) / submissions if submissions else None,
        gain=statistics.fmean(gains) if gains else None,
        gained=len(gains),
        best=best if math.isfinite(best) else None,
        budget_used=statistics.fmean(used) if used else None,
        approaches=statistics.fmean(approach_counts) if approach_counts else None,
        ablations=statistics.fmean(ablated) if ablated else None,
        explored=len(approach_counts),
        median=median_steps([iteration.steps for iteration in iterations]),
        each=iterations,
    )


def _at(curve: Steps, seconds: float) -> float:
    reached = [score for time, score in curve if time <= seconds]
    return reached[-1] if reached else -math.inf
