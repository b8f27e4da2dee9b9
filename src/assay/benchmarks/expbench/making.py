"""Makes an experiment task from a published record, its paper's repository at the pin, and a lock."""

from __future__ import annotations

import fnmatch
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import tomlkit

from assay.benchmarks.expbench.gold_runs import gold_runs, runs_without_gpu
from assay.benchmarks.expbench.instruction import write_instruction
from assay.benchmarks.expbench.paths import references
from assay.benchmarks.expbench.records import Record
from assay.benchmarks.expbench.scrubbing import Telltale, scrub
from assay.benchmarks.expbench.solution import SCRIPT, Runnable, find_runnable
from assay.benchmarks.expbench.variables import ROLES
from assay.errors import TaskError
from assay.tasks.config import (
    AgentSection,
    AssayTable,
    EnvironmentSection,
    Metadata,
    Package,
    Run,
    Submission,
    TaskConfig,
)
from assay.tasks.kinds import EXPERIMENT
from assay.tasks.lock import EnvironmentLock
from assay.tasks.model import Task
from assay.tasks.validation import validate

ATTEMPT_SECONDS = 3600.0
RUN_SECONDS = 3600.0
"""As published: a reproduction may take an hour."""
MAKING = "making.json"
"""tests/: what was corrected, removed and scrubbed when the task was made from the record."""
CLAIM = "outcome"
DESIGN, CONCLUSION = "design.json", "conclusion.json"


@dataclass(frozen=True)
class MadeTask:
    """A task, and notes on how it was made from the record."""

    task: Task
    notes: dict[str, list[str]]


def make_task(record: Record, tree: Mapping[str, bytes], lock: EnvironmentLock | None = None) -> MadeTask:
    """Make the task of a record in its repository; what is missing is noted, never invented."""
    masked = {path: tree[path] for path in _expand(record.masked, tree)}
    telltale = Telltale(masked, record.paper.abstract, list(filter(_is_rare, record.telling)))
    unmasked = {path: data for path, data in tree.items() if path not in masked}
    workspace, scrubbed = scrub(unmasked, telltale)
    if not workspace:
        raise TaskError(
            record.id, "no file of the repository remains", hint="check that it is at the pinned commit"
        )
    runnable = find_runnable(record, tree)
    instruction, changes = write_instruction(record, ATTEMPT_SECONDS, RUN_SECONDS)
    notes = {
        "defects": [f"{defect.kind}: {defect.text}" for defect in record.defects],
        "masked": list(masked),
        "missing": [path for path in record.masked if not _expand([path], tree)],
        "scrubbed": scrubbed,
        "instruction": changes,
        "not runnable": [runnable.reason] if runnable.reason else [],
    }
    solution = {**masked, **(runnable.script() if runnable.commands else {}), **_truths(record)}
    task = Task(
        config=_config(record, runnable, lock),
        instruction=instruction,
        environment={f"workspace/{path}": data for path, data in workspace.items()},
        solution={f"files/{path}": data for path, data in solution.items()},
        tests={
            **_tests(record, {**workspace, **solution}, list(masked)),
            MAKING: json.dumps(notes, indent=2, ensure_ascii=False).encode(),
        },
    )
    return MadeTask(validate(task), notes)


def _is_rare(decimal: str) -> bool:
    """Whether a decimal has two significant digits: 1.0 and 0.05 occur in any document."""
    return len(decimal.replace(".", "").strip("0")) >= 2


def _expand(paths: Iterable[str], tree: Mapping[str, bytes]) -> list[str]:
    """Return the files of the repository to which published paths refer: as a name, a pattern or a folder."""
    files: dict[str, None] = {}
    for path in paths:
        if path in tree:
            files[path] = None
        elif "*" in path:
            files.update(dict.fromkeys(fnmatch.filter(tree, path)))
        else:
            files.update(dict.fromkeys(file for file in tree if file.startswith(f"{path}/")))
    return list(files)


