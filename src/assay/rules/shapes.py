"""What the rules need to know of a task's truth.

The models of `assay.tasks` fit these shapes, and so does the plain data of an exported task.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol


class VariableShape(Protocol):
    """One variable of the design."""

    @property
    def name(self) -> str: ...
    @property
    def role(self) -> str: ...
    @property
    def values(self) -> Sequence[object]: ...
    @property
    def synonyms(self) -> Sequence[str]: ...
    @property
    def match(self) -> str | None: ...
    @property
    def accepted(self) -> Sequence[Sequence[str]]: ...


class DesignShape(Protocol):
    """All variables of the design."""

    @property
    def variable(self) -> Sequence[VariableShape]: ...


class ClaimShape(Protocol):
    """One claim of the conclusion."""

    @property
    def id(self) -> str: ...
    @property
    def question(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def paths(self) -> Sequence[str]: ...
    @property
    def answer(self) -> Any: ...
    @property
    def order(self) -> Sequence[str]: ...
    @property
    def best(self) -> str: ...
    @property
    def tolerance(self) -> float: ...


class ConclusionShape(Protocol):
    """All claims of the conclusion."""

    @property
    def claim(self) -> Sequence[ClaimShape]: ...


class PrintedShape(Protocol):
    """Numbers that a run prints."""

    @property
    def name(self) -> str: ...
    @property
    def pattern(self) -> str: ...
    @property
    def count(self) -> int: ...


class RunShape(Protocol):
    """What a run writes and prints."""

    @property
    def results(self) -> str | None: ...
    @property
    def printed(self) -> Sequence[PrintedShape]: ...


class ChallengeShape(Protocol):
    """How the score of a challenge compares."""

    @property
    def metric(self) -> str: ...
    @property
    def unit(self) -> str: ...
    @property
    def direction(self) -> str: ...
    @property
    def baseline(self) -> float | None: ...
    @property
    def reference(self) -> float | None: ...
    @property
    def noise(self) -> float: ...
