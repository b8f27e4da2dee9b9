"""pyproject.toml, in the words of the standard and in Poetry's, and Pipfile."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from packaging.utils import canonicalize_name

from assay.rules.documents import read_toml
from assay.workspace.building.declared.found import Declared, declare
from assay.workspace.building.declared.python import minors_of


def read_pyproject(file: Path, path: str) -> Declared:
    """Dependencies and the Python; optional ones and groups for development are left out."""
    table = _table(file)
    if table is None:
        return Declared(notes=(f"{path} is not TOML that can be read",))
    project = table.get("project", {})
    found = declare([each for each in project.get("dependencies", []) if isinstance(each, str)], path)
    if wanted := project.get("requires-python"):
        found += Declared(requires_python=((path, wanted),))
    found += Declared(classifiers=minors_of(project.get("classifiers", [])))
    poetry = table.get("tool", {}).get("poetry", {})
    if python := poetry.get("dependencies", {}).get("python"):
        found += Declared(requires_python=((path, _caret(str(python))),))
    found += declare(_poetry_lines(poetry.get("dependencies", {})), path)
    names = {
        canonicalize_name(part["name"]) for part in (project, poetry) if isinstance(part.get("name"), str)
    }
    return found + Declared(packages=frozenset(names))


def read_pipfile(file: Path, path: str) -> Declared:
    """`[packages]` and the Python; `[dev-packages]` is left out."""
    table = _table(file)
    if table is None:
        return Declared(notes=(f"{path} is not TOML that can be read",))
    found = declare(_poetry_lines(table.get("packages", {})), path)
    requires = table.get("requires", {})
    if python := requires.get("python_version") or requires.get("python_full_version"):
        found += Declared(names_python=((path, str(python)),))
    return found


def _table(file: Path) -> dict[str, Any] | None:
    try:
        return read_toml(file.read_text(errors="replace"))
    except ValueError:
        return None


def _poetry_lines(dependencies: dict[str, Any]) -> list[str]:
    lines = []
    for name, wanted in dependencies.items():
        if name.lower() == "python" or (isinstance(wanted, dict) and wanted.get("optional")):
            continue
        table = wanted if isinstance(wanted, dict) else {"version": wanted}
        if isinstance(wanted, list):
            table = {}
        if address := table.get("git"):
            lines.append(f"git+{address.removeprefix('git+')}#egg={name}")
        elif "path" not in table:
            extras = f"[{','.join(table['extras'])}]" if table.get("extras") else ""
            marker = f" ; {table['markers']}" if table.get("markers") else ""
            lines.append(f"{name}{extras}{_caret(str(table.get('version', '*')))}{marker}")
    return lines


def _caret(specifier: str) -> str:
    """Poetry's `^1.2`, `~1.2`, `1.2` and `*` in the standard's words."""
    parts = [_one(part.strip()) for part in specifier.split("||")[0].split(",")]
    return ",".join(part for part in parts if part)


def _one(part: str) -> str:
    if part in {"", "*"}:
        return ""
    match = re.fullmatch(r"(\^|~(?!=))?\s*v?(\d[\w.+*-]*)", part)
    if match is None:
        return part
    sign, version = match.groups()
    if sign is None:
        return f"=={version}"
    numbers = [int(each) for each in re.findall(r"\d+", version.split("+")[0])[:3]]
    if sign == "~":
        upper = [*numbers[:1], numbers[1] + 1] if len(numbers) > 1 else [numbers[0] + 1]
    else:
        first = next((place for place, each in enumerate(numbers) if each), len(numbers) - 1)
        upper = [*numbers[:first], numbers[first] + 1]
    return f">={version},<{'.'.join(map(str, upper))}"
