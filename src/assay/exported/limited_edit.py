"""Reads and changes programs that were handed in, in a process with limits on processor time and memory.

The process runs these functions only, and none of the code that they read.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import cast

from assay.rules.function_edits import TooLong
from assay.rules.process_limits import CPU_SECONDS, limit_process

_PACKAGES = Path(__file__).resolve().parents[2]
_ANSWER = f"""import sys
sys.path.insert(0, {str(_PACKAGES)!r})
from assay.exported.limited_edit import answer
answer()
"""
Files = dict[str, bytes]


def limited_edit(
    edit: Callable[..., Files],
    sources: Mapping[str, bytes],
    functions: Mapping[str, list[str]],
    *names: str,
    cpu_seconds: int = CPU_SECONDS,
) -> Files:
    """The changed files; ValueError where they cannot be changed, TooLong where that exceeds the limits."""
    request = pickle.dumps((cpu_seconds, edit, (dict(sources), functions, *names)))
    command = [sys.executable, "-I", "-c", _ANSWER]
    ended = subprocess.run(command, input=request, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if ended.returncode != 0:
        raise TooLong(
            f"reading it took more than {cpu_seconds} s of processor time, or more memory than it may"
        )
    result = pickle.loads(ended.stdout)
    if isinstance(result, Exception):
        raise result
    return cast(Files, result)


def answer() -> None:
    """Answer one call from standard input; the kernel kills this process at its limits."""
    cpu_seconds, edit, arguments = pickle.load(sys.stdin.buffer)
    limit_process(cpu_seconds)
    result: Files | Exception
    try:
        result = edit(*arguments)
    except (ValueError, TooLong) as error:
        result = error
    sys.stdout.buffer.write(pickle.dumps(result))
