"""What is to be resolved, as it stands after the repairs made so far, and how a try of it failed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

from assay.workspace.building.wishes import Wish

Stage = Literal["read", "resolve", "install", "import"]


@dataclass(frozen=True)
class Plan:
    """Everything that decides an environment; each repair makes another one."""

    wishes: tuple[Wish, ...]
    python: str
    others: tuple[str, ...] = ()
    """Pythons that may be tried in its place, the likeliest first."""
    before: date | None = None
    index_lines: tuple[str, ...] = ()
    sdists: frozenset[str] = frozenset()
    """Distributions that may be built from source."""
    constraints: tuple[str, ...] = ()
    """What no distribution may break, whoever asks for it."""
    build_constraints: tuple[str, ...] = ()
    """The same for what a build needs."""
    needed: frozenset[str] = frozenset()
    """Distributions that some import needs."""
    lazy: frozenset[str] = frozenset()
    """Undeclared ones that are imported only inside functions: parts of the code can do without them."""

    def named(self, name: str) -> list[Wish]:
        """The wishes for one distribution."""
        return [wish for wish in self.wishes if wish.name == name]

    def without(self, name: str) -> Plan:
        """The plan without a distribution."""
        return replace(self, wishes=tuple(wish for wish in self.wishes if wish.name != name))

    def changed(self, name: str, change: Callable[[Wish], Wish]) -> Plan:
        """The plan with every wish for a distribution changed."""
        changed = (change(wish) if wish.name == name else wish for wish in self.wishes)
        return replace(self, wishes=tuple(dict.fromkeys(changed)))

    def respecified(self, wish: Wish, specifier: str) -> Plan:
        """The plan with one wish's versions changed."""
        changed = (replace(each, specifier=specifier) if each == wish else each for each in self.wishes)
        return replace(self, wishes=tuple(dict.fromkeys(changed)))

    def adding(self, wish: Wish) -> Plan:
        """The plan with one more wish."""
        return replace(self, wishes=(*self.wishes, wish))


@dataclass(frozen=True)
class Failure:
    """Where a try ended, and what was said."""

    stage: Stage
    message: str


@dataclass(frozen=True)
class Mended:
    """A plan that may do, and what was changed in a few words."""

    plan: Plan
    detail: str


@dataclass(frozen=True)
class Repair:
    """One named way to mend a failure: None where it does not apply."""

    name: str
    when: str
    """The failure it answers, for people."""
    mend: Callable[[Plan, Failure], Mended | None]
