"""Tries how well an environment works for its repository, in the sandbox: no network, code copy-on-write.

What it does not cover: whether results are right, and code that needs data or weights from elsewhere. A rung
that cannot be tried is unknown, with the reason.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

from assay.errors import SandboxError
from assay.own_loop import run_in_own_loop
from assay.rules.links import WORKSPACE
from assay.rules.running import VARIABLES
from assay.sandbox import Confinement, Outcome, SandboxLimits, run_confined
from assay.sandbox.gpu.devices import gpu_numbers
from assay.sandbox.gpu.pool import leased_gpus
from assay.tasks.lock import Reached
from assay.workspace.building.imports import Use

_MEMORY_MB = 8192
_IMPORT_SECONDS = 600.0
_MAX_SHOWN = 6
_OUTPUT = 64_000_000
"""Bytes: experiments print much, and warnings repeat."""


def try_imports(
    environment: Path,
    code: Path,
    own_modules: list[str],
    uses: Iterable[Use],
    *,
    other_uses: Iterable[Use] = (),
    search: Iterable[str] = (),
) -> Reached:
    """C0: try every import that the code needs, and every top-level module of the repository.

    `other_uses` are not on the path of any task: what fails among them is named and changes nothing.
    """
    pairs = [*sorted(uses), *((module, "") for module in sorted(own_modules))]
    other_pairs = sorted(other_uses)
    folders = [WORKSPACE, f"{WORKSPACE}/src", *(f"{WORKSPACE}/{folder}" for folder in search)]
    request = {"folders": folders, "uses": [*pairs, *other_pairs]}
    try:
        outcome = _run(
            environment,
            code,
            ["python", "-c", _script("probe.py")],
            _IMPORT_SECONDS,
            json.dumps(request).encode(),
        )
    except SandboxError as problem:
        return Reached(status="unknown", evidence=problem.message)
    answers = [json.loads(line) for line in outcome.stdout.decode(errors="replace").splitlines()]
    finished = [answer for answer in answers if "module" in answer]
    failures = [_import_failure(answer) for answer in finished[: len(pairs)] if answer["problem"]]
    other_failures = [_import_failure(answer) for answer in finished[len(pairs) :] if answer["problem"]]
    if len(finished) < len(pairs) + len(other_pairs):
        started_modules = [answer["begins"] for answer in answers if "begins" in answer]
        last = started_modules[-1] if started_modules else "of anything"
        ended = f"import {last} ended Python: {_describe_end(outcome)}"
        (failures if len(finished) < len(pairs) else other_failures).append(ended)
    other_note = f"\nmissing, but on no task's path:\n{_shown(other_failures)}" if other_failures else ""
    if failures:
        evidence = f"{len(failures)} of {len(pairs)} imports fail\n{_shown(failures)}{other_note}"
        return Reached(status="unmet", evidence=evidence)
    modules = {module for module, _ in pairs} - set(own_modules)
    own_note = (
        f", and its own modules {', '.join(sorted(own_modules)[:8])}"
        if own_modules
        else ", and no module of its own at the top"
    )
    evidence = f"{len(pairs)} imports of {len(modules)} modules{own_note}{other_note}"
    return Reached(status="met", evidence=evidence)


def _import_failure(answer: dict[str, str]) -> str:
    return f"{_import_statement(answer['module'], answer['name'])}: {answer['problem']}"


def _shown(failures: list[str]) -> str:
    rest_note = f"\nand {len(failures) - _MAX_SHOWN} more" if len(failures) > _MAX_SHOWN else ""
    return "\n".join(failures[:_MAX_SHOWN]) + rest_note


def try_smoke(environment: Path, code: Path, command: str | None, seconds: float = 600.0) -> Reached:
    """C1: run a command of the repository on the CPU; it must succeed."""
    if command is None:
        return Reached(status="unknown", evidence="there is no smoke command (--smoke)")
    try:
        outcome = _run(environment, code, ["bash", "-c", command], seconds)
    except SandboxError as problem:
        return Reached(status="unknown", evidence=problem.message)
    if outcome.returncode == 0 and not outcome.exceeded:
        return Reached(status="met", evidence=f"`{command}` ended with 0 after {outcome.seconds:.1f} s")
    return Reached(status="unmet", evidence=f"`{command}`: {_describe_end(outcome)}")


def try_cuda(environment: Path, code: Path, *, step: bool) -> Reached:
    """C2 and C3: check that a library sees CUDA, and that one step runs on it."""
    if not gpu_numbers():
        return Reached(status="unknown", evidence="there is no GPU on this machine")
    if not any(environment.glob(f"lib/python*/site-packages/{name}") for name in ("torch", "jax")):
        return Reached(status="unknown", evidence="neither torch nor jax is installed")
    command = ["python", "-c", _script("gpu.py"), *(["--step"] if step else [])]
    try:
        outcome = _run(environment, code, command, _IMPORT_SECONDS, gpu=True)
    except SandboxError as problem:
        return Reached(status="unknown", evidence=problem.message)
    if outcome.returncode == 0:
        return Reached(status="met", evidence=outcome.stdout.decode(errors="replace").strip())
    return Reached(status="unmet", evidence=_describe_end(outcome))


def _run(
    environment: Path, code: Path, command: list[str], seconds: float, input: bytes = b"", gpu: bool = False
) -> Outcome:
    memory = _MEMORY_MB * (8 if gpu else 1)
    limits = SandboxLimits(
        memory_mb=memory,
        disk_mb=memory // 2,
        file_size_mb=2048,
        processes=1024,
        wall_seconds=seconds,
        output_bytes=_OUTPUT,
    )
    confinement = Confinement(
        workspace=code, environment=environment, variables=VARIABLES, limits=limits, gpu=gpu
    )

    async def run() -> Outcome:
        if not gpu:
            return await run_confined(confinement, command, input=input)
        async with leased_gpus(1) as lease:
            return await run_confined(replace(confinement, gpus=lease.gpus), command, input=input)

    return run_in_own_loop(run())


def _script(name: str) -> str:
    return (files("assay.workspace.building.injected") / name).read_text(encoding="utf-8")


def _import_statement(module: str, name: str) -> str:
    return f"from {module} import {name}" if name else f"import {module}"


def _describe_end(outcome: Outcome) -> str:
    """Describe how a failed command ended, with its last lines of output."""
    lines = (outcome.stderr or outcome.stdout).decode(errors="replace").strip().splitlines()
    ending = f"exceeded its {outcome.exceeded}" if outcome.exceeded else f"ended with {outcome.returncode}"
    return f"{ending} after {outcome.seconds:.1f} s: {' | '.join(lines[-4:]) or 'no output'}"
