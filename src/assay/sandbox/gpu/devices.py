"""The GPUs of this machine: their numbers, their device files, and the folder of the driver's library.

The number in /dev/nvidiaN identifies an NVIDIA GPU. A sandbox gets the files of its own GPUs and those that
all GPUs share. CUDA counts the GPUs whose files it can open, from 0, so inside a sandbox
CUDA_VISIBLE_DEVICES always begins at 0.

What it does not cover: parts of a GPU (MIG), and single GPUs of other vendors: a sandbox gets all of these.
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
"""Environment variable that lists the GPUs that Assay may use: `0,2`; empty for none."""
LIBRARY = "libcuda.so.1"
_SHARED_DEVICES = ("nvidiactl", "nvidia-uvm", "nvidia-uvm-tools")
_OTHER_VENDORS = ("kfd", "dri")
_DRIVER_FOLDERS = ("/usr/local/nvidia/lib64", "/usr/local/nvidia/lib", "/usr/lib/wsl/lib")


def gpu_numbers() -> tuple[int, ...]:
    """Return the GPUs that Assay may use: those of the setting, else all GPUs of this machine."""
    for name in (SETTING, "CUDA_VISIBLE_DEVICES"):
        setting = os.environ.get(name)
        if setting is not None and (name == SETTING or re.fullmatch(r"[\d, ]*", setting)):
            return _parse_numbers(name, setting)
    matches = (re.fullmatch(r"nvidia(\d+)", path.name) for path in Path("/dev").glob("nvidia*"))
    return tuple(sorted(int(match.group(1)) for match in matches if match))


def _parse_numbers(name: str, text: str) -> tuple[int, ...]:
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not all(part.isdigit() for part in parts):
        raise UsageError(f"{name} is {text!r}, expected the numbers of GPUs: 0,2", hint="`nvidia-smi -L`")
    return tuple(sorted({int(part) for part in parts}))


def device_files(gpus: Sequence[int] | None = None) -> list[str]:
    """Return the device files of some GPUs, or of all; only `None` includes GPUs of other vendors."""
    numbers = gpu_numbers() if gpus is None else gpus
    nvidia = [*(f"nvidia{number}" for number in numbers), *_SHARED_DEVICES] if numbers else []
    other_vendors = _OTHER_VENDORS if gpus is None and not numbers else ()
    return [
        f"/dev/{name}"
        for name in (*nvidia, *other_vendors)
        if gpus is not None or Path("/dev", name).exists()
    ]


def gpu_variables(gpus: Sequence[int] | None = None) -> dict[str, str]:
    """Return the environment variables with which a program finds its GPUs and the driver."""
    variables = {}
    if gpus is not None:
        variables["CUDA_VISIBLE_DEVICES"] = ",".join(map(str, range(len(gpus))))
    if (folder := driver_folder()) is not None:
        variables["LD_LIBRARY_PATH"] = str(folder)
    return variables


@cache
def driver_folder() -> Path | None:
    """Return the folder of the driver's library, if the system's loader does not find it."""
    library_path = os.environ.get("LD_LIBRARY_PATH", "").split(":")
    folders = [Path(folder) for folder in (*library_path, *_DRIVER_FOLDERS) if folder]
    driver = next((folder for folder in folders if (folder / LIBRARY).exists()), None)
    if driver is None or _is_in_loader_cache():
        return None
    return driver


def _is_in_loader_cache() -> bool:
    """True if the loader finds the library without variables, as in a sandbox."""
    program = shutil.which("ldconfig", path="/sbin:/usr/sbin:/bin:/usr/bin")
    if program is None:
        return False
    listing = subprocess.run([program, "-p"], capture_output=True, text=True, env={}, check=False)
    return LIBRARY in listing.stdout
