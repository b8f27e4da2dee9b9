"""Slurm's own commands: what is submitted, what is running, and what became of it."""

from __future__ import annotations

import math
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from assay.errors import AssayError, UsageError
from assay.evaluation.engines.batches import Batch
from assay.rules.ruling import Owner

SPARE_SECONDS = 300.0
"""Time of a job beyond its attempts: imports, environments, files of a slow network."""
LONGEST_ARRAY = 1000
"""Elements of one array; Slurm allows 1,001 unless a site changes MaxArraySize."""

ENDED: Mapping[str, Owner | None] = {
    "COMPLETED": None,
    "FAILED": "grader",
    "CANCELLED": "sandbox",
    "TIMEOUT": "sandbox",
    "DEADLINE": "sandbox",
    "NODE_FAIL": "sandbox",
    "BOOT_FAIL": "sandbox",
    "OUT_OF_MEMORY": "sandbox",
    "PREEMPTED": "sandbox",
    "REVOKED": "sandbox",
}
"""The states in which a job has ended → who owns that its attempts were not made; None: nobody."""
NEVER_STARTS = frozenset(
    {"PartitionTimeLimit", "PartitionNodeLimit", "PartitionConfig", "BadConstraints", "AccountNotAllowed"}
)
"""Reasons for which a job waits until somebody changes its request."""
Element = tuple[str, int]
"""An element of a job array: the number of the array and the place in it."""
PURGED = "UNKNOWN"
"""The state of a job that Slurm has forgotten and for which it keeps no accounts."""


def check_slurm() -> None:
    """Refuse to go on where Slurm's commands are missing."""
    missing = [command for command in ("sbatch", "squeue", "scancel") if shutil.which(command) is None]
    if missing:
        raise UsageError(
            f"{missing[0]} is not installed, so nothing can be submitted to Slurm",
            hint="run the command on a machine from which jobs are submitted",
        )


def parse_options(text: str | None) -> dict[str, str]:
    """Read options of sbatch from the form partition=gpu,time=04:00:00."""
    options = {}
    for part in text.split(",") if text else ():
        name, equals, value = part.partition("=")
        if not equals or not name.replace("-", "").isalnum() or not value:
            raise UsageError(
                f"--slurm has {part!r}, expected NAME=VALUE", hint="such as partition=gpu,time=04:00:00"
            )
        options[name.strip()] = value.strip()
    return options


def array_script(folder: Path, array: int, batches: Sequence[Batch], options: Mapping[str, str]) -> str:
    """Return the job array that makes these batches, one for each element; all have the same needs."""
    request = batches[0].request
    seconds = max(batch.seconds for batch in batches) + SPARE_SECONDS
    settings = {
        "job-name": f"assay-{folder.name}",
        "array": f"0-{len(batches) - 1}",
        "nodes": "1",
        "ntasks": "1",
        "cpus-per-task": str(request.cores),
        "mem": f"{request.memory_mb}M",
        "time": str(math.ceil(seconds / 60)),
        "signal": f"B:USR1@{math.ceil(request.grading_seconds)}",
        "output": f"{folder}/output-{array}-%a.txt",
        "open-mode": "append",
        **({"gres": f"gpu:{request.gpus}"} if request.gpus else {}),
        **options,
    }
    lines = [f"#SBATCH --{name}={value}" for name, value in settings.items()]
    program = [sys.executable, "-m", "assay.evaluation.engines.slurm_worker", str(folder), str(array)]
    command = f'exec {shlex.join(program)} "$SLURM_ARRAY_TASK_ID"'
    return "\n".join(["#!/bin/sh", *lines, "#SBATCH --requeue", command, ""])


def submit(script: str) -> str:
    """Submit a job array; return its number."""
    answer = _call("sbatch", "--parsable", text=script)
    if answer.returncode != 0:
        raise AssayError(
            f"sbatch refused the jobs: {_last_line(answer.stderr)}",
            hint="change the request with --slurm partition=…,time=…,mem=…",
        )
    return answer.stdout.strip().partition(";")[0]


def states_of(jobs: Sequence[str]) -> dict[Element, str]:
    """Return the state of each element of some arrays; what Slurm has forgotten is left out.

    A request that waits for something that never comes is an error.
    """
    selection = ("--noheader", "--array", "--states=all", f"--jobs={','.join(jobs)}")
    answer = _call("squeue", *selection, "--format=%F|%K|%T|%r")
    if answer.returncode != 0 and "Invalid job id" not in answer.stderr:
        raise ConnectionError(_last_line(answer.stderr))
    rows = [line.split("|") for line in answer.stdout.splitlines()]
    for _, _, state, reason in rows:
        if state == "PENDING" and reason in NEVER_STARTS:
            raise AssayError(
                f"Slurm never starts the jobs of this run: {reason}",
                hint="change the request with --slurm partition=…,time=…,mem=…",
            )
    return {(job, int(place)): state for job, place, state, _ in rows if place.isdigit()}


def past_states(jobs: Sequence[str]) -> dict[Element, str]:
    """Return in which states jobs ended by Slurm's accounts; nothing where a site keeps no accounts.

    The accounts are seconds late: what they still call running is left out.
    """
    selection = ("--noheader", "--allocations", "--parsable2", f"--jobs={','.join(jobs)}")
    answer = _call("sacct", *selection, "--format=JobID,State")
    states = {}
    for line in answer.stdout.splitlines() if answer.returncode == 0 else ():
        name, _, state = line.partition("|")
        job, _, place = name.partition("_")
        ended = state.partition(" ")[0]  # of "CANCELLED by 0"
        if place.isdigit() and ended in ENDED:
            states[job, int(place)] = ended
    return states


def cancel(jobs: Sequence[str]) -> None:
    """End jobs; what has ended already is no error."""
    if jobs:
        _call("scancel", *jobs)


def _call(*command: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(command, input=text, capture_output=True, text=True)
    except OSError as error:
        # Also where this machine can start no process just now: the jobs go on, and are asked for again.
        return subprocess.CompletedProcess(command, 127, "", str(error))


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or ["no message"])[-1]
