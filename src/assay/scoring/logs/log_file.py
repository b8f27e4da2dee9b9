"""What attempts need of an Inspect log, read straight from its file.

A log is a zip with a header, a list of summaries, and one JSON file for each sample. Inspect's own reader
checks every field and goes through a dozen threads: 4 ms for each header, 9 ms for each list of summaries and
0.3 ms for each sample, which for a run of 100,000 attempts is minutes. Inspect still reads logs that were cut
off, and it decides what such a log contains.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from assay.files import openable

HEADER, SUMMARIES, SAMPLES = "header.json", "summaries.json", "samples/"


@dataclass(frozen=True)
class LogHeader:
    """Who tried what, and whether the run ended by itself."""

    status: str
    created: str
    model: str
    tasks: tuple[str, ...]
    """The ids of the tasks that the run was to try."""
    epochs: int
    metadata: dict[str, Any]
    """What Assay wrote about the run; empty for a log of another program."""


@dataclass(frozen=True)
class SampleSummary:
    """One sample as resuming needs it."""

    id: str
    epoch: int
    metadata: dict[str, Any]
    uuid: str
    is_graded: bool
    """Whether it has a grade and ended without an error."""


@dataclass(frozen=True)
class LoggedSample:
    """One sample without messages, events and other things that attempts do not need."""

    id: str
    epoch: int
    input: Any
    metadata: dict[str, Any]
    score: dict[str, Any]
    """The score that has the grade; empty where there is none."""
    error: str | None
    limit: str | None
    store: dict[str, Any] = field(default_factory=dict)
    model_usage: dict[str, dict[str, Any]] = field(default_factory=dict)
    role_usage: dict[str, dict[str, Any]] = field(default_factory=dict)
    total_time: float | None = None
    working_time: float | None = None
    uuid: str = ""
    completed_at: str = ""

    @classmethod
    def of(cls, fields: dict[str, Any]) -> LoggedSample:
        """The sample that one JSON file of a log has."""
        return cls(
            id=str(fields["id"]),
            epoch=int(fields["epoch"]),
            input=fields.get("input") or "",
            metadata=fields.get("metadata") or {},
            score=(fields.get("scores") or {}).get("assay") or {},
            error=(fields["error"] or {}).get("message", "") if fields.get("error") else None,
            limit=(fields.get("limit") or {}).get("type"),
            store=fields.get("store") or {},
            model_usage=fields.get("model_usage") or {},
            role_usage=fields.get("role_usage") or {},
            total_time=fields.get("total_time"),
            working_time=fields.get("working_time"),
            uuid=fields.get("uuid") or "",
            completed_at=fields.get("completed_at") or "",
        )


def read_header(path: Path, archive: ZipFile) -> LogHeader:
    """The header of a log; Inspect finds it in a log that was cut off."""
    if HEADER in archive.NameToInfo:
        fields = read_json(archive.read(HEADER))
        spec = fields["eval"]
    else:
        from inspect_ai.log import read_eval_log

        header = read_eval_log(str(path), header_only=True)
        fields = {"status": header.status, "metadata": header.metadata}
        spec = header.eval.model_dump()
    return LogHeader(
        status=str(fields["status"]),
        created=str(spec["created"]),
        model=str(spec["model"]),
        tasks=tuple(str(task) for task in (spec.get("dataset") or {}).get("sample_ids") or ()),
        epochs=(spec.get("config") or {}).get("epochs") or 1,
        metadata=_of_assay(spec.get("metadata"), fields.get("metadata")),
    )


def read_summaries(path: Path, archive: ZipFile) -> list[SampleSummary]:
    """Which samples a log has; Inspect collects them from a log that was cut off."""
    if SUMMARIES in archive.NameToInfo:
        entries = read_json(archive.read(SUMMARIES))
        return [
            SampleSummary(
                id=str(entry["id"]),
                epoch=int(entry["epoch"]),
                metadata=entry.get("metadata") or {},
                uuid=entry.get("uuid") or "",
                is_graded=entry.get("error") is None and "assay" in (entry.get("scores") or {}),
            )
            for entry in entries
        ]
    from inspect_ai.log import read_eval_log_sample_summaries

    return [
        SampleSummary(
            id=str(summary.id),
            epoch=summary.epoch,
            metadata=summary.metadata,
            uuid=summary.uuid or "",
            is_graded=summary.error is None and "assay" in (summary.scores or {}),
        )
        for summary in read_eval_log_sample_summaries(str(path))
    ]


def read_samples(archive: ZipFile) -> Iterator[LoggedSample]:
    """The samples of a log; of two with the same name the later one."""
    for name in dict.fromkeys(archive.namelist()):
        if name.startswith(SAMPLES) and name.endswith(".json"):
            yield LoggedSample.of(read_json(archive.read(name)))


def read_json(data: bytes) -> Any:
    """What a JSON file of a log holds; integers that Python refuses to read, for their length, as text."""
    try:
        return json.loads(data)
    except json.JSONDecodeError:
        raise
    except ValueError:
        longest = sys.get_int_max_str_digits()
        return json.loads(data, parse_int=lambda digits: int(digits) if len(digits) < longest else digits)


def open_log(path: Path) -> ZipFile:
    """The file of a log, local or at an address."""
    # Logs are compressed with Zstandard, which `ZipFile` knows in this Python only after Inspect is loaded.
    import inspect_ai.log  # noqa: F401

    return ZipFile(openable(path))


def _of_assay(*candidates: Any) -> dict[str, Any]:
    for metadata in candidates:
        about = metadata.get("assay") if isinstance(metadata, dict) else None
        if isinstance(about, dict) and about:
            return about
    return {}
