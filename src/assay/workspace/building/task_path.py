"""Finds the files on a task's path: what its commands start, and what those import from the repository."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from assay.workspace.building.imports import LocalImport, local_imports

_SCRIPT = re.compile(r"[\w./-]+\.py\b")
_MODULE = re.compile(r"-m\s+([\w.]+)")


@dataclass(frozen=True)
class TaskPath:
    """What the tasks of a paper start: files of the repository, and the commands that start them."""

    entries: tuple[str, ...]
    """Files of the repository: scripts, notebooks, shell scripts."""
    commands: tuple[str, ...] = ()
    search: tuple[str, ...] = ()
    """Folders, besides the root and `src`, in which Python searches for modules."""

    def mentions(self, word: str, folder: Path) -> bool:
        """True if a command or an entry names a word; `VmasTask` and `task=vmas/balance` name `vmas`."""
        pattern = re.compile(rf"(?<![a-z]){re.escape(word)}", re.IGNORECASE)
        texts = [*self.commands, *(_text(folder / entry) for entry in self.entries)]
        return any(pattern.search(text) for text in texts)


def files_on_path(task_path: TaskPath, folder: Path, paths: Sequence[str]) -> frozenset[str]:
    """Return the entries, and every file of the repository that their imports reach."""
    known = set(paths)
    waiting = [entry for entry in task_path.entries if entry in known]
    reached: set[str] = set()
    while waiting:
        path = waiting.pop()
        if path in reached:
            continue
        reached.add(path)
        waiting += _started(path, task_path.search, folder, known)
    return frozenset(reached)


def _started(path: str, search: Sequence[str], folder: Path, known: set[str]) -> Iterator[str]:
    """Yield the files that one file imports, or that a shell script starts."""
    if path.endswith(".sh"):
        text = _text(folder / path)
        scripts = [word.removeprefix("./") for word in _SCRIPT.findall(text)]
        scripts += [f"{module.replace('.', '/')}.py" for module in _MODULE.findall(text)]
        yield from _existing(scripts, ["", str(PurePosixPath(path).parent)], known)
        return
    here = PurePosixPath(path).parent
    for statement in local_imports(folder / path):
        if statement.level:
            package = here
            for _ in range(statement.level - 1):
                package = package.parent
            folders = [str(package)]
        else:
            folders = ["", "src", str(here), *search]
        yield from _existing(_forms(statement), folders, known)


def _forms(statement: LocalImport) -> list[str]:
    """Return the files that an import may execute: packages on the way, the module, its submodule."""
    parts = statement.module.split(".") if statement.module else []
    forms = [f"{'/'.join(parts[:count])}/__init__.py" for count in range(1, len(parts) + 1)]
    forms += [f"{'/'.join(parts)}.py"] if parts else ["__init__.py"]
    if statement.name:
        inside = "/".join([*parts, statement.name])
        forms += [f"{inside}.py", f"{inside}/__init__.py"]
    return forms


def _existing(forms: Iterable[str], folders: Iterable[str], known: set[str]) -> list[str]:
    names = [str(PurePosixPath(folder) / form) for form in forms for folder in folders]
    return [name for name in dict.fromkeys(names) if name in known]


def _text(file: Path) -> str:
    return file.read_text(errors="replace") if file.is_file() else ""
