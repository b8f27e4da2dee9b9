"""assay doctor: what holds on this machine."""

from __future__ import annotations

import typer

from assay.cli.options import AsJson, print_json


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(doctor)


def doctor(json: AsJson = False) -> None:
    """Say which protections work on this machine, and what fixes those that do not."""
    from dataclasses import asdict

    from assay.sandbox import examine

    checks = examine()
    if json:
        print_json({"checks": [asdict(check) for check in checks]})
    else:
        for check in checks:
            print(f"{check.state:<9} {check.name:<16} {check.detail}; {check.meaning}")
            if check.fix:
                print(f"{'':<9} hint: {check.fix}")
    if any(check.name == "engine" and check.state == "missing" for check in checks):
        raise typer.Exit(1)
