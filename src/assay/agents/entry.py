"""What an agent is to the rest of Assay: its name, what it is for, and how it is made."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from assay.agents.hands import Hands
from assay.tasks import Kind, Task

if TYPE_CHECKING:
    from inspect_ai.solver import Solver

Role = Literal["agent", "calibrator", "honest", "cheat"]
KINDS: tuple[Kind, ...] = ("masked", "experiment", "challenge")
Script = Callable[[Hands], Awaitable[None]]
Maker = Callable[[Mapping[str, Task]], "Solver"]


@dataclass(frozen=True)
class AgentEntry:
    """One agent: how it is made, and what is expected of it."""

    name: str
    description: str
    role: Role
    make: Maker
    needs_model: bool = False
    kinds: tuple[Kind, ...] = field(default=KINDS)
    """The kinds of task on which it makes sense."""
