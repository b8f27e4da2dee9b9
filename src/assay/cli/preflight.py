"""The checks before a run, one line each on standard error."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from assay.evaluation.preflight import PreflightCheck

NoPreflight = Annotated[
    bool, typer.Option("--no-preflight", help="Begin without the checks of model, service and machine.")
]
ServiceSeconds = Annotated[
    float,
    typer.Option(
        "--service-seconds", min=1, help="How long a failing request is sent again before it is given up."
    ),
]


def show_check(check: PreflightCheck) -> None:
    """Print one check; a warning with what would remove it."""
    fix = f" ({check.fix})" if check.state == "warning" and check.fix else ""
    print(f"{check.line}{fix}", file=sys.stderr, flush=True)
