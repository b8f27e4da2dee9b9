"""Grading a folder that no run of ours left: its files over a clean copy of a task's workspace."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.grading import Grade, GradingRules, grade_now
from assay.tasks import Task
from assay.workspace import Submission, read_folder, requested_files

_WORDS = {True: "passed", False: "failed", None: "unknown"}
_LONGEST = 160


@dataclass(frozen=True)
class GradedFolder:
    """A folder and its grade."""

    folder: Path
    submission: Submission
    grade: Grade

    def lines(self) -> Iterator[str]:
        """Yield what was not collected, every verdict, then the total."""
        for path, reason in self.submission.refused.items():
            yield f"not collected: {path}: {reason}"
        verdicts = self.grade.verdicts
        width = max((len(verdict.item) for verdict in verdicts), default=0)
        for verdict in verdicts:
            evidence = " ".join(verdict.evidence.split())[:_LONGEST]
            yield f"{verdict.item:<{width}}  {verdict.status:<7}  {evidence}"
        for notice in self.grade.notices:
            yield f"notice {notice.flag}: {' '.join(notice.evidence.split())[:_LONGEST]}"
        met = sum(verdict.status == "met" for verdict in verdicts)
        unknown = sum(verdict.status == "unknown" for verdict in verdicts)
        total = f"{met} of {len(verdicts)} items met, {unknown} unknown"
        yield f"{self.grade.task}: {_WORDS[self.grade.passed]} ({total})"

    def to_json(self) -> dict[str, Any]:
        """Return the grade, and what was not collected."""
        return {
            "folder": str(self.folder),
            "task": self.grade.task,
            "passed": self.grade.passed,
            "refused": self.submission.refused,
            "grade": self.grade.model_dump(mode="json"),
        }


def grade_folder(task: Task, folder: Path, rules: GradingRules) -> GradedFolder:
    """Grade the files of a folder as if an attempt had left them in the workspace."""
    submission = read_folder(folder, task.workspace, requested=requested_files(task))
    return GradedFolder(folder, submission, grade_now(task, submission, rules=rules, judge=rules.judge()))
