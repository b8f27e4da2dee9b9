"""The files by which other harnesses run a task folder: Dockerfile, solve.sh, test.sh and what verifies."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from assay.tasks.config import DEFAULT
from assay.tasks.metric import centre
from assay.tasks.model import Task

PRISTINE = "pristine"
"""The folder below tests/ from which the verifier restores what may not be changed."""

SOLVE = b"""#!/bin/bash
# Lays the solution over the workspace.
set -eu
cp -r /solution/files/. /workspace/
"""

TEST = b"""#!/bin/bash
# Re-makes the numbers from what was handed in and writes the reward, whatever happens.
mkdir -p /logs/verifier
echo '{"reward": 0.0}' > /logs/verifier/reward.json
python3 -I /tests/verify.py /workspace /tests /logs/verifier/reward.json
"""


def with_harbor_files(task: Task) -> Task:
    """The task with what Harbor needs; files already there stay, those that follow from it are made anew."""
    verify = files("assay.tasks").joinpath("verify.py").read_bytes()
    kept = {path: data for path, data in task.tests.items() if not path.startswith(f"{PRISTINE}/")}
    pristine = {f"{PRISTINE}/{path}": task.workspace[path] for path in fixed_files(task)}
    said = json.dumps(what_to_verify(task), indent=2).encode() + b"\n"
    return task.model_copy(
        update={
            "environment": {"Dockerfile": dockerfile(task), **task.environment},
            "solution": {"solve.sh": SOLVE, **task.solution},
            "tests": {"test.sh": TEST, "verify.py": verify, **kept, **pristine, "task.json": said},
        }
    )


def fixed_files(task: Task) -> list[str]:
    """The files of the workspace whose changes do not count."""
    editable = task.assay.submission.editable
    return [] if editable is None else sorted(set(task.workspace) - set(editable))


def what_to_verify(task: Task) -> dict[str, Any]:
    """tests/task.json: what verify.py must know, since task.toml does not reach it."""
    table = task.assay
    run, challenge = table.run, table.challenge
    remade = run.written if run else []
    if challenge is not None and challenge.build is not None:
        remade = [*remade, *challenge.artefacts]
    plain = {"name": DEFAULT, "seed": None, "data": None}
    variations = [plain, *(each.model_dump() for each in table.variations if not each.fresh)]
    return {
        "required": table.submission.required,
        "fixed": fixed_files(task),
        "given": sorted(task.workspace) if table.submission.code_only else None,
        "remade": remade,
        "run": run.model_dump() if run else None,
        "variations": [{**each, "metrics": _expected(task, each["name"])} for each in variations if run],
        "challenge": challenge.model_dump() if challenge else None,
    }


def _expected(task: Task, variation: str) -> dict[str, tuple[str, float, float]]:
    """Metric → where it stands, gold, tolerance."""
    gold = {metric.name: task.gold[variation][metric.name] for metric in task.assay.metrics}
    return {
        metric.name: (metric.path, centre(gold[metric.name]), metric.tolerance(gold[metric.name]))
        for metric in task.assay.metrics
    }


def dockerfile(task: Task) -> bytes:
    """An image with the task's environment and workspace."""
    lines = ["FROM python:3.11-slim"]
    if task.assay.requirements:
        lines.append(
            "RUN pip install --no-cache-dir " + " ".join(f"'{each}'" for each in task.assay.requirements)
        )
    lines += ["COPY workspace/ /workspace/", "WORKDIR /workspace"]
    return "\n".join(lines).encode() + b"\n"
