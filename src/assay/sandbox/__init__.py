"""Where untrusted code runs: bubblewrap sandboxes with limits that hold.

`run_confined` runs one command in a sandbox of its own; `converse` joins two such sandboxes; a `Box`
serves an attempt's commands until it is closed. Inside there is a read-only system, a copy-on-write
workspace, one unprivileged user without capabilities, no network, none of the host's variables,
processes or other files, and nothing of Assay itself.

What it does not cover:

- Bugs of the kernel. All sandboxes share it, and the system-call filter only narrows the way to it.
- Side channels: timing, caches, what /proc tells of the whole machine (load, memory, processors).
- GPUs. Their drivers are large, their memory may hold what others left, and a limit on it is watched from
  outside: a short peak goes unseen.
- Fair shares. Processor time is counted and capped, but two sandboxes on one machine slow each other
  down, so a measured duration is only as good as the machine is quiet.
- What is in the mounts. A folder that is shown can be read; a writable mount can be filled.
- Limits by rlimits, where no control group can be made: these hold for each process alone, and the
  count of processes does not hold for root. `examine` says what holds here.
- A detached daemon of a command that timed out in a `Box` lives until `quiet` or `close`; in a fresh
  sandbox everything ends with the command.
- Docker, where it stands in for bubblewrap: its daemon runs as root, each writable place has a size of
  its own, and which limit ended a command is told only for time and output.
- Files live in memory: what is written counts as memory, and a host without free memory feels it.
"""

from __future__ import annotations

from assay.sandbox.confinement import Confinement, Limits, Mount, Outcome
from assay.sandbox.engine import Engine, find_engine, forced_engine
from assay.sandbox.examination import Check, examine
from assay.sandbox.fresh import converse, run_confined
from assay.sandbox.monitor.observations import Connection, Program, Request, Watched
from assay.sandbox.session.box import Box

__all__ = [
    "Box",
    "Check",
    "Confinement",
    "Connection",
    "Engine",
    "Limits",
    "Mount",
    "Outcome",
    "Program",
    "Request",
    "Watched",
    "converse",
    "examine",
    "find_engine",
    "forced_engine",
    "run_confined",
]
