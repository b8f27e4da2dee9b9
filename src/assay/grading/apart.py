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
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, ParamSpec, TypeVar, cast

from assay.errors import GradingError

Parameters = ParamSpec("Parameters")
Answer = TypeVar("Answer")

CPU_SECONDS = 10
MEMORY_BYTES = 1 << 30
"""What one call may use, beyond what the process has when it begins."""
_SERVE = "from assay.grading.apart import serve; serve()"


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


class _Pool:
    """Processes that wait for a call; there are never more than calls at the same time."""

    def __init__(self) -> None:
        self._idle: list[_Worker] = []
        self._lock = threading.Lock()
        os.register_at_fork(after_in_child=self._forget)

    def _forget(self) -> None:
        """A copy of this process must not talk to the same workers."""
        self._idle = []
        self._lock = threading.Lock()

    def call(self, function: Callable[..., Any], arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        request = pickle.dumps((function, arguments, named))
        with self._lock:
            worker = self._idle.pop() if self._idle else None
        worker = worker or _Worker()
        try:
            returned, answer = worker.call(request)
        except (EOFError, OSError, pickle.UnpicklingError):
            worker.end()
            name = function.__name__.strip("_").replace("_", " ")
            raise GradingError(
                f"{name} took more than {CPU_SECONDS} s of processor time, or more memory than it may"
            ) from None
        except BaseException:
            worker.end()
            raise
        with self._lock:
            self._idle.append(worker)
        if not returned:
            raise answer
        return answer


_POOL = _Pool()


def serve() -> None:
    """Answer calls from standard input until it ends; the kernel kills this process at its limit."""
    calls, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    while True:
        try:
            function, arguments, named = pickle.load(calls)
        except EOFError:
            return
        _limit()
        try:
            answer = pickle.dumps((True, function(*arguments, **named)))
        except MemoryError:
            return
        except Exception as error:
            answer = _as_answer(error)
        answers.write(answer)
        answers.flush()


def _as_answer(error: Exception) -> bytes:
    try:
        answer = pickle.dumps((False, error))
        pickle.loads(answer)
    except Exception:
        return pickle.dumps((False, GradingError(f"{type(error).__name__}: {error}"[:2_000])))
    return answer


def _limit() -> None:
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + CPU_SECONDS + 1, hard))
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    wanted = used + MEMORY_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (wanted if hard < 0 else min(wanted, hard), hard))
