"""Real attempts for the tests: real tasks, the real sandbox, real logs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspect_ai.log import EvalSample, read_eval_log

from assay.benchmarks import load_suite
from assay.evaluation import Budget, Settings, run
from assay.grading import Grade
from assay.tasks import Task

CHEAPEST = {"masked": "assay.2402_2", "experiment": "selection-bias", "challenge": "prune-classifier"}


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


def read_attempts(logs: Path) -> list[Seen]:
    """Every attempt that the logs of a folder hold."""
    return [
        Seen((log.eval.metadata or {})["assay"]["agent"], str(sample.id), sample)
        for path in sorted(logs.glob("*.eval"))
        for log in [read_eval_log(str(path))]
        for sample in log.samples or []
    ]
