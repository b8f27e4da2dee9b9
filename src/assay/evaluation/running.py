"""Running a suite: what is left to do, done in this process or in several, into one folder of logs."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.agents import Budget, find_agent
from assay.agents.entry import every_attempt
from assay.benchmarks import Suite
from assay.errors import UsageError
from assay.evaluation.models import LOCAL_MODEL, NO_MODEL, without_markup
from assay.evaluation.resume import AttemptKey, Stage, settled_attempts
from assay.files import place
from assay.grading import GradingRules
from assay.grading.kept_results import KeptResults
from assay.run_context import new_run, run_context
from assay.tasks import Task
from assay.workspace import UNGRADED, checkout, task_environment
from assay.workspace.system_copies import paths_to_cover, search_for_copies

if TYPE_CHECKING:
    from inspect_ai import Task as InspectTask

    from assay.agents.request_rate import RateAccount
    from assay.agents.run_cost_cap import Purse


@dataclass(frozen=True)
class PlannedAttempt:
    """One attempt that is to be made."""

    agent: str
    model: str
    task: str
    number: int


@dataclass(frozen=True)
class Settings:
    """How a run is made; every process of it gets the same."""

    logs: str = "logs"
    """The folder of logs and submissions."""
    sandbox: str = "bwrap"
    """`bwrap`; `docker`, which runs attempts and grading in containers; or another Inspect sandbox."""
    budget: Budget = field(default_factory=Budget)
    max_cost: float | None = None
    """Dollars for what this call runs; an equal share for each of its processes."""
    price: tuple[float, float] | None = None
    """Dollars per million input and output tokens, for models whose price is not known."""
    base_url: str | None = None
    """The address of an OpenAI-compatible service."""
    generate: Mapping[str, Any] = field(default_factory=dict)
    """Inspect's generation options: temperature, max_tokens, …"""
    rules: GradingRules = field(default_factory=GradingRules)
    """How numbers are compared with gold, and who reads what cannot be run."""
    service_seconds: float = 600.0
    """How long a request that fails is sent again before its attempt, and then the run, is given up."""
    requests_per_minute: int | None = None
    """Requests to model services that all workers of the run together send in a minute."""
    tokens_per_minute: int | None = None
    """Tokens of requests and answers in a minute, for all workers of the run together."""
    probe_seconds: float = 60.0
    """How long the preflight waits for the first answer of a service."""
    stage: Stage = "whole"
    """`attempt` leaves grading to another pass, which is `grading`."""
    uncertified: bool = False
    """Whether shipped tasks may run whose contents are not those of their certificate."""
    kept_results: str | None = None
    """A folder for results of challenges, which then count for each submission with the same workspace."""


@dataclass(frozen=True)
class Plan:
    """Every attempt of a run, and those that no log holds yet."""

    suite: Suite
    attempts: list[PlannedAttempt]
    left: list[PlannedAttempt]


def plan(
    suite: Suite, settings: Settings, agents: Sequence[str], models: Sequence[str] = (), epochs: int = 1
) -> Plan:
    """What there is to do, and what of it is left."""
    if epochs < 1:
        raise UsageError(f"epochs is {epochs}, expected 1 or more")
    _check_sandbox(settings.sandbox)
    _check_limits(settings)
    attempts: list[PlannedAttempt] = []
    _check_names(agents)
    for name in dict.fromkeys(agents):
        entry, before = find_agent(name), len(attempts)
        for model in (models or [LOCAL_MODEL]) if entry.needs_model else [NO_MODEL]:
            attempts += [
                PlannedAttempt(name, model, task.id, number)
                for number in range(1, epochs + 1)
                for task in suite.tasks
                if task.kind in entry.kinds and entry.covers(task, number)
            ]
        if len(attempts) == before and entry.covers is not every_attempt:
            raise UsageError(
                f"agent {name!r} has nothing to hand in for these tasks",
                hint="a recorded agent has only the tasks of its record.toml",
            )
    return Plan(suite, attempts, still_to_make(suite, settings, attempts))


def _check_names(agents: Sequence[str]) -> None:
    """Logs tell agents apart by their names."""
    agents_by_name: dict[str, str] = {}
    for agent in agents:
        name = find_agent(agent).name
        if agents_by_name.setdefault(name, agent) != agent:
            raise UsageError(
                f"two agents have the name {name!r}: {agents_by_name[name]!r} and {agent!r}",
                hint="run them one after the other, into folders of their own (--logs)",
            )


