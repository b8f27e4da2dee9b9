"""assay bundle: a run as one archive that others can check."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.cli.options import AsJson, print_json


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(bundle)


def bundle(
    logs: Annotated[Path, typer.Argument(help="A folder that `assay run` wrote, or one .eval file.")],
    out: Annotated[Path | None, typer.Option(help="The archive; NAME.assay.zip if left out.")] = None,
    json: AsJson = False,
) -> None:
    """Pack logs, submissions, certificates, versions, hashes and the report into one archive."""
    from assay.reporting.bundle import bundle as pack_logs
    from assay.reporting.bundle import digest

    archive = pack_logs(logs, out)
    if json:
        print_json({"archive": str(archive), "sha256": digest(archive), "bytes": archive.stat().st_size})
        return
    print(f"{archive} ({archive.stat().st_size:,} bytes)\nsha256 {digest(archive)}")
    print(f"anyone can check it: assay verify {archive}")
