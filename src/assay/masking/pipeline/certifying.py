"""Certifies the written tasks one by one; a certificate from before an interruption is used again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pydantic import ValidationError

from assay.masking.pipeline.bench import RepositoryRunner
from assay.masking.pipeline.folders import CERTIFICATE, write_certificate
from assay.masking.pipeline.gold import GoldRuns
from assay.masking.pipeline.proving import MaskingResult, certificate_of
from assay.tasks import Certificate, Task


async def certify_tasks(
    result: MaskingResult, bench: RepositoryRunner, gold: GoldRuns, report: Callable[[str], None]
) -> None:
    """Write the certificate of each task, and add it to the result."""
    for folder, task in result.tasks.items():
        certificate = _kept_certificate(folder, task) or await certificate_of(task, bench, gold, result)
        write_certificate(folder, certificate)
        result.certificates.append(certificate)
        report(f"task {task.id}: {'certified' if certificate.sound else 'NOT SOUND'}")


def _kept_certificate(folder: Path, task: Task) -> Certificate | None:
    try:
        certificate = Certificate.model_validate_json((folder / CERTIFICATE).read_bytes())
    except (OSError, ValidationError):
        return None
    return certificate if certificate.digest == task.digest else None
