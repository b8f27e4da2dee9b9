"""Reads Inspect logs into attempts; what cannot be read is reported, never a crash."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from pydantic import Field

from assay.errors import UsageError
from assay.files import place
from assay.grading.grading_rules import title_of_log
from assay.scoring.logs.attempts import Attempt
from assay.scoring.logs.findings import Finding
from assay.scoring.logs.garbage import garbage_kept
from assay.scoring.logs.log_file import LoggedSample, LogHeader, open_log, read_header, read_samples
from assay.scoring.logs.sandbox_kinds import mixed_sandboxes
from assay.scoring.logs.table_checks import suspicions_of
from assay.scoring.logs.unfinished import StoppedAttempt, StoppedRun, Unfinished
from assay.tasks.metric import Strict


class LogRecord(Strict):
    """Everything that was read from a set of logs."""

    attempts: list[Attempt]
    findings: list[Finding] = Field(default_factory=list)
    logs: int = 0
    """How many logs of Assay were read."""
    versions: list[str] = Field(default_factory=list)
    """Versions of Assay that wrote them."""
    started: str = ""
    """When the first of them began."""


def read_attempts(paths: Path | str | Iterable[Path | str]) -> list[Attempt]:
    """The attempts in some logs and folders of logs, each counted once."""
    return read_record(paths).attempts


def read_record(paths: Path | str | Iterable[Path | str]) -> LogRecord:
    """The attempts, with what was odd about the logs they came from."""
    attempts: list[Attempt] = []
    findings: list[Finding] = []
    headers: list[tuple[str, str]] = []
    uncertified: dict[str, set[str]] = {}
    unfinished = Unfinished()
    with garbage_kept():
        for path in find_logs(paths):
            log = _read_log(path, findings)
            if log is None:
                continue
            header, samples = log
            if header.status != "success":
                unfinished.runs.append(StoppedRun.of(header, str(path)))
            uncertified.setdefault(title_of_log(header.metadata), set()).update(_uncertified(header.metadata))
            headers.append((header.created, str(header.metadata.get("version", ""))))
            attempts += _attempts_of(header, samples, path, findings, unfinished)
    counted = sorted(_count_once(attempts, findings), key=lambda attempt: attempt.key)
    return LogRecord(
        attempts=counted,
        findings=[
            *unfinished.findings(counted),
            *findings,
            *_uncertified_findings(uncertified),
            *mixed_sandboxes(counted),
            *suspicions_of(counted),
        ],
        logs=len(headers),
        versions=sorted({version for _, version in headers if version}),
        started=min((created for created, _ in headers), default=""),
    )


def read_some(paths: Path | str | Iterable[Path | str]) -> LogRecord:
    """`read_record`, and a UsageError where no log of Assay is among the files."""
    path_list = path_list_of(paths)
    record = read_record(path_list)
    if record.logs == 0:
        names = ", ".join(map(str, path_list))
        reasons = "; ".join(f"{finding.log} {finding.what}" for finding in record.findings[:3])
        raise UsageError(
            f"no log of Assay in {names}: {reasons}", hint="name a folder that `assay run` wrote"
        )
    return record


def _uncertified(metadata: dict[str, object]) -> list[str]:
    """Tasks that the log says were run although they are not what their certificate proves."""
    ids = metadata.get("uncertified")
    return [str(task_id) for task_id in ids] if isinstance(ids, list) else []


def _uncertified_findings(tasks: dict[str, set[str]]) -> Iterator[Finding]:
    for suite, ids in sorted(tasks.items()):
        if ids:
            message = f"run with --uncertified: {', '.join(sorted(ids))} differ from what was certified"
            yield Finding(log=suite, what=message)


def path_list_of(paths: Path | str | Iterable[Path | str]) -> list[Path | str]:
    """One path or several as a list."""
    if isinstance(paths, str | Path) or not isinstance(paths, Iterable):
        return [paths]
    return list(paths)


def find_logs(paths: Path | str | Iterable[Path | str]) -> list[Path]:
    """The `.eval` files that the paths name or hold."""
    path_list = [place(path) for path in path_list_of(paths)]
    logs: dict[Path, None] = {}
    for path in path_list:
        if not path.exists():
            raise UsageError(
                f"{path} does not exist; expected a log or a folder of logs",
                hint="name a folder that `assay run` wrote",
            )
        for log in sorted(path.rglob("*.eval")) if path.is_dir() else [path]:
            logs[log] = None
    if not logs:
        names = ", ".join(map(str, path_list)) or "no path given"
        raise UsageError(
            f"no Inspect logs (*.eval) in {names}", hint="`assay run SUITE --logs FOLDER` writes some"
        )
    return list(logs)


def _read_log(path: Path, findings: list[Finding]) -> tuple[LogHeader, list[LoggedSample]] | None:
    try:
        with open_log(path) as archive:
            header = read_header(path, archive)
            metadata = _about(header)
            samples = list(read_samples(archive)) if metadata else []
    except Exception as error:
        reason = str(error).strip() or type(error).__name__
        findings.append(Finding(log=str(path), what=f"cannot be read as an Inspect log: {reason}"))
        return None
    if not metadata:
        findings.append(Finding(log=str(path), what="is a log of something else than Assay; left out"))
        return None
    return replace(header, metadata=metadata), samples


def _about(header: LogHeader) -> dict[str, object]:
    """What Assay wrote about the run, with its model; empty for a log of another program."""
    if not {"suite", "agent"} <= header.metadata.keys():
        return {}
    model = header.model if header.model not in ("", "none/none") else "none"
    return {"model": model, **header.metadata}


def _attempts_of(
    header: LogHeader,
    samples: Iterable[LoggedSample],
    path: Path,
    findings: list[Finding],
    unfinished: Unfinished,
) -> Iterator[Attempt]:
    from assay.scoring.logs.sample_reading import Interrupted, attempt_of

    for sample in samples:
        try:
            yield attempt_of(sample, header.metadata, str(path))
        except Interrupted as stopped:
            unfinished.attempts.append(StoppedAttempt(str(path), stopped.key))
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
            message = f"{sample.id} (attempt {sample.epoch}) is no attempt of Assay: {_first_line(error)}"
            findings.append(Finding(log=str(path), what=message))


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return " ".join(line.strip() for line in lines[:3]) or type(error).__name__


def _count_once(attempts: list[Attempt], findings: list[Finding]) -> list[Attempt]:
    """The newest scored sample of each attempt; the others are reported."""
    newest: dict[tuple[str, str, str, str, int], Attempt] = {}
    for attempt in attempts:
        previous = newest.get(attempt.key)
        if previous is None:
            newest[attempt.key] = attempt
            continue
        preferred, dropped = sorted([previous, attempt], key=_precedence, reverse=True)
        newest[attempt.key] = preferred
        attempt_name = f"{attempt.task} by {attempt.agent} ({attempt.model}), attempt {attempt.epoch}"
        outcomes = f"{preferred.outcome} kept, {dropped.outcome} left out"
        message = f"{attempt_name}: also in {preferred.log}, counted once ({outcomes})"
        findings.append(Finding(log=dropped.log, what=message))
    return list(newest.values())


def _precedence(attempt: Attempt) -> tuple[bool, bool, str]:
    return (attempt.passed is not None, attempt.error is None, attempt.completed)
