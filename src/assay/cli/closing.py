"""The end of a run: the scorecard, why attempts did not pass, what to do next, and the exit code."""

from __future__ import annotations

import sys
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import typer

from assay.cli.pass_rate import check_rate

if TYPE_CHECKING:
    from assay.evaluation import Plan
    from assay.scoring import Attempt


def close_run(logs: Path, plan: Plan, *, as_json: bool, fail_under: float | None, all_agents: bool) -> None:
    """Say how a run ended."""
    from assay.cli.report import show_scorecard
    from assay.reporting.reasons import failure_lines
    from assay.scoring import read_record

    show_scorecard(logs, as_json=as_json, all_agents=all_agents)
    if not as_json:
        attempts = read_record(logs).attempts
        _print_candidates(attempts)
        print("\n".join([*failure_lines(attempts), *_next_commands(logs)]))
    if plan.left:
        count = f"{len(plan.left)} of {len(plan.attempts)}"
        print(f"{count} attempts were not made; the same command tries them again", file=sys.stderr)
        raise typer.Exit(1)
    check_rate([logs], fail_under)


def _next_commands(logs: Path) -> list[str]:
    folder = quote(str(logs))
    commands = [
        (f"assay report {folder} --html report.html", "the whole report"),
        (f"assay failures {folder}", "the kinds of failure, with evidence"),
        (f"assay view {folder}", "every message and command"),
    ]
    width = max(len(command) for command, _ in commands)
    return ["next:", *(f"  {command:<{width}}  # {meaning}" for command, meaning in commands)]


def _print_candidates(attempts: list[Attempt]) -> None:
    """Of best-of-k attempts: how often the chosen candidate passed, and how often any did."""
    from assay.scoring.scorecards.best_of_k import chosen_against_best

    for row in chosen_against_best(attempts):
        print(
            f"{row.agent} ({row.model}): the chosen candidate passed {row.chosen} of {row.attempts}, "
            f"the best of up to {row.k} passed {row.best}"
        )
