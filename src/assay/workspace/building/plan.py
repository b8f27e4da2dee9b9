"""The plan of an environment, after the repairs so far, and the failure of a try."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

from assay.workspace.building.wishes import Wish

Stage = Literal["read", "resolve", "cuda", "install", "import"]
"""In `cuda` the pins contain CUDA, and the environment is for a machine without a GPU."""


@dataclass(frozen=True)
class BuildPlan:
    """Everything that determines an environment; each repair creates a new plan."""

    wishes: tuple[Wish, ...]
    python: str
    other_pythons: tuple[str, ...] = ()
    """Other Pythons to try, the most likely first."""
    before: date | None = None
    index_lines: tuple[str, ...] = ()
    sdists: frozenset[str] = frozenset()
    """Distributions that Assay may build from source."""
    constraints: tuple[str, ...] = ()
    """Constraints on all distributions."""
    build_constraints: tuple[str, ...] = ()
    """Constraints on the packages that a build needs."""
    needed: frozenset[str] = frozenset()
    """Distributions that an import needs."""
    cpu_index: Literal["not tried", "used", "out of reach"] = "not tried"
    """PyTorch's own index of builds for the CPU."""
    lazy: frozenset[str] = frozenset()
    """Undeclared distributions that only functions import: parts of the code work without them."""

    def wishes_for(self, name: str) -> list[Wish]:
        """Return the wishes for one distribution."""
        return [wish for wish in self.wishes if wish.name == name]

    def without(self, name: str) -> BuildPlan:
        """Return the plan without a distribution."""
        return replace(self, wishes=tuple(wish for wish in self.wishes if wish.name != name))

    def with_changed(self, name: str, change: Callable[[Wish], Wish]) -> BuildPlan:
        """Return the plan with every wish for a distribution changed."""
        changed = (change(wish) if wish.name == name else wish for wish in self.wishes)
        return replace(self, wishes=tuple(dict.fromkeys(changed)))

    def with_specifier(self, wish: Wish, specifier: str) -> BuildPlan:
        """Return the plan with another version specifier for one wish."""
        changed = (
            replace(candidate, specifier=specifier) if candidate == wish else candidate
            for candidate in self.wishes
        )
        return replace(self, wishes=tuple(dict.fromkeys(changed)))

    def with_wish(self, wish: Wish) -> BuildPlan:
        """Return the plan with one more wish."""
        return replace(self, wishes=(*self.wishes, wish))


@dataclass(frozen=True)
class Failure:
    """The stage at which a try failed, and the error message."""

    stage: Stage
    message: str


@dataclass(frozen=True)
class RepairedPlan:
    """A changed plan, and a short description of the change."""

    plan: BuildPlan
    detail: str


@dataclass(frozen=True)
class Repair:
    """One named way to fix a failure; `fix` returns None if it does not apply."""

    name: str
    failure_description: str
    """Description of the failure that it fixes."""
    fix: Callable[[BuildPlan, Failure], RepairedPlan | None]
