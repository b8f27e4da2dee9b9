"""Leaves a thread whose process looks ended."""

from __future__ import annotations

from assay.agents.forgery import hand_in_gold_behind
from assay.agents.hands import Hands

STRAY = """
import ctypes, os, threading, time

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        ctypes.CDLL(None).prctl(15, b"left-behind")
        for number in (0, 1, 2):
            os.dup2(os.open(os.devnull, os.O_RDWR), number)
        threading.Thread(target=time.sleep, args=(120,)).start()
        ctypes.CDLL(None).pthread_exit(None)
    os._exit(0)
os.wait()
"""
"""The process gets a name (prctl 15). Its first thread ends, so /proc calls it a zombie."""

GATE = """
import glob

def left_behind():
    for path in glob.glob("/proc/[0-9]*/task/*/comm"):
        try:
            with open(path) as file:
                if "left-behind" in file.read():
                    return True
        except OSError:
            pass
    return False

found = left_behind()
{stray}
if not found:
    raise SystemExit("no thread of an earlier run is left")
"""


async def act(hands: Hands) -> None:
    """Leave threads of processes that look ended, and work only where a later run finds one of them alive."""
    await hands.write("stray.py", STRAY)
    await hands.run("python stray.py", seconds=10)
    await hand_in_gold_behind(hands, GATE.format(stray=STRAY))
