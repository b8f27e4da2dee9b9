"""Settings that a script imports by name: `from config import RATE`, with `RATE = 0.1` in config.py."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from assay.curation.settings import ExperimentSetting, find_settings
from assay.grading.execution_trace import parse


def find_imported_settings(path: str, files: Mapping[str, bytes]) -> list[ExperimentSetting]:
    """Return the plain numbers of the repository's modules that a script imports at its top level by name.

    The script gets the value after its import, so that the module stays as it is.
    """
    tree = parse(files[path].decode(errors="replace")) if path in files else None
    settings: dict[str, ExperimentSetting] = {}
    for statement in tree.body if tree is not None else []:
        if isinstance(statement, ast.ImportFrom) and statement.module:
            for setting in _of_import(path, statement, files):
                settings.setdefault(setting.name, setting)
    return list(settings.values())


def _of_import(
    path: str, statement: ast.ImportFrom, files: Mapping[str, bytes]
) -> Iterator[ExperimentSetting]:
    source = next((files[file] for file in _module_files(path, statement, files)), None)
    if source is None:
        return
    text = source.decode(errors="replace")
    constants = {setting.name: setting for setting in find_settings("", text, ()) if setting.kind == "number"}
    top_level = _top_level_names(text)
    for alias in statement.names:
        constant = constants.get(alias.name)
        if constant is None or alias.asname or alias.name not in top_level:
            continue
        last_line = statement.end_lineno or statement.lineno
        place = {"file": path, "line": statement.lineno, "imported_after": last_line}
        yield constant.model_copy(update={**place, "start": (last_line, 0), "end": (last_line, 0)})


def _module_files(path: str, statement: ast.ImportFrom, files: Mapping[str, bytes]) -> Iterator[str]:
    """The files of the repository that the import may name: beside the script, at the top, or below src."""
    name = (statement.module or "").replace(".", "/")
    parents = PurePosixPath(path).parents
    bases = (
        [parents[min(statement.level, len(parents)) - 1]]
        if statement.level
        else [*parents, PurePosixPath("src")]
    )
    for base in bases:
        for file in (f"{name}.py", f"{name}/__init__.py"):
            candidate = PurePosixPath(base, file).as_posix()
            if candidate in files:
                yield candidate


def _top_level_names(source: str) -> set[str]:
    tree = parse(source)
    names: set[str] = set()
    for statement in tree.body if tree is not None else []:
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        if isinstance(statement, ast.AnnAssign):
            targets = [statement.target]
        names |= {target.id for target in targets if isinstance(target, ast.Name)}
    return names
