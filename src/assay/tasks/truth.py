"""What only the grader may see: gold results, the design, the requirements, the claims."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from assay.tasks.claim_parts import ClaimPart
from assay.tasks.files import RelativePath
from assay.tasks.metric import Strict

Value = str | int | float | bool

LinePart = Annotated[tuple[int, int], Field(strict=False)]
"""The first and the last line of a part of a file, from 1; TOML and JSON write it as a list."""

Role = Literal["constant", "independent", "dependent"]

Gold = dict[str, dict[str, list[float]]]
"""Variation → metric → the numbers of repeated gold runs; the plain run is called `default`."""


class Variable(Strict):
    """One variable of the experiment's design."""

    name: str
    """Its name."""
    role: Role
    """What it is in the experiment: kept constant, changed on purpose, or measured."""
    values: list[Value] = []
    """The values that it takes; a dependent variable has none."""
    synonyms: list[str] = []
    """Other names that a design may use for it."""
    ask: str = ""
    """What the variable is, in words that do not tell its values; a reader is asked about it by them."""
    match: Literal["all", "any", "none"] | None = None
    """How many of `accepted` a design must give: every one, at least one, or no value that could be checked.
    None: nobody wrote the values down as data, and a judge compares `values` in words."""
    accepted: list[list[str]] = []
    """The values as data, each with its other spellings."""

    @model_validator(mode="after")
    def _can_be_asked(self) -> Variable:
        if self.match is not None and not self.ask.strip():
            raise ValueError(f"variable {self.name!r} has `match` and no `ask`")
        if (self.match in ("all", "any")) != bool(self.accepted) or not all(self.accepted):
            raise ValueError(f"variable {self.name!r}: `accepted` goes with a `match` of all or any")
        return self


class Design(Strict):
    """tests/design.toml."""

    variable: list[Variable] = Field(min_length=1)
    """The variables."""


class Fact(Strict):
    """One thing that the gold lines of a requirement do, which a trace of a run can show.

    - `call`: they call a function, with these literal arguments.
    - `import`: they import a module.
    - `program`: they start a program of the repository, with these options.
    - `setting`: they give a named setting these values.
    - `lines`: they are lines of a file that the task gives: to run them, unchanged, is to do what they do.
    """

    kind: Literal["call", "import", "program", "setting", "lines"]
    """What it is; see above."""
    name: str
    """The function or module with dots, the program's file or `-m MODULE`, the setting, or the file."""
    file: RelativePath | None = None
    """The file of the repository that defines the function; None for a library's."""
    symbol: str = ""
    """The function's qualified name in that file: `Trainer.fit`."""
    values: dict[str, list[Value]] = {}
    """Argument or option → the values that it takes; a setting has its values under its own name."""
    lines: list[LinePart] = []
    """First and last line of each part of the file, from 1."""
    named: bool = False
    """Whether the text of the requirement names it, so that nothing else can take its place."""


class Requirement(Strict):
    """One thing that the implementation must do. Its check decides; without one its facts; else a judge."""

    id: str
    """The name in verdicts."""
    text: str
    """The requirement in words."""
    check: RelativePath | None = None
    """A program below tests/ that reads the new outputs, in its own sandbox."""
    gold: list[RelativePath] = []
    """The files of the solution that implement it. Handed in unchanged, they need no judge."""
    cited: dict[RelativePath, list[LinePart]] = {}
    """Which lines of these files implement it: first and last line of each part. Without, the whole file."""
    facts: list[Fact] = []
    """What these lines do, as far as a run can show it. There are two ways to meet the requirement: all facts
    of the kind `lines` hold, or all others do. Where neither is so, a judge reads."""


class Requirements(Strict):
    """tests/requirements.toml."""

    requirement: list[Requirement] = Field(min_length=1)
    """The requirements."""


class Claim(Strict):
    """One statement of the conclusion, which the recomputed numbers can confirm or refute.

    - `direction`: is the number at paths[0] higher, lower or the same (within `tolerance`) as at paths[1]?
    - `ordering`: the names of `order`, best first. The paths are in the same order as `order`.
    - `magnitude`: the number at paths[0], minus that at paths[1] if there are two, within `tolerance`.
    - `statement`: in words. The truth's own words need no judge, others do. With `parts`, a reader that does
      not see the truth is asked for each part, and the answers are compared; without, a judge compares texts.
    """

    id: str
    """The name in verdicts and in conclusion.json."""
    question: str
    """The question that the claim answers."""
    kind: Literal["direction", "ordering", "magnitude", "statement"]
    """What is compared; see above."""
    paths: list[str] = []
    """Where the numbers are in the results: keys and list indices joined by dots."""
    answer: str | float | list[str]
    """The right answer, in the form that the kind asks for."""
    order: list[str] = []
    """The names that an ordering puts in order."""
    best: Literal["higher", "lower"] = "higher"
    """Whether an ordering calls the highest or the lowest number best."""
    tolerance: float = Field(default=0.0, ge=0)
    """How far a number may differ; for a direction, how near two numbers count as the same."""
    parts: list[ClaimPart] = []
    """What a statement says, as data."""
    undecidable: str = ""
    """Why nothing that a conclusion says can be compared with a statement; the item is then unknown, and the
    task owns that."""

    @model_validator(mode="after")
    def _answer_fits_kind(self) -> Claim:
        if self.kind == "direction":
            fits = self.answer in ("higher", "lower", "same") and len(self.paths) == 2
            expected = "answer higher, lower or same, and two paths"
        elif self.kind == "ordering":
            fits = isinstance(self.answer, list) and sorted(self.answer) == sorted(self.order)
            fits = fits and len(self.order) == len(self.paths) >= 2
            expected = "an answer that orders the names of `order`, and a path for each"
        elif self.kind == "statement":
            fits = isinstance(self.answer, str) and bool(self.answer.strip()) and not self.paths
            expected = "a text as answer, and no paths"
        else:
            fits = isinstance(self.answer, float | int) and 1 <= len(self.paths) <= 2
            expected = "a number as answer, and one or two paths"
        if self.parts and (self.kind != "statement" or not any(part.core for part in self.parts)):
            raise ValueError(
                f"claim {self.id!r} has `parts`: expected a statement, and one part that is core"
            )
        if not fits:
            raise ValueError(f"claim {self.id!r} of kind {self.kind} expects {expected}")
        return self


class Conclusion(Strict):
    """tests/conclusion.toml."""

    claim: list[Claim] = Field(min_length=1)
    """The claims."""
