"""Calls CUDA's driver in a sandbox, to check whether programs inside can use the GPUs, and if not, why."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.errors import SandboxError
from assay.own_loop import run_in_own_loop
from assay.sandbox.confinement import Confinement, Outcome, SandboxLimits
from assay.sandbox.fresh import run_confined
from assay.sandbox.host.system import base_python_of

_PROGRAM = Path(__file__).with_name("cuda_probe.py")
_SECONDS = 60.0
_HINTS = {
    "library": "install NVIDIA's driver, or add its folder to LD_LIBRARY_PATH",
    "cuInit 100": "CUDA found no GPU: does `nvidia-smi` list it outside a sandbox?",
    "cuInit 304": "the sandbox hides a part of the system that CUDA needs: please report this",
    "cuInit 803": "the driver's kernel module and libraries differ in version: install the same version",
    "cuInit 999": "CUDA cannot open the device files: may this user read /dev/nvidiactl?",
}


@dataclass(frozen=True, slots=True)
class CudaAnswer:
    """Answer of CUDA's driver in a sandbox."""

    version: str = "unknown"
    names: tuple[str, ...] = ()
    error: str | None = None
    hint: str | None = None


def try_cuda(gpus: Sequence[int]) -> CudaAnswer:
    """Start CUDA in a fresh sandbox that has these GPUs, create a context on each, and list them."""
    confinement = Confinement(
        gpu=True, gpus=tuple(gpus), limits=SandboxLimits(memory_mb=8192, wall_seconds=_SECONDS)
    )
    command = [str(base_python_of(None).program), "-I", "-S", "-"]
    try:
        return _read(run_in_own_loop(run_confined(confinement, command, input=_PROGRAM.read_bytes())))
    except SandboxError as error:
        return CudaAnswer(error=error.message, hint=error.hint)


def _read(outcome: Outcome) -> CudaAnswer:
    try:
        answer = json.loads(outcome.stdout)
    except ValueError:
        ending = (
            f"stopped at its {outcome.exceeded} limit" if outcome.exceeded else f"exit {outcome.returncode}"
        )
        stderr = outcome.stderr.decode(errors="replace").strip()[-300:] or "no message"
        return CudaAnswer(error=f"the CUDA program failed ({ending}): {stderr}")
    if (failure := answer.get("failed")) is not None:
        hint = next((hint for start, hint in _HINTS.items() if str(failure).startswith(start)), None)
        return CudaAnswer(error=f"CUDA fails in a sandbox: {failure}", hint=hint)
    return CudaAnswer(version=answer["version"], names=tuple(answer["names"]))
