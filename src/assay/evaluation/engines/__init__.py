"""Where attempts run: this machine, a Ray cluster or a Slurm cluster, behind one interface.

`assay.protocols.RunEngine` says what an engine is. A cluster's library is imported only when it is chosen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.errors import UsageError
from assay.evaluation.engines.local import LocalEngine
from assay.evaluation.engines.work import EngineWork, ignore

if TYPE_CHECKING:
    from assay.nursery_process import NurseryProcess
    from assay.protocols import RunEngine

__all__ = ["EngineWork", "LocalEngine", "choose_engine", "ignore"]


def choose_engine(
    on: str | RunEngine,
    processes: int = 1,
    *,
    batch_size: int | None = None,
    slurm: str | None = None,
    nursery: NurseryProcess | None = None,
) -> RunEngine:
    """Return the engine of this name, or the engine itself; `slurm` has options of sbatch.

    `nursery` was started early, for several processes on this machine.
    """
    if not isinstance(on, str):
        return on
    if slurm is not None and on != "slurm":
        raise UsageError(f"--slurm is for --on slurm, and the run is on {on}", hint="leave --slurm out")
    if on == "local":
        return LocalEngine(processes, nursery)
    if processes > 1:
        raise UsageError(
            f"processes is {processes}, and the run is on {on}",
            hint="leave --processes out: a cluster starts as many workers as it has room for",
        )
    if on == "ray" or on.startswith("ray://"):
        from assay.evaluation.engines.ray_engine import RayEngine

        return RayEngine(None if on == "ray" else on, batch_size)
    if on == "slurm":
        from assay.evaluation.engines.slurm_commands import parse_options
        from assay.evaluation.engines.slurm_engine import SlurmEngine

        return SlurmEngine(parse_options(slurm), batch_size)
    raise UsageError(f"there is no engine {on!r}", hint="expected local, ray, ray://HOST:PORT or slurm")
