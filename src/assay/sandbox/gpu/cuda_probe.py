"""Runs inside a sandbox with the standard library alone: begins CUDA and prints what it finds as JSON."""

from __future__ import annotations

import ctypes
import json
from typing import Any

NAME_LENGTH = 256


class Failed(Exception):
    """A call of the driver that did not return 0."""


def call(library: Any, name: str, *arguments: Any) -> None:
    """Call one function of the driver."""
    code = getattr(library, name)(*arguments)
    if code != 0:
        words = ctypes.c_char_p()
        library.cuGetErrorName(code, ctypes.byref(words))
        said = words.value.decode() if words.value else "unknown error"
        raise Failed(f"{name} {code} ({said})")


def main() -> dict[str, Any]:
    """The driver's version and the names of its GPUs, after a context was made on each."""
    try:
        library = ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        raise Failed(f"library: {error}") from None
    call(library, "cuInit", 0)
    version, count = ctypes.c_int(), ctypes.c_int()
    call(library, "cuDriverGetVersion", ctypes.byref(version))
    call(library, "cuDeviceGetCount", ctypes.byref(count))
    names = []
    for number in range(count.value):
        device, context = ctypes.c_int(), ctypes.c_void_p()
        name = ctypes.create_string_buffer(NAME_LENGTH)
        call(library, "cuDeviceGet", ctypes.byref(device), number)
        call(library, "cuDeviceGetName", name, NAME_LENGTH, device)
        call(library, "cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        call(library, "cuDevicePrimaryCtxRelease_v2", device)
        names.append(name.value.decode())
    if not names:
        raise Failed("cuDeviceGetCount: 0 devices")
    return {"version": f"{version.value // 1000}.{version.value % 1000 // 10}", "names": names}


if __name__ == "__main__":
    try:
        print(json.dumps(main()))
    except Failed as failed:
        print(json.dumps({"failed": str(failed)}))
