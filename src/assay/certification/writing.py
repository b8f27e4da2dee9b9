"""Certificates on disk: beside their tasks, or in a folder of the caller's choice."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from assay.benchmarks import Suite
from assay.files import publish
from assay.tasks import Certificate


def write_certificates(suite: Suite, certificates: Sequence[Certificate], out: Path | None) -> list[Path]:
    """Write each certificate to `out`, or where the suite keeps it, and return the files.

    A sample does not replace a whole certificate for the same contents.
    """
    certified = {task.id for task in suite.tasks if task.certified}
    files = []
    for certificate in certificates:
        if certificate.sample and out is None and certificate.task in certified:
            continue
        name = f"{certificate.task}.json"
        file = out / name if out is not None else Path(suite.certificates[certificate.task])
        publish(file, certificate.model_dump_json(indent=2, exclude_defaults=True) + "\n")
        files.append(file)
    return files
