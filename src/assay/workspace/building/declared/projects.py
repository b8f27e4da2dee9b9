"""Reads pyproject.toml, in standard and Poetry syntax, and Pipfile."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from packaging.utils import canonicalize_name

from assay.rules.documents import read_toml
from assay.workspace.building.declared.declaration import Declared, declare, declare_extra
from assay.workspace.building.declared.python import minors_of


def read_pyproject(file: Path, path: str) -> Declared:
    """Read dependencies and the Python version, without optional and development dependencies."""
    table = _table(file)
    if table is None:
        return Declared(notes=(f"{path} is not readable TOML",))
    project = table.get("project", {})
    declared = declare(
        [dependency for dependency in project.get("dependencies", []) if isinstance(dependency, str)], path
    )
    for extra, lines in project.get("optional-dependencies", {}).items():
        declared += declare_extra(extra, [line for line in lines if isinstance(line, str)], path)
    if requires_python := project.get("requires-python"):
        declared += Declared(requires_python=((path, requires_python),))
    declared += Declared(classifiers=minors_of(project.get("classifiers", [])))
    poetry = table.get("tool", {}).get("poetry", {})
    if python := poetry.get("dependencies", {}).get("python"):
        declared += Declared(requires_python=((path, _standard_specifiers(str(python))),))
    declared += declare(_poetry_lines(poetry.get("dependencies", {})), path)
    names = {
        canonicalize_name(part["name"]) for part in (project, poetry) if isinstance(part.get("name"), str)
    }
    return declared + Declared(packages=frozenset(names))


def read_pipfile(file: Path, path: str) -> Declared:
    """Read `[packages]` and the Python version, without `[dev-packages]`."""
    table = _table(file)
    if table is None:
        return Declared(notes=(f"{path} is not readable TOML",))
    declared = declare(_poetry_lines(table.get("packages", {})), path)
    requires = table.get("requires", {})
    if python := requires.get("python_version") or requires.get("python_full_version"):
        declared += Declared(names_python=((path, str(python)),))
    return declared


def _table(file: Path) -> dict[str, Any] | None:
    try:
        return read_toml(file.read_text(errors="replace"))
    except ValueError:
        return None


def _poetry_lines(dependencies: dict[str, Any]) -> list[str]:
    lines = []
    for name, dependency in dependencies.items():
        if name.lower() == "python" or (isinstance(dependency, dict) and dependency.get("optional")):
            continue
        table = dependency if isinstance(dependency, dict) else {"version": dependency}
        if isinstance(dependency, list):
            table = {}
        if address := table.get("git"):
            lines.append(f"git+{address.removeprefix('git+')}#egg={name}")
        elif "path" not in table:
            extras = f"[{','.join(table['extras'])}]" if table.get("extras") else ""
            marker = f" ; {table['markers']}" if table.get("markers") else ""
            lines.append(f"{name}{extras}{_standard_specifiers(str(table.get('version', '*')))}{marker}")
    return lines


def _standard_specifiers(specifier: str) -> str:
    """Translate Poetry's `^1.2`, `~1.2`, `1.2` and `*` into standard specifiers."""
    parts = [_standard_specifier(part.strip()) for part in specifier.split("||")[0].split(",")]
    return ",".join(part for part in parts if part)


def _standard_specifier(part: str) -> str:
    if part in {"", "*"}:
        return ""
    match = re.fullmatch(r"(\^|~(?!=))?\s*v?(\d[\w.+*-]*)", part)
    if match is None:
        return part
    sign, version = match.groups()
    if sign is None:
        return f"=={version}"
    numbers = [int(number) for number in re.findall(r"\d+", version.split("+")[0])[:3]]
    if sign == "~":
        upper = [*numbers[:1], numbers[1] + 1] if len(numbers) > 1 else [numbers[0] + 1]
    else:
        first = next((position for position, number in enumerate(numbers) if number), len(numbers) - 1)
        upper = [*numbers[:first], numbers[first] + 1]
    return f">={version},<{'.'.join(map(str, upper))}"
