"""The task folder on disk: a valid Harbor task directory, read and written without loss."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import tomlkit
from pydantic import ValidationError

from assay.errors import TaskError
from assay.rules.documents import read_json
from assay.tasks.certificate import Certificate
from assay.tasks.config import AssayTable, TaskConfig
from assay.tasks.expansion import copy_parts, expand_patches, read_shared
from assay.tasks.files import below, read_plain, read_tree, write_tree
from assay.tasks.harbor import with_harbor_files
from assay.tasks.model import Task, explain, parse_toml
from assay.tasks.validation import validate

PARTS = ("environment", "solution", "tests")
MOST_TEXT = 16 << 20
"""Bytes of instruction.md, task.toml and certificate.json."""


def load_task(place: str | Path) -> Task:
    """The task in a folder, or a TaskError that names the file at fault."""
    folder = Path(place)
    if not folder.is_dir():
        raise TaskError(str(folder), "is no folder, expected a task folder with task.toml")
    try:
        return validate(_read(folder))
    except TaskError as error:
        if error.place.startswith(str(folder)):
            raise
        message = error.message.removeprefix(f"{error.place}: ")
        raise TaskError(f"{folder}/{error.place}", message, hint=error.hint) from None


def _read(folder: Path) -> Task:
    for name in ("task.toml", "instruction.md"):
        if not os.path.lexists(folder / name):
            raise TaskError(name, "is missing", hint="`assay new KIND` writes a task to fill in")
    try:
        instruction = read_plain(folder / "instruction.md", "instruction.md", MOST_TEXT).decode()
    except UnicodeDecodeError as error:
        raise TaskError("instruction.md", f"is not UTF-8: {error}") from None
    table = read_plain(folder / "task.toml", "task.toml", MOST_TEXT)
    config = parse_toml(table, TaskConfig, "task.toml")
    parts = _read_parts(folder, config.metadata.assay)
    assay = config.metadata.assay.model_copy(update={"include": [], "copies": {}})
    metadata = config.metadata.model_copy(update={"assay": assay})
    return Task(
        config=config.model_copy(update={"metadata": metadata}),
        instruction=instruction,
        certificate=_read_certificate(folder / "certificate.json"),
        **parts,
    )


def _read_parts(folder: Path, assay: AssayTable) -> dict[str, dict[str, bytes]]:
    """The files of each part, with shared files, copies of other parts and patches expanded."""
    parts = {part: read_tree(folder / part, part) for part in PARTS}
    for path, data in read_shared(folder, assay.include, PARTS).items():
        part, _, name = path.partition("/")
        if name in parts[part]:
            raise TaskError(path, "is in the task's folder and included too", hint="remove one of the two")
        parts[part][name] = data
    solution = {**below(parts["environment"], "workspace"), **below(parts["solution"], "files")}
    tests = copy_parts(parts, assay.copies)
    parts["tests"] = expand_patches(tests, solution, "tests")
    return parts


def _read_certificate(path: Path) -> Certificate | None:
    if not os.path.lexists(path):
        return None
    data = read_plain(path, path.name, MOST_TEXT)
    try:
        return Certificate.model_validate(read_json(data))
    except (ValidationError, ValueError) as error:
        raise TaskError(path.name, explain(error), hint="remove it and run `assay certify`") from None


def save_task(task: Task, place: str | Path) -> None:
    """Write a task as a folder that other harnesses can run; the folder must be empty or new."""
    folder = Path(place)
    if folder.exists() and any(folder.iterdir()):
        raise TaskError(str(folder), "is not empty, expected a new folder", hint="name another one")
    folder.mkdir(parents=True, exist_ok=True)
    task = with_harbor_files(task)
    for part in PARTS:
        write_tree(getattr(task, part), folder / part)
    (folder / "task.toml").write_text(dump_config(task.config), newline="")
    (folder / "instruction.md").write_bytes(task.instruction.encode())
    if task.certificate is not None:
        (folder / "certificate.json").write_text(task.certificate.model_dump_json(indent=2) + "\n")


def dump_config(config: TaskConfig) -> str:
    """task.toml as text; defaults are left out, but the rules of isolation are always written."""
    table: dict[str, Any] = config.model_dump(exclude_defaults=True, exclude_none=True)
    table = {"schema_version": config.schema_version, "artifacts": config.artifacts, **table}
    verifier = {
        "environment_mode": config.verifier.environment_mode,
        "network_mode": config.verifier.network_mode,
    }
    table["verifier"] = {**verifier, **table.get("verifier", {})}
    machine = {"network_mode": config.environment.network_mode, "workdir": config.environment.workdir}
    table["environment"] = {**machine, **table.get("environment", {})}
    return tomlkit.dumps(table)
