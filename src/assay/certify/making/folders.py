"""The experiment folder and the suite of task folders that making leaves behind."""

from __future__ import annotations

import itertools
import json
import math
import random
from collections.abc import Mapping, Sequence
from pathlib import Path

import tomlkit

from assay.certify.making.judge import Proof
from assay.tasks import Certificate, Mask, Task, load_task, save_task
from assay.tasks.files import write_tree
from assay.tasks.masked import Broken, Experiment, masked_task


def choose(count: int, sizes: Sequence[int], sample: int | None, seed: int) -> list[list[int]]:
    """Which functions to mask together: all choices of these sizes, or a seeded sample, sizes in turn."""
    chance = random.Random(seed)
    rows = []
    for size in sizes:
        if size > count:
            continue
        total = math.comb(count, size)
        if sample is None or total <= 20_000:
            row = [list(each) for each in itertools.combinations(range(count), size)]
            if sample is not None:
                chance.shuffle(row)
        else:
            drawn = {tuple(sorted(chance.sample(range(count), size))) for _ in range(2 * sample)}
            row = [list(each) for each in sorted(drawn)]
        rows.append(row)
    in_turn = [each for group in itertools.zip_longest(*rows) for each in group if each is not None]
    return sorted(in_turn[:sample], key=lambda each: (len(each), each))


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
    from assay.certify.making.fillings import fillings

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


def write_tasks(folder: Path, experiment: Experiment, files: Mapping[str, bytes]) -> dict[Path, Task]:
    """A folder for each choice of functions, read back as anyone will read it."""
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
