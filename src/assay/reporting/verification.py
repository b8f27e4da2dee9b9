"""A bundle checked by someone who trusts nobody: every hash, every submission, every number made again.

A report page is not made again: it contains the path of the logs on its maker's machine, and may be of
another version or of fewer logs. Of it, and of any other file that nothing here checks, only the hash is
compared, so `not_verified` names it.
What it cannot show: whoever rewrites the logs, and all hashes with them, leaves a bundle that agrees with
itself. Against that stands the hash of the whole archive, if its maker has published it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from pydantic import ValidationError

from assay.errors import UsageError
from assay.printable import Printable
from assay.reporting.archive import refuse_bomb, unpack
from assay.reporting.bundle import (
    ABOUT,
    CARD,
    CERTIFICATES,
    LOGS,
    SUBMISSIONS,
    SUMS,
    TRANSCRIPTS,
    VERSIONS,
    About,
    card_json,
    certificate_name,
    digest,
)
from assay.rules.documents import read_json
from assay.sandbox.host.scratch import temporary_folder
from assay.scoring import LogRecord, read_record
from assay.tasks import Certificate
from assay.tasks.metric import Strict


class Change(Strict):
    """One thing that is not as the bundle says."""

    path: Printable
    problem: Printable


class BundleCheck(Strict):
    """What became of checking a bundle."""

    archive: str
    sha256: str
    """Of the whole archive, to hold against what its maker published."""
    files: int
    attempts: int
    numbers: int
    """Values of the scorecard that were made again from the logs."""
    changed: list[Change]
    missing: list[Printable]
    """What the bundle itself says it could not hold."""
    not_verified: list[Printable] = []
    """Report pages and all files that no check knows: only their hashes are compared, and who writes such a
    file can write its hash."""

    @property
    def sound(self) -> bool:
        """Whether nothing was changed."""
        return not self.changed


def verify(archive: Path | str, *, sha256: str | None = None) -> BundleCheck:
    """Make every number of a bundle again from its logs and say what was changed."""
    place = Path(archive)
    if not place.is_file():
        raise UsageError(f"{place} is not there; expected a bundle", hint="assay bundle LOGS writes one")
    archive_digest = digest(place)
    with temporary_folder("verify") as folder:
        names = unpack(place, folder)
        if not {SUMS, CARD, ABOUT} <= set(names):
            raise UsageError(f"{place} is no bundle of Assay: it lacks {SUMS}, {CARD} or {ABOUT}")
        for log in sorted((folder / LOGS).rglob("*.eval")):
            refuse_bomb(log)
        record = read_record(folder / LOGS)
        manifest = _about(folder)
        stated, computed = _load(folder / CARD), json.loads(card_json(record, folder / LOGS))
        changed = [
            *_hashes(folder, names),
            *_counted(record, manifest),
            *_submissions(folder, record, manifest),
            *_transcripts(folder, record, manifest),
            *_certificates(folder, names, record, manifest),
            *(Change(path=CARD, problem=problem) for problem in differences(stated, computed)),
        ]
        if sha256 is not None and sha256.lower() != archive_digest:
            problem = f"the archive's SHA-256 is {archive_digest}, expected {sha256}"
            changed.insert(0, Change(path=place.name, problem=problem))
        return BundleCheck(
            archive=str(place),
            sha256=archive_digest,
            files=len(names),
            attempts=len(record.attempts),
            numbers=sum(1 for _ in leaves(computed)),
            changed=changed,
            missing=[
                *manifest.submissions_missing,
                *(manifest.transcripts_missing or []),
                *manifest.certificates_missing,
            ],
            not_verified=_unchecked(names, record),
        )


def _unchecked(names: list[str], record: LogRecord) -> list[str]:
    """The files of which nothing is made again or compared with a log."""
    checked = {SUMS, CARD, ABOUT, VERSIONS}
    checked |= {certificate_name(attempt.suite, attempt.task) for attempt in record.attempts}
    return [name for name in names if name not in checked and not _is_of_log(PurePosixPath(name))]


def _is_of_log(path: PurePosixPath) -> bool:
    """Whether a file is a log, or an archive whose name is compared with its contents."""
    is_archive = path.parent.name in (SUBMISSIONS, TRANSCRIPTS)
    return path.parts[0] == LOGS and (path.suffix == ".eval" or is_archive)


ADDED_LATER = frozenset({"experiments"})
"""Fields of a scorecard that bundles of older versions do not have: what is not stated cannot be wrong."""


def differences(stated: object, computed: object, path: str = "") -> Iterator[str]:
    """Where two JSON values differ; numbers may differ by rounding in the last digits."""
    if isinstance(stated, dict) and isinstance(computed, dict):
        for key in sorted(stated.keys() | computed.keys()):
            if key in ADDED_LATER and key not in stated:
                continue
            if key not in computed:
                yield f"{path}/{key} says {_short(stated[key])}, the logs give no such value"
                continue
            yield from differences(stated.get(key), computed.get(key), f"{path}/{key}")
    elif isinstance(stated, list) and isinstance(computed, list) and len(stated) == len(computed):
        for number, (first, second) in enumerate(zip(stated, computed, strict=True)):
            yield from differences(first, second, f"{path}/{number}")
    elif not _same(stated, computed):
        yield f"{path or '/'} says {_short(stated)}, the logs give {_short(computed)}"


def leaves(value: object) -> Iterator[object]:
    """Every single value in nested lists and dictionaries."""
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from leaves(item)
    else:
        yield value


def _same(first: object, second: object) -> bool:
    numbers = (int, float)
    if isinstance(first, bool) or isinstance(second, bool):
        return first is second
    if isinstance(first, numbers) and isinstance(second, numbers):
        if first == second:
            return True
        try:
            return math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-12)
        except OverflowError:  # an integer that no float can hold
            return False
    return first == second


def _short(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 80 else text[:77] + "…"


def _hashes(folder: Path, names: list[str]) -> Iterator[Change]:
    lines = (folder / SUMS).read_text(encoding="utf-8", errors="replace").splitlines()
    listed = {name: stated for stated, _, name in (line.partition("  ") for line in lines)}
    for name in sorted(listed.keys() | set(names) - {SUMS}):
        if name not in listed:
            yield Change(path=name, problem=f"is not in {SUMS}: it was added")
        elif name not in names:
            yield Change(path=name, problem=f"is in {SUMS} and not in the bundle: it was taken out")
        elif digest(folder / name) != listed[name]:
            yield Change(
                path=name, problem=f"its SHA-256 is not the one in {SUMS}: its contents were changed"
            )


def _counted(record: LogRecord, manifest: About) -> Iterator[Change]:
    if manifest.attempts != len(record.attempts):
        problem = f"says {manifest.attempts} attempts, the logs have {len(record.attempts)}"
        yield Change(path=ABOUT, problem=problem)


def _submissions(folder: Path, record: LogRecord, manifest: About) -> Iterator[Change]:
    named = {attempt.submission for attempt in record.attempts if attempt.submission}
    yield from _archives(folder, SUBMISSIONS, ".tar", named - set(manifest.submissions_missing))


def _transcripts(folder: Path, record: LogRecord, manifest: About) -> Iterator[Change]:
    missing = manifest.transcripts_missing
    named = {attempt.transcript for attempt in record.attempts if attempt.transcript}
    yield from _archives(folder, TRANSCRIPTS, ".tar.gz", set() if missing is None else named - set(missing))


def _archives(folder: Path, kind: str, ending: str, expected: set[str]) -> Iterator[Change]:
    """Yield archives whose name is not their hash, and those that a log names and that are not there."""
    archived = set()
    for path in sorted((folder / LOGS).rglob(f"{kind}/*")):
        if path.is_file():
            name = path.name.removesuffix(ending)
            archived.add(name)
            if digest(path) != name:
                inside = str(path.relative_to(folder))
                yield Change(path=inside, problem="its name is not the hash of its contents: it was changed")
    for name in sorted(expected - archived):
        yield Change(path=f"{LOGS}/{kind}/{name}{ending}", problem="a grade names it and it is not there")


def _certificates(folder: Path, names: list[str], record: LogRecord, manifest: About) -> Iterator[Change]:
    certified = {
        (attempt.suite, attempt.task): attempt.digest for attempt in record.attempts if attempt.certified
    }
    for (suite, task), contents in sorted(certified.items()):
        name = certificate_name(suite, task)
        if f"{suite}/{task}" in manifest.certificates_missing:
            continue
        if name not in names:
            yield Change(path=name, problem="attempts say that the task is certified; the proof is not there")
            continue
        try:
            proof = Certificate.model_validate_json((folder / name).read_bytes())
        except ValidationError:
            yield Change(path=name, problem=f"is no certificate as {CERTIFICATES}/ holds them")
            continue
        if not proof.sound or proof.digest != contents or proof.task != task:
            yield Change(path=name, problem="does not prove the task that was attempted")


def _about(folder: Path) -> About:
    try:
        return About.model_validate_json((folder / ABOUT).read_bytes())
    except ValidationError as error:
        raise UsageError(f"{ABOUT} of the bundle cannot be read: {error.errors()[0]['msg']}") from None


def _load(path: Path) -> object:
    try:
        return read_json(path.read_bytes(), unique_names=True)
    except ValueError as error:
        raise UsageError(f"{path.name} of the bundle cannot be read: {error}") from None
