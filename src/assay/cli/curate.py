"""assay curate: a paper and its repository turned into certified experiment tasks."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.options import AsJson, print_json

if TYPE_CHECKING:
    from assay.curation import CurationResult


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(curate)


def curate(
    paper: Annotated[Path, typer.Argument(help="A folder of LaTeX, or a .tex, .pdf, .md or .txt file.")],
    repository: Annotated[
        str, typer.Argument(help="A folder, a git repository (a bare one too), or an address with --commit.")
    ],
    out: Annotated[Path, typer.Option(help="The folder of the stage files; the same one continues.")],
    commit: Annotated[
        str | None, typer.Option(help="The commit; without it, the files in the folder.")
    ] = None,
    licence: Annotated[
        str | None, typer.Option(help="A licence that you have in writing, if the repository states none.")
    ] = None,
    seconds: Annotated[float, typer.Option(min=1, help="The limit on one run.")] = 120.0,
    runs: Annotated[int, typer.Option(min=3, help="How often a command with numbers runs.")] = 3,
    commands: Annotated[int, typer.Option(min=1, help="Run at most this many commands.")] = 12,
    python: Annotated[
        str | None, typer.Option(help="The interpreter (3.10); if left out, by metadata or date.")
    ] = None,
    last_stage: Annotated[
        str,
        typer.Option(
            "--until",
            help="The last stage: select, paper, environment, runs, links, drafts, certificates or publish.",
        ),
    ] = "publish",
    literature: Annotated[
        bool, typer.Option("--literature", help="Also make a task to find passages that decide claims.")
    ] = False,
    ideation: Annotated[
        str | None,
        typer.Option(
            metavar="PAIR",
            help="Also make a task to improve a baseline: auto, or the functions BASELINE=METHOD.",
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(help="A model that proposes commands and links, and writes missing texts."),
    ] = None,
    base_url: Annotated[str | None, typer.Option(help="Address of an OpenAI-compatible service.")] = None,
    json: AsJson = False,
) -> None:
    """Turn a paper and its code into certified experiment tasks; the same command continues a stopped one."""
    from assay.api.making import curate as curate_paper

    result = curate_paper(
        paper,
        repository,
        out,
        commit=commit,
        licence=licence,
        seconds=seconds,
        runs=runs,
        commands=commands,
        python=python,
        last_stage=last_stage,
        literature=literature,
        ideation=ideation,
        model=model,
        base_url=base_url,
        on_step=lambda line: print(line, file=sys.stderr, flush=True),
    )
    if json:
        print_json(_summary(result))
    else:
        _print(result)


def _summary(result: CurationResult) -> dict[str, object]:
    tasks = result.certificates.tasks if result.certificates else []
    return {
        "folder": str(result.folder),
        "repository": result.selected.repository,
        "commit": result.selected.commit,
        "licence": result.selected.licence.name,
        "commands": len(result.runs.commands) if result.runs else None,
        "commands_with_numbers": len(result.runs.with_numbers) if result.runs else None,
        "numbers": result.links.count(in_sentences=False)[1] if result.links else None,
        "linked": result.links.count(in_sentences=False)[0] if result.links else None,
        "sentence_numbers": result.links.count(in_sentences=True)[1] if result.links else None,
        "sentence_linked": result.links.count(in_sentences=True)[0] if result.links else None,
        "drafts": len(result.drafts.tasks) if result.drafts else None,
        "tasks": [
            {"id": entry.task, "certified": entry.sound, "flaws": entry.flaws, "seconds": entry.seconds}
            for entry in tasks
        ],
    }


def _print(result: CurationResult) -> None:
    if result.runs:
        print(
            f"runs       {len(result.runs.with_numbers)} of {len(result.runs.commands)} commands give numbers"
        )
    if result.links:
        from assay.curation.linking import links_in_words

        print(f"links      {links_in_words(result.links)}")
        for table in result.links.tables:
            if table.linked:
                print(f"           {table.document} {table.table}: {table.linked} of {table.cells}")
    if result.drafts:
        print(f"drafts     {len(result.drafts.tasks)}")
    if result.ideation:
        print(
            f"ideation   {result.ideation.task}: {'certified' if result.ideation.sound else 'not certified'}"
        )
    for entry in result.certificates.tasks if result.certificates else []:
        print(f"task       {entry.task}: {'certified' if entry.sound else 'not certified'}")
        for name, text in list(entry.flaws.items())[:6]:
            print(f"           {name}: {text[:160]}")
    if result.published:
        suite = f": {result.folder / result.published.suite}" if result.published.suite else ""
        print(f"published  {len(result.published.tasks)} certified tasks{suite}")