def still_to_make(
    suite: Suite, settings: Settings, attempts: Sequence[PlannedAttempt]
) -> list[PlannedAttempt]:
    """The attempts that no log holds as graded."""
    finished = settled_attempts(place(settings.logs), settings.stage)
    keys = attempt_keys(suite, settings, attempts)
    return [planned for planned in attempts if keys[planned] not in finished]


def attempt_keys(
    suite: Suite, settings: Settings, attempts: Sequence[PlannedAttempt]
) -> dict[PlannedAttempt, AttemptKey]:
    """What logs call each attempt."""
    names = {agent: find_agent(agent).name for agent in {attempt.agent for attempt in attempts}}
    digests = {task.id: task.digest for task in suite.tasks}
    return {
        attempt: AttemptKey(
            suite.name,
            settings.rules,
            names[attempt.agent],
            attempt.model,
            attempt.task,
            digests[attempt.task],
            attempt.number,
        )
        for attempt in attempts
    }


def prepare(tasks: Sequence[Task]) -> None:
    """Build what the sandboxes will mount, before anything is timed."""
    for task in tasks:
        task_environment(task)
        checkout(task)
    search_for_copies(tasks)
    for task in tasks:
        paths_to_cover(task)


def _check_sandbox(name: str) -> None:
    """Refuse a sandbox that neither Assay nor Inspect has, and one that does not confine."""
    if name in ("bwrap", "docker"):
        return
    if name == "local":
        raise UsageError(
            "the sandbox 'local' is no sandbox: an agent could read and change every file of this machine",
            hint="leave out --sandbox, or name docker",
        )
    from assay.inspect_private import ensure_entry_points, registry_find, registry_info

    ensure_entry_points()
    entries = registry_find(lambda info: info.type == "sandboxenv")
    names = {"docker", *(registry_info(entry).name.rpartition("/")[2] for entry in entries)} - {"local"}
    if name not in names:
        raise UsageError(
            f"there is no sandbox {name!r}",
            hint=f"here are {', '.join(sorted(names))}; others come with their packages",
        )


def _check_limits(settings: Settings) -> None:
    """Refuse numbers to which nothing can be compared: a limit of NaN, or at such a price, never binds."""
    limits = {"max_cost": settings.max_cost, **vars(settings.budget)}
    for name, number in limits.items():
        if number is not None and not number >= 0:
            raise UsageError(f"{name} is {number}, expected a number from 0")
    if settings.price is not None and not all(0 <= dollars < math.inf for dollars in settings.price):
        raise UsageError(f"price is {settings.price}, expected dollars per million tokens, from 0")


def make_attempts(
    suite: Suite,
    settings: Settings,
    attempts: Sequence[PlannedAttempt],
    *,
    purse: Purse | None = None,
    rate: RateAccount | None = None,
    one_at_a_time: bool = False,
) -> None:
    """Make attempts in this process; each is graded and logged as it ends.

    `purse` is the run's money and `rate` its account of requests where several workers share them.
    """
    from assay.agents.bridge import is_bridged
    from assay.agents.request_rate import RateLimits, RequestRate
    from assay.agents.run_cost_cap import Purse
    from assay.agents.service_watch import ServiceWatch
    from assay.evaluation.pricing import check_judge_price, check_planner_price, set_price
    from assay.evaluation.progress import load_hooks_quietly
    from assay.evaluation.samples import Assignment, inspect_task
    from assay.inspect_private import without_unused_parts

    load_hooks_quietly()
    asks_models = may_ask_models(settings, attempts)
    check_judge_price(settings.rules.judge_model, capped=settings.max_cost is not None)
    by_model: dict[str, list[Assignment]] = defaultdict(list)
    bridged: set[str] = set()
    for agent, model, numbers in grouped(attempts):
        bridged |= {model} if is_bridged(agent) else set()
        assignment = Assignment(
            suite,
            find_agent(agent),
            numbers,
            settings.sandbox,
            settings.budget,
            settings.rules,
            grades_later=settings.stage == "attempt",
        )
        capped = settings.max_cost is not None or settings.budget.cost is not None
        check_planner_price(assignment.agent.changed_options.get("planner"), capped=capped)
        by_model[model].append(assignment)
    limits = RateLimits(settings.requests_per_minute, settings.tokens_per_minute)
    builds = KeptResults(Path(settings.kept_results) if settings.kept_results else None)
    with new_run(purse or Purse(settings.max_cost), ServiceWatch(), RequestRate(limits, rate), builds):
        for model, assignments in by_model.items():
            set_price(model, settings.price, capped=settings.max_cost is not None)
            tasks = [inspect_task(assignment) for assignment in assignments]
            with without_unused_parts(asks_models=asks_models):
                _evaluate(model, tasks, settings, one_at_a_time, shares=model in bridged)


