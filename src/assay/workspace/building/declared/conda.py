"""Reads environment.yml: conda's own list, and pip's list inside it."""

from __future__ import annotations

import re
from pathlib import Path

from assay.workspace.building.declared.declaration import Declared, declare
from assay.workspace.building.wishes import UnreadableRequirement, read_conda_wish


def read_conda(file: Path, path: str) -> Declared:
    """Read both lists; a YAML file without `dependencies` declares nothing."""
    import yaml

    try:
        table = yaml.safe_load(file.read_text(errors="replace"))
    except yaml.YAMLError:
        return Declared(notes=(f"{path} is not readable YAML",))
    if not isinstance(table, dict) or not isinstance(table.get("dependencies"), list):
        return Declared()
    declared = Declared()
    for dependency in table["dependencies"]:
        if isinstance(dependency, str):
            declared += _read_dependency(dependency, path)
        elif isinstance(dependency, dict) and isinstance(dependency.get("pip"), list):
            declared += _pip_list([str(line) for line in dependency["pip"]], path)
    return declared


def _read_dependency(text: str, path: str) -> Declared:
    if python := re.fullmatch(r"python\s*=+\s*(3\.\d+)[\w.*=]*", text.strip()):
        return Declared(names_python=((path, python.group(1)),))
    if python := re.fullmatch(r"python\s*([<>!~].*)", text.strip()):
        return Declared(requires_python=((path, python.group(1).replace(" ", "")),))
    try:
        return Declared(conda=(read_conda_wish(text, path),))
    except UnreadableRequirement as problem:
        return Declared(notes=(str(problem),))


def _pip_list(lines: list[str], path: str) -> Declared:
    declared = Declared()
    for line in lines:
        if line.startswith(("-f", "-i", "--")):
            declared += Declared(index_lines=(f"{path}: {line}",))
        elif not line.startswith("-"):
            declared += declare([line], path)
    return declared
