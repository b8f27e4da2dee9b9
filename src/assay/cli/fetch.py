"""assay fetch: a published benchmark brought into the cache, at its pinned commit."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.cli.options import AsJson, print_json

FETCHABLE = ("autoexperiment",)


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(fetch)


def fetch(
    suite: Annotated[str, typer.Argument(help="autoexperiment")],
    source: Annotated[
        str | None, typer.Option(help="A checkout, a folder, or an address of git, file:// among them.")
    ] = None,
    commit: Annotated[str | None, typer.Option(help="Another commit than the pinned one.")] = None,
    paper: Annotated[
        list[str] | None, typer.Option(help="PAPER=FOLDER: take a paper's source tree from there.")
    ] = None,
    json: AsJson = False,
) -> None:
    """Bring a published benchmark's rows and source trees into the cache; nothing of it ships with Assay."""
    from assay.errors import UsageError
    from assay.tasks.suites import autoexperiment

    if suite not in FETCHABLE:
        raise UsageError(f"{suite!r} is not fetched", hint=f"suites to fetch: {', '.join(FETCHABLE)}")
    trees = [_tree(each) for each in paper or []]
    known = autoexperiment.fetched()
    origin = known if trees and known and source is None else autoexperiment.fetch(source, commit)
    for paper_id, folder in trees:
        autoexperiment.add_tree(paper_id, folder)
    place = autoexperiment.require()
    if json:
        print_json({"suite": suite, "folder": str(place), **origin.model_dump()})
        return
    pinned = f"commit {origin.commit}" if origin.commit else "a plain folder, no commit pins it"
    print(f"{suite}: {origin.address} ({pinned}), in {place}")


def _tree(text: str) -> tuple[str, Path]:
    from assay.errors import UsageError

    paper_id, equals, folder = text.partition("=")
    if not equals or not folder:
        raise UsageError(f"--paper is {text!r}, expected PAPER=FOLDER, such as 2205.00048=./jme")
    return paper_id, Path(folder)
