"""The files that a task asks for, as far as the agent may know them, and the program that checks them.

It contains no answers: it names variables and claims only if the instruction names them all.
"""

from __future__ import annotations

import copy
import hashlib
import json
from pathlib import Path
from typing import Any

from assay.cache import cache_folder
from assay.files import publishing
from assay.rules import check_submission
from assay.tasks import Claim, Task
from assay.tasks.files import write_tree
from assay.tasks.kinds import RULES

CONTRACT = "/opt/assay"
"""Folder of the program inside every sandbox."""
PROGRAM = "check-submission"
CHECKER_NOTE = f"""

Before you finish, run `python3 {CONTRACT}/{PROGRAM}`: it reports which requested files are missing or
malformed, and how to fix them. It does not know the right answers, and is not part of your submission."""


def contract(task: Task) -> dict[str, Any] | None:
    """Return required files, files that the run writes, and schemas; None if the task asks only for the run.

    It asks for artefacts only if grading does not build them.
    """
    if not RULES[task.kind].has_contract:
        return None
    run = task.assay.run
    schemas = {name: copy.deepcopy(schema) for name, schema in check_submission.SCHEMAS.items()}
    claims = _claims(task)
    schemas["conclusion.json"]["properties"]["claims"] |= {"properties": claims, "required": sorted(claims)}
    return {
        "required": [*task.assay.submission.required, *_unbuilt_artefacts(task)],
        "run": run.command if run is not None else None,
        "written": run.written if run is not None else [],
        "schemas": {
            name: schema for name, schema in schemas.items() if name in task.assay.submission.required
        },
        "variables": _variables(task),
    }


def contract_files(task: Task) -> dict[str, bytes]:
    """Return the program and its contract; empty if there is nothing to check."""
    task_contract = contract(task)
    if task_contract is None:
        return {}
    program = Path(check_submission.__file__).read_bytes()
    return {PROGRAM: program, "contract.json": json.dumps(task_contract, indent=1, sort_keys=True).encode()}


def contract_folder(task: Task) -> Path | None:
    """Return the host folder that is mounted read-only at `CONTRACT`."""
    files = contract_files(task)
    if not files:
        return None
    name = hashlib.sha256(b"\0".join(part for _, part in sorted(files.items()))).hexdigest()[:32]
    folder = cache_folder("contracts") / name
    if not folder.is_dir():
        with publishing(folder, keep_existing=True) as partial:
            partial.mkdir(mode=0o755)
            write_tree(files, partial)
    return folder


def with_checker_note(task: Task) -> Task:
    """Return the task with a note about the checking program in its instruction, if it has one."""
    if contract(task) is None:
        return task
    parts = {name: getattr(task, name) for name in Task.model_fields}
    return Task(**{**parts, "instruction": task.instruction.rstrip() + CHECKER_NOTE + "\n"})


def requested_files(task: Task) -> list[str]:
    """List the files that grading needs; they are collected before all others."""
    run, challenge = task.assay.run, task.assay.challenge
    return [
        *task.assay.submission.required,
        *(task.assay.submission.editable or []),
        *check_submission.SCHEMAS,
        *(run.written if run is not None else []),
        *(challenge.artefacts if challenge is not None else []),
    ]


def _unbuilt_artefacts(task: Task) -> list[str]:
    """List the artefacts that grading does not build, so that the agent must submit them."""
    challenge = task.assay.challenge
    unbuilt = challenge.artefacts if challenge is not None and challenge.build is None else []
    return [path for path in unbuilt if path not in task.assay.submission.required]


def _variables(task: Task) -> list[str]:
    names = [variable.name for variable in task.design.variable] if task.design is not None else []
    return sorted(names) if all(f"`{name}`" in task.instruction for name in names) else []


def _claims(task: Task) -> dict[str, Any]:
    claims = task.conclusion.claim if task.conclusion is not None else []
    if not all(f"`{claim.id}`" in task.instruction for claim in claims):
        return {}
    return {claim.id: _answer_schema(claim) for claim in claims}


def _answer_schema(claim: Claim) -> dict[str, Any]:
    """Return the schema of an answer, which the instruction also describes; never the answer."""
    schemas: dict[str, dict[str, Any]] = {
        "direction": {"enum": ["higher", "lower", "same"]},
        "ordering": {"type": "array"},
        "magnitude": {"type": "number"},
        "statement": {"type": "string"},
    }
    return schemas[claim.kind]
