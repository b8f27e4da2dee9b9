"""Resolves a plan to exact pins with `uv pip compile`."""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path

from assay.cache import cache_folder
from assay.tasks.requirements import trusted
from assay.workspace.building.plan import BuildPlan, Failure
from assay.workspace.building.wishes import Wish
from assay.workspace.index import PackageIndex
from assay.workspace.uv import installed_pythons, run_uv, run_uv_inside

KNOWN_REQUIREMENTS: dict[str, list[str]] = {"antlr4-python3-runtime": []}
"""Requirements of distributions without a wheel: uv would have to build them to learn these."""
TORCH_FAMILY = ("torch", "torchvision", "torchaudio")
"""Distributions of which PyTorch's own index has builds for the CPU."""
_PYTHON = 6
"""Position of the interpreter in the arguments."""
_PIN = re.compile(r"[a-z0-9][a-z0-9._-]*==\S+")


def resolve(plan: BuildPlan) -> list[str] | Failure:
    """Return exact pins of all distributions, or the failure; install nothing."""
    if plan.index_lines:
        return Failure("read", "the files name other indexes: " + "; ".join(plan.index_lines))
    if with_address := [wish for wish in plan.wishes if wish.url]:
        description = "; ".join(f"{wish.name} comes from {wish.url} ({wish.origin})" for wish in with_address)
        return Failure("read", f"a cut-off date does not apply to an address: {description}")
    if not plan.wishes:
        return []
    with tempfile.TemporaryDirectory(prefix="resolve-", dir=cache_folder("builds")) as folder_path:
        completed = _compile(plan, Path(folder_path))
    if completed.returncode != 0:
        return Failure("resolve", completed.stderr.strip())
    return [line for line in completed.stdout.splitlines() if _PIN.fullmatch(line)]


def _compile(plan: BuildPlan, folder: Path) -> subprocess.CompletedProcess[str]:
    """Resolve on this machine if that needs no build, else in a sandbox."""
    lists = folder / "lists"
    lists.mkdir()
    arguments = _arguments(plan, lists)
    if trusted() or plan.sdists <= KNOWN_REQUIREMENTS.keys():
        return run_uv([*arguments, "--config-file", str(_settings(lists))], lists)
    environment = folder / "environment"
    completed = run_uv(["venv", "-q", "--no-config", "--python", arguments[_PYTHON], str(environment)])
    if completed.returncode != 0:
        return completed
    arguments[_PYTHON] = str(environment / "bin" / "python")
    return run_uv_inside(arguments, environment, [wish.name for wish in plan.wishes], [lists])


def _settings(folder: Path) -> Path:
    """Write the user's configuration of uv, with the known requirements of some distributions."""
    config = PackageIndex.from_environment().config
    user_settings = config.read_text() if config is not None and config.is_file() else ""
    tables = [
        f'[[dependency-metadata]]\nname = "{name}"\nrequires-dist = {json.dumps(requires)}\n'
        for name, requires in KNOWN_REQUIREMENTS.items()
    ]
    file = folder / "uv.toml"
    file.write_text("\n".join([user_settings, *tables]))
    return file


def has_wheel(wish: Wish, plan: BuildPlan, python: str) -> bool:
    """True if another Python has a wheel for this wish."""
    single_plan = BuildPlan((replace(wish, marker="", extras=()),), python, before=plan.before)
    with tempfile.TemporaryDirectory(prefix="resolve-", dir=cache_folder("builds")) as folder_path:
        folder = Path(folder_path)
        return run_uv([*_arguments(single_plan, folder), "--no-deps"], folder).returncode == 0


def _arguments(plan: BuildPlan, folder: Path) -> list[str]:
    """Return the command line; write the plan's lists to files."""
    requirements_file = folder / "requirements.in"
    requirements_file.write_text("".join(f"{wish.line}\n" for wish in plan.wishes))
    program = str(installed_pythons()[plan.python].program)
    arguments = [
        "pip",
        "compile",
        "--no-header",
        "--no-annotate",
        "--no-python-downloads",
        "--python",
        program,
    ]
    arguments += [str(requirements_file), "--only-binary", ":all:"]
    for name in sorted(plan.sdists):
        arguments += ["--no-binary", name]
    if plan.before is not None:
        arguments += ["--exclude-newer", plan.before.isoformat()]
    if plan.cpu_index == "used":
        arguments += ["--torch-backend", "cpu"]
        # That index has no upload times; the versions are held by constraints instead.
        for name in TORCH_FAMILY:
            arguments += ["--exclude-newer-package", f"{name}=false"] if plan.before is not None else []
    for option, lines in (
        ("--constraints", plan.constraints),
        ("--build-constraints", plan.build_constraints),
    ):
        if lines:
            file = folder / f"{option.strip('-')}.txt"
            file.write_text("".join(f"{line}\n" for line in lines))
            arguments += [option, str(file)]
    return arguments
