"""The experiment folder and the suite of task folders that making leaves behind."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import tomlkit

from assay.benchmarks.suite import MANIFEST
from assay.masking.dial import Manifest
from assay.masking.experiment import Broken, Experiment, masked_task
from assay.masking.pipeline.judge import Proof
from assay.tasks import Certificate, Mask, Metric, Task, load_task, save_task
from assay.tasks.files import write_tree

LONG_ROW = 24
"""More numbers than this under one name are not listed one by one."""


def with_proofs(
    experiment: Experiment, files: Mapping[str, bytes], proofs: Sequence[Proof], chosen: list[list[int]]
) -> tuple[Experiment, dict[str, bytes]]:
    """The experiment with the proved functions alone, and what grading rejected as broken variants."""
    broken: list[Broken] = []
    added: dict[str, bytes] = {}
    for number, proof in enumerate(proofs):
        place = proof.candidate.defined.place
        source = files[f"code/{place.file}"]
        for name, data in _rejected(proof, source):
            full = f"f{number}-{name}"
            broken.append(Broken(name=full, function=number))
            added[f"broken/{full}/{place.file}"] = data
    masks = [
        Mask(file=each.candidate.defined.place.file, function=each.candidate.defined.place.function)
        for each in proofs
    ]
    whole = experiment.model_copy(update={"functions": masks, "broken": broken, "tasks": chosen})
    return whole, {**files, **added}


def _rejected(proof: Proof, source: bytes) -> list[tuple[str, bytes]]:
    from assay.masking.pipeline.fillings import fillings

    filled = list(fillings(source, proof.candidate).items())
    rejected = [each.mutant for each in proof.tried if each.status == "rejected"]
    return filled + [(f"m{number:02d}-{each.kind}", each.source) for number, each in enumerate(rejected)]


def write_experiment(
    folder: Path, experiment: Experiment, files: Mapping[str, bytes], making: object
) -> None:
    """The folder from which the tasks can be made again, with the record of how they were made."""
    folder.mkdir(parents=True, exist_ok=True)
    table = experiment.model_dump(exclude_defaults=True, exclude_none=True)
    write_tree(files, folder)
    (folder / "experiment.toml").write_text(tomlkit.dumps(table))
    (folder / "making.json").write_text(json.dumps(making, indent=2, ensure_ascii=False) + "\n")


def write_tasks(
    folder: Path, experiment: Experiment, files: Mapping[str, bytes], drawn: Manifest
) -> dict[Path, Task]:
    """A folder for each choice of functions, read back as anyone will read it, and how they were chosen."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MANIFEST).write_text(drawn.model_dump_json(indent=2) + "\n")
    written = {}
    for ids in experiment.tasks:
        task = masked_task(experiment, dict(files), ids)
        place = folder / task.config.task.name.partition("/")[2]
        save_task(task, place)
        written[place] = load_task(place)
    return written


def write_certificate(folder: Path, certificate: Certificate) -> None:
    """Beside the task, where every verb looks for it."""
    (folder / "certificate.json").write_text(certificate.model_dump_json(indent=2) + "\n")


def instruction_of(name: str, command: str, metrics: Sequence[Metric]) -> str:
    """What a task asks for, before its masked functions are named."""
    numbers = "\n".join(_listed([each.name for each in metrics]))
    return f"""# {name}

The workspace holds the code of a project. Run in its top folder, `{command}` gives these
numbers:

{numbers}
"""


def _listed(names: Sequence[str]) -> Iterator[str]:
    """A line for each number; of a long row of them, one for all."""
    for _, group in itertools.groupby(names, lambda name: name.partition(".")[0]):
        row = list(group)
        if len(row) > LONG_ROW:
            yield f"- {row[0]}, {row[1]} … {row[-1]} ({len(row)} numbers)"
        else:
            yield from (f"- {name}" for name in row)
