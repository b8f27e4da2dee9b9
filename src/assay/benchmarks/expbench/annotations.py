"""Our own annotations of EXP-Bench: what each published outcome and design says, as data.

Two annotators who did not see each other's work read every published record; docs/expbench.md has the format,
their agreement, and how differences were settled. The texts are ours; nothing is copied from the records.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Literal

from assay.benchmarks.expbench.papers import DATA
from assay.tasks.claim_parts import ClaimPart
from assay.tasks.metric import Strict
from assay.tasks.truth import Role, Variable

FILE = DATA / "annotations.jsonl"

Undecidable = Literal["artefact", "vague", "open"]

REASONS: dict[Undecidable, str] = {
    "artefact": "the published outcome only says that something is produced",
    "vague": "the published outcome says nothing that could turn out false",
    "open": "the published outcome names what is measured, and no result",
}


class AnnotatedVariable(Strict):
    """One variable of a published design, in the order of the record."""

    role: Role
    """Its role, as published."""
    ask: str
    """What the variable is, without its values."""
    match: Literal["all", "any", "none"]
    """How many of the values a design must give."""
    values: list[list[str]] = []
    """The values, each with its other spellings."""


class AnnotatedTask(Strict):
    """What one published task says."""

    id: str
    """The task."""
    expected: bool
    """Whether the outcome is an expectation, not a report of what was found."""
    undecidable: Undecidable | None = None
    """Why no conclusion can be compared with the outcome."""
    claims: list[ClaimPart] = []
    """The outcome."""
    design: list[AnnotatedVariable] = []
    """The variables of the design."""

    @property
    def variables(self) -> list[Variable]:
        """The variables as a reader is asked about them, numbered for names."""
        return [
            Variable(
                name=f"v{number}", role=entry.role, ask=entry.ask, match=entry.match, accepted=entry.values
            )
            for number, entry in enumerate(self.design)
        ]


@cache
def annotated_tasks() -> Mapping[str, AnnotatedTask]:
    """Every annotated task, by id."""
    lines = FILE.read_text("utf-8").splitlines()
    tasks = [AnnotatedTask.model_validate_json(line) for line in lines if line.strip()]
    return {task.id: task for task in tasks}


def annotation_of(task: str, variables: int) -> AnnotatedTask | None:
    """The annotation of a task; its design is left out where the record has another number of variables."""
    annotated = annotated_tasks().get(task)
    if annotated is None or len(annotated.design) == variables:
        return annotated
    return annotated.model_copy(update={"design": []})
