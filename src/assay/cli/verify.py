"""assay verify: a bundle's numbers made again from its logs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.cli.options import AsJson, print_json


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(verify)


def verify(
    archive: Annotated[Path, typer.Argument(help="A bundle that `assay bundle` wrote.")],
    sha256: Annotated[str | None, typer.Option(help="The archive's hash, as its maker published it.")] = None,
    json: AsJson = False,
) -> None:
    """Make every number of a bundle again and say whether anything was changed (then: exit code 1)."""
    from assay.reporting.verification import verify as check

    result = check(archive, sha256=sha256)
    if json:
        print_json({"sound": result.sound, **result.model_dump(mode="json")})
    else:
        for change in result.changed:
            print(f"CHANGED {change.path}: {change.problem}")
        for path in result.not_verified:
            print(f"NOT VERIFIED {path}: it is not made again; `assay report` makes a page from the logs")
        if result.missing:
            print(
                f"the bundle says that it lacks {len(result.missing)} things, the first: {result.missing[0]}"
            )
        verdict = "nothing was changed" if result.sound else f"{len(result.changed)} things were changed"
        print(
            f"{result.files} files, {result.attempts} attempts, {result.numbers} values made again: "
            f"{verdict}\nsha256 {result.sha256}"
        )
    if not result.sound:
        raise typer.Exit(1)
