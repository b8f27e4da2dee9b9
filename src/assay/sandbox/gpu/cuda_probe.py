"""Runs inside a sandbox with only the standard library: starts CUDA and prints version and GPUs as JSON."""

from __future__ import annotations

import ctypes
import json
from typing import Any

NAME_LENGTH = 256


class CudaError(Exception):
    """A driver call did not return 0."""


def call(library: Any, name: str, *arguments: Any) -> None:
    """Call one function of the driver."""
    code = getattr(library, name)(*arguments)
    if code != 0:
        name_pointer = ctypes.c_char_p()
        library.cuGetErrorName(code, ctypes.byref(name_pointer))
        error_name = name_pointer.value.decode() if name_pointer.value else "unknown error"
        raise CudaError(f"{name} {code} ({error_name})")


def main() -> dict[str, Any]:
    """Create a context on each GPU; return the driver's version and the names of the GPUs."""
    try:
        library = ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        raise CudaError(f"library: {error}") from None
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
        raise CudaError("cuDeviceGetCount: 0 devices")
    return {"version": f"{version.value // 1000}.{version.value % 1000 // 10}", "names": names}


if __name__ == "__main__":
    try:
        print(json.dumps(main()))
    except CudaError as failed:
        print(json.dumps({"failed": str(failed)}))
