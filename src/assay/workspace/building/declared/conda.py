"""environment.yml: conda's own list, and pip's within it."""

from __future__ import annotations

import re
from pathlib import Path

from assay.workspace.building.declared.found import Declared, declare
from assay.workspace.building.wishes import Unreadable, read_conda_wish


def read_conda(file: Path, path: str) -> Declared:
    """Both lists; a YAML file without `dependencies` is something else and says nothing."""
    import yaml

    try:
        table = yaml.safe_load(file.read_text(errors="replace"))
    except yaml.YAMLError:
        return Declared(notes=(f"{path} is not YAML that can be read",))
    if not isinstance(table, dict) or not isinstance(table.get("dependencies"), list):
        return Declared()
    found = Declared()
    for each in table["dependencies"]:
        if isinstance(each, str):
            found += _one(each, path)
        elif isinstance(each, dict) and isinstance(each.get("pip"), list):
            found += _pip_list([str(line) for line in each["pip"]], path)
    return found


def _one(text: str, path: str) -> Declared:
    if python := re.fullmatch(r"python\s*=+\s*(3\.\d+)[\w.*=]*", text.strip()):
        return Declared(names_python=((path, python.group(1)),))
    if python := re.fullmatch(r"python\s*([<>!~].*)", text.strip()):
        return Declared(requires_python=((path, python.group(1).replace(" ", "")),))
    try:
        return Declared(conda=(read_conda_wish(text, path),))
    except Unreadable as problem:
        return Declared(notes=(str(problem),))


def _pip_list(lines: list[str], path: str) -> Declared:
    found = Declared()
    for line in lines:
        if line.startswith(("-f", "-i", "--")):
            found += Declared(index_lines=(f"{path}: {line}",))
        elif not line.startswith("-"):
            found += declare([line], path)
    return found
