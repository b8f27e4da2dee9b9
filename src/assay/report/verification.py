"""A bundle checked by someone who trusts nobody: every hash, every submission, every number made again.

What it cannot show: whoever rewrites the logs, and all hashes with them, leaves a bundle that agrees with
itself. Against that stands the hash of the whole archive, if its maker has published it.
"""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from assay.errors import UsageError
from assay.report.archive import refuse_bomb, unpack
from assay.report.bundle import (
    ABOUT,
    CARD,
    CERTIFICATES,
    LOGS,
    SUBMISSIONS,
    SUMS,
    About,
    card_json,
    certificate_name,
    digest,
)
from assay.rules.documents import read_json
from assay.scoring import Record, read_record
from assay.tasks import Certificate
from assay.tasks.metric import Strict


class Change(Strict):
    """One thing that is not as the bundle says."""

    where: str
    what: str


class Verification(Strict):
    """What became of checking a bundle."""

    archive: str
    sha256: str
    """Of the whole archive, to hold against what its maker published."""
    files: int
    attempts: int
    numbers: int
    """Values of the scorecard that were made again from the logs."""
    changed: list[Change]
    missing: list[str]
    """What the bundle itself says it could not hold."""

    @property
    def sound(self) -> bool:
        """Whether nothing was changed."""
        return not self.changed


def verify(archive: Path | str, *, sha256: str | None = None) -> Verification:
    """Make every number of a bundle again from its logs and say what was changed."""
    place = Path(archive)
    if not place.is_file():
        raise UsageError(f"{place} is not there; expected a bundle", hint="assay bundle LOGS writes one")
    found = digest(place)
    with tempfile.TemporaryDirectory(prefix="assay-verify-") as scratch:
        folder = Path(scratch)
        names = unpack(place, folder)
        if not {SUMS, CARD, ABOUT} <= set(names):
            raise UsageError(f"{place} is no bundle of Assay: it lacks {SUMS}, {CARD} or {ABOUT}")
        for log in sorted((folder / LOGS).rglob("*.eval")):
            refuse_bomb(log)
        record = read_record(folder / LOGS)
        about = _about(folder)
        stated, made = _load(folder / CARD), json.loads(card_json(record, folder / LOGS))
        changed = [
            *_hashes(folder, names),
            *_submissions(folder, record, about),
            *_certificates(folder, names, record, about),
            *(Change(where=CARD, what=what) for what in differences(stated, made)),
        ]
        if sha256 is not None and sha256.lower() != found:
            what = f"the archive's SHA-256 is {found}, expected {sha256}"
            changed.insert(0, Change(where=place.name, what=what))
        return Verification(
            archive=str(place),
            sha256=found,
            files=len(names),
            attempts=len(record.attempts),
            numbers=sum(1 for _ in leaves(made)),
            changed=changed,
            missing=[*about.submissions_missing, *about.certificates_missing],
        )


def differences(stated: object, made: object, where: str = "") -> Iterator[str]:
    """Where two JSON values differ; numbers may differ by rounding in the last digits."""
    if isinstance(stated, dict) and isinstance(made, dict):
        for key in sorted(stated.keys() | made.keys()):
            yield from differences(stated.get(key), made.get(key), f"{where}/{key}")
    elif isinstance(stated, list) and isinstance(made, list) and len(stated) == len(made):
        for number, (one, other) in enumerate(zip(stated, made, strict=True)):
            yield from differences(one, other, f"{where}/{number}")
    elif not _same(stated, made):
        yield f"{where or '/'} says {_short(stated)}, the logs give {_short(made)}"


def leaves(value: object) -> Iterator[object]:
    """Every single value in nested lists and dictionaries."""
    if isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from leaves(each)
    else:
        yield value


def _same(one: object, other: object) -> bool:
    numbers = (int, float)
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, numbers) and isinstance(other, numbers):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
    return one == other


def _short(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 80 else text[:77] + "…"


def _hashes(folder: Path, names: list[str]) -> Iterator[Change]:
    lines = (folder / SUMS).read_text(encoding="utf-8", errors="replace").splitlines()
    listed = {name: stated for stated, _, name in (line.partition("  ") for line in lines)}
    for name in sorted(listed.keys() | set(names) - {SUMS}):
        if name not in listed:
            yield Change(where=name, what=f"is not in {SUMS}: it was added")
        elif name not in names:
            yield Change(where=name, what=f"is in {SUMS} and not in the bundle: it was taken out")
        elif digest(folder / name) != listed[name]:
            yield Change(where=name, what=f"its SHA-256 is not the one in {SUMS}: its contents were changed")


def _submissions(folder: Path, record: Record, about: About) -> Iterator[Change]:
    kept = {path.stem: path for path in sorted((folder / LOGS).rglob(f"{SUBMISSIONS}/*.tar"))}
    for name, path in kept.items():
        if digest(path) != name:
            where = str(path.relative_to(folder))
            yield Change(where=where, what="its contents are not those of its name: they were changed")
    named = {attempt.submission for attempt in record.attempts if attempt.submission}
    for lost in sorted(named - kept.keys() - set(about.submissions_missing)):
        yield Change(where=f"{LOGS}/{SUBMISSIONS}/{lost}.tar", what="a grade names it and it is not there")


def _certificates(folder: Path, names: list[str], record: Record, about: About) -> Iterator[Change]:
    certified = {(each.suite, each.task): each.digest for each in record.attempts if each.certified}
    for (suite, task), contents in sorted(certified.items()):
        name = certificate_name(suite, task)
        if f"{suite}/{task}" in about.certificates_missing:
            continue
        if name not in names:
            yield Change(where=name, what="attempts say that the task is certified; the proof is not there")
            continue
        try:
            proof = Certificate.model_validate_json((folder / name).read_bytes())
        except ValidationError:
            yield Change(where=name, what=f"is no certificate as {CERTIFICATES}/ holds them")
            continue
        if not proof.sound or proof.digest != contents or proof.task != task:
            yield Change(where=name, what="does not prove the task that was attempted")


def _about(folder: Path) -> About:
    try:
        return About.model_validate_json((folder / ABOUT).read_bytes())
    except ValidationError as error:
        raise UsageError(f"{ABOUT} of the bundle cannot be read: {error.errors()[0]['msg']}") from None


def _load(path: Path) -> object:
    try:
        return read_json(path.read_bytes())
    except ValueError as error:
        raise UsageError(f"{path.name} of the bundle is no JSON: {error}") from None
