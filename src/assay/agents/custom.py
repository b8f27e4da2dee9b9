"""A user's own agent: one that Inspect knows, from a file, or any program, run inside the sandbox."""

from __future__ import annotations

import importlib.util
import inspect
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from assay.agents.entry import AgentEntry
from assay.agents.program_spec import PLACE, ProgramSpec, place_files
from assay.errors import UsageError
from assay.protocols import Agent
from assay.tasks import Task

if TYPE_CHECKING:
    from inspect_ai.solver import Generate, Solver, TaskState

COMMAND = "command:"
INSTRUCTION_FILE = "/tmp/instruction.md"
KEPT = 20_000
"""Characters of a program's output that are kept as its last words; the transcript has the rest."""


def from_file(place: str) -> AgentEntry:
    """The agent that `file.py:name` names: an `Agent`, or an agent or solver of Inspect.

    Whether one of Inspect needs a model is the file's NEEDS_MODEL.
    """
    path, _, name = place.rpartition(":")
    module = _load(Path(path))
    target = getattr(module, name, None)
    if target is None:
        public_names = ", ".join(attribute for attribute in vars(module) if not attribute.startswith("_"))
        raise UsageError(f"{path} has no {name!r}", hint=f"it has: {public_names}"[:300])
    if isinstance(target, Agent):
        return AgentEntry.of(target)
    _as_solver(target, place)

    def make(tasks: Mapping[str, Task]) -> Solver:
        return _as_solver(target, place)

    description = (getattr(target, "__doc__", None) or f"An agent of the user's own, {name}.").strip()
    needs_model = bool(getattr(module, "NEEDS_MODEL", True))
    return AgentEntry(name, description.splitlines()[0], "agent", make, needs_model=needs_model)


def from_command(command: str) -> AgentEntry:
    """A program that is run inside the sandbox, with {instruction} replaced by what the task asks."""

    def make(tasks: Mapping[str, Task]) -> Solver:
        return command_solver(command, tasks)

    description = f"The program `{command}`, run inside the sandbox."
    return AgentEntry(command_name(command), description, "agent", make)


def from_program(spec: ProgramSpec) -> AgentEntry:
    """A program with files of its own; `{files}` in its command is their folder in the sandbox."""
    files, executable = spec.read_files(), spec.executable()
    command = spec.command.replace("{files}", PLACE) if files else spec.command

    def make(tasks: Mapping[str, Task]) -> Solver:
        return command_solver(command, tasks, files, executable)

    with_files = f" with {len(files)} files of its own" if files else ""
    description = f"The program `{spec.command}`{with_files}, run inside the sandbox."
    return AgentEntry(spec.name or command_name(spec.command), description, "agent", make)


def command_name(command: str) -> str:
    """What logs call a program: its first word, after any variables that are set for it."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(
            f"the agent command {command!r} cannot be read: {error}", hint="close its quotes"
        ) from None
    programs = [word for word in words if not re.match(r"[A-Za-z_]\w*=", word)]
    if not programs:
        raise UsageError("the agent command is empty", hint="write --agent-command 'mytool {instruction}'")
    return re.sub(r"[^A-Za-z0-9._-]+", "-", Path(programs[0]).name).strip("-") or "command"


def _load(path: Path) -> ModuleType:
    if not path.is_file():
        raise UsageError(f"there is no file {str(path)!r}", hint="name an agent as path/of/file.py:name")
    spec = importlib.util.spec_from_file_location(f"assay_agent_{path.stem}", path.resolve())
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    sys.path.insert(0, str(path.resolve().parent))
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise UsageError(f"{path} cannot be imported: {type(error).__name__}: {error}") from error
    finally:
        sys.path.pop(0)
    return module


def _as_solver(target: Any, place: str) -> Solver:
    """What was found as a solver: an agent, a solver, or a function without arguments that makes one."""
    from inspect_ai.agent import as_solver

    from assay.inspect_private import is_registry_object, registry_info

    if not is_registry_object(target) or registry_info(target).type not in ("agent", "solver"):
        raise UsageError(
            f"{place} is no agent: neither an Inspect agent or solver nor an assay.protocols.Agent",
            hint="decorate it with @agent or @solver of inspect_ai, or see docs/extend.md",
        )
    if not _acts(target):
        try:
            target = target()
        except TypeError as error:
            raise UsageError(
                f"{place} cannot be made without arguments: {error}",
                hint="give its arguments defaults, or name an agent that is already made",
            ) from error
    solver: Solver = as_solver(target) if registry_info(target).type == "agent" else target
    return solver


def _acts(target: Any) -> bool:
    """Whether it is an agent or solver itself, and not the decorated function that makes one."""
    return inspect.iscoroutinefunction(target) or (
        not inspect.isfunction(target) and inspect.iscoroutinefunction(type(target).__call__)
    )


def command_solver(
    command: str,
    tasks: Mapping[str, Task],
    files: Mapping[str, bytes] | None = None,
    executable: Sequence[str] = (),
) -> Solver:
    """Any program as a solver; how it exits decides nothing, what it leaves is graded.

    `files` are the program's own, which it finds in the folder ASSAY_AGENT_FILES.
    """
    from inspect_ai.model import ModelOutput

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        variables = {"ASSAY_AGENT_FILES": PLACE} if files else None
        await place_files(files or {}, executable)
        output, ending = await run_program(command, tasks[str(state.sample_id)].instruction, variables)
        state.output = ModelOutput.from_content(model="command", content=output)
        return end_with(state, output, ending)

    return solve


async def run_program(
    command: str, instruction: str, variables: Mapping[str, str] | None = None
) -> tuple[str, str]:
    """The end of what a program said in the sandbox, and how it ended."""
    from inspect_ai.util import OutputLimitExceededError, sandbox

    await sandbox().write_file(INSTRUCTION_FILE, instruction)
    filled = command.replace("{instruction}", shlex.quote(instruction))
    environment = {"ASSAY_INSTRUCTION": instruction, **(variables or {})}
    try:
        process = await sandbox().exec(["/bin/bash", "-c", filled], cwd="/workspace", env=environment)
        return (process.stdout + process.stderr)[-KEPT:], f"exit {process.returncode}"
    except (TimeoutError, OutputLimitExceededError) as error:
        return (getattr(error, "truncated_output", None) or "")[-KEPT:], str(error)


def end_with(state: TaskState, output: str, ending: str) -> TaskState:
    """Note a program's last words and how it ended."""
    from inspect_ai.model import ChatMessageAssistant

    state.metadata["command"] = ending
    state.messages.append(ChatMessageAssistant(content=output or ending))
    return state
