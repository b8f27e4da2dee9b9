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
    read_rules,
    read_tolerance,
)


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(grade)


def grade(
    logs: Annotated[
        Path | None, typer.Argument(help="A folder that `assay run` wrote, or one .eval file.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Where the logs with new grades go.")] = None,
    task: TaskIds = None,
    submission: Annotated[
        Path | None, typer.Option(help="Grade this folder of files instead, against the one --task.")
    ] = None,
    agent: Annotated[list[str] | None, typer.Option(help="Only this agent; may be given again.")] = None,
    tolerance: ToleranceName = None,
    judge_model: JudgeModel = None,
    judge_repeats: JudgeRepeats = None,
    json: AsJson = False,
) -> None:
    """Grade archived submissions again, or any folder with --task and --submission; no agent runs."""
    from assay.errors import UsageError

    if submission is not None:
        if logs is not None or out is not None or agent or len(task or ()) != 1:
            raise UsageError(
                "--submission needs exactly one --task, and no logs, --out or --agent",
                hint="write `assay grade --task SUITE/ID --submission FOLDER`",
            )
        assert task is not None
        _grade_folder(task[0], submission, tolerance, judge_model, judge_repeats, as_json=json)
        return
    if logs is None:
        raise UsageError(
            "there is nothing to grade", hint="name a folder of logs, or give --task and --submission"
        )
    _grade_logs(logs, out, task, agent, tolerance, judge_model, judge_repeats, as_json=json)


def _grade_folder(
    task_name: str,
    folder: Path,
    tolerance: str | None,
    judge_model: str | None,
    judge_repeats: int | None,
    *,
    as_json: bool,
) -> None:
    from assay.api.tasks import find_task
    from assay.evaluation.folder_grading import grade_folder

    rules = read_rules(tolerance, judge_model, judge_repeats)
    graded = grade_folder(find_task(task_name), folder, rules)
    if as_json:
        print_json(graded.to_json())
        return
    for line in graded.lines():
        print(line)


def _grade_logs(
    logs: Path,
    out: Path | None,
    task: list[str] | None,
    agent: list[str] | None,
    tolerance: str | None,
    judge_model: str | None,
    judge_repeats: int | None,
    *,
    as_json: bool,
) -> None:
    from assay.evaluation.regrade import regrade
    from assay.files import place

    logs = place(logs)
    folder = logs if logs.is_dir() else logs.parent
    target = folder / "regraded" if out is None else place(out)
    rows = regrade(
        logs,
        target,
        tasks=tuple(task or ()),
        agents=tuple(agent or ()),
        tolerance=read_tolerance(tolerance),
        judge_model=judge_model,
        judge_repeats=judge_repeats,
    )
    if as_json:
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
