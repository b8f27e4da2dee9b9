"""assay grade: an old run graded again, without the agent."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.cli.options import (
    AsJson,
    JudgeModel,
    JudgeRepeats,
    TaskIds,
    ToleranceName,
    print_json,
    read_tolerance,
)


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(grade)


def grade(
    logs: Annotated[Path, typer.Argument(help="A folder that `assay run` wrote, or one .eval file.")],
    out: Annotated[Path | None, typer.Option(help="Where the logs with new grades go.")] = None,
    task: TaskIds = None,
    agent: Annotated[list[str] | None, typer.Option(help="Only this agent; may be given again.")] = None,
    tolerance: ToleranceName = None,
    judge_model: JudgeModel = None,
    judge_repeats: JudgeRepeats = None,
    json: AsJson = False,
) -> None:
    """Grade archived submissions again with today's graders; no agent runs."""
    from assay.evaluation.regrade import regrade

    folder = logs if logs.is_dir() else logs.parent
    target = out or folder / "regraded"
    rows = regrade(
        logs,
        target,
        tasks=tuple(task or ()),
        agents=tuple(agent or ()),
        tolerance=read_tolerance(tolerance),
        judge_model=judge_model,
        judge_repeats=judge_repeats,
    )
    if json:
        print_json(
            {
                "out": str(target),
                "attempts": [
                    {
                        "agent": row.agent,
                        "task": row.task,
                        "attempt": row.number,
                        "before": row.before,
                        "after": row.after,
                        "grade": row.grade.model_dump(mode="json"),
                    }
                    for row in rows
                ],
            }
        )
        return
    words = {True: "passed", False: "failed", None: "unknown"}
    for row in rows:
        change = "" if row.before == row.after else f"  (was {words[row.before]})"
        print(f"{row.agent:<24} {row.task:<28} {words[row.after]}{change}")
    changed = sum(row.before != row.after for row in rows)
    print(f"{len(rows)} attempts graded again, {changed} changed; logs in {target}")