def _config(record: Record, runnable: Runnable, lock: EnvironmentLock | None) -> TaskConfig:
    paper = record.paper
    declared = re.search(r"\d+", paper.gpus)
    gpus = 0 if paper.gpus in ("", "unknown") else max(1, int(declared.group())) if declared else 1
    if runs_without_gpu(record.id):
        gpus = 0
    return TaskConfig(
        task=Package(name=f"expbench/{record.id.replace('/', '-')}", description=paper.title),
        metadata=Metadata(
            assay=AssayTable(
                id=record.id,
                kind=EXPERIMENT,
                python=f"=={lock.python}.*" if lock else ">=3.11",
                requirements=lock.requirements if lock else [],
                run=Run(command=f"bash {SCRIPT}", results="results.json", seconds=RUN_SECONDS),
                submission=Submission(required=[DESIGN, CONCLUSION, SCRIPT]),
                labels={
                    "type": record.type,
                    "category": paper.category,
                    "difficulty": str(paper.difficulty or "unknown"),
                    "conference": record.id.partition("/")[0],
                    "paper": paper.name.rpartition("/")[2],
                    "solution": "runs" if runnable.commands else "no run is known",
                    "gold": gold_runs()[record.id].status if record.id in gold_runs() else "not tried",
                },
            )
        ),
        agent=AgentSection(timeout_sec=ATTEMPT_SECONDS),
        environment=EnvironmentSection(memory_mb=8192, storage_mb=8192, gpus=min(gpus, 8)),
    )


def _truths(record: Record) -> dict[str, bytes]:
    """Return the true design and conclusion, as an agent would submit them."""
    design: dict[str, Any] = {"constant": {}, "independent": {}, "dependent": []}
    for name, variable in _named(record).items():
        if variable.role == "dependent":
            design["dependent"].append(name)
        else:
            design[variable.role][name] = list(variable.values)
    conclusion = {"summary": record.outcome, "claims": {CLAIM: record.outcome}}
    texts = {DESIGN: design, CONCLUSION: conclusion} if record.variables else {CONCLUSION: conclusion}
    return {name: json.dumps(table, indent=2, ensure_ascii=False).encode() for name, table in texts.items()}


def _named(record: Record) -> dict[str, Any]:
    """Return the variables by unique names: the role is added to the name of a variable with two roles."""
    names = [variable.name for variable in record.variables]
    return {
        variable.name if names.count(variable.name) == 1 else f"{variable.name} ({variable.role})": variable
        for role in ROLES
        for variable in record.variables
        if variable.role == role
    }


def _tests(record: Record, solved: Mapping[str, bytes], masked: list[str]) -> dict[str, bytes]:
    variables = [
        {
            "name": name,
            "role": variable.role,
            "values": [] if variable.role == "dependent" else list(variable.values),
        }
        for name, variable in _named(record).items()
    ]
    requirements = [
        {"id": f"{number:02d}", "text": text.replace("/workspace/", ""), "gold": _gold(text, solved, masked)}
        for number, text in enumerate(record.requirements, 1)
    ]
    claim = {"id": CLAIM, "question": record.question, "kind": "statement", "answer": record.outcome}
    truths = {
        "design.toml": {"variable": variables},
        "requirements.toml": {"requirement": requirements},
        "conclusion.toml": {"claim": [claim]},
    }
    published = json.dumps(
        {
            "variables": [asdict(variable) for variable in record.variables],
            "usage": record.usage,
            "source": record.source,
        },
        indent=2,
        ensure_ascii=False,
    )
    tables = {name: tomlkit.dumps(table).encode() for name, table in truths.items() if any(table.values())}
    return {**tables, "published.json": published.encode()}


def _gold(text: str, solved: Mapping[str, bytes], masked: list[str]) -> list[str]:
    """Return the solution's files in which a requirement is fulfilled.

    A file that the agent was given does not prove any work. If no masked file is among them, the script that
    runs them counts instead; without a script, only a judge can decide.
    """
    named = [path for path in references(text) if path in solved]
    if any(path in masked for path in named):
        return named
    return [*named, *(path for path in masked if not named), SCRIPT] if SCRIPT in solved else []
