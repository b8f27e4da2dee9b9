"""What the page shows beside a field of a draft: the paper, code and the numbers of the runs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from assay.curation.drafting.model import DraftMetric, TaskDraft
from assay.curation.evidence import EvidencePlace
from assay.curation.paper import PaperText
from assay.curation.paper.markdown import read_markdown
from assay.curation.recorded_command import RecordedCommand
from assay.curation.repository_files import open_pinned
from assay.curation.running import CommandRuns, RunNumber, RunsStage
from assay.curation.stage_files import FILES
from assay.errors import AssayError
from assay.reviewing.sources.draft_fields import TEXTS
from assay.reviewing.sources.paper_panels import paper_panels
from assay.tasks.review_items import CodePanel, FieldEvidence, Panel, TablePanel, TextPanel

AROUND = 14
"""Lines of code before and after the line that is the evidence."""
_NOT_LETTERS = re.compile(r"[^A-Za-z]+")
MOST_FILE = 2_000_000
"""Bytes of a file of the repository that is shown."""
Stage = TypeVar("Stage", bound=BaseModel)


class DraftEvidence:
    """The files of a curation's folder, read once."""

    def __init__(self, folder: Path, command: RecordedCommand | None) -> None:
        self._folder = folder
        self._command = command

    def of(self, draft: TaskDraft, field: str) -> FieldEvidence:
        """Return the panels of a field."""
        places = list(_places(draft, field))
        marked_numbers = _numbers_of(draft, field)
        paper_places = [place for place in places if place.kind == "paper"]
        left = paper_panels(self._document(draft.document), paper_places, marked_numbers)
        right: list[Panel] = [self._code(place) for place in places if place.kind == "code"]
        right += [
            TextPanel(title=f"Written by {place.file}", text=place.text)
            for place in places
            if place.kind == "model"
        ]
        right += self._cuts(draft, field)
        right += [_number_table(draft, marked_numbers)] if draft.metrics else []
        right += [panel for metric in marked_numbers[:3] for panel in self._output(metric)]
        if field.startswith("variable:") or field == "method":
            right += [_settings_table(draft, field.partition(":")[2])] if draft.settings else []
        if self._missing:
            right.append(TextPanel(title="Not shown", text=self._missing))
        return FieldEvidence(left=left, right=right)

    @cached_property
    def _paper(self) -> PaperText | None:
        return _read(self._folder / FILES["paper"], PaperText)

    def _document(self, name: str) -> PaperText | None:
        """The paper, or the README whose table a draft is about."""
        if name == "paper":
            return self._paper
        data = self._opened[0].get(name)
        return read_markdown(data.decode(errors="replace"), name) if data is not None else None

    @cached_property
    def _runs(self) -> dict[str, CommandRuns]:
        stage = _read(self._folder / FILES["runs"], RunsStage)
        return {entry.command.id: entry for entry in stage.commands} if stage else {}

    @cached_property
    def _missing(self) -> str:
        return self._opened[1]

    @cached_property
    def _opened(self) -> tuple[dict[str, bytes], str]:
        """The files of the repository, or why they are not there."""
        if self._command is None:
            return {}, (
                "The folder does not name its repository. Give the `assay curate` command of this folder "
                "once more, and the code is shown here."
            )
        if not Path(self._command.repository).exists():
            return {}, (
                f"The repository {self._command.repository} is not on this machine, so only the quoted lines "
                "of its code are shown."
            )
        try:
            with open_pinned(self._command.repository, self._command.commit) as repository:
                files = {path: data for path, data in repository.files.items() if len(data) <= MOST_FILE}
                return files, ""
        except AssayError as error:
            return {}, f"The repository cannot be opened: {error.message}"

    def _code(self, place: EvidencePlace) -> Panel:
        data = self._opened[0].get(place.file)
        if data is None:
            return TextPanel(title=str(place), text=place.text or "(no words were recorded)", evidence=True)
        lines = data.decode(errors="replace").splitlines()
        line = place.line or 1
        first = max(1, line - AROUND)
        return CodePanel(
            title=str(place),
            lines=lines[first - 1 : line + AROUND],
            first=first,
            marked=[line],
            evidence=True,
        )

    def _cuts(self, draft: TaskDraft, field: str) -> list[Panel]:
        cuts = getattr(draft, field).cuts if field in TEXTS else []
        title = "Left out, because it states a result"
        return [TextPanel(title=title, text="\n\n".join(cuts))] if cuts else []

    def _output(self, metric: DraftMetric) -> Iterator[Panel]:
        command = self._runs.get(metric.command)
        if command is None:
            return
        source = str(metric.address.get("source", "stdout"))
        try:
            outputs = json.loads((self._folder / command.folder / "0" / "outputs.json").read_bytes())
            text = str(outputs[source])
        except (OSError, ValueError, KeyError, TypeError):
            return
        number = next((entry for entry in command.numbers if entry.address == metric.address), None)
        lines = text.splitlines()
        line = _line_of(number, lines) if number is not None else None
        first = max(1, (line or 1) - AROUND)
        yield CodePanel(
            title=f"{source} of `{command.command.command}`",
            lines=lines[first - 1 : first + 2 * AROUND],
            first=first,
            marked=[line] if line is not None else [],
        )


