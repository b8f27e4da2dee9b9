"""A suite as an Inspect task: each task one sample, in a sandbox of its own."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inspect_ai import Epochs
from inspect_ai import Task as InspectTask
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.util import SandboxEnvironmentSpec

from assay.agents import find_agent
from assay.agents.agent_code import agent_code
from assay.agents.budget import Budget
from assay.agents.request_faults import is_body_unreadable
from assay.agents.solving import bounded
from assay.benchmarks import Suite, load_suite
from assay.evaluation.certified import check_certificates, uncertified
from assay.evaluation.checkpoints import with_checkpoints
from assay.evaluation.machine_record import SANDBOX
from assay.evaluation.scorer import assay_scorer
from assay.grading import GradingRules
from assay.grading.grading_rules import DEFAULT_RULES
from assay.inspect_private import bound_tag_searches, read_plain_arguments, retry_requests_after
from assay.protocols import Agent
from assay.sandbox.bubblewrap.layout import program_mounts
from assay.sandbox.session.inspect_provider import BwrapConfig, BwrapMount
from assay.tasks import Task
from assay.tasks.inputs import input_folder, place_of
from assay.version import __version__
from assay.workspace import (
    CONTRACT,
    VARIABLES,
    canaries,
    checkout,
    contract_files,
    contract_folder,
    gpus_of,
    minimum_gpus,
    shares_gpus,
    task_environment,
    user_environment,
    with_checker_note,
)
from assay.workspace.made_with import made_with
from assay.workspace.system_copies import paths_to_cover

SLACK_SECONDS = 60.0
"""How much longer than its attempt a program may run, so that the limit of the attempt ends it."""


@dataclass(frozen=True)
class Assignment:
    """One agent on some tasks of a suite, each for some numbered attempts."""

    suite: Suite
    agent: Agent
    attempts: Mapping[str, tuple[int, ...]]
    """Task id → the numbers of the attempts to make; the same count for each task."""
    sandbox: str = SANDBOX
    budget: Budget = field(default_factory=Budget)
    rules: GradingRules = DEFAULT_RULES
    grades_later: bool = False
    """Whether another pass grades what the attempts leave."""


def inspect_task(assignment: Assignment) -> InspectTask:
    """The Inspect task that makes these attempts and grades them."""
    read_plain_arguments()
    bound_tag_searches()
    retry_requests_after(is_body_unreadable)
    agent = assignment.agent
    tasks = {task.id: task for task in assignment.suite.tasks if task.id in assignment.attempts}
    views = {task_id: with_checker_note(agent.view(task)) for task_id, task in tasks.items()}
    count = len(next(iter(assignment.attempts.values())))
    samples = [
        make_sample(
            task,
            agent.name,
            assignment.attempts[task_id],
            assignment.sandbox,
            view=views[task_id],
            flow=assignment.suite.flow.get(task_id),
            lacking=assignment.suite.lacking.get(task_id),
            folders=agent.folders(),
            seconds=assignment.budget.of(task).seconds,
        )
        for task_id, task in tasks.items()
    ]
    return InspectTask(
        name=re.sub(r"[^A-Za-z0-9._-]+", "-", f"{assignment.suite.name}-{agent.name}").strip("-"),
        dataset=MemoryDataset(samples, name=assignment.suite.name),
        solver=with_checkpoints(
            bounded(agent.make(views), tasks, assignment.budget), tasks, views, assignment.budget
        ),
        scorer=assay_scorer(tasks, views, assignment.rules, grades_later=assignment.grades_later),
        config=GenerateConfig(**agent.generate),
        epochs=Epochs(count, "mean"),
        sandbox=assignment.sandbox,
        version=__version__,
        metadata={
            "assay": {
                "suite": assignment.suite.name,
                "source": assignment.suite.source,
                "rules": assignment.rules.as_log(),
                "agent": agent.name,
                "options": dict(agent.changed_options),
                "role": agent.role,
                "description": agent.description,
                "version": __version__,
                "environment": str(user_environment() or "") or None,
                "least_gpus": minimum_gpus(),
                "made_with": made_with(tasks.values()) or None,
                "agent_code": agent_code(agent.name) or None,
                "uncertified": [task.id for task in uncertified(assignment.suite, tasks)],
            }
        },
    )


def suite_as_task(
    suite: str, agent: str, tasks: Sequence[str] | str = (), *, accept_uncertified: bool = False
) -> InspectTask:
    """One attempt of an agent at each task of a suite, for `inspect eval`."""
    task_ids = tasks.split(";") if isinstance(tasks, str) and tasks else tasks
    selected = load_suite(suite).only(list(task_ids))
    entry = find_agent(agent)
    attempts = {
        task.id: (1,) for task in selected.tasks if task.kind in entry.kinds and entry.covers(task, 1)
    }
    if not accept_uncertified:
        check_certificates(selected, attempts, how="run them as they are with -T uncertified=true")
    return inspect_task(Assignment(selected, entry, attempts))


def make_sample(
    task: Task,
    agent: str,
    attempts: Sequence[int],
    sandbox: str,
    *,
    view: Task | None = None,
    flow: str | None = None,
    lacking: str | None = None,
    folders: Sequence[Path] = (),
    seconds: float | None = None,
) -> Sample:
    """A task as an Inspect sample: what is asked, where, and nothing of the truth.

    `view` is the task as the agent gets it, where that differs; `flow` whether its functions feed
    each other; `lacking` what the task declares and this machine does not have; `folders` hold the agent's
    own programs; `seconds` is the time of an attempt.
    """
    agent_task = view or task
    return Sample(
        id=task.id,
        input=agent_task.instruction,
        metadata={
            "assay": {
                **describe(task),
                "flow": flow,
                "agent": agent,
                "attempts": list(attempts),
                "sandbox": sandbox,
                **({"lacking": lacking} if lacking else {}),
            }
        },
        sandbox=sandbox_spec(task, agent_task, folders, seconds)
        if sandbox == SANDBOX
        else SandboxEnvironmentSpec(sandbox),
        files=None if sandbox == SANDBOX else _files(task, agent_task),
    )


def describe(task: Task) -> dict[str, Any]:
    """What every log says of a task."""
    return {
        "task": task.id,
        "kind": task.kind,
        "title": task.config.task.description,
        "n": len(task.assay.masks),
        "labels": task.assay.labels,
        "certified": task.certified,
        "digest": task.digest,
    }


def sandbox_spec(
    task: Task, view: Task | None = None, folders: Sequence[Path] = (), seconds: float | None = None
) -> SandboxEnvironmentSpec:
    """The agent's sandbox, as Inspect wants it."""
    config = sandbox_config(task, view, folders)
    if seconds is not None:  # the attempt's own clock ends a program first
        config = config.model_copy(update={"wall_seconds": max(config.wall_seconds, seconds + SLACK_SECONDS)})
    return SandboxEnvironmentSpec(SANDBOX, config)


