"""What was chosen against what was best: every candidate of a best-of-k attempt, graded afterwards."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.evaluation.turns import grade_in_turn
from assay.grading import Grade, GradingRules, Judge
from assay.tasks import Task
from assay.workspace import Submission


async def grade_candidates(
    task: Task,
    best_of: Mapping[str, Any],
    handed_in: Grade,
    rules: GradingRules,
    judge: Judge | None,
    submissions: Path,
) -> dict[str, Any]:
    """The attempt's report of its candidates, with the grade of each, of the chosen one and of the best.

    `submissions` is the folder of archived submissions.
    """
    graded: dict[str, Grade] = {handed_in.submission: handed_in}
    for candidate in best_of["candidates"]:
        digest = candidate["submission"]
        if digest not in graded:
            submission = Submission.load(submissions, digest)
            graded[digest] = await grade_in_turn(task, submission, rules=rules, judge=judge)
    rows = [
        {
            **candidate,
            "passed": graded[candidate["submission"]].passed,
            "met": graded[candidate["submission"]].share_met,
        }
        for candidate in best_of["candidates"]
    ]
    passed = [row["passed"] for row in rows]
    return {
        **best_of,
        "candidates": rows,
        "k": len(rows),
        "chosen_passed": handed_in.passed,
        "best_passed": True if True in passed else None if None in passed else False,
        "best_met": max((row["met"] for row in rows if row["met"] is not None), default=None),
    }
