"""The GPUs of this machine: their numbers, their device files, and where the driver's library lies.

NVIDIA's GPUs are told apart by the number in /dev/nvidiaN. A sandbox gets the files of the GPUs that it
was given and those that all GPUs have in common. CUDA counts the GPUs whose files it can open, from 0, so
inside a sandbox CUDA_VISIBLE_DEVICES begins at 0 whichever GPUs were given.

What it does not cover: parts of a GPU (MIG), and GPUs of other makers one by one: these are given whole.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from assay.errors import UsageError

SETTING = "ASSAY_GPUS"
"""The variable that names the GPUs that Assay may use: `0,2`; empty for none."""
LIBRARY = "libcuda.so.1"
_COMMON = ("nvidiactl", "nvidia-uvm", "nvidia-uvm-tools")
_OTHERS = ("kfd", "dri")
_DRIVER_FOLDERS = ("/usr/local/nvidia/lib64", "/usr/local/nvidia/lib", "/usr/lib/wsl/lib")


def gpu_numbers() -> tuple[int, ...]:
    """The GPUs that Assay may use: those that are named, else all that are here."""
    for name in (SETTING, "CUDA_VISIBLE_DEVICES"):
        named = os.environ.get(name)
        if named is not None and (name == SETTING or re.fullmatch(r"[\d, ]*", named)):
            return _parsed(name, named)
    found = (re.fullmatch(r"nvidia(\d+)", path.name) for path in Path("/dev").glob("nvidia*"))
    return tuple(sorted(int(match.group(1)) for match in found if match))


def _parsed(name: str, text: str) -> tuple[int, ...]:
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not all(part.isdigit() for part in parts):
        raise UsageError(f"{name} is {text!r}, expected the numbers of GPUs: 0,2", hint="`nvidia-smi -L`")
    return tuple(sorted({int(part) for part in parts}))


def device_files(gpus: Sequence[int] | None = None) -> list[str]:
    """The device files of some GPUs, or of all; GPUs of other makers come with all."""
    numbers = gpu_numbers() if gpus is None else gpus
    nvidia = [*(f"nvidia{number}" for number in numbers), *_COMMON] if numbers else []
    others = _OTHERS if gpus is None and not numbers else ()
    return [f"/dev/{name}" for name in (*nvidia, *others) if gpus is not None or Path("/dev", name).exists()]


def gpu_variables(gpus: Sequence[int] | None = None) -> dict[str, str]:
    """What a program needs in its environment to find its GPUs and the driver."""
    variables = {}
    if gpus is not None:
        variables["CUDA_VISIBLE_DEVICES"] = ",".join(map(str, range(len(gpus))))
    if (folder := driver_folder()) is not None:
        variables["LD_LIBRARY_PATH"] = str(folder)
    return variables


@cache
def driver_folder() -> Path | None:
    """The folder of the driver's library, where the system's own search does not find it."""
    named = os.environ.get("LD_LIBRARY_PATH", "").split(":")
    places = [Path(place) for place in (*named, *_DRIVER_FOLDERS) if place]
    found = next((place for place in places if (place / LIBRARY).exists()), None)
    if found is None or _found_by_system():
        return None
    return found


def _found_by_system() -> bool:
    """Whether the loader finds the library with nothing set, as in a sandbox."""
    program = shutil.which("ldconfig", path="/sbin:/usr/sbin:/bin:/usr/bin")
    if program is None:
        return False
    listed = subprocess.run([program, "-p"], capture_output=True, text=True, env={}, check=False)
    return LIBRARY in listed.stdout
