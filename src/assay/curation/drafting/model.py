"""A drafted task as data: every field with its evidence, and gaps for a person."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from assay.curation.evidence import EvidencePlace
from assay.curation.settings import ExperimentSetting
from assay.tasks.metric import Strict
from assay.tasks.truth import Claim, Fact, Role, Value

TextSource = Literal["derived", "paper", "model", "person"]


class DraftText(Strict):
    """A text of a task; an empty one is a gap that a person fills in."""

    value: str
    source: TextSource
    """`derived` from data, passages of the `paper`, written by a `model`, or by a `person`."""
    evidence: list[EvidencePlace] = []
    cuts: list[str] = []
    """Sentences that were left out because they state a result."""


class DraftCommand(Strict):
    """A command of the experiment."""

    id: str
    command: str
    folder: str = ""
    script: str = ""
    """The file that holds the experiment; the agent does not get it."""
    evidence: EvidencePlace


class RemovedFile(Strict):
    """A file that the agent does not get, or gets without some of its lines."""

    path: str
    reason: str
    lines: list[int] = []
    """The lines that are taken out, from 1; empty if the agent does not get the file."""


class DraftMetric(Strict):
    """A number that the experiment must give."""

    row: str
    """Key of the row in results.json."""
    column: str
    row_label: str
    column_label: str
    command: str
    address: dict[str, str | int]
    """Where the output of the command has it."""
    scale: float
    """The output times this is the number of the table."""
    printed: str
    """As the paper prints it."""
    absolute: float = 0.0
    """The tolerance, in the unit of results.json."""
    gold: dict[str, list[float]] = {}
    """Variation → the numbers of the solution's runs."""
    evidence: list[EvidencePlace]

    @property
    def path(self) -> str:
        """Where results.json has it."""
        return f"{self.row}.{self.column}"


class DraftSetting(Strict):
    """A constant of the experiment, and what it does to the numbers."""

    setting: ExperimentSetting
    tried_value: int | float
    """Another value that was tried."""
    moves: int
    """How many of the task's numbers this moves beyond their tolerance."""
    outcome: str
    """What happened with the other value."""


class DraftVariable(Strict):
    """A variable of the design."""

    name: str
    role: Role
    values: list[Value] = []
    synonyms: list[str] = []
    evidence: list[EvidencePlace] = []


class DraftRequirement(Strict):
    """Something that the implementation must do."""

    id: str
    text: str
    facts: list[Fact] = []
    gold: list[str] = []
    evidence: list[EvidencePlace] = []


class DraftClaim(Strict):
    """A claim of the conclusion, evaluated on the runs."""

    claim: Claim
    evidence: list[EvidencePlace] = []


class TaskDraft(Strict):
    """One drafted experiment task."""

    id: str
    document: str
    table: str
    title: DraftText
    question: DraftText
    method: DraftText
    commands: list[DraftCommand]
    removed: list[RemovedFile]
    metrics: list[DraftMetric]
    power: int = 0
    """results.json has every number times ten to this power, so that three decimals are enough."""
    seeded: bool = False
    """Whether the numbers depend on seeds of the removed scripts."""
    settings: list[DraftSetting] = []
    varied: dict[str, int | float] = {}
    """The settings of the hidden variation."""
    fresh_setting: str = ""
    """The setting whose value ASSAY_SEED chooses; empty if seeds move the numbers by themselves."""
    design: list[DraftVariable] = []
    requirements: list[DraftRequirement] = []
    claims: list[DraftClaim] = []
    seconds: float = 0.0
    """The slowest run of the solution."""
    problems: list[str] = []
    """Why no sound task can be made of it; empty if one may be."""

    def gaps(self) -> Iterator[str]:
        """Yield the fields that a person must fill in, or the problems that stay."""
        for name in ("title", "question", "method"):
            if not getattr(self, name).value.strip():
                yield f"{name}: write it; nothing in the paper or the code says it"
        if not self.claims:
            yield "claims: no comparison of the table holds in every run; write a claim that does"
        for problem in self.problems:
            yield f"problem: {problem}"


class LostTable(Strict):
    """A linked table that became no draft."""

    document: str
    table: str
    reason: str


class DraftsStage(Strict):
    """6-drafts.json."""

    tasks: list[TaskDraft]
    without_draft: list[LostTable] = []
