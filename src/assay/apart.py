"""Work on what an agent wrote, in a process of its own: with a limit on processor time and on memory.

A thread does not do: a search that runs away holds Python's lock, and with it the clocks of all other
attempts, and no thread can be stopped. The process runs only Assay's own functions, reads them with their
arguments from its input and answers on its output; it is used again until it fails.

What this does not cover: code of the agent, which runs in sandboxes only.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, BinaryIO, ParamSpec, TypeVar, cast

from pydantic import BaseModel

from assay.errors import GradingError
from assay.rules.process_limits import CPU_SECONDS

Parameters = ParamSpec("Parameters")
Answer = TypeVar("Answer")

_SERVE = "from assay.limited_calls import serve; serve()"


async def apart(
    function: Callable[Parameters, Answer], *arguments: Parameters.args, **named: Parameters.kwargs
) -> Answer:
    """The function's answer, computed in another process.

    GradingError where it used more than it may. The function must be one that can be imported.
    """
    return await asyncio.to_thread(_POOL.call, function, arguments, named)


class _Worker:
    """One process that answers one call after another."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _SERVE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            process_group=0,  # Ctrl-C in a terminal is for the harness alone
        )

    def call(self, request: bytes) -> tuple[bool, Any]:
        """Whether the call returned, and what it returned or raised; EOFError where the process died."""
        stdin, stdout = cast(BinaryIO, self._process.stdin), cast(BinaryIO, self._process.stdout)
        stdin.write(request)
        stdin.flush()
        return cast(tuple[bool, Any], pickle.load(stdout))

    def end(self) -> None:
        """Kill the process and close its pipes."""
        self._process.kill()
        with self._process:
            pass


class CallPool:
    """Processes that wait for a call; there are never more than calls at the same time."""

    def __init__(self, cpu_seconds: int = CPU_SECONDS) -> None:
        self._cpu_seconds = cpu_seconds
        self._idle: list[_Worker] = []
        self._lock = threading.Lock()
        os.register_at_fork(after_in_child=self._forget)

    def _forget(self) -> None:
        """A copy of this process must not talk to the same workers."""
        self._idle = []
        self._lock = threading.Lock()

    def call(self, function: Callable[..., Any], arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        plain = tuple(_as_plain_data(value) for value in arguments)
        plain_named = {name: _as_plain_data(value) for name, value in named.items()}
        request = pickle.dumps((self._cpu_seconds, function, plain, plain_named))
        with self._lock:
            worker = self._idle.pop() if self._idle else None
        worker = worker or _Worker()
        try:
            returned, answer = worker.call(request)
        except (EOFError, OSError, pickle.UnpicklingError):
            worker.end()
            name = function.__name__.strip("_").replace("_", " ")
            raise GradingError(
                f"{name} took more than {self._cpu_seconds} s of processor time, or more memory than it may"
            ) from None
        except BaseException:
            worker.end()
            raise
        with self._lock:
            self._idle.append(worker)
        if not returned:
            raise answer
        return answer


_POOL = CallPool()


def _as_plain_data(value: Any) -> Any:
    """A model as a plain object, since the import of models takes a second; anything else as it is."""
    if isinstance(value, BaseModel):
        names = type(value).model_fields
        return SimpleNamespace(**{name: _field_as_plain_data(getattr(value, name)) for name in names})
    return value


def _field_as_plain_data(value: Any) -> Any:
    if isinstance(value, list):
        return [_field_as_plain_data(item) for item in value]
    if isinstance(value, dict):
        return {key: _field_as_plain_data(item) for key, item in value.items()}
    return _as_plain_data(value)
