"""A plan resolved to exact pins by `uv pip compile`."""

from __future__ import annotations

import re
import tempfile
from dataclasses import replace
from pathlib import Path

from assay.workspace.building.plan import Failure, Plan
from assay.workspace.building.wishes import Wish
from assay.workspace.uv import interpreters, run_uv

_PIN = re.compile(r"[a-z0-9][a-z0-9._-]*==\S+")


def resolve(plan: Plan) -> list[str] | Failure:
    """Exact pins of everything, or what stands in the way; nothing is installed."""
    if plan.index_lines:
        return Failure("read", "other indexes are named: " + "; ".join(plan.index_lines))
    if addressed := [wish for wish in plan.wishes if wish.url]:
        told = "; ".join(f"{wish.name} is to come from {wish.url} ({wish.origin})" for wish in addressed)
        return Failure("read", f"no cut-off date holds for an address: {told}")
    if not plan.wishes:
        return []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        done = run_uv(_arguments(plan, folder), folder)
    if done.returncode != 0:
        return Failure("resolve", done.stderr.strip())
    return [line for line in done.stdout.splitlines() if _PIN.fullmatch(line)]


def has_wheel(wish: Wish, plan: Plan, python: str) -> bool:
    """Whether a wish by itself can be had as a wheel under another Python."""
    alone = Plan((replace(wish, marker="", extras=()),), python, before=plan.before)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        return run_uv([*_arguments(alone, folder), "--no-deps"], folder).returncode == 0


def _arguments(plan: Plan, folder: Path) -> list[str]:
    """The command line, with the plan's lists written to files."""
    wanted = folder / "requirements.in"
    wanted.write_text("".join(f"{wish.line}\n" for wish in plan.wishes))
    arguments = ["pip", "compile", str(wanted), "--no-header", "--no-annotate", "--no-python-downloads"]
    arguments += ["--python", str(interpreters()[plan.python].program), "--only-binary", ":all:"]
    for name in sorted(plan.sdists):
        arguments += ["--no-binary", name]
    if plan.before is not None:
        arguments += ["--exclude-newer", plan.before.isoformat()]
    for option, lines in (
        ("--constraints", plan.constraints),
        ("--build-constraints", plan.build_constraints),
    ):
        if lines:
            file = folder / f"{option.strip('-')}.txt"
            file.write_text("".join(f"{line}\n" for line in lines))
            arguments += [option, str(file)]
    return arguments