def sandbox_config(task: Task, view: Task | None = None, folders: Sequence[Path] = ()) -> BwrapConfig:
    """The agent's sandbox: the pristine workspace copy-on-write, the task's environment, canaries, hosts."""
    machine = task.config.environment
    programs = [BwrapMount(source=source, target=target) for source, target in program_mounts(folders)]
    if (contract := contract_folder(task)) is not None:
        programs.append(BwrapMount(source=contract, target=CONTRACT))
    return BwrapConfig(
        workspace=checkout(view or task),
        environment=task_environment(task),
        mounts=(
            *programs,
            *(
                BwrapMount(source=folder, target=place, canary=True)
                for place, folder in canaries(task).items()
            ),
            *(
                BwrapMount(source=input_folder(needed_input), target=place_of(needed_input))
                for needed_input in task.assay.inputs
                if not needed_input.held
            ),
        ),
        covered=paths_to_cover(task),
        variables=VARIABLES,
        memory_mb=machine.memory_mb,
        file_size_mb=machine.file_mb,
        disk_mb=machine.storage_mb,
        gpus=gpus_of(task),
        gpus_shared=shares_gpus(task),
        gpu_memory_mb=task.assay.resources.gpu_memory_mb,
        alone=task.assay.resources.timed,
        allowed_hosts=tuple(machine.allowed_hosts or ()),
    )


def _files(task: Task, agent_task: Task) -> dict[str, str]:
    """What is written into a sandbox that has no mounts."""
    workspace = {f"/workspace/{path}": data for path, data in agent_task.workspace.items()}
    programs = {f"{CONTRACT}/{path}": data for path, data in contract_files(task).items()}
    return {path: _text(data) for path, data in (workspace | programs).items()}


def _text(data: bytes) -> str:
    from base64 import b64encode

    return "data:application/octet-stream;base64," + b64encode(data).decode()
