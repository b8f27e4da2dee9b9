"""Thousands of made-up attempts, as varied as real ones, for reports that must stay small and fast."""

from __future__ import annotations

import hashlib
import random

from assay.grading.runs import Runs
from assay.grading.verdict import Verdict
from assay.scoring import Attempt

AGENTS = 10
KINDS = ("masked", "experiment", "challenge")
FAILURES = (
    "the run exited with 1: Traceback ⏎ ModuleNotFoundError: No module named 'library_{}'",
    "the run exited with 1: Traceback ⏎ FileNotFoundError: [Errno 2] No such file: 'data/{}.csv'",
    "the run was stopped at its wall limit after {}.0 s",
    "the run exited with 1: Traceback ⏎ ValueError: operands could not be broadcast together ({},) (3,)",
)


def many_attempts(count: int) -> list[Attempt]:
    """Ten agents on count / 10 tasks, the same at each call."""
    source = random.Random(7)
    return [_attempt(place, source) for place in range(count)]


def _attempt(place: int, source: random.Random) -> Attempt:
    task, agent = divmod(place, AGENTS)
    kind = KINDS[task % 3]
    passed = source.random() < 0.2 + 0.05 * agent
    verdicts = _verdicts(passed, source)
    crashed = source.random() < 0.6
    return Attempt(
        suite="synthetic",
        agent=f"agent-{agent}",
        model="provider/model",
        task=f"paper{task // 12}_{task}",
        epoch=1,
        title=f"The experiment {task} of many, with some functions removed",
        kind=kind,
        n=1 + task % 5 if kind == "masked" else None,
        certified=task % 7 != 0,
        asked=f"# Task {task}\n\n" + "Mend the experiment, so that it writes its results. " * 12,
        passed=passed,
        owner=None if passed else "agent",
        caught_by=next((one.item for one in verdicts if one.status == "unmet"), None),
        verdicts=verdicts,
        normalised=source.random() if kind == "challenge" else None,
        runs=Runs(made=3, first_crashed=crashed, recovered=source.random() < 0.3 if crashed else None),
        tokens=source.randrange(200_000),
        cost=source.random(),
        seconds=source.uniform(10, 900),
        working_seconds=source.uniform(10, 400),
        grading_seconds=source.uniform(1, 9),
        submission=hashlib.sha256(str(place).encode()).hexdigest(),
        log=f"logs/agent-{agent}.eval",
        sample=hashlib.sha1(str(place).encode()).hexdigest()[:22],
    )


def _verdicts(passed: bool, source: random.Random) -> list[Verdict]:
    numbers = [
        Verdict(
            item=f"result.default.measure-{item}",
            status="met",
            evidence=f"re-made {source.random():.6g}, gold {source.random():.6g} ± {source.random():.2g}",
        )
        for item in range(4)
    ]
    if passed:
        return [Verdict(item="execution.default", status="met", evidence="exit 0 after 1.2 s"), *numbers]
    evidence = source.choice(FAILURES).format(source.randrange(40))
    crash = Verdict(item="execution.default", status="unmet", evidence=evidence, owner="agent")
    missing = Verdict(
        item="result.default.measure-0", status="unmet", evidence=f"no number: {evidence}", owner="agent"
    )
    return [crash, missing, *numbers[1:]]
