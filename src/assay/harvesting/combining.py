"""Adds tasks that mask several functions of a package together, from functions that are proved already.

A mutant of one function is the same code whichever other functions a task masks, so the proofs of the single
functions hold. What is new, and is graded here, is that the true code passes and the masked code fails.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path

from assay.benchmarks.suite import MANIFEST
from assay.certification.proof import ORACLE_RUNS, noise
from assay.grading import Grade, grade
from assay.harvesting.records import HarvestedTask, PackageRecord
from assay.masking.dial import DrawnTask, SampleManifest, Selection
from assay.masking.experiment import Experiment, masked_task, read_experiment
from assay.masking.pipeline.choice import choose_tasks, function_ids
from assay.masking.pipeline.folders import CERTIFICATE, write_certificate
from assay.tasks import Certificate, CheckResult, Task, load_task, save_task
from assay.version import __version__
from assay.workspace import Submission

_OF_FUNCTIONS = ("stub ", "fillings ", "mutants ", "floor ")


def add_combinations(masked: Path, selection: Selection) -> SampleManifest:
    """Write and certify the tasks of this selection that are not there yet; return the new manifest."""
    folder = masked / "experiment"
    experiment, files = read_experiment(folder)
    making = json.loads((folder / "making.json").read_text())
    names = [f"{mask.file}::{mask.function}" for mask in experiment.functions]
    groups = [frozenset(group) for group in making.get("groups", [])]
    flows = [(first, second, count) for first, second, count in making["trace"]["flows"]]
    manifest = choose_tasks(experiment.paper_id, names, flows, selection, groups)
    for ids in function_ids(manifest):
        target = masked / "tasks" / f"{experiment.paper_id}_{'-'.join(map(str, ids))}"
        if not (target / CERTIFICATE).is_file():
            save_task(masked_task(experiment, files, ids), target)
            task = load_task(target)
            parts = _certificates(masked / "tasks", experiment, task)
            write_certificate(target, asyncio.run(_certificate(task, parts)))
    (masked / "tasks" / MANIFEST).write_text(manifest.model_dump_json(indent=2) + "\n")
    return manifest


def _certificates(tasks: Path, experiment: Experiment, task: Task) -> list[Certificate]:
    """Return the certificates of smaller tasks that together mask the same functions."""
    masked_functions = {(mask.file, mask.function) for mask in task.assay.masks}
    parts = []
    for path in sorted(tasks.glob(f"{experiment.paper_id}_*/{CERTIFICATE}")):
        masks = {(mask.file, mask.function) for mask in load_task(path.parent).assay.masks}
        if masks < masked_functions:
            parts.append(Certificate.model_validate_json(path.read_bytes()))
    return parts


async def _certificate(task: Task, parts: list[Certificate]) -> Certificate:
    """Grade the true code and the masked code; take the other checks from the smaller tasks."""
    oracle = [await grade(task, Submission(task.gold_files)) for _ in range(ORACLE_RUNS)]
    idle = await grade(task, Submission())
    passed = sum(result.passed is True for result in oracle)
    checks = {
        "oracle": CheckResult(
            holds=passed == ORACLE_RUNS, evidence=f"passed {passed} of {ORACLE_RUNS}: {_evidence(oracle[0])}"
        ),
        "idle": CheckResult(holds=idle.passed is False, evidence=_evidence(idle)),
    }
    for part in parts:
        checks |= {name: check for name, check in part.checks.items() if name.startswith(_OF_FUNCTIONS)}
    for name in [
        f"{kind}{mask.file}::{mask.function}" for mask in task.assay.masks for kind in _OF_FUNCTIONS
    ]:
        if name not in checks:
            checks[name] = CheckResult(holds=False, evidence="no task of this function alone is certified")
    checks |= noise(task)
    for name in ("variations", "copies"):
        evidence = "; ".join(
            dict.fromkeys(part.checks[name].evidence for part in parts if name in part.checks)
        )
        holds = all(part.checks[name].holds for part in parts if name in part.checks)
        checks[name] = CheckResult(holds=holds, evidence=evidence[:400])
    return Certificate(task=task.id, digest=task.digest, assay=__version__, checks=checks)


def _evidence(result: Grade) -> str:
    caught = result.caught_by
    return f"{caught.item}: {caught.evidence}"[:400] if caught else "all met"


def extended_record(record: PackageRecord, masked: Path, selection: Selection) -> PackageRecord:
    """Return the record with the tasks of another selection; those of single functions are there already."""
    manifest = add_combinations(masked, selection)
    singles = {name: task for task in record.tasks if task.n == 1 for name in task.functions}
    known_ids = {task.id: task for task in record.tasks}
    tasks = []
    for drawn_task in manifest.tasks:
        folder = masked / "tasks" / drawn_task.id.replace(",", "-")
        certificate = Certificate.model_validate_json((folder / CERTIFICATE).read_bytes())
        if drawn_task.id in known_ids:
            tasks.append(known_ids[drawn_task.id])
        elif certificate.sound:
            masks = load_task(folder).assay.masks
            tasks.append(
                _combined(
                    drawn_task, record.name, [f"{mask.file}::{mask.function}" for mask in masks], singles
                )
            )
    update = {"tasks": tasks, "selection": selection.query()}
    return record.model_copy(update=update)


def _combined(
    drawn_task: DrawnTask, package: str, functions: list[str], singles: Mapping[str, HarvestedTask]
) -> HarvestedTask:
    parts = [singles[name] for name in functions if name in singles]
    mutants = sum(part.mutants for part in parts)
    rejected = sum(part.mutants * part.mutation_score for part in parts)
    return HarvestedTask(
        id=drawn_task.id,
        package=package,
        functions=functions,
        n=len(functions),
        lines=sum(part.lines for part in parts),
        flow=drawn_task.flow,
        mutants=mutants,
        mutation_score=round(rejected / mutants, 4) if mutants else 0.0,
        tests=max((part.tests for part in parts), default=0),
        guessed=any(part.guessed for part in parts),
    )
