"""assay fetch: a published benchmark brought into the cache, at its pinned commit."""

from __future__ import annotations

from typing import Annotated

import typer

from assay.cli.options import AsJson, BenchmarkName, print_report


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(fetch)


def fetch(
    suite: BenchmarkName,
    source: Annotated[
        str | None,
        typer.Option(
            help="A checkout, a folder, or an address of git, file:// among them; or a folder of archives."
        ),
    ] = None,
    commit: Annotated[str | None, typer.Option(help="Another commit than the pinned one.")] = None,
    paper: Annotated[
        list[str] | None,
        typer.Option(help="PAPER clones a paper's code at its pin; PAPER=FOLDER takes it from there."),
    ] = None,
    only: Annotated[str | None, typer.Option(help="The inputs of one challenge.")] = None,
    json: AsJson = False,
) -> None:
    """Bring a published benchmark's tasks and sources into the cache; nothing of it ships with Assay."""
    from assay.benchmarks import FetchRequest, find_benchmark

    def tell(line: str) -> None:
        if not json:
            print(line, flush=True)

    request = FetchRequest(source=source, commit=commit, papers=paper or (), challenge=only, tell=tell)
    print_report(find_benchmark(suite).fetch(request), as_json=json)
