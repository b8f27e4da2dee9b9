"""assay plan: what a run will take and what it could show, before it is begun."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.cli.options import (
    AsJson,
    JudgeModel,
    JudgeRepeats,
    Limit,
    SuiteName,
    TaskIds,
    parse_price,
    print_json,
)


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(plan)


def plan(
    suite: SuiteName,
    model: Annotated[str, typer.Option(help="The model that the agent will use.")] = "local/smollm2",
    attempts: Annotated[int, typer.Option(min=1, help="Attempts for each task.")] = 1,
    agent: Annotated[str, typer.Option(help="The agent, as for `assay run`.")] = "react",
    like: Annotated[
        Path | None, typer.Option(help="Earlier logs of the same agent, to expect the like.")
    ] = None,
    price: Annotated[str | None, typer.Option(help="INPUT,OUTPUT in dollars per million tokens.")] = None,
    judge_model: JudgeModel = None,
    judge_repeats: JudgeRepeats = None,
    judge_price: Annotated[
        str | None, typer.Option(help="The judge's INPUT,OUTPUT in dollars per million tokens.")
    ] = None,
    at_once: Annotated[int, typer.Option(min=1, help="Attempts at once; Inspect's own habit is 10.")] = 10,
    task: TaskIds = None,
    limit: Limit = None,
    json: AsJson = False,
) -> None:
    """Say what a run will take: tokens, money, hours, disk, and the smallest difference it could show."""
    from assay.benchmarks.planned import load_planned
    from assay.planning.forecast import forecast

    plan_forecast = forecast(
        load_planned(suite).only(task or (), limit),
        model=model,
        attempts=attempts,
        agent=agent,
        like=like,
        price=parse_price(price),
        at_once=at_once,
        judge_model=judge_model,
        judge_repeats=judge_repeats or 3,
        judge_price=parse_price(judge_price),
    )
    if json:
        print_json(plan_forecast.model_dump(mode="json"))
        return
    from assay.reporting.forecast_text import forecast_lines

    print("\n".join(forecast_lines(plan_forecast)))
