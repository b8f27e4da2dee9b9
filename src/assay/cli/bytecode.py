"""Keeps compiled modules in the cache where no files may be written beside the sources.

Many container images set PYTHONDONTWRITEBYTECODE, and uv installs no bytecode. Then each process
compiles Inspect and its packages again, which takes seconds.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

LARGEST = "inspect_ai"
"""The package that takes longest; where it is compiled, the others are too."""


def keep_bytecode(package: str = LARGEST) -> None:
    """Let this process and those that it starts keep bytecode, unless the package has it already."""
    if not sys.dont_write_bytecode or sys.pycache_prefix is not None or _is_compiled(package):
        return
    from assay.cache import cache_folder

    try:
        folder = str(cache_folder("bytecode"))
    except OSError:
        return
    sys.dont_write_bytecode, sys.pycache_prefix = False, folder
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = folder


def _is_compiled(package: str) -> bool:
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        return True
    return Path(importlib.util.cache_from_source(spec.origin)).is_file()
