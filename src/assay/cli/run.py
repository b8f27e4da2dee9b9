"""assay run: agents on a suite, graded, logged, resumed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

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
    read_rules,
)
from assay.cli.pass_rate import AllAgents, FailUnder
from assay.cli.preflight import NoPreflight, ServiceSeconds, show_check
from assay.cli.progress import Counter
from assay.cli.run_options import (
    AgentCommands,
    AgentFiles,
    AgentName,
    AgentNames,
    AgentOptions,
    AnswerTokens,
    AttemptCost,
    AttemptSeconds,
    AttemptTokens,
    AttemptTurns,
    BaseUrl,
    BatchSize,
    EngineName,
    Epochs,
    GradingEngine,
    LogsFolder,
    MaxCost,
    ModelNames,
    Price,
    Processes,
    ReasoningEffort,
    ReasoningTokens,
    RequestsPerMinute,
    SandboxName,
    SlurmOptions,
    Temperature,
    TokensPerMinute,
    Tools,
    Uncertified,
)

if TYPE_CHECKING:
    from assay.benchmarks import Suite
    from assay.evaluation import Plan, Settings
    from assay.nursery_process import NurseryProcess
    from assay.protocols import RunEngine


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(run)


def run(
    suite: SuiteName,
    agent: AgentNames = None,
    agent_command: AgentCommands = None,
    agent_files: AgentFiles = None,
    agent_name: AgentName = None,
    model: ModelNames = None,
    base_url: BaseUrl = None,
    logs: LogsFolder = Path("logs"),
    task: TaskIds = None,
    limit: Limit = None,
    n: Dial = None,
    sample: Sample = None,
    seed: Seed = 0,
    agent_option: AgentOptions = None,
    tools: Tools = None,
    reasoning_tokens: ReasoningTokens = None,
    reasoning_effort: ReasoningEffort = None,
    epochs: Epochs = 1,
    processes: Processes = 1,
    on: EngineName = "local",
    grade_on: GradingEngine = None,
    slurm: SlurmOptions = None,
    batch: BatchSize = None,
    sandbox: SandboxName = "bwrap",
    max_cost: MaxCost = None,
    price: Price = None,
    seconds: AttemptSeconds = None,
    tokens: AttemptTokens = None,
    turns: AttemptTurns = None,
    cost: AttemptCost = None,
    max_tokens: AnswerTokens = None,
    temperature: Temperature = None,
    tolerance: ToleranceName = None,
    judge_model: JudgeModel = None,
    judge_repeats: JudgeRepeats = None,
    uncertified: Uncertified = False,
    service_seconds: ServiceSeconds = 600.0,
    requests_per_minute: RequestsPerMinute = None,
    tokens_per_minute: TokensPerMinute = None,
    no_preflight: NoPreflight = False,
    fail_under: FailUnder = None,
    all_agents: AllAgents = False,
    json: AsJson = False,
) -> None:
    """Let agents try the tasks of a suite; the same command again continues where it stopped."""
    from assay.collection import collection_paused
    from assay.nursery_process import nursery_started

    # The nursery imports while this process does.
    is_early = on == "local" and grade_on is None and sandbox == "bwrap"
    with nursery_started(processes if is_early else 1) as nursery:
        with collection_paused():
            from assay.evaluation import Budget, Settings
            from assay.files import place

            selected = choose(suite, tasks=task or (), limit=limit, n=n, sample=sample, seed=seed)
        settings = Settings(
            logs=str(place(logs)),
            sandbox=sandbox,
            budget=Budget(seconds=seconds, tokens=tokens, turns=turns, cost=cost),
            max_cost=max_cost,
            price=parse_price(price),
            base_url=base_url,
            generate=_stated(max_tokens=max_tokens, temperature=temperature),
            rules=read_rules(tolerance, judge_model, judge_repeats),
            service_seconds=service_seconds,
            requests_per_minute=requests_per_minute,
            tokens_per_minute=tokens_per_minute,
            uncertified=uncertified,
        )
        options = [*(agent_option or []), *_reasoning(reasoning_tokens, reasoning_effort)]
        options += [f"tools={tools}"] if tools else []
        agents = _choose_agents(agent, _programs(agent_command or [], agent_files, agent_name), options)
        engines = _choose_engines(on, grade_on, processes, batch, slurm, nursery)
        plan = _try_suite(selected, agents, model, settings, epochs, engines, no_preflight)
    close_run(place(logs), plan, as_json=json, fail_under=fail_under, all_agents=all_agents)


def _try_suite(
    suite: Suite,
    agents: Sequence[str],
    models: Sequence[str] | None,
    settings: Settings,
    epochs: int,
    engines: tuple[RunEngine, RunEngine | None],
    no_preflight: bool,
) -> Plan:
    """Make the attempts, with a line for each that ends."""
    from assay.evaluation import run as run_suite

    with Counter() as counter:
        return run_suite(
            suite,
            agents=agents,
            models=models or (),
            settings=settings,
            epochs=epochs,
            on=engines[0],
            grade_on=engines[1],
            tell=counter.tell,
            announce=counter.announce,
            begin=counter.begin,
            wait=counter.wait,
            preflight=not no_preflight,
            show_check=show_check,
        )


def _choose_engines(
    on: str,
    grade_on: str | None,
    processes: int,
    batch: int | None,
    slurm: str | None,
    nursery: NurseryProcess | None,
) -> tuple[RunEngine, RunEngine | None]:
    """The engine of the attempts, and that of a second pass for grading; each takes the options it knows."""
    from assay.evaluation.engines import choose_engine

    if grade_on is None:
        return choose_engine(on, processes, batch_size=batch, slurm=slurm, nursery=nursery), None
    first, second = (
        choose_engine(
            name,
            processes if name == "local" else 1,
            batch_size=batch,
            slurm=slurm if name == "slurm" or "slurm" not in (on, grade_on) else None,
        )
        for name in (on, grade_on)
    )
    return first, second


def _stated(**options: int | float | str | None) -> dict[str, int | float | str]:
    """The options that were given a value."""
    return {name: value for name, value in options.items() if value is not None}


def _reasoning(tokens: int | None, effort: str | None) -> list[str]:
    """The two options for reasoning as options of the agent, where they are given."""
    stated = _stated(reasoning_tokens=tokens, reasoning_effort=effort)
    return [f"{name}={value}" for name, value in stated.items()]


def _choose_agents(names: list[str] | None, programs: list[str], options: Sequence[str]) -> list[str]:
    """The agents by name, with their options: those that were named and the programs, or react."""
    from assay.agents import set_options

    return [*set_options(names or ([] if programs else ["react"]), options), *programs]


def _programs(commands: Sequence[str], files: Path | None, name: str | None) -> list[str]:
    """The programs of `--agent-command` as agents."""
    from assay.agents.program_spec import ProgramSpec
    from assay.errors import UsageError

    if not commands and (files is not None or name is not None):
        raise UsageError("--agent-files and --agent-name belong to --agent-command", hint="give it too")
    if len(commands) > 1 and name is not None:
        raise UsageError(
            "--agent-name names one program, and --agent-command is given more than once", hint="leave it out"
        )
    folder = str(files.resolve()) if files is not None else None
    specs = [ProgramSpec(command, folder, name) for command in commands]
    return [f"command:{spec.command}" if spec == ProgramSpec(spec.command) else str(spec) for spec in specs]
