"""Options that several verbs share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from assay.tasks import Task

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON; its shape is in docs/json.md.")]
SuiteName = Annotated[
    str, typer.Argument(help="A suite's name, a folder of task folders, or one task folder.")
]
Logs = Annotated[Path, typer.Option("--logs", help="The folder of logs.")]
TaskIds = Annotated[list[str] | None, typer.Option("--task", help="Only this task; may be given again.")]
Limit = Annotated[int | None, typer.Option("--limit", min=1, help="Only the first N tasks.")]


def print_json(value: object) -> None:
    """A value as JSON on standard output."""
    import json

    print(json.dumps(value, indent=2, ensure_ascii=False))


def parse_price(text: str | None) -> tuple[float, float] | None:
    """The price that `--price` states, in dollars per million tokens."""
    from assay.errors import UsageError

    if text is None:
        return None
    try:
        first, second = (float(part) for part in text.split(","))
    except ValueError:
        raise UsageError(f"--price is {text!r}, expected INPUT,OUTPUT such as 0.15,0.60") from None
    return first, second


def find_task(name: str) -> Task:
    """A task by `suite/id`, by an id of the demo suite, or by its folder."""
    from assay.errors import UsageError
    from assay.tasks import load_suite, load_task

    if (Path(name) / "task.toml").is_file():
        return load_task(Path(name))
    suite, slash, task_id = name.partition("/")
    if not slash:
        suite, task_id = "demo", name
    for task in load_suite(suite).tasks:
        if task.id == task_id:
            return task
    raise UsageError(f"there is no task {name!r}", hint="`assay suites demo` lists them; a folder works too")
