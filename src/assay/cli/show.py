"""assay show: a task exactly as an agent gets it.

Nothing here comes from tests/, solution/ or the certificate: people and agents who try a task read this.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli.options import AsJson, find_task, print_json

if TYPE_CHECKING:
    from assay.tasks import Task


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(show)


def show(
    task: Annotated[str, typer.Argument(help="suite/id, an id of the demo suite, or a task folder.")],
    brief: Annotated[bool, typer.Option("--brief", help="A few lines, without the instruction.")] = False,
    json: AsJson = False,
) -> None:
    """Show one task exactly as an agent gets it: instruction, workspace, limits. No truth is printed."""
    from assay.workspace import with_checker_note

    found = find_task(task)
    if json:
        print_json(_table(found, with_checker_note(found).instruction))
        return
    if brief:
        print(f"{found.id} ({found.kind}): {found.config.task.description}")
        print(f"workspace: {len(found.workspace)} files, {sum(map(len, found.workspace.values())):,} bytes")
    else:
        print(with_checker_note(found).instruction.rstrip())
        print("\n— the workspace —")
        for path, data in sorted(found.workspace.items()):
            print(f"{len(data):>9,}  {path}")
        print("\n— the limits —")
    for name, value in _limits(found).items():
        print(f"{name}: {value}")
    print("certified" if found.certified else "not certified: `assay certify` proves or refutes it")


def _table(task: Task, instruction: str) -> dict[str, Any]:
    return {
        "id": task.id,
        "kind": task.kind,
        "title": task.config.task.description,
        "certified": task.certified,
        "digest": task.digest,
        "instruction": instruction,
        "workspace": {path: len(data) for path, data in sorted(task.workspace.items())},
        "limits": _limits(task),
    }


def _limits(task: Task) -> dict[str, str]:
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
        "inputs": ", ".join(f"/inputs/{each.name}" for each in table.inputs if not each.held) or None,
        "needs": str(table.needs) if table.needs else None,
    }
    return {name: value for name, value in limits.items() if value is not None}
