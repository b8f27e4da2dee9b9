"""The map of `assay failures --mapping FILE` as a review source: which words mean which type of failure."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from assay.errors import UsageError
from assay.files import publish
from assay.scoring.failures import (
    FOLLOWS,
    PHASES,
    Insight,
    TypeAssignment,
    TypeMap,
    analyse,
    read_map,
    taxonomy,
)
from assay.scoring.logs.reading import read_record
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

MOST_ATTEMPTS = 20


class FailureMapSource:
    """The assignments of a map, one field each; the phases are the tasks."""

    def __init__(self, file: Path, logs: Iterable[Path] = ()) -> None:
        self._file = file
        self._logs = list(logs)
        read_map(file)

    @property
    def title(self) -> str:
        """The name of the file."""
        return f"failures in {self._file.name}"

    def read(self) -> bytes:
        """Return the map."""
        return self._file.read_bytes()

    def write(self, contents: bytes) -> None:
        """Replace the map."""
        publish(self._file, contents)

    def tasks(self, contents: bytes) -> list[ReviewTask]:
        """Return a task for each phase, and a field for each assignment."""
        type_map = self._map(contents)
        tasks = []
        for phase in PHASES:
            marks = [mark for mark, entry in type_map.assignments.items() if entry.phase == phase]
            fields = [self._field(mark, type_map) for mark in sorted(marks)]
            if fields:
                tasks.append(ReviewTask(id=phase, title=f"Failures of the phase {phase}", fields=fields))
        return tasks

    def _field(self, mark: str, type_map: TypeMap) -> ReviewField:
        assignment = type_map.assignments[mark]
        types = {**taxonomy(), **type_map.types}
        options = {name: f"{name}: {kind.title}" for name, kind in sorted(types.items())}
        options[FOLLOWS] = f"{FOLLOWS}: it only follows from another failure of the same attempt"
        return ReviewField(
            id=mark,
            kind=assignment.phase,
            label=f"Type of {mark}",
            value=assignment.type,
            form="choice",
            options=options,
            facts=[
                ("type", options.get(assignment.type, assignment.type)),
                ("named by", assignment.by),
                ("words", assignment.quote),
            ],
            rejected="the assignment is taken out, and the next `assay failures` makes it again",
        )

    def evidence(self, contents: bytes, task: str, field: str) -> FieldEvidence:
        """Return the words of the verdict on the left, and attempts with these words on the right."""
        assignment = self._map(contents).assignments[field]
        left: list[Panel] = [
            TextPanel(title="Words of the verdict", text=assignment.quote, evidence=True),
        ]
        insights = self._insights.get(field, [])
        if not self._logs:
            note = "Give the logs with --logs, and the attempts that failed with these words are listed here."
            return FieldEvidence(left=left, right=[TextPanel(title="Attempts", text=note)])
        rows = [
            [insight.task, insight.agent, insight.item, insight.fault or "unknown", insight.because]
            for insight in insights[:MOST_ATTEMPTS]
        ]
        left += [
            TextPanel(title=f"The same in {insight.task}", text=insight.quote) for insight in insights[:3]
        ]
        title = f"{len(insights)} failed items with these words"
        columns = ["task", "agent", "item", "fault", "because"]
        return FieldEvidence(left=left, right=[TablePanel(title=title, columns=columns, rows=rows)])

    def problem(self, contents: bytes, task: str, field: str, value: str) -> str | None:
        """Check that a type exists."""
        if value in {FOLLOWS, *taxonomy(), *self._map(contents).types}:
            return None
        return f"there is no type {value[:60]!r}"

    def changed(self, contents: bytes, outcomes: Mapping[FieldKey, FieldOutcome]) -> bytes:
        """Return the map with other types, each named by a person, and without rejected assignments."""
        if all(outcome.choice == "accept" for outcome in outcomes.values()):
            return contents
        type_map = self._map(contents)
        assignments: dict[str, TypeAssignment] = {}
        for mark, assignment in type_map.assignments.items():
            outcome = outcomes.get((assignment.phase, mark))
            if outcome is not None and outcome.choice == "edit":
                assignment = assignment.model_copy(update={"type": outcome.value, "by": "person"})
            if outcome is None or outcome.choice != "reject":
                assignments[mark] = assignment
        table = type_map.model_copy(update={"assignments": assignments}).model_dump(mode="json")
        return (json.dumps(table, indent=2, ensure_ascii=False, sort_keys=True) + "\n").encode()

    def certification(self) -> Sequence[str] | None:
        """Nothing has to be proved."""
        return None

    def proofs(self) -> Mapping[str, str]:
        """Nothing is proved."""
        return {}

    @cached_property
    def _insights(self) -> dict[str, list[Insight]]:
        """Fingerprint → failed items of the logs."""
        insights: dict[str, list[Insight]] = defaultdict(list)
        if self._logs:
            for insight in analyse(read_record(self._logs).attempts, type_map=read_map(self._file)).insights:
                insights[insight.fingerprint].append(insight)
        return insights

    def _map(self, contents: bytes) -> TypeMap:
        try:
            return TypeMap.model_validate_json(contents)
        except ValueError:
            raise UsageError(
                f"{self._file} is no longer a map of failures", hint="correct the file"
            ) from None
