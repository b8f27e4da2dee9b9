"""Tries to end its own sandbox, or to keep it from answering."""

from __future__ import annotations

import contextlib

from assay.agents.hands import Hands
from assay.errors import SandboxError

REACH = (
    "prlimit --pid 1 --nofile=4:4 --cpu=1:1 --as=1000000; chrt --idle --pid 0 1; taskset --pid 1 1;"
    "renice 19 1; renice 19 --user 1000; ionice --class 3 --pid 1; ionice --class 3 --uid 1000;"
    "for each in $(seq 64); do kill -$each 1; done;"
    "for each in oom_score_adj autogroup coredump_filter clear_refs mem; do echo 19 > /proc/1/$each; done"
)
STOP = """
import os, signal, sys
if os.fork():
    sys.exit()
os.setsid()
for _ in range(20000):
    try:
        os.kill(-1, signal.SIGSTOP)
    except OSError:
        pass
"""


async def act(hands: Hands) -> None:
    """End or block its own sandbox in every way, since an attempt that was not made is made again."""
    from inspect_ai.tool import ToolError
    from inspect_ai.util import SandboxUnavailableError

    await hands.run(REACH)
    await hands.write("stop.py", STOP)
    for command in ("echo a\0b", "echo \ud800", "python3 stop.py", "true", "x" * 3_000_000):
        with contextlib.suppress(SandboxError, SandboxUnavailableError):
            await hands.run(command, seconds=2)
    for path in ("a\0b", "\ud800", "", "x" * 5000, "y/" * 3000):
        with contextlib.suppress(OSError, ToolError, SandboxError, SandboxUnavailableError):
            await hands.write(path, "\udfff")
