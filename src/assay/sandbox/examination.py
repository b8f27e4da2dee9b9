"""What `assay doctor` says of the sandbox on this machine."""

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
from assay.sandbox.host.cgroups import mechanisms
from assay.sandbox.monitor.observations import Watched
from assay.sandbox.monitor.program_watch import SWITCH
from assay.sandbox.session.box import Box

_ROUNDS = 8
_LITTLE = 1.3
_TWENTY = "for each in " + " ".join(map(str, range(20))) + "; do /bin/true; done"
State = Literal["ok", "degraded", "missing"]
_DELEGATE = "run Assay as root, or by `systemd-run --user --scope -p Delegate=yes assay …`"
_WEAKER = {
    "memory": "holds for each process alone, so many processes can use more together",
    "processes": "counts all processes of this user, and does not hold at all for root",
    "cpu": "holds for each process alone",
}


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at: what was found, what it means, what mends it."""

    name: str
    state: State
    found: str
    meaning: str
    mend: str | None = None


def examine() -> list[Check]:
    """Look at everything the sandbox stands on."""
    engine = _engine()
    in_sandbox = [] if engine[0].state == "missing" else [_watch(), _graphics()]
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
                "without them nothing can be isolated",
                refusal.hint,
            ),
        ]
    if engine.kind == "docker":
        return [_docker(engine)]
    found = f"bubblewrap {engine.version} ({engine.kind})"
    checks = [
        Check("engine", "ok", found, meaning),
        Check("user namespaces", "ok", _namespaces(), "sandboxes need no root"),
    ]
    if engine.overlay:
        checks.append(Check("workspace", "ok", "overlay", "copy-on-write, however large the folder"))
    else:
        meaning = "every sandbox copies its workspace first"
        mend = "a kernel from 6.6 on, and the bundled bubblewrap"
        checks.append(Check("workspace", "degraded", "copy", meaning, mend))
    return checks


def _docker(engine: Engine) -> Check:
    slower = "a hundred times slower than bubblewrap"
    if os.environ.get(ENGINE_VARIABLE) == "docker":
        words = f"Docker {engine.version}, because {ENGINE_VARIABLE}=docker asks for it"
        return Check("engine", "degraded", words, slower, f"unset {ENGINE_VARIABLE}")
    cause, fix = refusal_cause("namespace")
    return Check("engine", "degraded", f"Docker {engine.version}, because {cause}", slower, fix)


def _namespaces() -> str:
    who = "root" if os.geteuid() == 0 else f"user {os.geteuid()}"
    try:
        most = Path("/proc/sys/user/max_user_namespaces").read_text().strip()
    except OSError:
        most = "an unknown number"
    return f"at most {most}, run by {who}"


def _limits() -> list[Check]:
    checks = []
    for limit, mechanism in mechanisms().items():
        if mechanism == "rlimit":
            checks.append(Check(f"limit: {limit}", "degraded", mechanism, _WEAKER[limit], _DELEGATE))
        else:
            meaning = "holds for everything in a sandbox together"
            checks.append(Check(f"limit: {limit}", "ok", mechanism, meaning))
    checks.append(Check("limit: disk", "ok", "file system of fixed size", "holds for all that is written"))
    checks.append(Check("limit: file size", "ok", "rlimit", "holds for each file"))
    checks.append(Check("limit: wall time and output", "ok", "harness", "the whole command is killed"))
    return checks


def _seccomp() -> Check:
    program = filter_program()
    if program is not None:
        return Check(
            "system-call filter", "ok", f"{len(program) // 8} instructions", "narrows the kernel's surface"
        )
    meaning = "the kernel's whole surface is open to the sandbox"
    return Check(
        "system-call filter", "degraded", "none", meaning, "install libseccomp: apt install libseccomp2"
    )


def _watch() -> Check:
    """Start twenty programs, watched and not: the least time of each says what the watch costs."""
    seen, plain, watched = run_in_own_loop(_times())
    if seen.by is None:
        meaning = "which programs and connections an attempt tries stays unknown"
        mend = "Linux 5.5 or later, and libseccomp: apt install libseccomp2"
        return Check("watch", "degraded", f"none: {seen.why}", meaning, mend)
    found = f"seccomp notification, {watched / plain:.2f} times the time of a command that starts 20 programs"
    meaning = f"sees programs and connections of attempts; {SWITCH}=off ends it"
    if watched / plain > _LITTLE:
        return Check("watch", "degraded", found, meaning, "look again on a quiet machine")
    return Check("watch", "ok", found, meaning)


async def _times() -> tuple[Watched, float, float]:
    async with Box(Confinement()) as plain, Box(Confinement(watch=True)) as watched:
        times: dict[Box, list[float]] = {plain: [], watched: []}
        for box in (plain, watched) * _ROUNDS:
            times[box].append((await box.exec(["/bin/sh", "-c", _TWENTY])).seconds)
        return await watched.watched(), min(times[plain]), min(times[watched])


def _graphics() -> Check:
    """Call CUDA in a sandbox: device files alone do not show that it works."""
    if not (numbers := gpu_numbers()):
        meaning = "tasks that need one cannot be run here"
        return Check("GPU", "ok", "none on this machine", meaning)
    found = try_cuda(numbers)
    if found.error is None:
        words = f"CUDA {found.version} in a sandbox sees {len(found.names)}: {', '.join(found.names)}"
        return Check("GPU", "ok", words, "given one by one to the attempts that need them")
    meaning = f"the machine has GPU {', '.join(map(str, numbers))}, and no sandbox can use it"
    return Check("GPU", "degraded", found.error, meaning, found.hint)
