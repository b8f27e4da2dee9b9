"""The folder of one curation: a plain JSON file for each stage, made again only if its inputs change.

The key of a stage is the hash of its version and its inputs; the contents of earlier stage files are inputs
too. A person may change a stage file: what comes after it is made again, and it stays as it is. If its own
inputs change, the changed file is kept beside the new one as `NAME.edited-N.json`.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import BaseModel, ValidationError

from assay.cache import locked
from assay.errors import UsageError
from assay.files import publish
from assay.tasks.metric import Strict
from assay.tasks.model import explain

Contents = TypeVar("Contents", bound=BaseModel)
StageName = Literal["select", "paper", "environment", "runs", "links", "drafts", "certificates", "publish"]
FILES: dict[StageName, str] = {
    "select": "1-select.json",
    "paper": "2-paper.json",
    "environment": "3-environment.json",
    "runs": "4-runs.json",
    "links": "5-links.json",
    "drafts": "6-drafts.json",
    "certificates": "7-certificates.json",
    "publish": "8-publish.json",
}
_LEDGER = "stages.json"


class StageRecord(Strict):
    """What the ledger knows of one stage file."""

    key: str
    """The hash of the inputs from which the file was made."""
    digest: str
    """The hash of the file as it was made; another hash means that a person changed it."""
    seconds: float
    """How long it took."""


class StageLedger(Strict):
    """stages.json."""

    stages: dict[StageName, StageRecord] = {}


class CurationFolder:
    """The stage files of one paper with its repository."""

    def __init__(self, folder: Path, report: Callable[[str], None]) -> None:
        self.folder = folder
        self._report = report

    @contextmanager
    def opened(self) -> Iterator[CurationFolder]:
        """Hold the folder alone: two commands at once would overwrite each other's files."""
        self.folder.mkdir(parents=True, exist_ok=True)
        names = [path.name for path in self.folder.iterdir()]
        if names and _LEDGER not in names and not any(name in names for name in (*FILES.values(), ".lock")):
            raise UsageError(
                f"{self.folder} has other files in it, expected a new folder or one of `assay curate`",
                hint="name another folder with --out",
            )
        with locked(self.folder / ".lock"):
            yield self

    def path(self, stage: StageName) -> Path:
        """The file of a stage."""
        return self.folder / FILES[stage]

    def make(
        self, stage: StageName, model: type[Contents], inputs: object, work: Callable[[], Contents]
    ) -> Contents:
        """Return the contents of a stage's file, and make the file first if its inputs have changed."""
        key = hash_of(inputs)
        ledger = self.ledger()
        record, file = ledger.stages.get(stage), self.path(stage)
        if record is not None and file.is_file() and record.key == key:
            contents = _read(file, model)
            changed = " (changed by a person)" if _digest(file) != record.digest else ""
            self._report(f"{FILES[stage]}: unchanged inputs, kept{changed}")
            return contents
        if record is not None and file.is_file() and _digest(file) != record.digest:
            edited_file = self._keep_edited(file)
            self._report(f"{FILES[stage]}: its inputs changed; your changes are kept in {edited_file.name}")
        start = time.monotonic()
        contents = work()
        publish(file, contents.model_dump_json(indent=2) + "\n")
        seconds = round(time.monotonic() - start, 2)
        self._record(stage, StageRecord(key=key, digest=_digest(file), seconds=seconds))
        return contents

    def ledger(self) -> StageLedger:
        """The keys and times of all stages."""
        file = self.folder / _LEDGER
        return _read(file, StageLedger) if file.is_file() else StageLedger()

    def _record(self, stage: StageName, record: StageRecord) -> None:
        stages = {**self.ledger().stages, stage: record}
        publish(self.folder / _LEDGER, StageLedger(stages=stages).model_dump_json(indent=2) + "\n")

    def _keep_edited(self, file: Path) -> Path:
        number = 1
        while (edited_file := file.with_name(f"{file.stem}.edited-{number}.json")).exists():
            number += 1
        return file.rename(edited_file)


def hash_of(inputs: object) -> str:
    """Return the hash of plain data."""
    text = json.dumps(inputs, sort_keys=True, default=_plain)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _plain(value: object) -> object:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, bytes):
        return hashlib.sha256(value).hexdigest()
    return str(value)


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()[:32]


def _read(file: Path, model: type[Contents]) -> Contents:
    try:
        return model.model_validate_json(file.read_bytes())
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"])) or "the whole file"
        raise UsageError(
            f"{file} [{field}]: {explain(error)}",
            hint="correct it, or remove the file and give the same command again",
        ) from None
