"""The files by which other harnesses run a task folder: Dockerfile, solve.sh, test.sh and what verifies."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

from assay.rules.numbers import centre
from assay.rules.ruling import DEFAULT
from assay.tasks.inputs import place_of
from assay.tasks.model import GENERATED, Task

PRISTINE = "pristine"
"""The folder below tests/ with the workspace as it is given."""
HARBOR = "harbor"
"""The folder below tests/ with the solution, the rules and the verifier."""

SOLVE = b"""#!/bin/bash
# Lays the solution over the workspace.
set -eu
cp -r /solution/files/. /workspace/
"""

TEST = b"""#!/bin/bash
# Runs what was handed in again and writes the reward, whatever happens.
mkdir -p /logs/verifier
echo '{"reward": 0.0}' > /logs/verifier/reward.json
python3 -I /tests/verify.py /workspace /tests /logs/verifier/reward.json
"""

VERIFY = b'''"""The verifier of an exported task: `python3 -I verify.py WORKSPACE TESTS REWARD_JSON`.

It writes {"reward": 0 or 1, "unknown": count, item: 0 or 1, ...}, and every verdict with its evidence into
verdicts.json beside that. It must run as root, because what was handed in runs as another user. The option
--same-user allows the same user, where what is handed in is trusted. The code is below harbor/assay, and
needs the standard library of Python 3.11.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "harbor"))

from assay.exported.verification import main  # noqa: E402

main(*sys.argv[1:])
'''


def with_harbor_files(task: Task) -> Task:
    """The task with what Harbor needs; other files stay, those that follow from the task are made again."""
    kept_files = {path: data for path, data in task.tests.items() if not path.startswith(GENERATED)}
    pristine = {f"{PRISTINE}/{path}": data for path, data in task.workspace.items()}
    solution = {f"{HARBOR}/solution/{path}": data for path, data in task.gold_files.items()}
    facts = json.dumps(what_to_verify(task), indent=2).encode() + b"\n"
    return task.model_copy(
        update={
            "environment": {"Dockerfile": dockerfile(task), **task.environment},
            "solution": {"solve.sh": SOLVE, **task.solution},
            "tests": {
                "test.sh": task.tests.get("test.sh", TEST),
                "verify.py": VERIFY,
                **kept_files,
                **pristine,
                **solution,
                **verifier_files(),
                "task.json": facts,
            },
        }
    )


@cache
def verifier_files() -> dict[str, bytes]:
    """The rules and the exported verifier as files below tests/, importable there as `assay`."""
    copied = {f"{HARBOR}/assay/__init__.py": b""}
    for package in ("rules", "rules/injected", "exported"):
        folder = files("assay").joinpath(*package.split("/"))
        for file in folder.iterdir():
            if file.name.endswith(".py"):
                copied[f"{HARBOR}/assay/{package}/{file.name}"] = file.read_bytes()
    return copied


def fixed_files(task: Task) -> list[str]:
    """The files of the workspace whose changes do not count."""
    editable = task.assay.submission.editable
    return [] if editable is None else sorted(set(task.workspace) - set(editable))


def what_to_verify(task: Task) -> dict[str, Any]:
    """tests/task.json: what the verifier must know, since task.toml does not reach it."""
    table = task.assay
    run, challenge, machine = table.run, table.challenge, task.config.environment
    remade = run.written if run else []
    if challenge is not None and challenge.build is not None:
        remade = [*remade, *challenge.artefacts]
    limits = [table.resources.gpu_memory_mb]
    if challenge is not None:
        limits += [challenge.build_gpu_memory_mb, challenge.serve_gpu_memory_mb]
    return {
        "instruction": task.instruction,
        "required": table.submission.required,
        "fixed": fixed_files(task),
        "code_only": table.submission.code_only,
        "remade": remade,
        "run": {**run.model_dump(), "written": run.written, "cpu_seconds": run.cpu_seconds} if run else None,
        "masks": [mask.model_dump(include={"file", "function"}) for mask in table.masks],
        "metrics": [metric.model_dump() for metric in table.metrics],
        "variations": [variation.model_dump() for variation in table.variations],
        "gold": _gold(task),
        "noise": task.noise,
        "design": task.design.model_dump() if task.design else None,
        "requirements": _requirements(task),
        "conclusion": task.conclusion.model_dump() if task.conclusion else None,
        "challenge": challenge.model_dump() if challenge else None,
        "unproved": task.unproved,
        "inputs": [place_of(source) for source in table.inputs],
        "gpu_memory_limit": any(limits),
        "written_limits": {"file_bytes": machine.file_mb << 20, "total_bytes": machine.storage_mb << 20},
    }


def _requirements(task: Task) -> list[dict[str, Any]]:
    """The requirements without their facts: the verifier follows no run, so they decide nothing there."""
    hidden = {"facts", "cited"}
    requirements = task.requirements.requirement if task.requirements else []
    return [requirement.model_dump(exclude=hidden) for requirement in requirements]


def _gold(task: Task) -> dict[str, dict[str, tuple[float, float]]]:
    """Run → metric → gold and tolerance; a fresh run has none until its seed is drawn."""
    names = [DEFAULT, *(variation.name for variation in task.assay.variations if not variation.fresh)]
    return {name: _expected(task, task.gold[name]) if task.assay.metrics else {} for name in names}


def _expected(task: Task, gold: dict[str, list[float]]) -> dict[str, tuple[float, float]]:
    return {
        metric.name: (centre(gold[metric.name]), metric.tolerance(gold[metric.name]))
        for metric in task.assay.metrics
    }


def dockerfile(task: Task) -> bytes:
    """An image with the task's environment and workspace."""
    lines = ["FROM python:3.11-slim"]
    if task.assay.requirements:
        lines.append(
            "RUN pip install --no-cache-dir " + " ".join(f"'{pin}'" for pin in task.assay.requirements)
        )
    lines += ["COPY workspace/ /workspace/", "WORKDIR /workspace"]
    return "\n".join(lines).encode() + b"\n"
