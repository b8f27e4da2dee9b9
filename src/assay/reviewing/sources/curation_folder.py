"""The drafts of `assay curate` as a review source: 6-drafts.json, with the paper, the code and the runs."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

from pydantic import ValidationError

from assay.curation.certifying import CertificatesStage
from assay.curation.drafting.model import DraftsStage, TaskDraft
from assay.curation.recorded_command import RecordedCommand, read_command
from assay.curation.stage_files import FILES
from assay.errors import UsageError
from assay.files import publish
from assay.reviewing.sources.draft_evidence import DraftEvidence
from assay.reviewing.sources.draft_fields import changed_draft, fields_of, model_json, problem_of
from assay.tasks.model import explain
from assay.tasks.review_items import FieldEvidence, FieldKey, FieldOutcome, ReviewTask


class CurationSource:
    """The drafts of one curation's folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._file = folder / FILES["drafts"]
        if not self._file.is_file():
            has_stages = any((folder / name).is_file() for name in FILES.values())
            raise UsageError(
                f"{folder} has no {FILES['drafts']}"
                + (": no tasks were drafted yet" if has_stages else ", expected a folder of `assay curate`"),
                hint="`assay curate PAPER REPO --out DIR` drafts tasks",
            )

    @property
    def title(self) -> str:
        """The name of the folder."""
        return f"drafts in {self.folder.resolve().name}"

    def read(self) -> bytes:
        """Return 6-drafts.json."""
        return self._file.read_bytes()

    def write(self, contents: bytes) -> None:
        """Replace 6-drafts.json; `assay curate` keeps it as a person's change."""
        publish(self._file, contents)

    def tasks(self, contents: bytes) -> list[ReviewTask]:
        """Return a task for each draft."""
        return [
            ReviewTask(id=draft.id, title=draft.title.value or draft.id, fields=list(fields_of(draft)))
            for draft in self._stage(contents).tasks
        ]

    def evidence(self, contents: bytes, task: str, field: str) -> FieldEvidence:
        """Return the paper on the left, code and numbers on the right."""
        return self._evidence.of(self._draft(contents, task), field)

    def problem(self, contents: bytes, task: str, field: str, value: str) -> str | None:
        """Check the form of a value."""
        return problem_of(field, value)

    def changed(self, contents: bytes, outcomes: Mapping[FieldKey, FieldOutcome]) -> bytes:
        """Return the stage file with edits written and rejected items taken out."""
        if all(outcome.choice == "accept" for outcome in outcomes.values()):
            return contents
        stage = self._stage(contents)
        drafts = [
            changed_draft(
                draft, {field: outcome for (task, field), outcome in outcomes.items() if task == draft.id}
            )
            for draft in stage.tasks
        ]
        return model_json(stage.model_copy(update={"tasks": drafts}))

    def certification(self) -> Sequence[str] | None:
        """Return the command of `assay curate` that made the folder; None if the folder does not name it."""
        if self.command is None:
            return None
        return [sys.executable, "-m", "assay", *self.command.arguments(self.folder)]

    def proofs(self) -> Mapping[str, str]:
        """Return whether each task has a certificate, and whether its draft has changed since."""
        file = self.folder / FILES["certificates"]
        try:
            stage = CertificatesStage.model_validate_json(file.read_bytes())
            is_older = file.stat().st_mtime < self._file.stat().st_mtime
        except (OSError, ValidationError):
            return {}
        suffix = ", of an older draft" if is_older else ""
        return {
            entry.task: ("certified" if entry.sound else "not certified") + suffix for entry in stage.tasks
        }

    @cached_property
    def command(self) -> RecordedCommand | None:
        """The arguments of the last `assay curate` on this folder."""
        return read_command(self.folder)

    @cached_property
    def _evidence(self) -> DraftEvidence:
        return DraftEvidence(self.folder, self.command)

    def _draft(self, contents: bytes, task: str) -> TaskDraft:
        return next(draft for draft in self._stage(contents).tasks if draft.id == task)

    def _stage(self, contents: bytes) -> DraftsStage:
        try:
            return DraftsStage.model_validate_json(contents)
        except ValidationError as error:
            place = ".".join(map(str, error.errors()[0]["loc"])) or "the whole file"
            raise UsageError(
                f"{self._file} [{place}]: {explain(error)}", hint="correct the file, or make it again"
            ) from None
