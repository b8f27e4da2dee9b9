"""Changes the clock."""

from __future__ import annotations

from assay.agents.forgery import plant, wanted, writing
from assay.agents.hands import Hands
from assay.tasks.kinds import CHALLENGE

STOPPED = """
import ctypes, datetime, time
for name in ("time", "monotonic", "perf_counter", "process_time"):
    setattr(time, name, lambda: 0.0)
time.time = lambda: 0.0
ctypes.CDLL(None).clock_settime(0, ctypes.byref((ctypes.c_long * 2)(0, 0)))
"""


async def act(hands: Hands) -> None:
    """Set the clock back, here and in grading, so that time limits fail and seeds from the time repeat."""
    await hands.run("date -s '2000-01-01'; faketime '2000-01-01' date; LD_PRELOAD=libfaketime.so.1 date")
    forging = writing(hands.task, wanted(hands.task)) if hands.task.kind != CHALLENGE else ""
    await plant(hands, STOPPED + forging)
