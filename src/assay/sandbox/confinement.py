"""The inputs of a sandbox (`Confinement`) and the result of a command in it (`Outcome`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from assay.sandbox.monitor.observations import Observations

MEBIBYTE = 1024 * 1024
MOST_FOLLOWED = 2_000
"""Files that callers watch in one run: the kernel has few watches for a user."""
WORKSPACE = "/workspace"


@dataclass(frozen=True, slots=True)
class SandboxLimits:
    """Resource limits of one sandbox; files written inside live in memory, so they count as memory too."""

    memory_mb: int = 2048
    processes: int = 256
    file_size_mb: int = 512
    disk_mb: int = 1024
    """Size of all written files together; at most three quarters of the memory."""
    cpu_seconds: int | None = None
    """Processor time of a command and all its children."""
    wall_seconds: float = 60.0
    """For each command."""
    output_bytes: int = 1_000_000
    """For each of the two output streams of a command."""
    gpu_memory_mb: int | None = None
    """Of all processes inside, on all their GPUs together."""


@dataclass(frozen=True, slots=True)
class Mount:
    """A host path that appears inside the sandbox."""

    source: Path
    target: str
    writable: bool = False
    canary: bool = False
    """If true, a `Box` mounts its own copy and records which of its files are opened."""


@dataclass(frozen=True, slots=True)
class Confinement:
    """Everything that a sandbox contains; nothing else of the host is inside."""

    workspace: Path | None = None
    """An original folder, mounted copy-on-write at /workspace and never changed on the host."""
    environment: Path | None = None
    """A virtual environment, read-only at its own path, its programs first on PATH."""
    mounts: tuple[Mount, ...] = ()
    covered: tuple[Path, ...] = ()
    """Files and folders of the system and of its Pythons, as the host names them, that appear empty."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """Added to a cleared environment."""
    limits: SandboxLimits = field(default_factory=SandboxLimits)
    gpu: bool = False
    """If true, code inside can use GPUs."""
    gpus: tuple[int, ...] | None = None
    """With `gpu`: the numbers of the usable GPUs; None for all GPUs of this machine."""
    hosts: tuple[str, ...] = ()
    """Hosts that a `Box` reaches through a proxy on its loopback; it has no other network."""
    watch: bool = False
    """If true, a `Box` records started programs and connections, and a fresh sandbox started programs, where
    the kernel supports it."""
    followed: tuple[str, ...] = ()
    """Files below the workspace; a fresh sandbox that collects files reports which of them were opened."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of one command; death by signal N is the return code 128 + N, as in a shell."""

    returncode: int
    stdout: bytes
    stderr: bytes
    seconds: float
    timed_out: bool = False
    truncated: bool = False
    exceeded: str | None = None
    """The limit that ended the command: memory, wall, output, disk, cpu, processes or GPU memory."""
    files: Mapping[str, bytes] = field(default_factory=dict)
    cpu_seconds: float | None = None
    """Processor time of the command and all its children; None if the kernel did not count it."""
    refused: Mapping[str, str] = field(default_factory=dict)
    """Requested files that exist but were not collected: path -> reason."""
    saved: Mapping[str, Path] = field(default_factory=dict)
    """Path -> copy on the host, if the caller named a target folder; then `files` is empty."""
    gpu_peak_mb: float | None = None
    """Highest measured GPU memory; None without a GPU, or if it cannot be read."""
    observed: Observations | None = None
    """The programs that the command started, if a fresh sandbox was to watch them."""
    opened: frozenset[str] | None = None
    """Those `followed` files that were opened, seen from outside; None if Assay could not watch them."""
