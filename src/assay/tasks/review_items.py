"""What people review: tasks with fields, the evidence of a field, and what reviewers decide about it.

The review page knows only these shapes. A `ReviewSource` (`assay.protocols`) makes them from its own files.
"""

from __future__ import annotations

import hashlib
from typing import Annotated, Literal

from pydantic import Field

from assay.tasks.metric import Strict

Choice = Literal["accept", "edit", "reject"]
FieldForm = Literal["text", "line", "json", "choice", "fixed"]
FieldKey = tuple[str, str]
"""The id of a task and the id of one of its fields."""


class TextPanel(Strict):
    """A text with its evidence marked."""

    kind: Literal["text"] = "text"
    title: str
    evidence: bool = False
    """Whether the field rests on this panel as a whole."""
    text: str
    marks: list[str] = []
    """Passages of the text that are the evidence."""


class CodePanel(Strict):
    """Some lines of a file."""

    kind: Literal["code"] = "code"
    title: str
    evidence: bool = False
    """Whether the field rests on this panel as a whole."""
    lines: list[str]
    first: int = 1
    """The number of the first line."""
    marked: list[int] = []
    """Numbers of the lines that are the evidence."""


class TablePanel(Strict):
    """A table."""

    kind: Literal["table"] = "table"
    title: str
    evidence: bool = False
    """Whether the field rests on this panel as a whole."""
    columns: list[str]
    rows: list[list[str]]
    marked: list[tuple[int, int]] = []
    """Row and column of each cell that is the evidence, from 0."""


Panel = Annotated[TextPanel | CodePanel | TablePanel, Field(discriminator="kind")]


class FieldEvidence(Strict):
    """What the page shows beside a field."""

    left: list[Panel] = []
    """What was published: the paper, or the words of a verdict."""
    right: list[Panel] = []
    """Code and the numbers of runs."""


class ReviewField(Strict):
    """One thing that a reviewer accepts, edits or rejects."""

    id: str
    kind: str
    """The group in which agreement is counted: `claim`, `requirement`."""
    label: str
    value: str
    """The value as text; an edit is another text of the same form."""
    form: FieldForm = "text"
    """How it is edited: as a text, one line, JSON, one of `options`; `fixed`: accepted or rejected only."""
    options: dict[str, str] = {}
    """For a choice: value → what it means."""
    facts: list[tuple[str, str]] = []
    """The value in words, if the value itself is data."""
    note: str = ""
    """What a reviewer should know about this field."""
    shape: str = ""
    """For JSON: which parts the value has, and what each may be."""
    rejected: str = "a person has to solve the problem before the task can be certified"
    """What a rejection does."""

    @property
    def digest(self) -> str:
        """A decision counts for the value that the reviewer saw."""
        return digest_of(self.value.encode())


class ReviewTask(Strict):
    """One task with its fields."""

    id: str
    title: str
    fields: list[ReviewField]


class FieldOutcome(Strict):
    """What the reviewers decided in the end."""

    choice: Choice
    value: str = ""
    """The new value of an edit."""
    reason: str = ""
    """Why it was rejected."""


def digest_of(data: bytes) -> str:
    """The short hash by which the review names contents."""
    return hashlib.sha256(data).hexdigest()[:32]
