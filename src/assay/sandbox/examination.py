"""The checks of `assay doctor` for the sandbox on this machine."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from assay.errors import SandboxRefused
from assay.own_loop import run_in_own_loop
from assay.sandbox.bubblewrap.seccomp import filter_program
from assay.sandbox.confinement import Confinement
from assay.sandbox.engine import ENGINE_VARIABLE, Engine, find_engine, refusal_cause
from assay.sandbox.gpu.cuda_check import try_cuda
from assay.sandbox.gpu.devices import gpu_numbers
from assay.sandbox.host.cgroups import limit_mechanisms
from assay.sandbox.monitor.observations import Observations
from assay.sandbox.monitor.program_watch import SWITCH
from assay.sandbox.session.box import Box

_ROUNDS = 8
_ACCEPTABLE_SLOWDOWN = 1.3
_START_TWENTY_PROGRAMS = "for number in " + " ".join(map(str, range(20))) + "; do /bin/true; done"
State = Literal["ok", "degraded", "missing"]
_DELEGATE_HINT = "run Assay as root, or by `systemd-run --user --scope -p Delegate=yes assay …`"
_RLIMIT_MEANING = {
    "memory": "holds for each process alone, so several processes together can use more",
    "processes": "counts all processes of this user, and does not hold at all for root",
    "cpu": "holds for each process alone",
}


@dataclass(frozen=True, slots=True)
class Check:
    """One check: what was measured, what it means, and what fixes it."""

    name: str
    state: State
    detail: str
    meaning: str
    fix: str | None = None


def examine() -> list[Check]:
    """Check every part of the system that the sandbox depends on."""
    engine = _engine()
    in_sandbox = [] if engine[0].state == "missing" else [_watch(), _gpu()]
    return [*engine, *_limits(), _seccomp(), *in_sandbox]


def _engine() -> list[Check]:
    meaning = "makes every sandbox"
    try:
        engine = find_engine()
    except SandboxRefused as refusal:
        return [
            Check("engine", "missing", refusal.message, meaning, refusal.hint),
            Check(
                "user namespaces",
                "missing",
                _namespaces(),
                "without them Assay can isolate nothing",
                refusal.hint,
            ),
        ]
    if engine.kind == "docker":
        return [_docker(engine)]
    detail = f"bubblewrap {engine.version} ({engine.kind})"
    checks = [
        Check("engine", "ok", detail, meaning),
        Check("user namespaces", "ok", _namespaces(), "sandboxes need no root"),
    ]
    if engine.overlay:
        checks.append(Check("workspace", "ok", "overlay", "copy-on-write, for folders of any size"))
    else:
        meaning = "every sandbox copies its workspace first"
        fix = "use Linux 6.6 or later, and the bundled bubblewrap"
        checks.append(Check("workspace", "degraded", "copy", meaning, fix))
    return checks


def _docker(engine: Engine) -> Check:
    meaning = "a hundred times slower than bubblewrap"
    if os.environ.get(ENGINE_VARIABLE) == "docker":
        detail = f"Docker {engine.version}, because {ENGINE_VARIABLE} is docker"
        return Check("engine", "degraded", detail, meaning, f"unset {ENGINE_VARIABLE}")
    cause, fix = refusal_cause("namespace")
    return Check("engine", "degraded", f"Docker {engine.version}, because {cause}", meaning, fix)


def _namespaces() -> str:
    user = "root" if os.geteuid() == 0 else f"user {os.geteuid()}"
    try:
        limit = Path("/proc/sys/user/max_user_namespaces").read_text().strip()
    except OSError:
        limit = "an unknown number"
    return f"at most {limit}, run by {user}"


def _limits() -> list[Check]:
    checks = []
    for limit, mechanism in limit_mechanisms().items():
        if mechanism == "rlimit":
            checks.append(
                Check(f"limit: {limit}", "degraded", mechanism, _RLIMIT_MEANING[limit], _DELEGATE_HINT)
            )
        else:
            meaning = "holds for everything in a sandbox together"
            checks.append(Check(f"limit: {limit}", "ok", mechanism, meaning))
    checks.append(
        Check("limit: disk", "ok", "file system of fixed size", "holds for all written files together")
    )
    checks.append(Check("limit: file size", "ok", "rlimit", "holds for each file"))
    checks.append(
        Check("limit: wall time and output", "ok", "harness", "the harness kills the whole command")
    )
    return checks


def _seccomp() -> Check:
    program = filter_program()
    if program is not None:
        return Check(
            "system-call filter",
            "ok",
            f"{len(program) // 8} instructions",
            "refuses system calls that experiments do not need",
        )
    meaning = "code in the sandbox can use every system call"
    return Check(
        "system-call filter", "degraded", "none", meaning, "install libseccomp: apt install libseccomp2"
    )


def _watch() -> Check:
    """Start twenty programs with and without the watch, and compare the shortest times."""
    observations, plain_seconds, watched_seconds = run_in_own_loop(_measure_watch())
    if observations.by is None:
        meaning = "Assay cannot see which programs and connections an attempt starts"
        fix = "use Linux 5.5 or later, and install libseccomp: apt install libseccomp2"
        return Check("watch", "degraded", f"none: {observations.why}", meaning, fix)
    slowdown = watched_seconds / plain_seconds
    detail = f"seccomp notification, {slowdown:.2f} times the time of a command that starts 20 programs"
    meaning = f"sees programs and connections of attempts; {SWITCH}=off disables it"
    if slowdown > _ACCEPTABLE_SLOWDOWN:
        return Check("watch", "degraded", detail, meaning, "repeat the check on an idle machine")
    return Check("watch", "ok", detail, meaning)


async def _measure_watch() -> tuple[Observations, float, float]:
    async with Box(Confinement()) as plain_box, Box(Confinement(watch=True)) as watched_box:
        times: dict[Box, list[float]] = {plain_box: [], watched_box: []}
        for box in (plain_box, watched_box) * _ROUNDS:
            times[box].append((await box.exec(["/bin/sh", "-c", _START_TWENTY_PROGRAMS])).seconds)
        return await watched_box.observations(), min(times[plain_box]), min(times[watched_box])


def _gpu() -> Check:
    """Call CUDA in a sandbox: device files alone do not prove that it works."""
    if not (numbers := gpu_numbers()):
        meaning = "tasks that need a GPU cannot run here"
        return Check("GPU", "ok", "none on this machine", meaning)
    cuda = try_cuda(numbers)
    if cuda.error is None:
        detail = f"CUDA {cuda.version} in a sandbox sees {len(cuda.names)}: {', '.join(cuda.names)}"
        return Check("GPU", "ok", detail, "each attempt that needs a GPU gets its own")
    meaning = f"the machine has GPU {', '.join(map(str, numbers))}, but no sandbox can use it"
    return Check("GPU", "degraded", cuda.error, meaning, cuda.hint)
