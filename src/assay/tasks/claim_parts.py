"""The checkable statements of a conclusion in words: what a reader is asked about, one by one.

A published outcome is prose. Its parts are the same outcome as data, so that a model only has to read what a
submission says, without seeing the truth, and plain code compares.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from assay.tasks.metric import Strict

TrendAnswer = Literal["increases", "decreases", "flat", "rises then falls", "falls then rises"]


class _Part(Strict):
    id: str
    """The name of the part in evidence."""
    core: bool = True
    """Whether a complete answer must state it; other parts are shown and decide nothing."""


class ComparisonPart(_Part):
    """The measure of `a` is higher than, lower than, or about equal to that of `b`."""

    kind: Literal["comparison"] = "comparison"
    """Always `comparison`."""
    measure: str
    """What is measured."""
    a: str
    """What is compared."""
    b: str
    """What it is compared with."""
    answer: Literal["higher", "lower", "equal"]
    """How the measure of `a` compares with that of `b`."""


class OrderingPart(_Part):
    """Several things in the order of a measure."""

    kind: Literal["ordering"] = "ordering"
    """Always `ordering`."""
    measure: str
    """What is measured."""
    items: list[str] = Field(min_length=3, max_length=6)
    """From the highest measure to the lowest."""

    @model_validator(mode="after")
    def _items_differ(self) -> OrderingPart:
        if len(set(self.items)) < len(self.items):
            raise ValueError(f"part {self.id!r} names an item twice")
        return self


class ThresholdPart(_Part):
    """A measure is above or below a limit."""

    kind: Literal["threshold"] = "threshold"
    """Always `threshold`."""
    measure: str
    """What is measured."""
    subject: str
    """Of what it is measured."""
    limit: float
    """The limit."""
    unit: str = ""
    """The unit of the limit."""
    answer: Literal["above", "below"]
    """On which side of the limit the measure is."""


class ValuePart(_Part):
    """A measure has a value, within a tolerance."""

    kind: Literal["value"] = "value"
    """Always `value`."""
    measure: str
    """What is measured."""
    subject: str
    """Of what it is measured."""
    value: float
    """The value."""
    tolerance: float = Field(gt=0)
    """How far a stated value may differ."""
    unit: str = ""
    """The unit of the value."""


class TrendPart(_Part):
    """How a measure changes as something grows."""

    kind: Literal["trend"] = "trend"
    """Always `trend`."""
    measure: str
    """What is measured."""
    subject: str
    """Of what it is measured."""
    over: str
    """What grows."""
    answer: TrendAnswer
    """How the measure changes."""


class ExistencePart(_Part):
    """A statement that is true or false."""

    kind: Literal["existence"] = "existence"
    """Always `existence`."""
    statement: str
    """A complete sentence that does not tell which."""
    answer: Literal["yes", "no"]
    """Whether it is true."""


ClaimPart = Annotated[
    ComparisonPart | OrderingPart | ThresholdPart | ValuePart | TrendPart | ExistencePart,
    Field(discriminator="kind"),
]
"""One checkable statement, by its kind."""
