"""assay fetch: a published benchmark brought into the cache, at its pinned commit."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.cli.options import AsJson, print_json

FETCHABLE = ("autoexperiment", "expbench", "mlrb-mini", "mlrb")


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(fetch)


def fetch(
    suite: Annotated[str, typer.Argument(help="autoexperiment, expbench, mlrb-mini or mlrb")],
    source: Annotated[
        str | None,
        typer.Option(
            help="A checkout, a folder, or an address of git, file:// among them; for mlrb-mini its archives."
        ),
    ] = None,
    commit: Annotated[str | None, typer.Option(help="Another commit than the pinned one.")] = None,
    paper: Annotated[
        list[str] | None,
        typer.Option(
            help="PAPER=FOLDER takes a paper's source from there; expbench clones a PAPER alone at its pin."
        ),
    ] = None,
    only: Annotated[
        str | None, typer.Option(help="For mlrb and mlrb-mini: the inputs of one challenge.")
    ] = None,
    json: AsJson = False,
) -> None:
    """Bring a published benchmark's tasks and sources into the cache; nothing of it ships with Assay."""
    from assay.errors import UsageError

    if only is not None and suite not in ("mlrb", "mlrb-mini"):
        raise UsageError(f"{suite} has no --only", hint="`assay fetch mlrb --only CHALLENGE`")
    if suite == "autoexperiment":
        _autoexperiment(source, commit, paper or [], json)
    elif suite == "expbench":
        _expbench(source, commit, paper or [], json)
    elif suite == "mlrb-mini":
        _mlrb_mini(source, commit, paper or [], only, json)
    elif suite == "mlrb":
        if source or commit or paper:
            raise UsageError("mlrb takes its inputs from their homes", hint="give --only, or nothing")
        _mlrb(only, json)
    else:
        raise UsageError(f"{suite!r} is not fetched", hint=f"suites to fetch: {', '.join(FETCHABLE)}")


def _autoexperiment(source: str | None, commit: str | None, papers: list[str], json: bool) -> None:
    from assay.benchmarks import autoexperiment

    trees = [_tree(each) for each in papers]
    known = autoexperiment.fetched()
    origin = known if trees and known and source is None else autoexperiment.fetch(source, commit)
    for paper_id, folder in trees:
        autoexperiment.add_tree(paper_id, folder)
    place = autoexperiment.require()
    if json:
        print_json({"suite": "autoexperiment", "folder": str(place), **origin.model_dump()})
        return
    print(f"autoexperiment: {origin.address} ({_pinned(origin.commit)}), in {place}")


def _expbench(source: str | None, commit: str | None, papers: list[str], json: bool) -> None:
    """The task files, unless only papers are asked for; --commit then speaks of the papers."""
    from assay.benchmarks import expbench

    tasks = expbench.fetch(source, commit) if source or not papers else expbench.fetched()
    repositories = {}
    for each in papers:
        name, _, folder = each.partition("=")
        pin = expbench.pin_of(name)
        repositories[pin.name] = expbench.fetch_repository(name, folder or None, None if source else commit)
    if json:
        print_json(
            {
                "suite": "expbench",
                "folder": str(expbench.require()) if tasks else None,
                "address": tasks.address if tasks else None,
                "commit": tasks.commit if tasks else None,
                "papers": {
                    name: {
                        **origin.model_dump(),
                        "environment": expbench.environment_command(expbench.pin_of(name)),
                    }
                    for name, origin in repositories.items()
                },
            }
        )
        return
    if tasks:
        print(f"expbench: {tasks.address} ({_pinned(tasks.commit)}), in {expbench.require()}")
    for name, origin in repositories.items():
        print(f"{name}: {origin.address} ({_pinned(origin.commit)})")
        for each in origin.left_out:
            print(f"  left out {each}")
        print(f"  its environment: {expbench.environment_command(expbench.pin_of(name))}")


def _mlrb_mini(
    source: str | None, commit: str | None, papers: list[str], only: str | None, json: bool
) -> None:
    """Inputs, not tasks: models and data, made from archives and from the local model's GGUF."""
    from assay.benchmarks import mlrb
    from assay.errors import UsageError
    from assay.models.download import pull
    from assay.workspace import build_environment, user_environment

    if commit or papers:
        raise UsageError("mlrb-mini has no commit and no papers", hint="give --source and --only alone")
    if source is not None and not Path(source).is_dir():
        raise UsageError(f"{source} is no folder", hint="--source is a folder of archives NAME.tar.gz")
    found = mlrb.fetch(
        Path(source) if source else None,
        gguf=lambda: pull("smollm2"),
        python=lambda: (user_environment() or build_environment(mlrb.MAKING)) / "bin" / "python",
        said=lambda name: None if json else print(f"making {name}", flush=True),
        only=only,
    )
    if json:
        print_json({"suite": "mlrb-mini", "inputs": [each.model_dump() for each in found]})
        return
    for each in found:
        print(f"{each.name:<16} {(each.sha256 or '')[:12]}  {each.licence}  {each.origin}")


def _mlrb(only: str | None, json: bool) -> None:
    """Inputs from their own homes, locked at what the first fetch found."""
    from assay.benchmarks.mlrb import fetching
    from assay.workspace import build_environment

    found = fetching.fetch(
        only,
        python=lambda: build_environment(fetching.SPLITTING) / "bin" / "python",
        said=lambda text: None if json else print(text, flush=True),
    )
    rows = [
        {
            **source.plain().model_dump(),
            "revision": lock.revision,
            "files": lock.files,
            "verified": source.sha256 is not None,
        }
        for source, lock in found
    ]
    if json:
        print_json({"suite": "mlrb", "inputs": rows})
        return
    for source, lock in found:
        at = f" at {lock.revision[:12]}" if lock.revision else ""
        home = source.hub or ", ".join(source.addresses)
        print(f"{source.name:<26} {lock.sha256[:12]}  {source.standing}  {source.licence}  {home}{at}")


def _pinned(commit: str | None) -> str:
    return f"commit {commit}" if commit else "a plain folder, no commit pins it"


def _tree(text: str) -> tuple[str, Path]:
    from assay.errors import UsageError

    paper_id, equals, folder = text.partition("=")
    if not equals or not folder:
        raise UsageError(f"--paper is {text!r}, expected PAPER=FOLDER, such as 2205.00048=./jme")
    return paper_id, Path(folder)
