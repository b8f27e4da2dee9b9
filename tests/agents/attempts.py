"""Real attempts for the tests: real tasks, the real sandbox, real logs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspect_ai.log import EvalSample, read_eval_log

from assay.api.tasks import new
from assay.benchmarks import load_suite
from assay.evaluation import Budget, Settings, run
from assay.grading import Grade
from assay.grading.verdict import REMARKS
from assay.tasks import Task, load_task
from assay.tasks.kinds import Kind
from assay.tasks.template import TEMPLATES

CHEAPEST = {"masked": "assay.2402_2", "experiment": "selection-bias", "challenge": "prune-classifier"}
NEW = {kind: f"new-{kind}" for kind in CHEAPEST}
"""The task that `assay new` writes, of each kind. The oracle takes 0.8 s of processor time there, and 2 to 5
seconds at the cheapest tasks of the demo."""


@dataclass(frozen=True)
class Seen:
    """One attempt as its log shows it."""

    agent: str
    task: str
    sample: EvalSample

    @property
    def grade(self) -> Grade:
        """The grade; an attempt without one fails the test with its error."""
        assert self.sample.scores, self.sample.error
        return Grade.model_validate((self.sample.scores["assay"].metadata or {})["grade"])

    @property
    def notes(self) -> Mapping[str, Any]:
        """What the scorer wrote beside the grade: limit, crash."""
        assert self.sample.scores, self.sample.error
        return self.sample.scores["assay"].metadata or {}

    @property
    def names(self) -> set[str]:
        """Everything that speaks against it: flags of notices, items that are not met."""
        unmet = {each.item for each in self.grade.verdicts if each.status == "unmet"}
        return unmet | {each.flag for each in self.grade.notices}

    @property
    def alarms(self) -> list[str]:
        """The flags of all notices against the agent."""
        return [notice.flag for notice in self.grade.notices if notice.flag not in REMARKS]

    @property
    def unknowns(self) -> list[str]:
        """The items that nobody could decide, and those that failed through another's fault."""
        return [
            verdict.item
            for verdict in self.grade.verdicts
            if verdict.status == "unknown" or (verdict.status == "unmet" and verdict.owner != "agent")
        ]


def demo_task(task: str) -> Task:
    """One task of the demo suite."""
    return load_suite("demo").only([task]).tasks[0]


def attempts(
    logs: Path,
    agents: Sequence[str],
    tasks: Sequence[str],
    *,
    models: Sequence[str] = (),
    budget: Budget | None = None,
    base_url: str | None = None,
    generate: Mapping[str, Any] | None = None,
) -> list[Seen]:
    """Let agents try tasks of the demo suite and read the logs."""
    settings = Settings(logs=str(logs), budget=budget or Budget(), base_url=base_url, generate=generate or {})
    run(load_suite("demo").only(list(tasks)), agents=agents, models=models, settings=settings)
    return read_attempts(logs)


def gold_of_new_task(kind: Kind) -> Mapping[str, bytes]:
    """The files that solve the task that `assay new` writes."""
    return load_task(TEMPLATES / kind).gold_files


def attempts_at_new_task(
    folder: Path,
    kind: Kind,
    agents: Sequence[str],
    *,
    models: Sequence[str] = (),
    budget: Budget | None = None,
    base_url: str | None = None,
    generate: Mapping[str, Any] | None = None,
    service_seconds: float = 600.0,
) -> list[Seen]:
    """Let agents try the task that `assay new` writes, and read the logs."""
    new(kind, folder / NEW[kind])
    settings = Settings(
        logs=str(folder / "logs"),
        uncertified=True,
        budget=budget or Budget(),
        base_url=base_url,
        generate=generate or {},
        service_seconds=service_seconds,
    )
    run(load_suite(folder / NEW[kind]), agents=agents, models=models, settings=settings)
    return read_attempts(folder / "logs")


def read_attempts(logs: Path) -> list[Seen]:
    """Every attempt that the logs of a folder hold."""
    return [
        Seen((log.eval.metadata or {})["assay"]["agent"], str(sample.id), sample)
        for path in sorted(logs.glob("*.eval"))
        for log in [read_eval_log(str(path))]
        for sample in log.samples or []
    ]
