"""What tasks run with in place of their pinned environment, in words for logs and certificates."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import distributions
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from assay.sandbox.gpu.devices import gpu_numbers
from assay.sandbox.gpu.nvml import gpu_name
from assay.tasks import Task
from assay.workspace.task_environment import minimum_gpus, user_environment


def made_with(tasks: Iterable[Task]) -> str:
    """Describe packages and GPUs that tasks get here and do not ask for; empty if all is as it is pinned."""
    given = list(tasks)
    environment = user_environment()
    pins = {pin for task in given for pin in task.assay.requirements}
    parts = [] if environment is None else [other_versions(environment, pins)]
    least = minimum_gpus()
    if any(task.config.environment.gpus < least for task in given) and gpu_numbers():
        names = dict.fromkeys(filter(None, map(gpu_name, gpu_numbers())))
        parts.append(f"at least {least} GPU ({', '.join(names) or 'unknown model'})")
    return "; ".join(parts)


def other_versions(environment: Path, pins: Iterable[str]) -> str:
    """Describe the Python of an environment, and its packages where they differ from their pins."""
    (packages,) = [*environment.glob("lib/python*/site-packages"), environment][:1]
    installed = {
        canonicalize_name(found.name): found.version for found in distributions(path=[str(packages)])
    }
    others = []
    for pin in sorted(map(Requirement, pins), key=lambda requirement: requirement.name):
        version = installed.get(canonicalize_name(pin.name))
        if version is None or not pin.specifier.contains(version, prereleases=True):
            others.append(f"{pin.name} {version or 'missing'} (pinned {pin.specifier})")
    python = packages.parent.name.replace("python", "Python ") if packages != environment else "Python"
    return ", ".join([f"another environment: {python}", *others])
