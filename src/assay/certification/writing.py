"""Certificates on disk: beside their tasks, or in a folder of the caller's choice."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from assay.benchmarks import Suite
from assay.files import publish
from assay.tasks import Certificate


def write_certificates(suite: Suite, certificates: Sequence[Certificate], out: Path | None) -> list[Path]:
    """Write each certificate to `out`, or where the suite keeps it, and return the files."""
    files = []
    for certificate in certificates:
        name = f"{certificate.task}.json"
        file = out / name if out is not None else Path(suite.certificates[certificate.task])
        publish(file, certificate.model_dump_json(indent=2) + "\n")
        files.append(file)
    return files
