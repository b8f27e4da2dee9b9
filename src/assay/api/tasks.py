"""Tasks: look at one, start one, run a command in one, write them for other harnesses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from assay.api.event_loop import outside_event_loop
from assay.api.suites import choose_tasks
from assay.benchmarks import DEFAULT_SUITE, Suite, load_suite
from assay.errors import SandboxRefused, UsageError
from assay.tasks import Certificate, Kind, Task, load_task, save_task
from assay.tasks.selection import Selection
from assay.tasks.template import template
from assay.workspace import with_checker_note

SchemaPart = Literal[
    "task", "experiment", "design", "requirements", "conclusion", "certificate", "grade", "submission"
]


@dataclass(frozen=True)
class TaskSummary:
    """A task exactly as an agent gets it; nothing here comes from the truth."""

    id: str
    kind: Kind
    title: str
    certified: bool
    digest: str
    instruction: str
    workspace: dict[str, int]
    """File → its size in bytes."""
    limits: dict[str, str]
    """What the agent may use, in words; what is not limited is not named."""


@dataclass(frozen=True)
class CommandOutput:
    """How a command in a task's sandbox ended."""

    returncode: int
    stdout: str
    stderr: str


@outside_event_loop
def show(task: str | Path | Task) -> TaskSummary:
    """Return one task exactly as an agent gets it, by `suite/id`, an id of the demo suite, or its folder."""
    shown_task = find_task(task)
    return TaskSummary(
        id=shown_task.id,
        kind=shown_task.kind,
        title=shown_task.config.task.description,
        certified=shown_task.certified,
        digest=shown_task.digest,
        instruction=with_checker_note(shown_task).instruction,
        workspace={path: len(data) for path, data in sorted(shown_task.workspace.items())},
        limits=limits_of(shown_task) | {"sandbox": _sandbox_here()},
    )


def _sandbox_here() -> str:
    """What makes sandboxes on this machine, in words; what holds the limits, or why none can be made."""
    from assay.evaluation.machine_record import SANDBOX, sandbox_record

    try:
        record = sandbox_record(SANDBOX)
    except SandboxRefused as refusal:
        return f"none can be made on this machine: {refusal.message}"
    return f"{record['sandbox']} {record['sandbox_version']} on this machine; limits by {record['limits']}"


@outside_event_loop
def shell(task: str | Path | Task, command: str) -> CommandOutput:
    """Run one command in a task's workspace, in the sandbox that an agent gets; nothing is kept."""
    import asyncio

    from assay.evaluation.samples import sandbox_config
    from assay.sandbox import Box

    confinement = sandbox_config(find_task(task)).confinement()

    async def run_command() -> CommandOutput:
        async with Box(confinement) as box:
            output = await box.exec(["/bin/bash", "-c", command])
        return CommandOutput(
            output.returncode, output.stdout.decode(errors="replace"), output.stderr.decode(errors="replace")
        )

    return asyncio.run(run_command())


@outside_event_loop
def new(kind: Kind, folder: str | Path) -> Task:
    """Write a small task that works into a new folder, to be changed into yours."""
    place = Path(folder)
    task = template(kind, place.name)
    save_task(task, place)
    return task


@outside_event_loop
def export(suite: str | Path | Suite, out: str | Path, *, tasks: Sequence[str] = ()) -> list[Path]:
    """Write a suite as Harbor task directories and return them."""
    folders = []
    for task in choose_tasks(suite, tasks).tasks:
        folders.append(Path(out) / task.config.task.name.partition("/")[2])
        save_task(task, folders[-1])
    return folders


def schema(part: SchemaPart = "task") -> dict[str, Any]:
    """Return the JSON schema of a task's file, or by file those of what an agent hands in."""
    if part == "submission":
        from assay.rules.check_submission import SCHEMAS

        return dict(SCHEMAS)

    from pydantic import BaseModel

    from assay.grading import Grade
    from assay.masking.experiment import Experiment
    from assay.tasks import Conclusion, Design, Requirements, TaskConfig

    models: dict[str, type[BaseModel]] = {
        "task": TaskConfig,
        "experiment": Experiment,
        "design": Design,
        "requirements": Requirements,
        "conclusion": Conclusion,
        "certificate": Certificate,
        "grade": Grade,
    }
    if part not in models:
        raise UsageError(f"there is no schema {part!r}", hint=f"schemas: {', '.join(models)}, submission")
    return models[part].model_json_schema()


def find_task(task: str | Path | Task) -> Task:
    """Return a task by `suite/id`, by an id of the default suite, or by its folder."""
    if isinstance(task, Task):
        return task
    if (Path(task) / "task.toml").is_file():
        return load_task(task)
    suite, slash, task_id = str(task).partition("/")
    if slash:
        # A selection by id, because some suites have more tasks than can be made at once.
        tasks = load_suite(suite, Selection(ids=(task_id,))).tasks
    else:
        tasks, task_id = load_suite(DEFAULT_SUITE).tasks, str(task)
    for candidate in tasks:
        if candidate.id == task_id:
            return candidate
    raise UsageError(
        f"there is no task {str(task)!r}",
        hint=f"`assay suites {DEFAULT_SUITE}` lists them; a folder works too",
    )


def limits_of(task: Task) -> dict[str, str]:
    """What the agent may use, in words; what is not limited is not named."""
    machine, table = task.config.environment, task.assay
    limits = {
        "time": f"{task.config.agent.timeout_sec:g} s",
        "tokens": f"{table.tokens:,}" if table.tokens else None,
        "turns": f"{table.turns:,}" if table.turns else None,
        "processors": str(machine.cpus),
        "memory": f"{machine.memory_mb:,} MB",
        "files": f"{machine.storage_mb:,} MB",
        "GPUs": str(machine.gpus) if machine.gpus else None,
        "network": ", ".join(machine.allowed_hosts) if machine.allowed_hosts else "none",
        "Python": f"{table.python}, with {', '.join(table.requirements) or 'no package'}",
        "inputs": ", ".join(f"/inputs/{part.name}" for part in table.inputs if not part.held) or None,
        "needs": str(table.needs) if table.needs else None,
    }
    return {name: value for name, value in limits.items() if value is not None}
