"""What a task wants handed in, as the agent may know it, and the program with which it can check that itself.

Nothing of the truth is in it: variables and claims are named only where the instruction names them all.
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

CONTRACT = "/opt/assay"
"""Where the program lies inside every sandbox."""
PROGRAM = "check-submission"
TOLD = f"""

Before you end, run `python3 {CONTRACT}/{PROGRAM}`: it says which of the files asked for are missing or
malformed, and what mends them. It knows nothing of what is right, and is no part of what you hand in."""


def contract(task: Task) -> dict[str, Any] | None:
    """Required files, files that the run writes, and forms; None where nothing but the run is asked for.

    What grading builds itself need not be there: artefacts are asked for only where nothing builds them.
    """
    if task.kind == "masked":
        return None
    run = task.assay.run
    wanted = {name: copy.deepcopy(schema) for name, schema in check_submission.SCHEMAS.items()}
    claims = _claims(task)
    wanted["conclusion.json"]["properties"]["claims"] |= {"properties": claims, "required": sorted(claims)}
    return {
        "required": [*task.assay.submission.required, *_handed_in(task)],
        "run": run.command if run is not None else None,
        "written": run.written if run is not None else [],
        "schemas": {
            name: schema for name, schema in wanted.items() if name in task.assay.submission.required
        },
        "variables": _variables(task),
    }


def contract_files(task: Task) -> dict[str, bytes]:
    """The program and the contract beside it; none where there is nothing to check."""
    wanted = contract(task)
    if wanted is None:
        return {}
    program = Path(check_submission.__file__).read_bytes()
    return {PROGRAM: program, "contract.json": json.dumps(wanted, indent=1, sort_keys=True).encode()}


def contract_folder(task: Task) -> Path | None:
    """The folder that is shown, read-only, there."""
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


def told(task: Task) -> Task:
    """The task with a word about the program in its instruction, where there is one."""
    if contract(task) is None:
        return task
    parts = {name: getattr(task, name) for name in Task.model_fields}
    return Task(**{**parts, "instruction": task.instruction.rstrip() + TOLD + "\n"})


def files_asked_for(task: Task) -> list[str]:
    """The files by which a submission is graded; they are taken before all others."""
    run, challenge = task.assay.run, task.assay.challenge
    return [
        *task.assay.submission.required,
        *(task.assay.submission.editable or []),
        *check_submission.SCHEMAS,
        *(run.written if run is not None else []),
        *(challenge.artefacts if challenge is not None else []),
    ]


def _handed_in(task: Task) -> list[str]:
    """Artefacts that nothing builds, so that the agent itself must leave them."""
    challenge = task.assay.challenge
    unbuilt = challenge.artefacts if challenge is not None and challenge.build is None else []
    return [path for path in unbuilt if path not in task.assay.submission.required]


def _variables(task: Task) -> list[str]:
    names = [each.name for each in task.design.variable] if task.design is not None else []
    return sorted(names) if all(f"`{name}`" in task.instruction for name in names) else []


def _claims(task: Task) -> dict[str, Any]:
    claims = task.conclusion.claim if task.conclusion is not None else []
    if not all(f"`{claim.id}`" in task.instruction for claim in claims):
        return {}
    return {claim.id: _form(claim) for claim in claims}


def _form(claim: Claim) -> dict[str, Any]:
    """The form of an answer, which the instruction tells too; never the answer."""
    forms: dict[str, dict[str, Any]] = {
        "direction": {"enum": ["higher", "lower", "same"]},
        "ordering": {"type": "array"},
        "magnitude": {"type": "number"},
        "statement": {"type": "string"},
    }
    return forms[claim.kind]
