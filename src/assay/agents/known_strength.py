"""Agents whose strength is set in advance, so that curves and item analyses can be checked against it.

They know the truth, like the oracle, and are never measured themselves. `find_agent` makes them from their
names; they are not in the roster, so a certificate does not depend on them.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING

from assay.agents.entry import AgentEntry
from assay.agents.hands import Hands
from assay.agents.variants import hand_in_broken
from assay.errors import UsageError
from assay.tasks import Task

if TYPE_CHECKING:
    from inspect_ai.solver import Generate, Solver, TaskState

NumberedScript = Callable[[Hands, int], Awaitable[None]]
"""A script that gets the number of the attempt too."""
BROKEN = "broken:"
MINUS_ONE = "oracle-minus-one-step"
SHARE = "oracle-share:"
HEURISTIC = "heuristic"
FAMILIES = {
    f"{BROKEN}VARIANT": "The broken variant of this name, on the tasks that have it; it must fail.",
    MINUS_ONE: "Attempt k hands in the k-th broken variant of a task: right but for one step; it must fail.",
    f"{SHARE}PERCENT": "The solution on this share of attempts, drawn by hash, and nothing on the others.",
    HEURISTIC: "No thought: each masked function returns its first argument; nothing else is changed.",
}
"""Name → what the agent does, for lists of agents."""


def from_known_strength(name: str) -> AgentEntry | None:
    """The agent of this name; None if the name is of no family."""
    if name.startswith(BROKEN):
        return _one_variant(name.removeprefix(BROKEN))
    if name == MINUS_ONE:
        return _each_variant()
    if name.startswith(SHARE):
        return _share(name.removeprefix(SHARE))
    if name == HEURISTIC:
        return AgentEntry(
            HEURISTIC, FAMILIES[HEURISTIC], "calibrator", lambda tasks: _numbered(_guess, tasks)
        )
    return None


def is_drawn(task_id: str, number: int, percent: int) -> bool:
    """Whether an attempt is among the drawn share; a larger share contains every smaller one."""
    draw = hashlib.sha256(f"{task_id}\0{number}".encode()).digest()
    return int.from_bytes(draw[:8], "big") * 100 < percent << 64


def _one_variant(variant: str) -> AgentEntry:
    async def act(hands: Hands, number: int) -> None:
        await hand_in_broken(hands, variant)

    return AgentEntry(
        f"{BROKEN}{variant}",
        f"The solution with one mistake: {variant}.",
        "calibrator",
        lambda tasks: _numbered(act, tasks),
        covers=lambda task, number: variant in task.broken,
    )


def _each_variant() -> AgentEntry:
    async def act(hands: Hands, number: int) -> None:
        await hand_in_broken(hands, sorted(hands.task.broken)[number - 1])

    return AgentEntry(
        MINUS_ONE,
        FAMILIES[MINUS_ONE],
        "calibrator",
        lambda tasks: _numbered(act, tasks),
        covers=lambda task, number: number <= len(task.broken),
    )


def _share(text: str) -> AgentEntry:
    if not text.isdecimal() or int(text) > 100:
        raise UsageError(f"{SHARE}{text} has no share from 0 to 100", hint=f"write {SHARE}30")
    percent = int(text)

    async def act(hands: Hands, number: int) -> None:
        if is_drawn(hands.task.id, number, percent):
            await hands.hand_in_gold()

    description = f"The solution on about {percent} percent of attempts, nothing on the others."
    return AgentEntry(f"{SHARE}{percent}", description, "calibrator", lambda tasks: _numbered(act, tasks))


async def _guess(hands: Hands, number: int) -> None:
    """Let each masked function return its first argument."""
    for path in sorted({mask.file for mask in hands.task.assay.masks}):
        names = {mask.function for mask in hands.task.assay.masks if mask.file == path}
        await hands.write(path, with_first_arguments(hands.task.workspace[path], names))


def with_first_arguments(source: bytes, names: set[str]) -> bytes:
    """The program, with functions of these dotted names that return their first argument, or None."""
    tree = ast.parse(source)
    _fill(tree.body, "", names)
    return (ast.unparse(ast.fix_missing_locations(tree)) + "\n").encode()


def _fill(body: list[ast.stmt], prefix: str, names: set[str]) -> None:
    for node in body:
        if isinstance(node, ast.ClassDef):
            _fill(node.body, f"{prefix}{node.name}.", names)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and f"{prefix}{node.name}" in names:
            arguments = [argument.arg for argument in node.args.args if argument.arg not in ("self", "cls")]
            value = ast.Name(arguments[0], ast.Load()) if arguments else ast.Constant(None)
            node.body = [ast.Return(value)]


def _numbered(act: NumberedScript, tasks: Mapping[str, Task]) -> Solver:
    """A script that also gets the number of the attempt, as a solver."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        from inspect_ai.util import sandbox

        numbers = state.metadata["assay"]["attempts"]
        await act(Hands(tasks[str(state.sample_id)], sandbox()), int(numbers[state.epoch - 1]))
        return state

    return solve
