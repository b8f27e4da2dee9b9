"""What a hidden run gets beside the submission: a seed, a file of the truth, or newly drawn data.

Drawn data is made in a sandbox of its own. The run gets the data alone: a run that had the seed and the
program too could compute what the data was made from.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from assay.errors import DrawingError
from assay.rules.challenge import WALL_FACTOR
from assay.sandbox import Confinement, Mount, run_confined
from assay.tasks import Variation

DRAWN = "drawn"


@dataclass(frozen=True)
class HiddenRunInputs:
    """Mounts and variables of one hidden run."""

    mounts: tuple[Mount, ...] = ()
    variables: dict[str, str] = field(default_factory=dict)


def stored_inputs(variation: Variation | None, truth: Path) -> HiddenRunInputs:
    """Return the inputs that need no program: a seed, and a file or folder of the truth."""
    variables: dict[str, str] = {}
    if variation is None:
        return HiddenRunInputs()
    if variation.seed is not None and variation.draw is None:
        variables["ASSAY_SEED"] = str(variation.seed)
    if variation.data is None:
        return HiddenRunInputs((), variables)
    return _with_data(truth / variation.data, Path(variation.data).name, variables)


class HiddenDraws:
    """Draws the data of one submission's hidden runs; what could not be drawn once is not tried again."""

    def __init__(self) -> None:
        self._failures: dict[str, DrawingError] = {}

    async def draw(
        self,
        variation: Variation,
        confine: Callable[..., Confinement],
        program: str,
        room: Path,
        seconds: float,
    ) -> HiddenRunInputs:
        """Let the task's program make the data, with more time if it fails: the machine may be busy.

        `confine` returns the sandbox of a trusted command that starts in a folder and has some `seconds`.
        """
        folder = room / "draws" / variation.name
        if variation.name in self._failures:
            raise self._failures[variation.name]
        try:
            return await _draw(variation, partial(confine, seconds=seconds), program, folder / "1")
        except DrawingError:
            patient = partial(confine, seconds=WALL_FACTOR * seconds)
        try:
            return await _draw(variation, patient, program, folder / "2")
        except DrawingError as error:
            self._failures[variation.name] = error
            raise


async def _draw(
    variation: Variation, confine: Callable[[Path], Confinement], program: str, folder: Path
) -> HiddenRunInputs:
    workspace, collected, data = folder / "workspace", folder / "collected", folder / "data"
    workspace.mkdir(parents=True)
    outcome = await run_confined(
        confine(workspace),
        ["python", program, str(variation.seed), DRAWN],
        collect=[f"{DRAWN}/*"],
        target_folder=collected,
    )
    if outcome.timed_out or outcome.returncode != 0 or outcome.refused or not outcome.saved:
        reason = outcome.stderr.decode(errors="replace").strip()[-300:] or ", ".join(outcome.refused)
        raise DrawingError(
            f"{variation.draw} exited with {outcome.returncode} for seed {variation.seed}: "
            f"{reason or 'it wrote no file'}"
        )
    for path, collected_file in outcome.saved.items():
        (data / path).parent.mkdir(parents=True, exist_ok=True)
        collected_file.rename(data / path)
    return _with_data(data / DRAWN, DRAWN, {})


def _with_data(source: Path, name: str, variables: dict[str, str]) -> HiddenRunInputs:
    # The name of the file says nothing of the variation, and nothing else of the truth is beside it.
    place = f"/data/{name}"
    return HiddenRunInputs((Mount(source, place),), {**variables, "ASSAY_DATA": place})
