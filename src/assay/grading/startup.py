"""Code that Python would run before the experiment, or in place of modules that are not the agent's.

What an agent's own code imports from its own files is its own affair: it could do the same without. What the
given code imports, directly or through an installed package, must be what was given and installed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from assay.grading.importing import (
    Environment,
    environment_at,
    imported_by,
    is_standard,
    modules_in,
    search_folders,
)
from assay.grading.merging import merge
from assay.tasks import Task
from assay.workspace import Submission

STARTUP = ("sitecustomize", "usercustomize")
"""Modules that Python imports by itself before any program."""
_COMPILED = (".so", ".pyc")
_LONGEST_PATH_FILE = 65_536
_COMMAND_FILES = (".sh", ".json", "Makefile")
"""Given files that may have the commands that a run starts."""
_LONGEST_COMMAND_FILE = 65_536


def before_the_experiment(task: Task, submission: Submission, environment: Path | None = None) -> str | None:
    """What of a submission would run before or instead of what is not the agent's; None where nothing does.

    Without an environment only the names of the task's requirements are known.
    """
    return next(_found(task, submission, environment), None)


def _found(task: Task, submission: Submission, folder: Path | None) -> Iterator[str]:
    merged = merge(task, submission).files
    installed = environment_at(folder) if folder is not None else None
    version = installed.version if installed is not None else None
    unchanged = {path: data for path, data in task.workspace.items() if merged.get(path) == data}
    loaded_modules = _needed(task, unchanged, installed)
    for searched in sorted(search_folders(_commands(task))):
        given_modules = modules_in(task.workspace, searched, version)
        for name, path in sorted(modules_in(merged, searched, version).items()):
            if path in unchanged or path not in submission.files:
                continue
            if name in STARTUP:
                yield f"{path} would be run by Python before the experiment"
            elif name not in given_modules and (
                name in loaded_modules or (path.endswith(_COMPILED) and name in _installed(task, installed))
            ):
                kind = "standard module" if is_standard(name) else "installed package"
                yield f"{path} takes the place of the {kind} {name!r}"
        yield from _path_files(submission, searched)
    yield from _instead_of_given(task, submission, merged, version)


def _instead_of_given(
    task: Task, submission: Submission, merged: dict[str, bytes], version: tuple[int, int] | None
) -> Iterator[str]:
    """New files that Python would load in place of a given one, in any folder: a package before a module."""
    if not _is_fixed(task):
        return
    for folder in sorted({path.rpartition("/")[0] for path in task.workspace if path.endswith(".py")}):
        given_modules = modules_in(task.workspace, folder, version)
        for name, path in sorted(modules_in(merged, folder, version).items()):
            given = given_modules.get(name, path)
            if given != path and path in submission.files and merged.get(given) == task.workspace[given]:
                yield f"{path} takes the place of the given {given}"


def _is_fixed(task: Task) -> bool:
    """Whether given files must stay as they are, so that standing before one is a way around that."""
    return task.assay.submission.editable is not None


def _needed(task: Task, unchanged: dict[str, bytes], installed: Environment | None) -> set[str]:
    """The installed and standard modules that the given code, as far as it is unchanged, loads."""
    imported = imported_by(unchanged)
    reached = installed.reached(imported) if installed is not None else imported & _installed(task, None)
    return reached | {name for name in imported if is_standard(name)}


def _installed(task: Task, installed: Environment | None) -> set[str]:
    if installed is not None:
        return set(installed.modules())
    aliases = {"scikit_learn": "sklearn", "pillow": "PIL", "pyyaml": "yaml", "opencv_python": "cv2"}
    names = {_requirement(requirement) for requirement in task.assay.requirements}
    return names | {aliases[name] for name in names if name in aliases}


def _requirement(line: str) -> str:
    end = next((place for place, sign in enumerate(line) if sign in "[<>=!~ ;@"), len(line))
    return line[:end].lower().replace("-", "_")


def _commands(task: Task) -> Iterator[str]:
    run, challenge = task.assay.run, task.assay.challenge
    if run is not None:
        yield run.command
    for variation in task.assay.variations:
        yield variation.command or ""
    if challenge is not None:
        yield challenge.build or ""
        yield challenge.serve or ""
    if _is_fixed(task):
        for path, data in task.workspace.items():
            if path.endswith(_COMMAND_FILES) and len(data) <= _LONGEST_COMMAND_FILE:
                yield data.decode(errors="replace")


def _path_files(submission: Submission, searched: str) -> Iterator[str]:
    """Files of lines that Python runs where it takes a folder for one of packages; weights are binary."""
    prefix = f"{searched}/" if searched else ""
    for path, data in submission.files.items():
        is_top_level = path.startswith(prefix) and "/" not in path[len(prefix) :]
        if is_top_level and path.endswith(".pth") and len(data) <= _LONGEST_PATH_FILE and b"\0" not in data:
            lines = data.removeprefix(b"\xef\xbb\xbf").splitlines()
            if any(line.startswith((b"import ", b"import\t")) for line in lines):
                yield f"{path} would be run by Python before the experiment"
