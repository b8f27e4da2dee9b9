"""requirements.txt: one requirement a line, with pip's options among them."""

from __future__ import annotations

import re
from pathlib import Path

from assay.workspace.building.declared.found import Declared, declare

_INDEX = re.compile(
    r"(-f|-i|--find-links|--index-url|--extra-index-url|--no-index|--trusted-host|--pre)(?=[\s=]|$)"
)
_FILE = re.compile(r"(?:-r|--requirement)[\s=]*(\S+)")
_EDITABLE = re.compile(r"(?:-e|--editable)[\s=]*(\S+)")
_OPTIONS_AFTER = re.compile(r"\s+(?:--hash|--config-settings|--global-option).*")
_CONDA_EXPORT = re.compile(r"([\w.-]+)=([\w.]+)=\w+")


def read_lines(file: Path, path: str, seen: frozenset[Path] = frozenset()) -> Declared:
    """Every requirement of a file and of the files it includes."""
    found = Declared()
    for line in logical_lines(file.read_text(errors="replace")):
        if _INDEX.match(line):
            found += Declared(index_lines=(f"{path}: {line}",))
        elif include := _FILE.match(line):
            target = (file.parent / include.group(1)).resolve()
            if target.is_file() and target not in seen and _inside(target, file, path):
                found += read_lines(target, include.group(1), seen | {file.resolve()})
        elif editable := _EDITABLE.match(line):
            found += _editable(editable.group(1), path)
        elif exported := _CONDA_EXPORT.fullmatch(line):
            found += Declared(conda=declare(["==".join(exported.groups())], path).wishes)
        elif not line.startswith("-"):
            found += declare([_OPTIONS_AFTER.sub("", line)], path)
    return found


def logical_lines(text: str) -> list[str]:
    """Lines without comments, the continued ones joined."""
    joined = re.sub(r"\\\r?\n", " ", text.lstrip("\ufeff"))
    lines = (re.sub(r"(^|\s)#(?!egg=).*$", "", line).strip().rstrip(",") for line in joined.splitlines())
    return [line for line in lines if line]


def _editable(target: str, path: str) -> Declared:
    """The repository itself is not installed: its code is in the workspace."""
    return declare([target], path) if "://" in target else Declared()


def _inside(target: Path, file: Path, path: str) -> bool:
    """Whether an included file lies in the same repository."""
    root = file.resolve().parents[path.count("/")]
    return target.is_relative_to(root)
