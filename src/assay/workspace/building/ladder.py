"""How far an environment carries its repository, tried in the sandbox: no network, the code copy-on-write.

What it does not cover: whether numbers come out right, and anything that needs data or weights from
elsewhere. A rung that cannot be tried is unknown, with the reason.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

from assay.errors import SandboxError
from assay.own_loop import run_in_own_loop
from assay.rules.running import VARIABLES
from assay.sandbox import Confinement, Limits, Outcome, run_confined
from assay.sandbox.gpu.devices import gpu_numbers
from assay.sandbox.gpu.pool import holding_gpus
from assay.tasks.lock import Reached
from assay.workspace.building.imports import Use
from assay.workspace.links import WORKSPACE

_MEMORY_MB = 8192
_IMPORT_SECONDS = 600.0
_SHOWN = 6
_OUTPUT = 64_000_000
"""Bytes: experiments are talkative, and warnings repeat."""


def try_imports(environment: Path, code: Path, own: list[str], uses: Iterable[Use]) -> Reached:
    """C0: every import that the code needs, and every top-level module of its own."""
    pairs = [*sorted(uses), *((module, "") for module in sorted(own))]
    asked = {"folders": [WORKSPACE, f"{WORKSPACE}/src"], "uses": pairs}
    try:
        outcome = _run(
            environment,
            code,
            ["python", "-c", _script("probe.py")],
            _IMPORT_SECONDS,
            json.dumps(asked).encode(),
        )
    except SandboxError as problem:
        return Reached(status="unknown", evidence=problem.message)
    answers = [json.loads(line) for line in outcome.stdout.decode(errors="replace").splitlines()]
    done = [each for each in answers if "module" in each]
    bad = [f"{_spoken(each['module'], each['name'])}: {each['problem']}" for each in done if each["problem"]]
    if len(done) < len(pairs):
        begun = [each["begins"] for each in answers if "begins" in each]
        bad.append(f"import {begun[-1] if begun else 'of anything'} ended Python: {_end(outcome)}")
    if bad:
        more = f"\nand {len(bad) - _SHOWN} more" if len(bad) > _SHOWN else ""
        told = "\n".join(bad[:_SHOWN])
        return Reached(status="unmet", evidence=f"{len(bad)} of {len(pairs)} imports fail\n{told}{more}")
    modules = {module for module, _ in pairs} - set(own)
    mine = f", and its own {', '.join(sorted(own)[:8])}" if own else ", and no module of its own at the top"
    return Reached(status="met", evidence=f"{len(pairs)} imports of {len(modules)} modules{mine}")


def try_smoke(environment: Path, code: Path, command: str | None, seconds: float = 600.0) -> Reached:
    """C1: a command of the repository ends well on the CPU."""
    if command is None:
        return Reached(status="unknown", evidence="no smoke command was given (--smoke)")
    try:
        outcome = _run(environment, code, ["bash", "-c", command], seconds)
    except SandboxError as problem:
        return Reached(status="unknown", evidence=problem.message)
    if outcome.returncode == 0 and not outcome.exceeded:
        return Reached(status="met", evidence=f"`{command}` ended with 0 after {outcome.seconds:.1f} s")
    return Reached(status="unmet", evidence=f"`{command}`: {_end(outcome)}")


def try_cuda(environment: Path, code: Path, *, step: bool) -> Reached:
    """C2 and C3: CUDA is seen, and one step runs on it."""
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
    return Reached(status="unmet", evidence=_end(outcome))


def _run(
    environment: Path, code: Path, command: list[str], seconds: float, input: bytes = b"", gpu: bool = False
) -> Outcome:
    memory = _MEMORY_MB * (8 if gpu else 1)
    limits = Limits(
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
        async with holding_gpus(1) as lease:
            return await run_confined(replace(confinement, gpus=lease.gpus), command, input=input)

    return run_in_own_loop(run())


def _script(name: str) -> str:
    return (files("assay.workspace.building.injected") / name).read_text(encoding="utf-8")


def _spoken(module: str, name: str) -> str:
    return f"from {module} import {name}" if name else f"import {module}"


def _end(outcome: Outcome) -> str:
    """How a command that did not end well ended, with the last lines it said."""
    said = (outcome.stderr or outcome.stdout).decode(errors="replace").strip().splitlines()
    why = f"exceeded its {outcome.exceeded}" if outcome.exceeded else f"ended with {outcome.returncode}"
    return f"{why} after {outcome.seconds:.1f} s: {' | '.join(said[-4:]) or 'it said nothing'}"
