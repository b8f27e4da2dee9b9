"""assay review: a local page on which people check the fields of tasks."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.options import AsJson, print_json

if TYPE_CHECKING:
    from assay.reviewing import ReviewSummary
    from assay.reviewing.measures import FieldAgreement

PORT = 7576


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(review)


def review(
    target: Annotated[
        Path,
        typer.Argument(
            metavar="DIR", help="A folder of `assay curate`, a map of `assay failures`, or a review's folder."
        ),
    ],
    reviewer: Annotated[
        list[str] | None,
        typer.Option(help="Your name in the audit trail; twice for two people. Else your user name."),
    ] = None,
    reviewers: Annotated[
        int | None,
        typer.Option(help="How many people decide each field, 1 or 2; 2 for a new review."),
    ] = None,
    benchmark: Annotated[
        str | None, typer.Option(help="Review the annotations of this benchmark, in the folder DIR.")
    ] = None,
    source: Annotated[
        Path | None, typer.Option(help="The benchmark's published files, if they are not fetched.")
    ] = None,
    logs: Annotated[
        list[Path] | None, typer.Option(help="Logs with the attempts behind a map of failures.")
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes a free one.")] = PORT,
    open_page: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in a browser.")] = True,
    summary: Annotated[
        bool, typer.Option("--summary", help="Print progress, agreement and minutes; start no server.")
    ] = False,
    json: AsJson = False,
) -> None:
    """Review drafted tasks on a local page: accept, edit or reject each field, alone or as one of two."""
    from assay.api.reviewing import review as serve
    from assay.api.reviewing import review_summary

    if summary or json:
        result = review_summary(target, reviewer_count=reviewers, benchmark=benchmark, source=source)
        if json:
            print_json(result.model_dump(mode="json"))
        else:
            _print(result)
        return
    names = reviewer or [_user_name()]
    serve(
        target,
        reviewers=names,
        reviewer_count=reviewers,
        benchmark=benchmark,
        source=source,
        logs=logs or (),
        port=port,
        on_ready=lambda addresses: _announce(addresses, open_page),
        on_note=lambda line: print(f"note: {line}", file=sys.stderr, flush=True),
    )


def _announce(addresses: Mapping[str, str], open_page: bool) -> None:
    for name, address in addresses.items():
        print(f"{name}: {address}", flush=True)
    print("Ctrl-C stops the server; every decision is saved at once", file=sys.stderr, flush=True)
    if open_page and len(addresses) == 1 and sys.stdout.isatty():
        import webbrowser

        webbrowser.open(next(iter(addresses.values())))


def _user_name() -> str:
    import getpass
    import re

    from assay.errors import UsageError

    try:
        name = re.sub(r"[^A-Za-z0-9._-]", "-", getpass.getuser())[:40].lstrip("-._")
    except (OSError, KeyError):
        name = ""
    if not name:
        raise UsageError("your user name is not known", hint="name yourself with --reviewer")
    return name


def _print(summary: ReviewSummary) -> None:
    print(f"review     {summary.source}")
    print(
        f"reviewers  {', '.join(summary.reviewers) or 'none yet'} (each field needs {summary.reviewer_count})"
    )
    choices = ", ".join(f"{count} {choice}" for choice, count in summary.choices.items())
    print(f"fields     {summary.final} of {summary.fields} final: {choices}")
    for entry in summary.tasks:
        decided = ", ".join(
            f"{name} {count} of {entry.fields} in {entry.minutes.get(name, 0.0):.1f} min"
            for name, count in entry.decided.items()
        )
        if any(entry.decided.values()) or len(summary.tasks) <= 20:
            different = f"; {entry.different} differ" if entry.different else ""
            print(f"task       {entry.task}: {decided or 'not begun'}{different}")
    for row in summary.agreement:
        print(f"agreement  {_agreement_words(row)}")
    if summary.minutes_per_task is not None:
        print(f"minutes    {summary.minutes_per_task:.1f} per finished task and reviewer")
    for note in summary.notes:
        print(f"note       {note}")


def _agreement_words(row: FieldAgreement) -> str:
    if row.kappa is None:
        kappa = "κ unknown: the decisions do not vary"
    else:
        interval = f" [{row.kappa_low:.2f}, {row.kappa_high:.2f}]" if row.kappa_low is not None else ""
        kappa = f"κ {row.kappa:.2f}{interval}"
    return f"{row.kind}: {row.same_decisions.count} of {row.same_decisions.of} the same, {kappa}"
