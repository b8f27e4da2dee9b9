"""Reads requirements.txt: one requirement on each line, and pip's options."""

from __future__ import annotations

import re
from pathlib import Path

from assay.workspace.building.declared.declaration import Declared, declare

_INDEX = re.compile(
    r"(-f|-i|--find-links|--index-url|--extra-index-url|--no-index|--trusted-host|--pre)(?=[\s=]|$)"
)
_FILE = re.compile(r"(?:-r|--requirement)[\s=]*(\S+)")
_EDITABLE = re.compile(r"(?:-e|--editable)[\s=]*(\S+)")
_OPTIONS_AFTER = re.compile(r"\s+(?:--hash|--config-settings|--global-option).*")
_CONDA_EXPORT = re.compile(r"([\w.-]+)=([\w.]+)=\w+")


def read_lines(file: Path, path: str, included: frozenset[Path] = frozenset()) -> Declared:
    """Read every requirement of a file and of the files it includes."""
    declared = Declared()
    for line in logical_lines(file.read_text(errors="replace")):
        if _INDEX.match(line):
            declared += Declared(index_lines=(f"{path}: {line}",))
        elif include := _FILE.match(line):
            target = (file.parent / include.group(1)).resolve()
            if target.is_file() and target not in included and _is_in_repository(target, file, path):
                declared += read_lines(target, include.group(1), included | {file.resolve()})
        elif editable := _EDITABLE.match(line):
            declared += _editable(editable.group(1), path)
        elif exported := _CONDA_EXPORT.fullmatch(line):
            declared += Declared(conda=declare(["==".join(exported.groups())], path).wishes)
        elif not line.startswith("-"):
            declared += declare([_OPTIONS_AFTER.sub("", line)], path)
    return declared


def logical_lines(text: str) -> list[str]:
    """Return lines without comments, with continued lines joined."""
    joined = re.sub(r"\\\r?\n", " ", text.lstrip("\ufeff"))
    lines = (re.sub(r"(^|\s)#(?!egg=).*$", "", line).strip().rstrip(",") for line in joined.splitlines())
    return [line for line in lines if line]


def _editable(target: str, path: str) -> Declared:
    """Read an editable requirement; skip the repository itself, whose code is in the workspace."""
    return declare([target], path) if "://" in target else Declared()


def _is_in_repository(target: Path, file: Path, path: str) -> bool:
    """True if an included file is in the same repository."""
    root = file.resolve().parents[path.count("/")]
    return target.is_relative_to(root)