def _line_of(number: RunNumber, lines: Sequence[str]) -> int | None:
    """Return the line of an output, from 1, that has a number; None if no line fits."""
    candidates = [position for position, line in enumerate(lines, 1) if number.text in line]
    letters = _NOT_LETTERS.sub("", number.key)
    same_words = [position for position in candidates if _NOT_LETTERS.sub("", lines[position - 1]) == letters]
    if number.occurrence < len(same_words):
        return same_words[number.occurrence]
    return candidates[0] if candidates else None


def _places(draft: TaskDraft, field: str) -> Sequence[EvidencePlace]:
    kind, _, name = field.partition(":")
    if kind in TEXTS:
        places: Sequence[EvidencePlace] = getattr(draft, kind).evidence
        return places
    if kind == "number":
        return [place for metric in draft.metrics if metric.path == name for place in metric.evidence]
    if kind == "variable":
        return [place for entry in draft.design if entry.name == name for place in entry.evidence]
    if kind == "requirement":
        return [place for entry in draft.requirements if entry.id == name for place in entry.evidence]
    if kind == "claim":
        return [place for entry in draft.claims if entry.claim.id == name for place in entry.evidence]
    if kind == "command":
        return [entry.evidence for entry in draft.commands if entry.id == name]
    return []


def _numbers_of(draft: TaskDraft, field: str) -> list[DraftMetric]:
    """The numbers that a field is about."""
    kind, _, name = field.partition(":")
    if kind == "number":
        return [metric for metric in draft.metrics if metric.path == name]
    if kind == "claim":
        paths = {path for entry in draft.claims if entry.claim.id == name for path in entry.claim.paths}
        return [metric for metric in draft.metrics if metric.path in paths]
    return []


def _number_table(draft: TaskDraft, marked_numbers: Sequence[DraftMetric]) -> TablePanel:
    rows = []
    marked: list[tuple[int, int]] = []
    columns = ["number", "paper", "solution's runs", "±", "other settings"]
    for position, metric in enumerate(draft.metrics):
        other_runs = next((values for name, values in metric.gold.items() if name != "default"), [])
        rows.append(
            [
                metric.path,
                metric.printed,
                _values(metric.gold.get("default", [])),
                f"{metric.absolute:.3g}",
                _values(other_runs),
            ]
        )
        if metric in marked_numbers:
            marked += [(position, column) for column in range(3)]
    title = "Numbers of the runs"
    if draft.power:
        title += f" (times 10^{draft.power})"
    return TablePanel(title=title, columns=columns, rows=rows, marked=marked)


def _values(values: Sequence[float]) -> str:
    distinct = list(dict.fromkeys(f"{value:.5g}" for value in values))
    return ", ".join(distinct[:5]) or "—"


def _settings_table(draft: TaskDraft, name: str) -> TablePanel:
    rows = [
        [
            entry.setting.name,
            str(entry.setting.value),
            f"{entry.setting.file}:{entry.setting.line}",
            f"{entry.tried_value}: {entry.outcome}",
        ]
        for entry in draft.settings
    ]
    marked = [(position, 0) for position, row in enumerate(rows) if row[0] == name]
    return TablePanel(
        title="Settings of the experiment",
        columns=["setting", "value", "line", "tried"],
        rows=rows,
        marked=marked,
    )


def _read(file: Path, model: type[Stage]) -> Stage | None:
    try:
        return model.model_validate_json(file.read_bytes())
    except (OSError, ValidationError):
        return None
