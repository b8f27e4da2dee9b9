"""This machine: can it make sandboxes, has it the GPUs that tasks ask for, is there space on its disks?"""

from __future__ import annotations

import shutil
from contextlib import suppress

from assay.cache import cache_folder
from assay.errors import AssayError
from assay.evaluation.preflight.checks import CheckState, PreflightCheck
from assay.evaluation.running import Plan, Settings
from assay.evaluation.space import check_space
from assay.files import is_remote, place
from assay.sandbox import find_engine
from assay.sandbox.gpu.devices import gpu_numbers
from assay.workspace import gpus_of

LITTLE_SPACE = 1 << 30
"""Bytes of free disk below which a run is warned."""


def check_sandbox(settings: Settings) -> PreflightCheck:
    """Whether a real sandbox starts here."""
    if settings.sandbox != "bwrap":
        return PreflightCheck(
            "sandbox", "skipped", f"{settings.sandbox} is checked by Inspect when it starts"
        )
    try:
        engine = find_engine()
    except AssayError as error:
        return PreflightCheck("sandbox", "failed", error.message, error.hint or "`assay doctor` says more")
    return PreflightCheck("sandbox", "ok", f"a sandbox starts here (engine: {engine.kind})")


def check_gpus(planned: Plan) -> PreflightCheck:
    """Whether this machine has as many GPUs as a task of the run asks for."""
    task_ids = {attempt.task for attempt in planned.left}
    gpu_count = max((gpus_of(task) for task in planned.suite.tasks if task.id in task_ids), default=0)
    if gpu_count == 0:
        return PreflightCheck("GPU", "skipped", "no task needs one")
    present = len(gpu_numbers())
    tasks_without_gpu = [
        task.id for task in planned.suite.tasks if task.id in task_ids and gpus_of(task) > present
    ]
    if present >= gpu_count:
        return PreflightCheck("GPU", "ok", f"a task needs {gpu_count}, this machine has {present}")
    return PreflightCheck(
        "GPU",
        "failed",
        f"a task needs {gpu_count}, this machine has {present}: {', '.join(tasks_without_gpu[:3])}"
        + (f" and {len(tasks_without_gpu) - 3} more" if len(tasks_without_gpu) > 3 else ""),
        "choose other tasks with --task, or run on a machine with GPUs; `assay doctor` says what is found",
    )


def check_declared(planned: Plan) -> PreflightCheck:
    """Whether every task has what it declares: environment, GPU, service, network, data."""
    task_ids = {attempt.task for attempt in planned.left}
    lacking = {task: missing for task, missing in planned.suite.lacking.items() if task in task_ids}
    if not lacking:
        return PreflightCheck("declared", "ok", "this machine has what the tasks need, as far as Assay knows")
    examples = [f"{task}: {missing}" for task, missing in list(lacking.items())[:3]]
    more_text = f"; and {len(lacking) - 3} more" if len(lacking) > 3 else ""
    return PreflightCheck(
        "declared",
        "warning",
        f"{len(lacking)} of {len(task_ids)} tasks lack what they declare; failures in them count as the "
        f"task's, not the agent's: {'; '.join(examples)}{more_text}",
        "provide it, or choose other tasks with --task",
    )


def check_disk(settings: Settings) -> PreflightCheck:
    """Whether logs, cache and temporary files can be written, and how much space is left."""
    logs = place(settings.logs)
    disks = [cache_folder("workspaces")] if is_remote(logs) else [logs, cache_folder("workspaces")]
    is_new = not is_remote(logs) and not logs.exists()
    try:
        check_space(logs)
        free = min(shutil.disk_usage(folder).free for folder in disks)
    except AssayError as error:
        return PreflightCheck("disk", "failed", error.message, error.hint)
    finally:
        # A run that does not start leaves no folder behind.
        if is_new:
            with suppress(OSError):
                logs.rmdir()
    state: CheckState = "ok" if free >= LITTLE_SPACE else "warning"
    return PreflightCheck("disk", state, f"{free / 1e9:.1f} GB are free for logs and cache")
