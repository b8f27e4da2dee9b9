"""Python's search for garbage, paused while thousands of modules are imported.

Importing makes hundreds of thousands of objects that stay, and Python looks through them again and again: 0.3
of 2.8 seconds of the imports of a run. In a process of Assay's own, later searches leave these objects out.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_process: list[int] = []
"""Not empty if this process runs a command of Assay and nothing else."""


def claim_process() -> None:
    """Note that no one but Assay has objects in this process."""
    _process.append(1)


@contextmanager
def collection_paused() -> Iterator[None]:
    """Pause the search for garbage."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if _process:
            gc.freeze()
        if was_enabled:
            gc.enable()
