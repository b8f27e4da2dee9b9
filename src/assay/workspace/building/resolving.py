"""A plan resolved to exact pins by `uv pip compile`."""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path

from assay.cache import cache_folder
from assay.tasks.requirements import trusted
from assay.workspace.building.plan import Failure, Plan
from assay.workspace.building.wishes import Wish
from assay.workspace.index import Index
from assay.workspace.uv import interpreters, run_uv, run_uv_inside

KNOWN_REQUIREMENTS: dict[str, list[str]] = {"antlr4-python3-runtime": []}
"""What distributions without a wheel require: uv would build them just to ask."""
_PYTHON = 6
"""Where the interpreter stands among the arguments."""
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
    with tempfile.TemporaryDirectory(prefix="resolve-", dir=cache_folder("builds")) as place:
        done = _compile(plan, Path(place))
    if done.returncode != 0:
        return Failure("resolve", done.stderr.strip())
    return [line for line in done.stdout.splitlines() if _PIN.fullmatch(line)]


def _compile(plan: Plan, folder: Path) -> subprocess.CompletedProcess[str]:
    """On this machine where no build is needed to learn what a distribution requires, else in a sandbox."""
    lists = folder / "lists"
    lists.mkdir()
    arguments = _arguments(plan, lists)
    if trusted() or plan.sdists <= KNOWN_REQUIREMENTS.keys():
        return run_uv([*arguments, "--config-file", str(_settings(lists))], lists)
    environment = folder / "environment"
    made = run_uv(["venv", "-q", "--no-config", "--python", arguments[_PYTHON], str(environment)])
    if made.returncode != 0:
        return made
    arguments[_PYTHON] = str(environment / "bin" / "python")
    return run_uv_inside(arguments, environment, [wish.name for wish in plan.wishes], [lists])


def _settings(folder: Path) -> Path:
    """The operator's configuration of uv, with what some distributions require added to it."""
    config = Index.here().config
    own = config.read_text() if config is not None and config.is_file() else ""
    tables = [
        f'[[dependency-metadata]]\nname = "{name}"\nrequires-dist = {json.dumps(requires)}\n'
        for name, requires in KNOWN_REQUIREMENTS.items()
    ]
    file = folder / "uv.toml"
    file.write_text("\n".join([own, *tables]))
    return file


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
    program = str(interpreters()[plan.python].program)
    arguments = [
        "pip",
        "compile",
        "--no-header",
        "--no-annotate",
        "--no-python-downloads",
        "--python",
        program,
    ]
    arguments += [str(wanted), "--only-binary", ":all:"]
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
