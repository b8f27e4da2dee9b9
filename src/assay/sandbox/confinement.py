"""What a sandbox is given, and what comes out of one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

MEBIBYTE = 1024 * 1024
WORKSPACE = "/workspace"


@dataclass(frozen=True, slots=True)
class Limits:
    """What one sandbox may use; files written inside live in memory, so they count as memory too."""

    memory_mb: int = 2048
    processes: int = 256
    file_size_mb: int = 512
    disk_mb: int = 1024
    """Everything that can be written, in all places together; at most three quarters of the memory."""
    cpu_seconds: int | None = None
    """Processor time of a command and all its children."""
    wall_seconds: float = 60.0
    """For each command."""
    output_bytes: int = 1_000_000
    """For each of the two output streams of a command."""
    gpu_memory_mb: int | None = None
    """Of everything inside, on all its GPUs together."""


@dataclass(frozen=True, slots=True)
class Mount:
    """A host path shown inside the sandbox."""

    source: Path
    target: str
    writable: bool = False
    canary: bool = False
    """Whether a `Box` shows a copy of its own and tells which of its files were opened."""


@dataclass(frozen=True, slots=True)
class Confinement:
    """Everything that a sandbox is given; what is not named here is not inside."""

    workspace: Path | None = None
    """A pristine folder, shown copy-on-write at /workspace and never changed on the host."""
    environment: Path | None = None
    """A virtual environment, read-only at its own path, its programs first on PATH."""
    mounts: tuple[Mount, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    """Added to a cleared environment."""
    limits: Limits = field(default_factory=Limits)
    gpu: bool = False
    """Whether GPUs can be used inside."""
    gpus: tuple[int, ...] | None = None
    """With `gpu`: the numbers of those that can be used; None for all that this machine has."""
    hosts: tuple[str, ...] = ()
    """Hosts that a `Box` reaches through a proxy that listens on its loopback; there is no other way out."""
    watch: bool = False
    """Whether a `Box` is watched for programs and connections, where the kernel can."""
    followed: tuple[str, ...] = ()
    """Files below the workspace of which a fresh sandbox that collects says whether they were opened."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one command did; a death by signal N is the return code 128 + N, as in a shell."""

    returncode: int
    stdout: bytes
    stderr: bytes
    seconds: float
    timed_out: bool = False
    truncated: bool = False
    exceeded: str | None = None
    """The limit that ended it: memory, wall, output, disk, cpu, processes or GPU memory."""
    files: Mapping[str, bytes] = field(default_factory=dict)
    cpu_seconds: float | None = None
    """Processor time of the command and all its children; None where the kernel did not count it."""
    refused: Mapping[str, str] = field(default_factory=dict)
    """Paths that were asked for and there, but not taken: path -> why."""
    saved: Mapping[str, Path] = field(default_factory=dict)
    """Where the files lie instead of in `files`, if the caller named a folder for them."""
    gpu_peak_mb: float | None = None
    """The most GPU memory that it was seen to use; None without a GPU, or where it cannot be read."""
    opened: frozenset[str] | None = None
    """Which of the followed files were opened, seen from outside; None where that could not be watched."""
