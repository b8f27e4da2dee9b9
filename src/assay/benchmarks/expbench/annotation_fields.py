"""Our annotations of EXP-Bench as a review source: claims and variables beside the published record.

The shipped annotations are never changed: reviewed ones are `annotations.jsonl` in the folder of the review.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from assay.benchmarks.expbench.annotations import FILE, REASONS, AnnotatedTask, AnnotatedVariable
from assay.benchmarks.expbench.fetching import require
from assay.benchmarks.expbench.records import Record, read_records
from assay.errors import UsageError
from assay.files import publish
from assay.tasks.claim_parts import ClaimPart
from assay.tasks.model import explain
from assay.tasks.review_items import (
    FieldEvidence,
    FieldKey,
    FieldOutcome,
    Panel,
    ReviewField,
    ReviewTask,
    TablePanel,
    TextPanel,
)

_CLAIM: TypeAdapter[Any] = TypeAdapter(ClaimPart)
_TAKEN_OUT = "it is taken out of the annotation"


class ExpBenchAnnotations:
    """The annotated tasks, with the published records as evidence if they are there."""

    def __init__(self, folder: Path, source: Path | None) -> None:
        self._file = folder / FILE.name
        self._source = source

    @property
    def title(self) -> str:
        """What is reviewed."""
        return "annotations of EXP-Bench"

    def read(self) -> bytes:
        """Return the reviewed annotations, or the shipped ones if nothing has changed yet."""
        return (self._file if self._file.is_file() else FILE).read_bytes()

    def write(self, contents: bytes) -> None:
        """Write the reviewed annotations."""
        publish(self._file, contents)

    def tasks(self, contents: bytes) -> list[ReviewTask]:
        """Return a task for each annotated task."""
        return [
            ReviewTask(id=task.id, title=self._title(task.id), fields=list(_fields(task)))
            for task in self._annotated(contents)
        ]

    def evidence(self, contents: bytes, task: str, field: str) -> FieldEvidence:
        """Return the published texts on the left, the published design and requirements on the right."""
        record = self._records.get(task)
        if record is None:
            note = "The published records are not here: `assay fetch expbench`, or --source FOLDER."
            return FieldEvidence(left=[TextPanel(title="Published record", text=note)])
        is_claim = field.startswith("claim:") or field == "decidable"
        left: list[Panel] = [
            TextPanel(title="Published outcome", text=record.outcome, evidence=is_claim),
            TextPanel(title="Published question", text=record.question),
            TextPanel(title="Published method", text=record.method),
        ]
        return FieldEvidence(left=left, right=_right(record, field))

    def problem(self, contents: bytes, task: str, field: str, value: str) -> str | None:
        """Check the form of a claim or a variable."""
        kind = field.partition(":")[0]
        if kind == "decidable":
            return None if value in ("", *REASONS) else f"there is no reason {value[:40]!r}"
        try:
            if kind == "claim":
                _CLAIM.validate_json(value)
            else:
                AnnotatedVariable.model_validate_json(value)
        except ValidationError as error:
            return explain(error)
        return None

    def changed(self, contents: bytes, outcomes: Mapping[FieldKey, FieldOutcome]) -> bytes:
        """Return the annotations with edits written and rejected items taken out."""
        if all(outcome.choice == "accept" for outcome in outcomes.values()):
            return contents
        lines = []
        for line in contents.decode().splitlines():
            task = AnnotatedTask.model_validate_json(line)
            own_outcomes = {field: outcome for (name, field), outcome in outcomes.items() if name == task.id}
            if any(outcome.choice != "accept" for outcome in own_outcomes.values()):
                data = _changed(task, own_outcomes).model_dump(mode="json", exclude_none=True)
                line = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
            lines.append(line)
        return ("\n".join(lines) + "\n").encode()

    def certification(self) -> Sequence[str] | None:
        """Nothing has to be proved."""
        return None

    def proofs(self) -> Mapping[str, str]:
        """Nothing is proved."""
        return {}

    def _title(self, task: str) -> str:
        record = self._records.get(task)
        return record.question.split("\n")[0][:140] if record is not None else task

    @cached_property
    def _records(self) -> dict[str, Record]:
        try:
            return {record.id: record for record in read_records(self._source or require()).tasks}
        except UsageError:
            if self._source is not None:
                raise
            return {}

    def _annotated(self, contents: bytes) -> list[AnnotatedTask]:
        try:
            lines = contents.decode().splitlines()
            return [AnnotatedTask.model_validate_json(line) for line in lines if line.strip()]
        except ValidationError as error:
            raise UsageError(f"{self._file}: {explain(error)}", hint="correct the file") from None


def _fields(task: AnnotatedTask) -> Iterator[ReviewField]:
    reasons = {"": "it can be decided", **{str(name): words for name, words in REASONS.items()}}
    yield ReviewField(
        id="decidable",
        kind="decidable",
        label="Can the outcome be decided?",
        value=task.undecidable or "",
        form="choice",
        options=reasons,
        facts=[
            ("answer", reasons[task.undecidable or ""]),
            ("outcome", "an expectation" if task.expected else "a report of what was found"),
        ],
        rejected="the rejection is recorded, and the annotation stays as it is",
    )
    for part in task.claims:
        data = part.model_dump(mode="json")
        yield ReviewField(
            id=f"claim:{part.id}",
            kind="claim",
            label=f"Claim {part.id}",
            value=json.dumps(data, indent=2, ensure_ascii=False),
            form="json",
            facts=[(name, str(value)) for name, value in data.items()],
            rejected=_TAKEN_OUT,
        )
    for number, variable in enumerate(task.design):
        data = variable.model_dump(mode="json")
        yield ReviewField(
            id=f"variable:{number}",
            kind="design",
            label=f"Variable {number + 1}: {variable.ask}",
            value=json.dumps(data, indent=2, ensure_ascii=False),
            form="json",
            facts=[
                ("role", variable.role),
                ("what it is", variable.ask),
                ("values that a design must give", variable.match),
                *((f"value {place}", " = ".join(names)) for place, names in enumerate(variable.values, 1)),
            ],
            rejected="the rejection is recorded; the annotation keeps one entry for each published variable",
        )


def _right(record: Record, field: str) -> list[Panel]:
    kind, _, number = field.partition(":")
    rows = [
        [variable.name, variable.role, ", ".join(map(str, variable.values))] for variable in record.variables
    ]
    marked = [(int(number), column) for column in range(3)] if kind == "variable" else []
    panels: list[Panel] = [
        TablePanel(
            title="Published design",
            columns=["variable", "role", "values"],
            rows=rows,
            marked=[place for place in marked if place[0] < len(rows)],
        ),
        TextPanel(title="Published requirements", text="\n\n".join(record.requirements)),
    ]
    if record.defects:
        defects = [[defect.kind, defect.text] for defect in record.defects]
        panels.append(TablePanel(title="Defects of the record", columns=["defect", "what"], rows=defects))
    return panels


def _changed(task: AnnotatedTask, outcomes: Mapping[str, FieldOutcome]) -> AnnotatedTask:
    claims = []
    for part in task.claims:
        outcome = outcomes.get(f"claim:{part.id}")
        if outcome is None or outcome.choice == "accept":
            claims.append(part)
        elif outcome.choice == "edit":
            claims.append(_CLAIM.validate_json(outcome.value))
    design = []
    for number, variable in enumerate(task.design):
        outcome = outcomes.get(f"variable:{number}")
        edited = outcome is not None and outcome.choice == "edit"
        design.append(
            AnnotatedVariable.model_validate_json(outcome.value) if edited and outcome else variable
        )
    changes: dict[str, Any] = {"claims": claims, "design": design}
    decidable = outcomes.get("decidable")
    if decidable is not None and decidable.choice == "edit":
        changes["undecidable"] = decidable.value or None
    return task.model_copy(update=changes)
