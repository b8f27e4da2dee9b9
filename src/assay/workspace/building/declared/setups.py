"""setup.py, read and never run, and setup.cfg."""

from __future__ import annotations

import ast
import configparser
from pathlib import Path

from packaging.utils import canonicalize_name

from assay.workspace.building.declared.found import Declared, declare
from assay.workspace.building.declared.lines import logical_lines
from assay.workspace.building.declared.python import minors_of


def read_setup_py(file: Path, path: str) -> Declared:
    """What the call of `setup` says, as far as it can be told without running anything."""
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError):
        return Declared(notes=(f"{path} is not Python that can be read here",))
    names = _assigned(tree)
    found = Declared()
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and _called(call.func) == "setup":
            given = {each.arg: each.value for each in call.keywords if each.arg}
            found += _told(given, names, path)
    return found


def read_setup_cfg(file: Path, path: str) -> Declared:
    """`[options]` and `[metadata]`."""
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(file.read_text(errors="replace"))
    except configparser.Error as problem:
        return Declared(notes=(f"{path}: {str(problem).splitlines()[0]}",))
    found = declare(logical_lines(parser.get("options", "install_requires", fallback="")), path)
    if wanted := parser.get("options", "python_requires", fallback="").strip():
        found += Declared(requires_python=((path, wanted),))
    if name := parser.get("metadata", "name", fallback="").strip():
        found += Declared(packages=frozenset({canonicalize_name(name)}))
    classifiers = parser.get("metadata", "classifiers", fallback="").splitlines()
    return found + Declared(classifiers=minors_of(classifiers))


def _told(given: dict[str, ast.expr], names: dict[str, ast.expr], path: str) -> Declared:
    found = Declared()
    if "install_requires" in given:
        texts = _strings(given["install_requires"], names)
        found += declare(texts or [], path)
        if texts is None:
            found = found.noting(
                f"{path} computes its install_requires; requirements files and imports stand in"
            )
    for wanted in _strings(given.get("python_requires"), names) or []:
        found += Declared(requires_python=((path, wanted),))
    for name in _strings(given.get("name"), names) or []:
        found += Declared(packages=frozenset({canonicalize_name(name)}))
    return found + Declared(classifiers=minors_of(_strings(given.get("classifiers"), names) or []))


def _strings(node: ast.expr | None, names: dict[str, ast.expr], depth: int = 0) -> list[str] | None:
    """The strings that an expression stands for; None where only running it would tell."""
    if node is None or depth > 8:
        return None
    if isinstance(node, ast.Constant):
        return [node.value] if isinstance(node.value, str) else None
    if isinstance(node, ast.Name):
        return _strings(names.get(node.id), names, depth + 1)
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        parts = [_strings(each, names, depth + 1) for each in node.elts]
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        parts = [_strings(each, names, depth + 1) for each in (node.left, node.right)]
    elif isinstance(node, ast.Starred):
        return _strings(node.value, names, depth + 1)
    else:
        return None
    known = [each for each in parts if each is not None]
    return [text for part in known for text in part] if known or not parts else None


def _assigned(tree: ast.Module) -> dict[str, ast.expr]:
    found: dict[str, ast.expr] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    found[target.id] = node.value
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            found[node.target.id] = node.value
    return found


def _called(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
