"""assay run: agents on a suite, graded, logged, resumed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from assay.cli.options import AsJson, Limit, SuiteName, TaskIds, parse_price
from assay.cli.progress import Counter


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(run)


def run(
    suite: SuiteName,
    agent: Annotated[
        list[str] | None, typer.Option(help="An agent by name, or file.py:name; may be given again.")
    ] = None,
    agent_command: Annotated[
        str | None, typer.Option(help="Any program, run inside the sandbox; {instruction} is what is asked.")
    ] = None,
    model: Annotated[list[str] | None, typer.Option(help="openai/…, anthropic/…, local/smollm2, …")] = None,
    base_url: Annotated[str | None, typer.Option(help="Address of an OpenAI-compatible service.")] = None,
    logs: Annotated[Path, typer.Option(help="Where logs and submissions go, and are resumed from.")] = Path(
        "logs"
    ),
    task: TaskIds = None,
    limit: Limit = None,
    epochs: Annotated[int, typer.Option(min=1, help="Attempts for each task.")] = 1,
    processes: Annotated[
        int, typer.Option(min=1, help="Inspect processes, all into one folder of logs.")
    ] = 1,
    sandbox: Annotated[str, typer.Option(help="bwrap, or another Inspect sandbox such as docker.")] = "bwrap",
    max_cost: Annotated[float | None, typer.Option(min=0, help="Dollars for the whole run.")] = None,
    price: Annotated[str | None, typer.Option(help="INPUT,OUTPUT in dollars per million tokens.")] = None,
    seconds: Annotated[
        float | None, typer.Option(min=1, help="Time of an attempt, in place of the task's.")
    ] = None,
    tokens: Annotated[int | None, typer.Option(min=1, help="Tokens of an attempt.")] = None,
    turns: Annotated[int | None, typer.Option(min=1, help="Turns of an attempt.")] = None,
    max_tokens: Annotated[int | None, typer.Option(min=1, help="Tokens of one answer of the model.")] = None,
    temperature: Annotated[float | None, typer.Option(min=0, help="Sampling temperature.")] = None,
    json: AsJson = False,
) -> None:
    """Let agents try the tasks of a suite; the same command again goes on where it stopped."""
    from assay.agents import Budget
    from assay.evaluation import Settings
    from assay.evaluation import run as run_suite
    from assay.tasks import load_suite

    chosen = load_suite(suite).only(task or (), limit)
    settings = Settings(
        logs=str(logs),
        sandbox=sandbox,
        budget=Budget(seconds=seconds, tokens=tokens, turns=turns),
        max_cost=max_cost,
        price=parse_price(price),
        base_url=base_url,
        generate={
            key: value
            for key, value in (("max_tokens", max_tokens), ("temperature", temperature))
            if value is not None
        },
    )
    agents = list(agent or ([] if agent_command else ["react"]))
    if agent_command:
        agents.append(f"command:{agent_command}")
    with Counter() as counter:
        done = run_suite(
            chosen,
            agents=agents,
            models=model or (),
            settings=settings,
            epochs=epochs,
            processes=processes,
            tell=counter.tell,
            announce=counter.announce,
            begin=counter.begin,
        )
    _close(logs, json, len(done.left), len(done.attempts))


def _close(logs: Path, json: bool, left: int, total: int) -> None:
    from assay.cli.report import show_scorecard

    show_scorecard(logs, as_json=json)
    if left:
        print(f"{left} of {total} attempts were not made; the same command tries them again", file=sys.stderr)
        raise typer.Exit(1)
