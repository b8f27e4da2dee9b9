"""The folder `pending` beside the logs: a file for each attempt that is handed in and not graded yet."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

from assay.evaluation.resume import AttemptKey
from assay.files import is_remote

PENDING = "pending"


def pending_name(key: AttemptKey) -> str:
    """Return the name of the file of an attempt."""
    parts = [key.suite, key.rules.as_log(), *key[2:]]
    return f"{hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]}.json"


def pending_files(logs: Path) -> list[Path]:
    """Return the files of the folder, without the temporary files of a process that was killed."""
    folder = logs / PENDING
    return sorted(path for path in folder.iterdir() if path.name[0] != ".") if folder.is_dir() else []


def remove_if_empty(logs: Path) -> None:
    """Remove the folder if nothing waits; only a run that has ended may do this."""
    folder = logs / PENDING
    if not is_remote(folder) and folder.is_dir() and not pending_files(logs):
        shutil.rmtree(folder, ignore_errors=True)
