"""The proof of a task: oracle, idle, honest agents, cheats, broken variants, the noise, and no copies."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Container, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from assay.agents import roster
from assay.benchmarks import Suite
from assay.certification.copies import no_copies
from assay.certification.counted import AttemptName, counted_attempts, environments_of, evidence_of
from assay.certification.evidence import nowhere
from assay.certification.variants import VariantResult, grade_variants, variants_of
from assay.evaluation import Plan, PlannedAttempt, Settings, carry_out, plan
from assay.scoring import Attempt
from assay.tasks import DEFAULT, Certificate, CheckResult, Task, centre
from assay.version import __version__

if TYPE_CHECKING:
    from assay.evaluation.events import Finished, Started

ORACLE_RUNS = 3
PREDICTING_RUNS = 5
"""Gold runs of a variation whose prediction interval is a tolerance."""
SAMPLED_AGENTS = (
    "honest-names",
    "cheat-drawn-seed",
    "cheat-forged-lines",
    "cheat-hard-coded",
    "cheat-links",
    "cheat-pickled-code",
)
"""Who tries beside oracle and idle where only a sample of the checks is made; most of them end early."""
VARIANTS, BUILDS = "variants", "builds"
"""Folders beside the logs: results of variants, and builds of challenges that may count again."""
Checks = Mapping[str, CheckResult]


def certify(
    suite: Suite,
    logs: Path,
    *,
    tell: Callable[[Finished], None] | None = None,
    announce: Callable[[int, int], None] | None = None,
    begin: Callable[[Started], None] | None = None,
    tell_broken: Callable[[str, str, bool], None] | None = None,
    only_missing: bool = False,
    sample: bool = False,
) -> list[Certificate]:
    """A certificate for each task of a suite, sound or not.

    Attempts and results of variants are kept in `logs` one by one. The same call goes on with what is missing
    there, as long as neither the task nor the agent's program has changed. With `only_missing`, checks of a
    certificate for the same contents are kept, and only the others are made. With `sample`, only a few checks
    are made.
    """
    settings = Settings(logs=str(logs), uncertified=True, kept_results=str(logs / BUILDS))
    present = {task.id: present_checks(task, sample=sample) if only_missing else {} for task in suite.tasks}
    proof = _without(plan_proof(suite, settings, sample=sample), present, counted_attempts(suite, logs))
    planned = carry_out(proof, settings, tell=tell, announce=announce, begin=begin).attempts
    variants = [
        variant
        for task in suite.tasks
        for variant in variants_of(task, sample=sample)
        if variant.check not in present[task.id]
    ]
    results = asyncio.run(grade_variants(variants, logs / VARIANTS, tell_broken))
    attempts = counted_attempts(suite, logs) if planned else {}
    return [
        _certificate(task, present[task.id], planned, attempts, results.get(task.id, {}), sample=sample)
        for task in suite.tasks
    ]


def present_checks(task: Task, *, sample: bool = False) -> dict[str, CheckResult]:
    """The checks of a task's certificate that hold, if it was made for the present contents.

    The oracle of a sample tried only once: that is no check of a whole certificate.
    """
    certificate = task.certificate
    if certificate is None or certificate.digest != task.digest:
        return {}
    too_weak = {"oracle"} if certificate.sample and not sample else set()
    return {name: check for name, check in certificate.checks.items() if check.holds and name not in too_weak}


def _certificate(
    task: Task,
    present: Checks,
    planned: Sequence[PlannedAttempt],
    attempts: Mapping[AttemptName, Attempt],
    results: Mapping[str, VariantResult],
    *,
    sample: bool,
) -> Certificate:
    variants = {name: result.check for name, result in results.items()}
    oracle = [one for (agent, at, _), one in attempts.items() if agent == "oracle" and at == task.id]
    spread = noise(task) or score_noise(task, [one.score for one in oracle if one.score is not None])
    # `assay mask` makes this check itself, and searches the environment too.
    copies = {} if "copies" in present else no_copies(task)
    checks = {**present, **_agents(task, attempts, planned), **variants, **spread, **copies}
    # Kept checks are as old as the certificate that they come from, and so is the new one.
    old = task.certificate if present else None
    environments = environments_of(attempts, task.id) | {result.made_with for result in results.values()}
    return Certificate(
        task=task.id,
        digest=task.digest,
        assay=old.assay if old else __version__,
        checks=checks,
        sample=sample,
        made_with=sorted({*(old.made_with if old else ()), *environments} - {""}),
    )


def _without(planned: Plan, present: Mapping[str, Container[str]], counted: Container[AttemptName]) -> Plan:
    """The plan without the attempts of agents for which a task has a check; left are those not made yet."""
    attempts = [attempt for attempt in planned.attempts if attempt.agent not in present[attempt.task]]
    left = [attempt for attempt in attempts if (attempt.agent, attempt.task, attempt.number) not in counted]
    return Plan(planned.suite, attempts, left)


def plan_proof(suite: Suite, settings: Settings, *, sample: bool = False) -> Plan:
    """The whole matrix: the oracle three times, every other agent without a model once; or a sample of it."""
    known = [entry.name for entry in roster().values() if entry.role != "agent" and entry.name != "oracle"]
    names = [name for name in known if not sample or name in (*SAMPLED_AGENTS, "idle")]
    oracle = plan(suite, settings, ["oracle"], epochs=1 if sample else ORACLE_RUNS)
    calibrators = plan(suite, settings, names)
    return Plan(suite, oracle.attempts + calibrators.attempts, oracle.left + calibrators.left)


def _agents(
    task: Task, attempts: Mapping[AttemptName, Attempt], planned: Sequence[PlannedAttempt]
) -> dict[str, CheckResult]:
    checks = {}
    for agent in dict.fromkeys(attempt.agent for attempt in planned if attempt.task == task.id):
        must_pass = roster()[agent].role == "honest" or agent == "oracle"
        numbers = [one.number for one in planned if one.task == task.id and one.agent == agent]
        made = [attempts.get((agent, task.id, number)) for number in numbers]
        right = sum(attempt is not None and attempt.passed is must_pass for attempt in made)
        reasons = (
            "the attempt was not made, or nobody knows its result" if one is None else evidence_of(one)
            for one in made
            if one is None or not one.passed
        )
        outcome = f"{'passed' if must_pass else 'failed'} {right} of {len(numbers)}"
        reason = next(reasons, "all items met")
        checks[agent] = CheckResult(holds=right == len(numbers), evidence=nowhere(f"{outcome}: {reason}"))
    return checks


def noise(task: Task) -> dict[str, CheckResult]:
    """Whether repeated gold runs agree with one another far inside the tolerance.

    A variation with many gold runs that vary more than the tolerance allows is graded by their prediction
    interval.
    """
    if not task.assay.metrics:
        return {}
    worst = 0.0
    for variation, gold in task.gold.items():
        for metric in task.assay.metrics:
            runs = gold[metric.name]
            allowed = metric.absolute + metric.relative * abs(centre(runs))
            if variation != DEFAULT and len(runs) >= PREDICTING_RUNS and metric.tolerance(runs) > allowed:
                continue
            spread = max(abs(run - centre(runs)) for run in runs)
            worst = max(worst, spread / allowed if allowed else float(spread > 0) * 10)
    count = min(len(runs) for runs in task.gold[DEFAULT].values())
    evidence = f"{count} gold runs of each number; the widest strays by {worst:.0%} of its tolerance"
    return {"noise": CheckResult(holds=count >= 3 and worst <= 0.5, evidence=evidence)}


def score_noise(task: Task, scores: Sequence[float]) -> dict[str, CheckResult]:
    """Whether the oracle's scores at a challenge agree within the noise that the task allows."""
    challenge = task.assay.challenge
    if challenge is None or not challenge.noise or len(scores) < ORACLE_RUNS:
        return {}
    furthest = max(abs(score - fmean(scores)) for score in scores)
    evidence = (
        f"{len(scores)} scores of the oracle: {', '.join(f'{score:.4f}' for score in scores)}; "
        f"the furthest is {furthest:.4f} from their mean, {challenge.noise:g} is allowed"
    )
    return {"noise": CheckResult(holds=furthest <= challenge.noise, evidence=evidence)}
