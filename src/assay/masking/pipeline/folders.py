"""Writes the experiment folder and the suite of task folders."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import tomlkit

from assay.benchmarks.suite import MANIFEST
from assay.masking.dial import SampleManifest
from assay.masking.experiment import Broken, Experiment, masked_task
from assay.masking.pipeline.judge import FunctionProof
from assay.tasks import Certificate, Mask, Task, load_task, save_task
from assay.tasks.files import write_tree

CERTIFICATE = "certificate.json"


def with_proofs(
    experiment: Experiment,
    files: Mapping[str, bytes],
    proofs: Sequence[FunctionProof],
    chosen_ids: list[list[int]],
) -> tuple[Experiment, dict[str, bytes]]:
    """Return the experiment with only the proved functions, and the rejected versions as broken variants."""
    broken: list[Broken] = []
    broken_files: dict[str, bytes] = {}
    for number, proof in enumerate(proofs):
        place = proof.candidate.defined.place
        source = files[f"code/{place.file}"]
        for name, data in _rejected(proof, source):
            variant_name = f"f{number}-{name}"
            broken.append(Broken(name=variant_name, function=number))
            broken_files[f"broken/{variant_name}/{place.file}"] = data
    masks = [
        Mask(file=proof.candidate.defined.place.file, function=proof.candidate.defined.place.function)
        for proof in proofs
    ]
    proved = experiment.model_copy(update={"functions": masks, "broken": broken, "tasks": chosen_ids})
    return proved, {**files, **broken_files}


def _rejected(proof: FunctionProof, source: bytes) -> list[tuple[str, bytes]]:
    from assay.masking.pipeline.fillings import fillings

    filling_files = list(fillings(source, proof.candidate).items())
    rejected = [attempt.mutant for attempt in proof.tried_mutants if attempt.status == "rejected"]
    return filling_files + [
        (f"m{number:02d}-{mutant.kind}", mutant.source) for number, mutant in enumerate(rejected)
    ]


def write_experiment(
    folder: Path, experiment: Experiment, files: Mapping[str, bytes], making: object
) -> None:
    """Write the folder from which the tasks can be made again, with the record of the process."""
    folder.mkdir(parents=True, exist_ok=True)
    table = experiment.model_dump(exclude_defaults=True, exclude_none=True)
    write_tree(files, folder)
    (folder / "experiment.toml").write_text(tomlkit.dumps(table))
    (folder / "making.json").write_text(json.dumps(making, indent=2, ensure_ascii=False) + "\n")


def write_tasks(
    folder: Path, experiment: Experiment, files: Mapping[str, bytes], manifest: SampleManifest
) -> dict[Path, Task]:
    """Write a folder for each choice of functions, and the manifest; return the tasks as read back."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MANIFEST).write_text(manifest.model_dump_json(indent=2) + "\n")
    tasks = {}
    for ids in experiment.tasks:
        task = masked_task(experiment, dict(files), ids)
        task_folder = folder / task.config.task.name.partition("/")[2]
        save_task(task, task_folder)
        tasks[task_folder] = load_task(task_folder)
    return tasks


def write_certificate(folder: Path, certificate: Certificate) -> None:
    """Write the certificate beside the task."""
    (folder / CERTIFICATE).write_text(certificate.model_dump_json(indent=2) + "\n")
