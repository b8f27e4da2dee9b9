"""The pass rate that a command may demand, and the exit code where an agent stays below it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

FailUnder = Annotated[
    float | None,
    typer.Option(
        "--fail-under",
        min=0,
        max=1,
        help="Exit with 3 if a measured agent passes a smaller share of its attempts than this.",
    ),
]
AllAgents = Annotated[bool, typer.Option("--all", help="Show calibrators, honest agents and cheats too.")]

BELOW = 3
"""Exit code of a score below `--fail-under`."""


def check_rate(logs: Sequence[Path], fail_under: float | None) -> None:
    """End with exit code 3 where a measured agent is below the wanted rate."""
    if fail_under is None:
        return
    from assay.errors import UsageError
    from assay.scoring import read_record, scorecard

    measured = [agent for agent in scorecard(read_record(logs)).agents if agent.role == "agent"]
    if not measured:
        raise UsageError(
            "--fail-under finds no measured agent in these logs",
            hint="calibrators, honest agents and cheats are not measured; run an agent such as react",
        )
    below = [
        f"{agent.agent} ({agent.model}) on {suite.suite}: {suite.passed} of {suite.attempts} passed"
        for agent in measured
        for suite in agent.suites
        if suite.rate is None or suite.rate < fail_under
    ]
    for line in below:
        print(f"below --fail-under {fail_under:g}: {line}", file=sys.stderr)
    if below:
        raise typer.Exit(BELOW)
