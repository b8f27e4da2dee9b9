"""assay show: a task exactly as an agent gets it.

Nothing here comes from tests/, solution/ or the certificate: people and agents who try a task read this.
"""

from __future__ import annotations

from typing import Annotated

import typer

from assay.cli.options import AsJson, print_json


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(show)


def show(
    task: Annotated[str, typer.Argument(help="suite/id, an id of the default suite, or a task folder.")],
    brief: Annotated[bool, typer.Option("--brief", help="A few lines, without the instruction.")] = False,
    json: AsJson = False,
) -> None:
    """Show one task exactly as an agent gets it: instruction, workspace, limits. No truth is printed."""
    from dataclasses import asdict

    from assay.api.tasks import show as summarise
    from assay.printable import spelled_out

    summary = summarise(task)
    if json:
        print_json(asdict(summary))
        return
    sizes = summary.workspace
    if brief:
        print(spelled_out(f"{summary.id} ({summary.kind}): {summary.title}"))
        print(f"workspace: {len(sizes)} files, {sum(sizes.values()):,} bytes")
    else:
        print(spelled_out(summary.instruction.rstrip(), kept="\n\t"))
        print("\n— the workspace —")
        for path, size in sizes.items():
            print(f"{size:>9,}  {spelled_out(path)}")
        print("\n— the limits —")
    for name, value in summary.limits.items():
        print(spelled_out(f"{name}: {value}"))
    print("certified" if summary.certified else "not certified: `assay certify` proves or refutes it")