def may_ask_models(settings: Settings, attempts: Sequence[PlannedAttempt]) -> bool:
    """Whether anybody in these attempts can ask a model; the scripts that ship cannot."""
    if settings.rules.judge_model is not None or any(attempt.model != NO_MODEL for attempt in attempts):
        return True
    return any(find_agent(agent).role == "agent" for agent in {attempt.agent for attempt in attempts})


def _evaluate(
    model: str, tasks: list[InspectTask], settings: Settings, one_at_a_time: bool, *, shares: bool
) -> None:
    from inspect_ai import eval as inspect_eval

    from assay.agents.service_watch import service_watch
    from assay.evaluation.connections import share_connections
    from assay.evaluation.turns import own_cores
    from assay.inspect_private import forget_models

    # Attempts that wait for the build of the same workspace keep their sandboxes.
    sandboxes = (3 if settings.kept_results else 2) * own_cores()
    connections: dict[str, Any] = {}
    if shares:
        connections, share = share_connections(settings.generate, 1 if one_at_a_time else sandboxes)
        run_context().put(share)

    forget_models()
    service_watch().reset(settings.service_seconds)
    options: dict[str, Any] = {
        "timeout": math.ceil(settings.service_seconds),
        **connections,
        **settings.generate,
        **({"max_samples": 1} if one_at_a_time else {}),
    }
    with prerequisites_named(model):
        logs = inspect_eval(
            tasks,
            model=model,
            model_base_url=settings.base_url if model != NO_MODEL else None,
            log_dir=f"{settings.logs}/{UNGRADED}" if settings.stage == "attempt" else settings.logs,
            log_format="eval",
            log_buffer=1,
            display="none",
            score_display=False,  # it would compute metrics after each attempt
            fail_on_error=False,
            max_tasks=1 if one_at_a_time else len(tasks),
            max_sandboxes=sandboxes if settings.sandbox == "bwrap" else None,
            # Inspect writes every event twice so that its viewer can follow a running attempt. One without
            # a model is over in a moment.
            log_realtime=model != NO_MODEL,
            ctl_server=False,  # a web server in each process, with seconds of imports, that nobody asks
            **options,
        )
    if len(logs) < len(tasks) or any(log.status == "cancelled" for log in logs):
        # Inspect takes Ctrl-C for itself, ends its attempts and returns the logs that it has.
        raise KeyboardInterrupt


@contextmanager
def prerequisites_named(model: str) -> Iterator[None]:
    """Raise a UsageError where Inspect misses a key or a package: its own error ends the program silently."""
    from assay.inspect_private import PrerequisiteError

    try:
        yield
    except PrerequisiteError as error:
        message = " ".join(without_markup(str(error.message)).split())
        raise UsageError(
            f"{model} cannot be asked: {message}",
            hint="leave out --no-preflight: the checks before a run say what is missing",
        ) from None


def grouped(attempts: Sequence[PlannedAttempt]) -> list[tuple[str, str, dict[str, tuple[int, ...]]]]:
    """Attempts by agent and model, with tasks of equally many attempts together."""
    numbers: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for attempt in attempts:
        numbers[attempt.agent, attempt.model, attempt.task].append(attempt.number)
    groups: dict[tuple[str, str, int], dict[str, tuple[int, ...]]] = defaultdict(dict)
    for (agent, model, task), task_numbers in numbers.items():
        groups[agent, model, len(task_numbers)][task] = tuple(task_numbers)
    return [(agent, model, tasks) for (agent, model, _), tasks in groups.items()]
