"""What belongs to one run: its money, its listeners, the seeds that it draws.

A part is found by its class. What a run does not bring itself belongs to the process: a second run in the
same process draws no second seed for the same task. Code in plain threads sees the process's parts only.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

Part = TypeVar("Part")


class RunContext:
    """The parts of one run, over those of the process."""

    def __init__(self, *parts: object, process: RunContext | None = None) -> None:
        self._parts: dict[type, Any] = {type(part): part for part in parts}
        self._process = process
        self._lock = threading.Lock()

    def part(self, kind: type[Part]) -> Part:
        """The run's part of this class, else the process's, made when it is first asked for."""
        if kind not in self._parts and self._process is not None:
            return self._process.part(kind)
        with self._lock:
            if kind not in self._parts:
                self._parts[kind] = kind()
            part: Part = self._parts[kind]
            return part

    def put(self, part: object) -> None:
        """Take a part in place of the one of its class."""
        self._parts[type(part)] = part


_PROCESS = RunContext()
_current: ContextVar[RunContext] = ContextVar("assay_run", default=_PROCESS)


def run_context() -> RunContext:
    """The context of the run that is going on, or the process's own."""
    return _current.get()


@contextmanager
def new_run(*parts: object) -> Iterator[RunContext]:
    """Begin a run with parts of its own; it ends with the block."""
    context = RunContext(*parts, process=_PROCESS)
    token = _current.set(context)
    try:
        yield context
    finally:
        _current.reset(token)
