"""Repairs for machines without a GPU: builds of PyTorch for the CPU in place of those for CUDA."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename
from packaging.version import Version

from assay.workspace.building.plan import BuildPlan, Failure, Repair, RepairedPlan
from assay.workspace.building.resolving import TORCH_FAMILY
from assay.workspace.building.wishes import Wish
from assay.workspace.index import PackageIndex

_PIN = re.compile(rf"^({'|'.join(TORCH_FAMILY)})==([^\s+]+)", re.MULTILINE)
_CUDA_EXTRA = re.compile(r"cuda|gpu")


def drop_cuda_extra(plan: BuildPlan, failure: Failure) -> RepairedPlan | None:
    """Drop extras such as `jax[cuda12]`: without them the distribution runs on the CPU."""
    for wish in plan.wishes if failure.stage == "cuda" else ():
        plain_extras = tuple(extra for extra in wish.extras if not _CUDA_EXTRA.search(extra))
        if plain_extras != wish.extras:
            changed_plan = plan.with_changed(wish.name, partial(replace, extras=plain_extras))
            return RepairedPlan(changed_plan, wish.line)
    return None


def cpu_index(plan: BuildPlan, failure: Failure) -> RepairedPlan | None:
    """Take the same versions from PyTorch's index for the CPU."""
    pins = _PIN.findall(failure.message)
    if failure.stage != "cuda" or plan.cpu_index != "not tried" or not pins:
        return None
    held = tuple(f"{name}=={version}" for name, version in pins)
    changed_plan = replace(plan, cpu_index="used", constraints=(*plan.constraints, *held))
    return RepairedPlan(changed_plan, ", ".join(held))


def without_cpu_index(plan: BuildPlan, failure: Failure) -> RepairedPlan | None:
    """Stop using PyTorch's index if it cannot be reached, or has no such build."""
    if failure.stage != "resolve" or plan.cpu_index != "used":
        return None
    if not re.search(r"Failed to fetch|no version of torch|torch\S* was not found", failure.message):
        return None
    changed_plan = replace(plan, cpu_index="out of reach", constraints=_other_constraints(plan))
    return RepairedPlan(changed_plan, "it cannot be used here")


def cpu_build(plan: BuildPlan, failure: Failure) -> RepairedPlan | None:
    """Take a build for the CPU from a folder of wheels, also if its Python and its version are others."""
    pins = dict(_PIN.findall(failure.message))
    if failure.stage != "cuda" or plan.cpu_index == "not tried" or "torch" not in pins:
        return None
    builds = sorted(_cpu_builds(), key=lambda build: (build[0].public == pins["torch"], build[0]))
    pythons = [plan.python, *plan.other_pythons]
    for version, minors in reversed(builds):
        for python in pythons:
            if python in minors:
                return RepairedPlan(
                    _with_build(plan, version, python), _describe(plan, pins, version, python)
                )
    return None


def drop_without_cpu_build(plan: BuildPlan, failure: Failure) -> RepairedPlan | None:
    """Drop a companion of torch that fits no build for the CPU here; what imports it stays unmet."""
    has_cpu_build = any(re.match(r"torch==\S+\+cpu$", line) for line in plan.constraints)
    if failure.stage != "resolve" or not has_cpu_build:
        return None
    for name in TORCH_FAMILY[1:]:
        if plan.wishes_for(name) and re.search(rf"\b{name}\b", failure.message):
            return RepairedPlan(plan.without(name), name)
    return None


def drop_cuda_only(plan: BuildPlan, failure: Failure) -> RepairedPlan | None:
    """Drop PyTorch if only its builds for CUDA can be reached and no task's path imports it."""
    names = [name for name in (*TORCH_FAMILY[1:], "torch") if plan.wishes_for(name)]
    if failure.stage != "cuda" or plan.needed & set(TORCH_FAMILY) - plan.lazy or not names:
        return None
    changed_plan = plan
    for name in names:
        changed_plan = changed_plan.without(name)
    return RepairedPlan(changed_plan, ", ".join(names))


def _with_build(plan: BuildPlan, version: Version, python: str) -> BuildPlan:
    changed_plan = plan.with_changed("torch", lambda wish: replace(wish, specifier="", marker=""))
    others = tuple(minor for minor in plan.other_pythons if minor != python)
    if python != plan.python:
        others = (*others, plan.python)
    if not changed_plan.wishes_for("torch"):
        changed_plan = changed_plan.with_wish(Wish("torch"))
    return replace(
        changed_plan,
        python=python,
        other_pythons=others,
        cpu_index="out of reach",
        constraints=(*_other_constraints(plan), f"torch=={version}"),
    )


def _other_constraints(plan: BuildPlan) -> tuple[str, ...]:
    return tuple(line for line in plan.constraints if not _PIN.match(line))


def _describe(plan: BuildPlan, pins: dict[str, str], version: Version, python: str) -> str:
    python_note = f" for Python {python} in place of {plan.python}" if python != plan.python else ""
    return f"torch {pins['torch']} -> {version}{python_note}"


def _cpu_builds() -> Iterator[tuple[Version, set[str]]]:
    """Yield the version and the Pythons of each build of torch for the CPU in the folders of wheels."""
    for folder in PackageIndex.from_environment().folders:
        for file in folder.glob("torch-*.whl") if folder.is_dir() else ():
            try:
                name, version, _, tags = parse_wheel_filename(file.name)
            except InvalidWheelFilename:
                continue
            if canonicalize_name(name) == "torch" and version.local == "cpu":
                matches = [re.fullmatch(r"cp3(\d+)", tag.interpreter) for tag in tags]
                yield version, {f"3.{match.group(1)}" for match in matches if match}


CPU_REPAIRS = (
    Repair("drop-cuda-extra", "an extra asks for CUDA on a machine without a GPU", drop_cuda_extra),
    Repair("cpu-index", "torch is a build for CUDA on a machine without a GPU", cpu_index),
    Repair("without-cpu-index", "PyTorch's index for the CPU cannot be used", without_cpu_index),
    Repair("cpu-build", "a folder of wheels has a build of torch for the CPU", cpu_build),
    Repair(
        "drop-without-cpu-build",
        "torchvision or torchaudio fits no build of torch for the CPU that can be reached",
        drop_without_cpu_build,
    ),
    Repair("drop-cuda-only", "only builds for CUDA can be reached, and no task imports them", drop_cuda_only),
)
