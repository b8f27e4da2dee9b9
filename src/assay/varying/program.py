"""Runs `vary.py` over a copy of its folder, confined: no network, no host files, the packages of the task."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from assay.errors import TaskError
from assay.grading.run_outputs import tail
from assay.sandbox import Confinement, Mount, SandboxLimits, run_confined
from assay.sandbox.host.scratch import temporary_folder
from assay.tasks.expansion import SHARED
from assay.varying.sources import PROGRAM
from assay.workspace import VARIABLES, write_folder

SECONDS = 600.0
"""On the clock: a program may run a task's generator and solution several times."""
SHARED_PLACE = f"/{SHARED}"
"""Beside the copy, as on disk: `../_shared` from the folder of the task."""
_NOT_VARIED = ("certificate.json", "certificates/", PROGRAM)
"""What belongs to the old task: proofs, and the program itself."""


async def varied_files(
    folder: Path, files: Mapping[str, bytes], seed: int, environment: Path
) -> dict[str, bytes]:
    """Return the files of a folder after `python vary.py SEED`; two runs must give the same bytes."""
    place = f"{folder.name}/{PROGRAM}"
    shared = folder.resolve().parent / SHARED
    mounts = (Mount(shared, SHARED_PLACE),) if shared.is_dir() and not shared.is_symlink() else ()
    copied = {path: data for path, data in files.items() if not path.startswith(_NOT_VARIED[:2])}
    first, second = [await _run(copied, seed, place, mounts, environment) for _ in range(2)]
    different = sorted(path for path in {*first, *second} if first.get(path) != second.get(path))
    if different:
        raise TaskError(
            place,
            f"two runs with seed {seed} wrote different bytes into {', '.join(different[:3])}",
            hint="use random.Random(SEED) alone, and no clock, no process ids, no system entropy",
        )
    if first == {path: data for path, data in copied.items() if path != PROGRAM}:
        raise TaskError(place, f"changed no file for seed {seed}", hint="it must edit the folder in place")
    return first


async def _run(
    files: Mapping[str, bytes], seed: int, place: str, mounts: tuple[Mount, ...], environment: Path
) -> dict[str, bytes]:
    with temporary_folder("varying") as scratch:
        outcome = await run_confined(
            Confinement(
                workspace=write_folder(files, scratch / "folder"),
                environment=environment,
                mounts=mounts,
                variables=VARIABLES,
                limits=SandboxLimits(wall_seconds=SECONDS),
            ),
            ["python", PROGRAM, str(seed)],
            collect=["**"],
        )
    if outcome.timed_out or outcome.returncode != 0 or outcome.refused:
        reason = tail(outcome.stderr or outcome.stdout)
        reason = reason or ", ".join(f"{path} {why}" for path, why in outcome.refused.items())
        raise TaskError(place, f"exited with {outcome.returncode} for seed {seed}: {reason}")
    return {path: data for path, data in outcome.files.items() if not path.startswith(_NOT_VARIED)}
