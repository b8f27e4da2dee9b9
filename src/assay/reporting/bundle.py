"""One archive with everything a stranger needs to check the numbers.

logs/            the logs and, beside them, submissions/ and transcripts/ as the run left them
certificates/    of every task that was attempted, where the suite still has one for these contents
report/          HTML reports that lay beside the logs
scorecard.json   what the logs amounted to when the bundle was made
versions.txt     every Python package of the environment that made it
bundle.json      what is in it and what could not be had
SHA256SUMS       of all the others, as `sha256sum -c` reads it
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from importlib.metadata import distributions
from pathlib import Path

from assay.benchmarks import load_suite
from assay.errors import AssayError, UsageError
from assay.reporting.archive import pack
from assay.reporting.html import parts_folder
from assay.scoring import Attempt, LogRecord, find_logs, scorecard
from assay.scoring.logs.reading import read_some
from assay.tasks import Certificate
from assay.tasks.metric import Strict
from assay.version import __version__

SUMS, CARD, ABOUT, VERSIONS = "SHA256SUMS", "scorecard.json", "bundle.json", "versions.txt"
LOGS, SUBMISSIONS, TRANSCRIPTS = "logs", "submissions", "transcripts"
CERTIFICATES, REPORT = "certificates", "report"


class About(Strict):
    """bundle.json."""

    format: int = 1
    assay: str
    attempts: int
    submissions_missing: list[str]
    """Submissions that a grade names and that did not lie beside its log."""
    transcripts_missing: list[str] | None = None
    """Transcripts that a log names and that did not lie beside it; None in bundles of version 0.2."""
    certificates_missing: list[str]
    """Tasks whose attempts say `certified` and whose certificate could not be had."""


def bundle(logs: Path | str, target: Path | str | None = None) -> Path:
    """Pack a folder of logs, or one log, into an archive; the same logs give the same bytes."""
    source = Path(logs)
    log_paths = find_logs(source)
    root = source if source.is_dir() else source.parent
    place = Path(target) if target is not None else Path(f"{root.resolve().name}.assay.zip")
    if place.suffix != ".zip":
        raise UsageError(f"{place} does not end in .zip, which is what a bundle is")
    record = read_some(log_paths)
    files: dict[str, Path | bytes] = {f"{LOGS}/{log.relative_to(root)}": log for log in log_paths}
    files |= _archives(log_paths, root)
    certificates = _certificates(record.attempts)
    files |= certificates
    pages = sorted(root.glob("*.html"))
    files |= {f"{REPORT}/{page.name}": page for page in pages}
    parts = [part for page in pages for part in sorted(parts_folder(page).glob("*.js"))]
    files |= {f"{REPORT}/{part.parent.name}/{part.name}": part for part in parts}
    files[CARD] = card_json(record, root).encode()
    files[VERSIONS] = "".join(f"{line}\n" for line in versions()).encode()
    files[ABOUT] = _about(record, files).model_dump_json(indent=2).encode()
    files[SUMS] = "".join(f"{digest(files[name])}  {name}\n" for name in sorted(files)).encode()
    pack(files, place)
    return place


def card_json(record: LogRecord, root: Path) -> str:
    """The scorecard as text, with places of logs relative to their folder: the same wherever that lies."""
    card = scorecard(record).to_json()
    for finding in card["findings"]:
        finding.update({key: text.replace(f"{root}/", "") for key, text in finding.items()})
    return json.dumps(card, indent=2, allow_nan=False, sort_keys=True) + "\n"


def digest(content: Path | bytes) -> str:
    """SHA-256 of a file or of bytes."""
    if isinstance(content, bytes):
        return hashlib.sha256(content).hexdigest()
    with content.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def certificate_name(suite: str, task: str) -> str:
    """Where a task's certificate stands in the bundle."""
    plain = (re.sub(r"[^A-Za-z0-9._,-]", "-", part).strip(".") or "-" for part in (suite, task))
    return f"{CERTIFICATES}/{'/'.join(plain)}.json"


def versions() -> list[str]:
    """Every installed package as `name==version`, sorted, each once."""
    releases = {
        re.sub(r"[-_.]+", "-", distribution.metadata["Name"]).lower(): distribution.version
        for distribution in distributions()
        if distribution.metadata["Name"]
    }
    return [f"{name}=={releases[name]}" for name in sorted(releases)]


def _archives(logs: Iterable[Path], root: Path) -> dict[str, Path]:
    places = sorted({log.parent for log in logs})
    kinds = ((SUBMISSIONS, "*.tar"), (TRANSCRIPTS, "*.tar.gz"))
    return {
        f"{LOGS}/{archive.relative_to(root)}": archive
        for place in places
        for name, pattern in kinds
        for archive in sorted((place / name).glob(pattern))
        if archive.is_file() and not archive.is_symlink()
    }


def _certificates(attempts: Iterable[Attempt]) -> dict[str, bytes]:
    """Certificates of attempted tasks, for exactly the contents that were attempted."""
    attempted = list(attempts)
    attempted_digests = {(attempt.suite, attempt.task): attempt.digest for attempt in attempted}
    files: dict[str, bytes] = {}
    for suite, source in sorted({(attempt.suite, attempt.source) for attempt in attempted}):
        for proof in _proofs(source):
            if attempted_digests.get((suite, proof.task)) == proof.digest:
                files[certificate_name(suite, proof.task)] = proof.model_dump_json(indent=2).encode()
    return files


def _proofs(source: str) -> list[Certificate]:
    try:
        tasks = load_suite(source).tasks
    except AssayError:
        # A suite that is gone, or of another machine: bundle.json names what is missing.
        return []
    return [task.certificate for task in tasks if task.certificate is not None]


def _about(record: LogRecord, files: dict[str, Path | bytes]) -> About:
    archived = {Path(name).stem for name in files if f"/{SUBMISSIONS}/" in name}
    transcripts = {Path(name).name.removesuffix(".tar.gz") for name in files if f"/{TRANSCRIPTS}/" in name}
    certified = {(attempt.suite, attempt.task) for attempt in record.attempts if attempt.certified}
    return About(
        assay=__version__,
        attempts=len(record.attempts),
        submissions_missing=sorted(
            {
                attempt.submission
                for attempt in record.attempts
                if attempt.submission and attempt.submission not in archived
            }
        ),
        transcripts_missing=sorted(
            {attempt.transcript for attempt in record.attempts if attempt.transcript} - transcripts
        ),
        certificates_missing=sorted(
            f"{suite}/{task}" for suite, task in certified if certificate_name(suite, task) not in files
        ),
    )
