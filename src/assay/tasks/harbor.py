"""The files by which other harnesses run a task folder: Dockerfile, solve.sh, test.sh."""

from __future__ import annotations

from importlib.resources import files

from assay.tasks.model import Task

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
    """The task with the files that Harbor needs; those already there stay as they are."""
    verify = files("assay.tasks").joinpath("verify.py").read_bytes()
    return task.model_copy(
        update={
            "environment": {"Dockerfile": dockerfile(task), **task.environment},
            "solution": {"solve.sh": SOLVE, **task.solution},
            "tests": {"test.sh": TEST, "verify.py": verify, **task.tests},
        }
    )


def dockerfile(task: Task) -> bytes:
    """An image with the task's environment and workspace."""
    lines = ["FROM python:3.11-slim"]
    if task.assay.requirements:
        lines.append(
            "RUN pip install --no-cache-dir " + " ".join(f"'{each}'" for each in task.assay.requirements)
        )
    lines += ["COPY workspace/ /workspace/", "WORKDIR /workspace"]
    return "\n".join(lines).encode() + b"\n"
