"""The proof of a task: oracle, idle, honest agents, every cheat, every broken variant, and the noise."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assay.agents import roster
from assay.benchmarks import Suite
from assay.evaluation import Plan, PlannedAttempt, Settings, carry_out, plan
from assay.grading import Grade, grade
from assay.scoring import read_attempts
from assay.tasks import DEFAULT, Certificate, CheckResult, Task, centre
from assay.version import __version__
from assay.workspace import Submission, cache_folder

if TYPE_CHECKING:
    from assay.evaluation.events import Finished, Started

ORACLE_RUNS = 3


def certify(
    suite: Suite,
    logs: Path,
    *,
    tell: Callable[[Finished], None] | None = None,
    announce: Callable[[int, int], None] | None = None,
    begin: Callable[[Started], None] | None = None,
    tell_broken: Callable[[str, str, bool], None] | None = None,
    only_missing: bool = False,
) -> list[Certificate]:
    """A certificate for each task of a suite, sound or not; the attempts behind it are logged and resumed.

    With `only_missing`, checks of a certificate for the same contents are kept, and only the others are made.
    """
    settings = Settings(logs=str(logs), uncertified=True)
    present = {task.id: present_checks(task) if only_missing else {} for task in suite.tasks}
    proof = _without(plan_proof(suite, settings), present)
    planned = carry_out(proof, settings, tell=tell, announce=announce, begin=begin)
    outcomes = _outcomes(logs) if planned.attempts else {}
    certificates = []
    for task in suite.tasks:
        checks = {
            **present[task.id],
            **_agents(task, outcomes, planned.attempts),
            **asyncio.run(_broken(task, present[task.id], tell_broken)),
            **noise(task),
        }
        # Kept checks are as old as the certificate that they come from, and so is the new one.
        version = task.certificate.assay if present[task.id] and task.certificate else __version__
        certificates.append(Certificate(task=task.id, digest=task.digest, assay=version, checks=checks))
    return certificates


def present_checks(task: Task) -> dict[str, CheckResult]:
    """The checks of a task's certificate that hold, if it was made for the present contents."""
    certificate = task.certificate
    if certificate is None or certificate.digest != task.digest:
        return {}
    return {name: check for name, check in certificate.checks.items() if check.holds}


def _without(planned: Plan, present: Mapping[str, Mapping[str, CheckResult]]) -> Plan:
    """The plan without the attempts of agents for which a task has a check."""

    def is_missing(attempt: PlannedAttempt) -> bool:
        return attempt.agent not in present[attempt.task]

    attempts, left = filter(is_missing, planned.attempts), filter(is_missing, planned.left)
    return Plan(planned.suite, list(attempts), list(left))


def plan_proof(suite: Suite, settings: Settings) -> Plan:
    """The whole matrix: the oracle three times, every other agent without a model once."""
    names = [entry.name for entry in roster().values() if entry.role != "agent" and entry.name != "oracle"]
    oracle = plan(suite, settings, ["oracle"], epochs=ORACLE_RUNS)
    calibrators = plan(suite, settings, names)
    return Plan(suite, oracle.attempts + calibrators.attempts, oracle.left + calibrators.left)


Outcomes = Mapping[tuple[str, str], Sequence[tuple[bool | None, str]]]


def _outcomes(logs: Path) -> Outcomes:
    outcomes: dict[tuple[str, str], list[tuple[bool | None, str]]] = {}
    for attempt in read_attempts([logs]):
        why = next(
            (
                f"{verdict.item}: {verdict.evidence}"
                for verdict in attempt.verdicts
                if verdict.status != "met"
            ),
            f"the attempt ended with an error: {attempt.error}" if attempt.error else "all met",
        )
        outcomes.setdefault((attempt.agent, attempt.task), []).append((attempt.passed, why))
    return outcomes


def _agents(task: Task, outcomes: Outcomes, attempts: Sequence[PlannedAttempt]) -> dict[str, CheckResult]:
    checks = {}
    for agent in dict.fromkeys(planned.agent for planned in attempts if planned.task == task.id):
        must_pass = roster()[agent].role == "honest" or agent == "oracle"
        expected = sum(planned.task == task.id and planned.agent == agent for planned in attempts)
        results = outcomes.get((agent, task.id), ())
        right = sum(passed is must_pass for passed, _ in results)
        reason = next((why for passed, why in results if passed is not True), "all items met")
        checks[agent] = CheckResult(
            holds=right == expected,
            evidence=nowhere(f"{'passed' if must_pass else 'failed'} {right} of {expected}: {reason}")[:400],
        )
    return checks


async def _broken(
    task: Task, present: Mapping[str, CheckResult], tell: Callable[[str, str, bool], None] | None
) -> dict[str, CheckResult]:
    """A check for each broken variant that has none."""
    gate = asyncio.Semaphore(os.cpu_count() or 1)

    async def one(name: str, files: Mapping[str, bytes]) -> tuple[str, Grade]:
        async with gate:
            result = await grade(task, Submission({**task.gold_files, **files}))
        if tell is not None:
            tell(task.id, name, result.passed is False)
        return name, result

    missing = {name: files for name, files in task.broken.items() if f"broken-{name}" not in present}
    graded = await asyncio.gather(*(one(name, files) for name, files in missing.items()))
    checks = {}
    for name, result in graded:
        caught = result.caught_by
        evidence = (
            f"{caught.item}: {caught.evidence}" if caught else f"not rejected (passed: {result.passed})"
        )
        checks[f"broken-{name}"] = CheckResult(holds=result.passed is False, evidence=nowhere(evidence)[:400])
    return checks


def noise(task: Task) -> dict[str, CheckResult]:
    """Whether repeated gold runs agree with one another far inside the tolerance."""
    if not task.assay.metrics:
        return {}
    worst = 0.0
    for gold in task.gold.values():
        for metric in task.assay.metrics:
            runs = gold[metric.name]
            allowed = metric.absolute + metric.relative * abs(centre(runs))
            spread = max(abs(run - centre(runs)) for run in runs)
            worst = max(worst, spread / allowed if allowed else float(spread > 0) * 10)
    count = min(len(runs) for runs in task.gold[DEFAULT].values())
    evidence = f"{count} gold runs of each number; the widest strays by {worst:.0%} of its tolerance"
    return {"noise": CheckResult(holds=count >= 3 and worst <= 0.5, evidence=evidence)}


def nowhere(evidence: str) -> str:
    """Evidence without the places of the machine that made it: a certificate travels."""
    for place, name in ((sys.base_prefix, "<python>"), (str(cache_folder("environments")), "<environments>")):
        evidence = evidence.replace(place, name)
    return evidence.replace(str(Path.home()) + "/", "~/")
