"""The end of a run: the scorecard, why attempts did not pass, what to do next, and the exit code."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from shlex import quote
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


def close_run(
    logs: Path, *, as_json: bool, left: int, total: int, fail_under: float | None, all_agents: bool
) -> None:
    """Say how a run ended."""
    from assay.cli.report import show_scorecard
    from assay.reporting.reasons import failure_lines
    from assay.scoring import read_record

    show_scorecard(logs, as_json=as_json, all_agents=all_agents)
    if not as_json:
        _print_candidates(logs)
        print("\n".join([*failure_lines(read_record(logs).attempts), *_next_commands(logs)]))
    if left:
        print(f"{left} of {total} attempts were not made; the same command tries them again", file=sys.stderr)
        raise typer.Exit(1)
    check_rate([logs], fail_under)


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


def _next_commands(logs: Path) -> list[str]:
    folder = quote(str(logs))
    commands = [
        (f"assay report {folder} --html report.html", "the whole report"),
        (f"assay failures {folder}", "the kinds of failure, with evidence"),
        (f"assay view {folder}", "every message and command"),
    ]
    width = max(len(command) for command, _ in commands)
    return ["next:", *(f"  {command:<{width}}  # {meaning}" for command, meaning in commands)]


def _print_candidates(logs: Path) -> None:
    """Of best-of-k attempts: how often the chosen candidate passed, and how often any did."""
    from assay.scoring.scorecards.best_of_k import chosen_against_best

    for row in chosen_against_best(logs):
        print(
            f"{row.agent} ({row.model}): the chosen candidate passed {row.chosen} of {row.attempts}, "
            f"the best of up to {row.k} passed {row.best}"
        )
