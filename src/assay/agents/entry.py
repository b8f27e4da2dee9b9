"""An agent as the roster knows it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.agents.hands import Hands
from assay.agents.options import Option, checked, full_name
from assay.protocols import Agent, Role
from assay.tasks import Kind, Task
from assay.tasks.kinds import KINDS

if TYPE_CHECKING:
    from inspect_ai.solver import Solver

Script = Callable[[Hands], Awaitable[None]]
Maker = Callable[[Mapping[str, Task]], "Solver"]
View = Callable[[Task], Task]


def as_it_is(task: Task) -> Task:
    """The task, unchanged."""
    return task


def every_attempt(task: Task, number: int) -> bool:
    """True: the agent can make any attempt at any task."""
    return True


@dataclass(frozen=True)
class Settled:
    """What an agent becomes once its options are settled."""

    make: Maker
    view: View = as_it_is
    generate: Mapping[str, Any] = field(default_factory=dict)


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
    options: tuple[Option, ...] = ()
    """What can be set of it."""
    settle: Callable[[Mapping[str, str]], Settled] | None = None
    """Makes it from every option's value."""
    changed_options: Mapping[str, str] = field(default_factory=dict)
    """The options that are not at their default; they stand in its name."""
    view: View = as_it_is
    """The task as this agent is given it: with the paper, without it, with parts of it."""
    generate: Mapping[str, Any] = field(default_factory=dict)
    """Inspect's generation options that belong to the agent."""
    folders: Callable[[], tuple[Path, ...]] = tuple
    """Host folders with its programs, shown in its sandbox read-only at their own paths."""
    covers: Callable[[Task, int], bool] = every_attempt
    """Whether it can make this attempt at a task; a recorded agent has only those that were recorded."""
    remark: str = ""
    """What a user should know before a run, in one line."""

    @classmethod
    def of(cls, agent: Agent) -> AgentEntry:
        """An entry for an agent that is implemented elsewhere."""
        if isinstance(agent, AgentEntry):
            return agent
        return cls(
            name=agent.name,
            description=agent.description,
            role=agent.role,
            make=agent.make,
            needs_model=agent.needs_model,
            kinds=agent.kinds,
            changed_options=agent.changed_options,
            view=agent.view,
            generate=agent.generate,
            folders=agent.folders,
        )

    def with_options(self, values_by_name: Mapping[str, str]) -> AgentEntry:
        """The same agent with options set."""
        changed_options = checked(self.name, self.options, values_by_name)
        if self.settle is None:
            return self
        values = {option.name: option.default for option in self.options} | changed_options
        settled = self.settle(values)
        return replace(
            self,
            name=full_name(self.name, changed_options),
            changed_options=changed_options,
            make=settled.make,
            view=settled.view,
            generate=settled.generate,
        )
