"""Makes and certifies the literature task of a paper; the same paper keeps its task and certificate."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from assay.curation.certifying import CertifiedDraft, prove, save_once
from assay.curation.literature.task import literature_task
from assay.curation.paper import PaperText
from assay.files import publish
from assay.tasks.validation import validate

RECORD = "literature.json"


def make_literature(
    paper: PaperText, name: str, folder: Path, report: Callable[[str], None]
) -> CertifiedDraft | None:
    """Return what came of the literature task; None if the paper gives too few claims."""
    start = time.monotonic()
    digest = hashlib.sha256(paper.model_dump_json().encode()).hexdigest()
    made_task = literature_task(paper, PurePosixPath(name).stem, digest)
    if made_task is None:
        report("literature: the paper gives too few claims that one passage decides, so there is no task")
        return None
    task = validate(made_task)
    record = folder / RECORD
    save_once(task, folder / "tasks" / task.id)
    if record.is_file():
        proved = CertifiedDraft.model_validate_json(record.read_bytes())
        if (folder / "certify" / task.digest[:16]).is_dir() and proved.task == task.id:
            report(f"literature: {task.id}: kept")
            return proved
    report(f"literature: {task.id}: {len(task.workspace)} files; proving it")
    proved = prove(task, folder, report, start)
    publish(record, proved.model_dump_json(indent=2) + "\n")
    return proved
