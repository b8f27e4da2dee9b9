"""Where untrusted code runs: bubblewrap sandboxes with limits that hold.

`run_confined` runs one command in a sandbox of its own; `converse` joins two such sandboxes; a `Box`
serves an attempt's commands until it is closed. Inside there is a read-only system, a copy-on-write
workspace, one unprivileged user without capabilities, no network, none of the host's variables,
processes or other files, and nothing of Assay itself.

What it does not cover:

- Bugs of the kernel. All sandboxes share it, and the system-call filter only narrows the way to it.
- Side channels: timing, caches, and what /proc shows of the whole machine (load, memory, processors).
- GPUs. Their drivers are large, their memory may contain data of other programs, and the harness checks the
  memory limit from outside: it misses a short peak.
- Fair shares. Processor time is counted and capped, but two sandboxes on one machine slow each other
  down, so a measured duration is only as good as the machine is quiet.
- Contents of mounts. Code inside can read every mounted folder and can fill a writable mount.
- Limits by rlimits, where Assay cannot create a control group: they hold for each process alone, and the
  limit on processes does not hold for root. `examine` reports which mechanism holds each limit here.
- A detached daemon of a command that timed out in a `Box` lives until `kill_processes` or `close`; in a fresh
  sandbox everything ends with the command.
- Docker, where it replaces bubblewrap: its daemon runs as root, each writable folder has its own size
  limit, and an outcome names the exceeded limit only for time and output.
- Files live in memory: written files count as memory, and a host without free memory becomes slow.
"""

from __future__ import annotations

from assay.sandbox.confinement import Confinement, Mount, Outcome, SandboxLimits
from assay.sandbox.engine import Engine, find_engine, forced_engine
from assay.sandbox.examination import Check, examine
from assay.sandbox.fresh import converse, run_confined
from assay.sandbox.monitor.observations import Connection, Observations, Program, ProxyRequest
from assay.sandbox.session.box import Box

__all__ = [
    "Box",
    "Check",
    "Confinement",
    "Connection",
    "Engine",
    "Mount",
    "Observations",
    "Outcome",
    "Program",
    "ProxyRequest",
    "SandboxLimits",
    "converse",
    "examine",
    "find_engine",
    "forced_engine",
    "run_confined",
]
