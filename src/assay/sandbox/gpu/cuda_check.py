"""A real call of CUDA's driver in a sandbox: whether programs inside can use the GPUs, and if not, why."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.errors import SandboxError
from assay.own_loop import run_in_own_loop
from assay.sandbox.confinement import Confinement, Limits, Outcome
from assay.sandbox.fresh import run_confined
from assay.sandbox.host.system import interpreter_of

_PROGRAM = Path(__file__).with_name("cuda_probe.py")
_SECONDS = 60.0
_HINTS = {
    "library": "install NVIDIA's driver, or name its folder in LD_LIBRARY_PATH",
    "cuInit 100": "no GPU was found: does `nvidia-smi` list it outside a sandbox?",
    "cuInit 304": "a part of the system is closed to CUDA: please report this",
    "cuInit 803": "the driver's kernel module and its libraries differ in version: install both alike",
    "cuInit 999": "the device files cannot be opened: may this user read /dev/nvidiactl?",
}


@dataclass(frozen=True, slots=True)
class Cuda:
    """What CUDA's driver answered in a sandbox."""

    version: str = "unknown"
    names: tuple[str, ...] = ()
    error: str | None = None
    hint: str | None = None


def try_cuda(gpus: Sequence[int]) -> Cuda:
    """Begin CUDA in a fresh sandbox that has these GPUs, make a context on each, and list them."""
    confinement = Confinement(
        gpu=True, gpus=tuple(gpus), limits=Limits(memory_mb=8192, wall_seconds=_SECONDS)
    )
    command = [str(interpreter_of(None).program), "-I", "-S", "-"]
    try:
        return _read(run_in_own_loop(run_confined(confinement, command, input=_PROGRAM.read_bytes())))
    except SandboxError as error:
        return Cuda(error=error.message, hint=error.hint)


def _read(outcome: Outcome) -> Cuda:
    try:
        answer = json.loads(outcome.stdout)
    except ValueError:
        how = f"stopped at its {outcome.exceeded} limit" if outcome.exceeded else f"exit {outcome.returncode}"
        said = outcome.stderr.decode(errors="replace").strip()[-300:] or "no message"
        return Cuda(error=f"the CUDA program broke ({how}): {said}")
    if (failed := answer.get("failed")) is not None:
        hint = next((hint for start, hint in _HINTS.items() if str(failed).startswith(start)), None)
        return Cuda(error=f"CUDA fails in a sandbox: {failed}", hint=hint)
    return Cuda(version=answer["version"], names=tuple(answer["names"]))
