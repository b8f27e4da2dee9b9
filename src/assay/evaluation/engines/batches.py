"""The unit of work of a cluster: a small batch of attempts at tasks with the same needs.

The attempts of a batch are made one after the other, so that a batch needs no more than one of its attempts.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.evaluation.models import NO_MODEL
from assay.evaluation.running import PlannedAttempt, Settings
from assay.tasks import Task
from assay.workspace import gpus_of

HARNESS_MB = 1024
"""Memory of the process that makes attempts, beside that of the sandbox."""
BATCH_SECONDS = 1800.0
"""The attempts of a batch may take this long together; a longer attempt has a batch of its own."""
WITHOUT_MODEL = 8
"""Attempts in a batch of an agent that uses no model and so ends soon."""


@dataclass(frozen=True)
class ResourceRequest:
    """What one attempt needs, grading included."""

    cores: int
    memory_mb: int
    gpus: int
    gpus_shared: bool
    """Whether another attempt may use the same GPU at the same time."""
    gpu_memory_mb: int | None
    seconds: float
    """The longest time that an attempt and its grading may take."""
    grading_seconds: float
    """The part of it that grading may take."""

    def __str__(self) -> str:
        gpus = f", {self.gpus} GPUs" if self.gpus else ""
        return f"{self.cores} cores, {self.memory_mb} MB of memory{gpus}"


@dataclass(frozen=True)
class Batch:
    """Attempts that one worker makes, one after the other."""

    number: int
    request: ResourceRequest
    attempts: tuple[PlannedAttempt, ...]

    @property
    def seconds(self) -> float:
        """The longest time that the batch may take."""
        return self.request.seconds * len(self.attempts)

    @staticmethod
    def from_fields(fields: Mapping[str, Any]) -> Batch:
        """Read a batch that became JSON."""
        attempts = tuple(PlannedAttempt(**attempt) for attempt in fields["attempts"])
        return Batch(fields["number"], ResourceRequest(**fields["request"]), attempts)


def request_of(task: Task, settings: Settings) -> ResourceRequest:
    """Return what an attempt at a task needs, from its task.toml and the limits of the run."""
    machine, resources, needs = task.config.environment, task.assay.resources, task.assay.needs
    attempt_seconds = 0.0 if settings.stage == "grading" else settings.budget.of(task).seconds or 0.0
    grading_seconds = 0.0 if settings.stage == "attempt" else task.config.verifier.timeout_sec
    seconds = attempt_seconds + grading_seconds
    if needs is not None and needs.hours is not None:
        seconds = max(seconds, needs.hours * 3600)
    gpu_memory = resources.gpu_memory_mb
    if gpu_memory is None and needs is not None and needs.gpu_memory_gb is not None:
        gpu_memory = math.ceil(needs.gpu_memory_gb * 1000)
    return ResourceRequest(
        cores=machine.cpus,
        memory_mb=machine.memory_mb + HARNESS_MB,
        gpus=gpus_of(task),
        gpus_shared=resources.gpus_shared,
        gpu_memory_mb=gpu_memory,
        seconds=seconds,
        grading_seconds=grading_seconds,
    )


def make_batches(
    tasks: Sequence[Task],
    settings: Settings,
    attempts: Sequence[PlannedAttempt],
    size: int | None = None,
) -> list[Batch]:
    """Divide attempts into batches with one agent, one model and one kind of needs each.

    Without a size, agents without a model get batches of eight, other agents as many attempts as fit into
    half an hour.
    """
    requests = {task.id: request_of(task, settings) for task in tasks}
    groups: dict[tuple[str, str, ResourceRequest], list[PlannedAttempt]] = defaultdict(list)
    for attempt in attempts:
        groups[attempt.agent, attempt.model, requests[attempt.task]].append(attempt)
    batches: list[Batch] = []
    for (_, model, request), members in groups.items():
        step = size or (WITHOUT_MODEL if model == NO_MODEL else _fitting(request))
        for start in range(0, len(members), step):
            batches.append(Batch(len(batches), request, tuple(members[start : start + step])))
    return batches


def _fitting(request: ResourceRequest) -> int:
    return max(1, int(BATCH_SECONDS // request.seconds))
