"""Experiments phase by phase: how often each phase is right, and each conjunction of them that is published.

A phase is met when all its items are met. A task asks for a phase when any attempt at it has an item of that
phase; attempts at tasks that do not ask for it are not in the denominator. Each measure that EXP-Bench states
is given twice: over all attempts, with bounds, and over the attempts that EXP-Bench divides by.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from assay.grading.verdict import Owner
from assay.scoring.logs.attempts import Attempt, Role
from assay.scoring.scorecards.decided_items import DecidedItems, decided_items
from assay.scoring.scorecards.partial_credit import Credit, credit_of
from assay.scoring.scorecards.phase_items import AskedItems, PhasedAttempt, items_asked, with_items
from assay.scoring.scorecards.phase_ladder import STEPS, ladder_of
from assay.scoring.scorecards.roles import role_rank
from assay.scoring.statistics.rates import Method, Rate, make_rate
from assay.tasks.kinds import EXPERIMENT
from assay.tasks.metric import Strict

MEASURES: dict[str, str] = {
    "D": "D",
    "I": "I",
    "E": "E",
    "I·E": "I·E",
    "C": "C",
    "C·D": "C·D",
    "All✓": "D·I·C",
    "All·E✓": "D·I·C·E",
    "M": "M",
    "R": "R",
}
"""The name of each measure, as EXP-Bench writes it, and the phases that must all be met."""

JUDGED = ("C", "All✓")
"""Measures that EXP-Bench divides by the attempts that were judged."""

EXECUTED = ("E", "I·E", "All·E✓")
"""Measures that EXP-Bench divides by the attempts that were executed."""

TRUTH_LABEL, VERIFIED = "truth", "verified"
"""The label of a task that says whether a run of its solution confirms the published outcome, and its value
where it does."""

DENOMINATORS = {
    "attempts": "all attempts at tasks that ask for every phase of the measure; an unknown one is not met",
    "judged": "the attempts that ended before their time limit and whose phases all have a verdict, which is"
    " what EXP-Bench divides C and All✓ by; an attempt that fails integrity counts as not met",
    "executed": "the attempts whose execution has a verdict, right or wrong, which is what EXP-Bench divides"
    " E, I·E and All·E✓ by; for I·E and All·E✓ an attempt that fails integrity counts as not met",
    "verified": "all attempts at tasks whose published outcome was confirmed by a run of the published"
    " solution (label truth)",
}
"""What each rate of a measure is divided by."""

THRESHOLD = (
    "a phase is met when all its items are met (threshold 100%); EXP-Bench's D and I are mean shares of items"
    " met, which stand here as partial credit"
)


class Measure(Strict):
    """How often all phases of a measure are met, with each denominator."""

    needs: str
    """The phases, joined by `·`."""
    rate: Rate
    """Over all attempts at tasks that ask for those phases; what is unknown has bounds."""
    judged: Rate | None
    """Over those of them that EXP-Bench would have judged; None for measures that it does not divide so."""
    executed: Rate | None
    """Over those of them that were executed, as EXP-Bench does; None for measures without execution."""
    verified: Rate | None
    """As `rate`, over the verified tasks alone; None where no task says whether it is verified."""


class PhaseScores(Strict):
    """Some attempts at experiments, phase by phase."""

    tasks: int
    """Different tasks that were attempted."""
    attempts: int
    """All attempts at them."""
    truth: dict[str, int]
    """How many of the tasks have a published outcome that a run of the solution showed to be `verified`,
    `contradicted`, or that is `unverified`; empty where the tasks do not say."""
    measures: dict[str, Measure]
    """Each measure with its denominators."""
    credit: dict[str, Credit]
    """Partial credit by phase: the mean share of its items that are met."""
    ladder: dict[str, Rate]
    """Attempts that are right in the first phase, in the first two, …: M, M·C, … to the whole."""
    decided: dict[str, DecidedItems]
    """What decided the items of each phase."""


class PhaseCard(PhaseScores):
    """One agent with one model on the experiments of one suite, or on those of one label."""

    suite: str
    """The name of the suite."""
    agent: str
    """The name of the agent."""
    model: str
    """The model; `none` for agents without one."""
    role: Role
    """Whether the agent is measured, or its result is known in advance."""
    label: str | None
    """What the tasks are grouped by: type, category, …; None for all of them."""
    value: str | None
    """The value of that label; None for all tasks."""


def phase_cards(
    attempts: Iterable[Attempt],
    *,
    by: str | None = None,
    asked_items: AskedItems | None = None,
    known_scores: Mapping[tuple[str, str, str], PhaseScores] | None = None,
    method: Method = "wilson",
) -> list[PhaseCard]:
    """A card for each agent that tried experiments, or for each value of a label; `–` where there is none.

    Measured agents come first, then calibrators (the oracle before the idle agent), then the others. Scores
    that are known already, by suite, agent and model, are not computed again.
    """
    computed = known_scores or {}
    experiments = [attempt for attempt in attempts if attempt.kind == EXPERIMENT]
    known_items = asked_items if asked_items is not None else items_asked(experiments)
    groups: dict[tuple[str, str, str, str], list[Attempt]] = defaultdict(list)
    for attempt in experiments:
        value = attempt.labels.get(by, "–") if by else ""
        groups[attempt.suite, attempt.agent, attempt.model, value].append(attempt)
    cards = [
        PhaseCard(
            suite=suite,
            agent=agent,
            model=model,
            role=group[0].role,
            label=by,
            value=value if by else None,
            **dict(computed.get((suite, agent, model)) or phase_scores(group, known_items, method=method)),
        )
        for (suite, agent, model, value), group in sorted(groups.items())
    ]
    return sorted(cards, key=lambda card: (role_rank(card.role), card.suite, card.agent == "idle"))


def phase_scores(
    attempts: Sequence[Attempt], asked_items: AskedItems, *, method: Method = "wilson"
) -> PhaseScores:
    """The scores of some attempts at experiments."""
    phased = [with_items(attempt, asked_items) for attempt in attempts]
    truths = {
        (attempt.suite, attempt.task): attempt.labels[TRUTH_LABEL]
        for attempt in attempts
        if TRUTH_LABEL in attempt.labels
    }
    return PhaseScores(
        tasks=len({(attempt.suite, attempt.task) for attempt in attempts}),
        attempts=len(attempts),
        truth=dict(sorted(Counter(truths.values()).items())),
        measures={name: _measure(name, phased, asked_items, method) for name in MEASURES},
        credit={letter: credit_of(letter, _asking(letter, phased, asked_items)) for letter in STEPS},
        ladder=ladder_of(attempts, method=method),
        decided={
            letter: decided_items(letter, _asking(letter, phased, asked_items))
            for letter in STEPS
            if letter != "M"
        },
    )


def _asking(phases: str, attempts: Sequence[PhasedAttempt], asked_items: AskedItems) -> list[PhasedAttempt]:
    """The attempts at tasks that ask for all the phases; a task of which nothing is known might."""
    letters = set(phases.split("·"))
    return [
        phased
        for phased in attempts
        if not (task_items := asked_items.get((phased.attempt.suite, phased.attempt.task), {}))
        or letters <= task_items.keys()
    ]


def _measure(
    name: str, attempts: Sequence[PhasedAttempt], asked_items: AskedItems, method: Method
) -> Measure:
    needs = MEASURES[name]
    counted = _asking(needs, attempts, asked_items)
    # EXP-Bench sets D, I and C to zero where its monitor flags an attempt.
    published_needs = needs if name == "E" else f"M·{needs}"
    judged = executed = verified = None
    if name in JUDGED:
        in_full = [phased for phased in counted if phased.is_judged(published_needs)]
        judged = _rate(published_needs, in_full, method)
    if name in EXECUTED:
        run = [phased for phased in counted if phased.is_executed]
        executed = _rate(published_needs, run, method)
    if any(TRUTH_LABEL in phased.attempt.labels for phased in attempts):
        confirmed = [phased for phased in counted if phased.attempt.labels.get(TRUTH_LABEL) == VERIFIED]
        verified = _rate(needs, confirmed, method)
    rate = _rate(needs, counted, method)
    return Measure(needs=needs, rate=rate, judged=judged, executed=executed, verified=verified)


def _rate(needs: str, attempts: Sequence[PhasedAttempt], method: Method) -> Rate:
    met = [(phased, phased.is_met(needs)) for phased in attempts]
    missing: Counter[Owner] = Counter(
        _owner(needs, phased.attempt) for phased, is_met in met if is_met is None
    )
    passed = sum(is_met is True for _, is_met in met)
    return make_rate(passed, len(met), dict(sorted(missing.items())), method=method)


def _owner(needs: str, attempt: Attempt) -> Owner:
    """Whose doing it is that a measure is unknown: the first unknown item's owner, or the attempt's."""
    phases = {name for letter in needs.split("·") for name in STEPS[letter]}
    unknown = (
        verdict for verdict in attempt.verdicts if verdict.status == "unknown" and verdict.phase in phases
    )
    return next((verdict.owner for verdict in unknown if verdict.owner), None) or attempt.owner or "grader"
