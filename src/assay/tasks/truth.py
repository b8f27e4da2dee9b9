"""What only the grader may see: gold results, the design, the requirements, the claims."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from assay.tasks.files import RelativePath
from assay.tasks.metric import Strict

Value = str | int | float | bool

Role = Literal["constant", "independent", "dependent"]

Gold = dict[str, dict[str, list[float]]]
"""Variation → metric → the numbers of repeated gold runs; the plain run is called `default`."""


class Variable(Strict):
    """One variable of the experiment's design."""

    name: str
    role: Role
    values: list[Value] = []
    """What it takes; for a dependent variable nothing."""
    synonyms: list[str] = []
    """Other names under which a design may call it."""


class Design(Strict):
    """tests/design.toml."""

    variable: list[Variable] = Field(min_length=1)


class Requirement(Strict):
    """One thing the implementation must do, proved by running its check; without one, the judge decides."""

    id: str
    text: str
    check: RelativePath | None = None
    """A script below tests/, run in a sandbox of its own over the re-made outputs."""
    gold: list[RelativePath] = []
    """The files of the solution in which it is done: handed in unchanged, they need no judge."""


class Requirements(Strict):
    """tests/requirements.toml."""

    requirement: list[Requirement] = Field(min_length=1)


class Claim(Strict):
    """One statement of the conclusion, which the re-made numbers can bear out or refute.

    `direction`: is the number at paths[0] higher, lower or the same (within `tolerance`) as that at paths[1]?
    `ordering`: the names of `order`, best first; paths stand in the same order as `order`.
    `magnitude`: the number at paths[0], less that at paths[1] if there are two, within `tolerance`.
    `statement`: in words; the truth's own words need no judge, others do.
    """

    id: str
    question: str
    kind: Literal["direction", "ordering", "magnitude", "statement"]
    paths: list[str] = []
    answer: str | float | list[str]
    order: list[str] = []
    best: Literal["higher", "lower"] = "higher"
    """Which end of the numbers an ordering calls best."""
    tolerance: float = Field(default=0.0, ge=0)

    @model_validator(mode="after")
    def _answer_fits_kind(self) -> Claim:
        if self.kind == "direction":
            fits = self.answer in ("higher", "lower", "same") and len(self.paths) == 2
            wanted = "answer higher, lower or same, and two paths"
        elif self.kind == "ordering":
            fits = isinstance(self.answer, list) and sorted(self.answer) == sorted(self.order)
            fits = fits and len(self.order) == len(self.paths) >= 2
            wanted = "an answer that orders the names of `order`, and a path for each"
        elif self.kind == "statement":
            fits = isinstance(self.answer, str) and bool(self.answer.strip()) and not self.paths
            wanted = "a text as answer, and no paths"
        else:
            fits = isinstance(self.answer, float | int) and 1 <= len(self.paths) <= 2
            wanted = "a number as answer, and one or two paths"
        if not fits:
            raise ValueError(f"claim {self.id!r} of kind {self.kind} expects {wanted}")
        return self


class Conclusion(Strict):
    """tests/conclusion.toml."""

    claim: list[Claim] = Field(min_length=1)
