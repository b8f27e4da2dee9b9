"""Makes an experiment task from a published record, its paper's repository at the pin, and a lock."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import tomlkit

from assay.benchmarks.expbench.annotations import REASONS, AnnotatedTask, annotation_of
from assay.benchmarks.expbench.facts import DerivedFacts, derived_facts
from assay.benchmarks.expbench.gold_runs import gold_runs, runs_without_gpu, truth_of
from assay.benchmarks.expbench.instruction import write_instruction
from assay.benchmarks.expbench.paths import matching_files, references
from assay.benchmarks.expbench.records import Record
from assay.benchmarks.expbench.scrubbing import Telltale, scrub
from assay.benchmarks.expbench.solution import SCRIPT, Runnable, find_runnable
from assay.benchmarks.expbench.variables import ROLES, DesignVariable
from assay.errors import TaskError
from assay.tasks.config import (
    AgentSection,
    AssayTable,
    EnvironmentSection,
    Metadata,
    Package,
    Run,
    SubmissionRules,
    TaskConfig,
)
from assay.tasks.kinds import EXPERIMENT
from assay.tasks.lock import EnvironmentLock
from assay.tasks.model import Task
from assay.tasks.selection import Prompts
from assay.tasks.validation import validate

ATTEMPT_SECONDS = 3600.0
RUN_SECONDS = 3600.0
"""As published: a reproduction may take an hour."""
MAKING = "making.json"
"""tests/: what was corrected, removed and scrubbed when the task was made from the record."""
CLAIM = "outcome"
CARRIED_OUT = (
    "The code that ran carries out the experiment of the question: it measures the numbers that it reports,"
    " and they were not chosen beforehand. The question: "
)
"""The requirement of a task for which no implementation was published: else a run of anything would do."""
DESIGN, CONCLUSION = "design.json", "conclusion.json"


@dataclass(frozen=True)
class MadeTask:
    """A task, and notes on how it was made from the record."""

    task: Task
    notes: dict[str, list[str]]


def make_task(
    record: Record,
    tree: Mapping[str, bytes],
    lock: EnvironmentLock | None = None,
    prompts: Prompts = "redacted",
) -> MadeTask:
    """Make the task of a record in its repository; what is missing is noted, never invented."""
    masked = {path: tree[path] for path in matching_files(record.masked, tree)}
    decimals = list(filter(_is_rare, record.measured_decimals))
    telltale = Telltale(masked, record.paper.abstract, decimals, record.outcome)
    unmasked = {path: data for path, data in tree.items() if path not in masked}
    workspace, scrubbed = scrub(unmasked, telltale)
    if not workspace:
        raise TaskError(
            record.id, "no file of the repository remains", hint="check that it is at the pinned commit"
        )
    runnable = find_runnable(record, tree)
    instruction, changes = write_instruction(record, ATTEMPT_SECONDS, RUN_SECONDS, prompts)
    notes = {
        "defects": [f"{defect.kind}: {defect.text}" for defect in record.defects],
        "masked": list(masked),
        "missing": [path for path in record.masked if not matching_files([path], tree)],
        "scrubbed": scrubbed,
        "instruction": changes,
        "not runnable": [runnable.reason] if runnable.reason else [],
    }
    derived = [_kept(facts, workspace, tree) for facts in derived_facts(record, tree)]
    solution = {**masked, **(runnable.script() if runnable.commands else {}), **_truths(record)}
    task = Task(
        config=_config(record, runnable, lock),
        instruction=instruction,
        environment={f"workspace/{path}": data for path, data in workspace.items()},
        solution={f"files/{path}": data for path, data in solution.items()},
        tests={
            **_tests(record, {**workspace, **solution}, list(masked), derived),
            MAKING: json.dumps(notes, indent=2, ensure_ascii=False).encode(),
        },
    )
    return MadeTask(validate(task), notes)


def _is_rare(decimal: str) -> bool:
    """Whether a decimal has two significant digits: 1.0 and 0.05 occur in any document."""
    return len(decimal.replace(".", "").strip("0")) >= 2


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
                submission=SubmissionRules(required=[DESIGN, CONCLUSION, SCRIPT]),
                labels={
                    "type": record.type,
                    "category": paper.category,
                    "difficulty": str(paper.difficulty or "unknown"),
                    "conference": record.id.partition("/")[0],
                    "paper": paper.name.rpartition("/")[2],
                    "solution": "runs" if runnable.commands else "no run is known",
                    "gold": gold_runs()[record.id].status if record.id in gold_runs() else "not tried",
                    "truth": truth_of(record.id),
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


def _kept(derived: DerivedFacts, workspace: Mapping[str, bytes], tree: Mapping[str, bytes]) -> DerivedFacts:
    """Leave out facts about files that scrubbing changed or removed."""
    used = {
        path
        for fact in derived.facts
        for path in (fact.file, fact.name if fact.kind in ("lines", "program") else None)
        if path is not None
    }
    whole = all(workspace.get(path) == tree.get(path) for path in used)
    cited = {
        path: parts
        for path, parts in derived.cited.items()
        if path not in workspace or workspace[path] == tree[path]
    }
    return DerivedFacts(derived.facts if whole else [], cited, derived.reason)


def _tests(
    record: Record, solved: Mapping[str, bytes], masked: list[str], derived: Sequence[DerivedFacts]
) -> dict[str, bytes]:
    annotated = annotation_of(record.id, len(record.variables))
    asked = _asked(record, annotated)
    variables = [
        {
            "name": name,
            "role": variable.role,
            "values": [] if variable.role == "dependent" else list(variable.values),
            **asked.get(variable, {}),
        }
        for name, variable in _named(record).items()
    ]
    requirements = [
        _requirement(number, text, _gold(text, solved, masked), facts)
        for number, (text, facts) in enumerate(zip(record.requirements, derived, strict=True), 1)
    ]
    claim: dict[str, Any] = {"id": CLAIM, "question": record.question, "kind": "statement"}
    claim["answer"] = record.outcome
    if annotated is not None and annotated.undecidable is not None:
        claim["undecidable"] = REASONS[annotated.undecidable]
    elif annotated is not None:
        claim["parts"] = [part.model_dump() for part in annotated.claims]
    truths = {
        "design.toml": {"variable": variables},
        "requirements.toml": {"requirement": requirements or [_carried_out(record)]},
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


def _asked(record: Record, annotated: AnnotatedTask | None) -> dict[DesignVariable, dict[str, Any]]:
    """Return what a reader is asked about each variable, and the values that are right."""
    if annotated is None:
        return {}
    return {
        variable: {
            "ask": entry.ask,
            "match": entry.match,
            **({"accepted": entry.values} if entry.values else {}),
        }
        for variable, entry in zip(record.variables, annotated.design, strict=False)
    }


def _carried_out(record: Record) -> dict[str, Any]:
    """The requirement that the code carries out the experiment, with the question and its method."""
    method = f" The method: {record.method}" if record.method else ""
    return {"id": "experiment", "text": CARRIED_OUT + record.question + method}


def _requirement(number: int, text: str, gold: list[str], derived: DerivedFacts) -> dict[str, Any]:
    table: dict[str, Any] = {"id": f"{number:02d}", "text": text.replace("/workspace/", ""), "gold": gold}
    cited = {path: list(map(list, parts)) for path, parts in derived.cited.items() if path in gold}
    facts = [fact.model_dump(mode="json", exclude_defaults=True) for fact in derived.facts]
    return table | ({"cited": cited} if cited else {}) | ({"facts": facts} if facts else {})


def _gold(text: str, solved: Mapping[str, bytes], masked: list[str]) -> list[str]:
    """Return the solution's files in which a requirement is fulfilled.

    A file that the agent was given does not prove any work. If no masked file is among them, the script that
    runs them counts instead; without a script, only a judge can decide.
    """
    named = [path for path in references(text) if path in solved]
    if any(path in masked for path in named):
        return named
    return [*named, *(path for path in masked if not named), SCRIPT] if SCRIPT in solved else []
