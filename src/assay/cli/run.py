"""assay run: agents on a suite, graded, logged, resumed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.cli.closing import close_run
from assay.cli.options import (
    AsJson,
    Dial,
    JudgeModel,
    JudgeRepeats,
    Limit,
    Sample,
    Seed,
    SuiteName,
    TaskIds,
    ToleranceName,
    choose,
    parse_price,
    read_tolerance,
)
from assay.cli.pass_rate import AllAgents, FailUnder
from assay.cli.preflight import NoPreflight, ServiceSeconds, show_check
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
    n: Dial = None,
    sample: Sample = None,
    seed: Seed = 0,
    agent_option: Annotated[
        list[str] | None,
        typer.Option(
            help="key=value for every agent that has it; may be given again; `assay agents` lists them."
        ),
    ] = None,
    reasoning_tokens: Annotated[int | None, typer.Option(min=1, help="The model's reasoning budget.")] = None,
    reasoning_effort: Annotated[
        str | None, typer.Option(help="none, minimal, low, medium, high, xhigh.")
    ] = None,
    epochs: Annotated[int, typer.Option(min=1, help="Attempts for each task.")] = 1,
    processes: Annotated[
        int, typer.Option(min=1, help="Inspect processes, all into one folder of logs.")
    ] = 1,
    on: Annotated[
        str, typer.Option(help="Where attempts run: local, ray, ray://HOST:PORT, slurm.")
    ] = "local",
    slurm: Annotated[
        str | None, typer.Option(help="Options of sbatch: partition=gpu,time=04:00:00,…")
    ] = None,
    batch: Annotated[
        int | None, typer.Option(min=1, help="Attempts that a worker of a cluster makes one after the other.")
    ] = None,
    sandbox: Annotated[str, typer.Option(help="bwrap, docker, or another Inspect sandbox.")] = "bwrap",
    max_cost: Annotated[float | None, typer.Option(min=0, help="Dollars for the whole run.")] = None,
    price: Annotated[str | None, typer.Option(help="INPUT,OUTPUT in dollars per million tokens.")] = None,
    seconds: Annotated[
        float | None, typer.Option(min=1, help="Time of an attempt, in place of the task's.")
    ] = None,
    tokens: Annotated[int | None, typer.Option(min=1, help="Tokens of an attempt.")] = None,
    turns: Annotated[int | None, typer.Option(min=1, help="Turns of an attempt.")] = None,
    cost: Annotated[float | None, typer.Option(min=0, help="Dollars of an attempt.")] = None,
    max_tokens: Annotated[int | None, typer.Option(min=1, help="Tokens of one answer of the model.")] = None,
    temperature: Annotated[float | None, typer.Option(min=0, help="Sampling temperature.")] = None,
    tolerance: ToleranceName = None,
    judge_model: JudgeModel = None,
    judge_repeats: JudgeRepeats = None,
    uncertified: Annotated[
        bool, typer.Option("--uncertified", help="Run shipped tasks that differ from their certificate.")
    ] = False,
    service_seconds: ServiceSeconds = 600.0,
    requests_per_minute: Annotated[
        int | None, typer.Option(min=1, help="Requests to models in a minute, for the whole run.")
    ] = None,
    tokens_per_minute: Annotated[
        int | None, typer.Option(min=1, help="Tokens of models in a minute, for the whole run.")
    ] = None,
    no_preflight: NoPreflight = False,
    fail_under: FailUnder = None,
    all_agents: AllAgents = False,
    json: AsJson = False,
) -> None:
    """Let agents try the tasks of a suite; the same command again continues where it stopped."""
    from assay.agents import Budget, set_options
    from assay.evaluation import Settings
    from assay.evaluation import run as run_suite
    from assay.evaluation.engines import choose_engine
    from assay.files import place
    from assay.grading import GradingRules

    selected = choose(suite, tasks=task or (), limit=limit, n=n, sample=sample, seed=seed)
    settings = Settings(
        logs=str(place(logs)),
        sandbox=sandbox,
        budget=Budget(seconds=seconds, tokens=tokens, turns=turns, cost=cost),
        max_cost=max_cost,
        price=parse_price(price),
        base_url=base_url,
        generate={
            key: value
            for key, value in (("max_tokens", max_tokens), ("temperature", temperature))
            if value is not None
        },
        rules=GradingRules(read_tolerance(tolerance) or "default", judge_model, judge_repeats or 3),
        service_seconds=service_seconds,
        requests_per_minute=requests_per_minute,
        tokens_per_minute=tokens_per_minute,
        uncertified=uncertified,
    )
    options = list(agent_option or [])
    options += [f"reasoning_tokens={reasoning_tokens}"] if reasoning_tokens is not None else []
    options += [f"reasoning_effort={reasoning_effort}"] if reasoning_effort is not None else []
    agents = set_options(list(agent or ([] if agent_command else ["react"])), options)
    if agent_command:
        agents.append(f"command:{agent_command}")
    with Counter() as counter:
        planned = run_suite(
            selected,
            agents=agents,
            models=model or (),
            settings=settings,
            epochs=epochs,
            on=choose_engine(on, processes, batch_size=batch, slurm=slurm),
            tell=counter.tell,
            announce=counter.announce,
            begin=counter.begin,
            wait=counter.wait,
            preflight=not no_preflight,
            show_check=show_check,
        )
    close_run(
        place(logs),
        as_json=json,
        left=len(planned.left),
        total=len(planned.attempts),
        fail_under=fail_under,
        all_agents=all_agents,
    )
