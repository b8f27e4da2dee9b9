"""Reads setup.py without running it, and setup.cfg."""

from __future__ import annotations

import ast
import configparser
from pathlib import Path

from packaging.utils import canonicalize_name

from assay.workspace.building.declared.declaration import Declared, declare, declare_extra
from assay.workspace.building.declared.lines import logical_lines
from assay.workspace.building.declared.python import minors_of


def read_setup_py(file: Path, path: str) -> Declared:
    """Read the arguments of the `setup` call, as far as possible without running code."""
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError):
        return Declared(notes=(f"{path} is not readable as Python here",))
    names = _assigned_values(tree)
    declared = Declared()
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and _called_name(call.func) == "setup":
            arguments = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
            declared += _read_setup_arguments(arguments, names, path)
    return declared


def read_setup_cfg(file: Path, path: str) -> Declared:
    """Read `[options]` and `[metadata]`."""
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(file.read_text(errors="replace"))
    except configparser.Error as problem:
        return Declared(notes=(f"{path}: {str(problem).splitlines()[0]}",))
    declared = declare(logical_lines(parser.get("options", "install_requires", fallback="")), path)
    if parser.has_section("options.extras_require"):
        for extra, lines in parser.items("options.extras_require"):
            declared += declare_extra(extra, logical_lines(lines), path)
    if requires_python := parser.get("options", "python_requires", fallback="").strip():
        declared += Declared(requires_python=((path, requires_python),))
    if name := parser.get("metadata", "name", fallback="").strip():
        declared += Declared(packages=frozenset({canonicalize_name(name)}))
    classifiers = parser.get("metadata", "classifiers", fallback="").splitlines()
    return declared + Declared(classifiers=minors_of(classifiers))


def _read_setup_arguments(arguments: dict[str, ast.expr], names: dict[str, ast.expr], path: str) -> Declared:
    declared = Declared()
    if "install_requires" in arguments:
        texts = _strings(arguments["install_requires"], names)
        declared += declare(texts or [], path)
        if texts is None:
            declared = declared.with_note(
                f"{path} computes its install_requires; Assay uses requirements files and imports instead"
            )
    extras = arguments.get("extras_require")
    for key, requirements in _items(names.get(extras.id) if isinstance(extras, ast.Name) else extras):
        declared += declare_extra(key, _strings(requirements, names) or [], path)
    for specifier in _strings(arguments.get("python_requires"), names) or []:
        declared += Declared(requires_python=((path, specifier),))
    for name in _strings(arguments.get("name"), names) or []:
        declared += Declared(packages=frozenset({canonicalize_name(name)}))
    return declared + Declared(classifiers=minors_of(_strings(arguments.get("classifiers"), names) or []))


def _strings(node: ast.expr | None, names: dict[str, ast.expr], depth: int = 0) -> list[str] | None:
    """Return the strings of an expression; None if only running the code would show them."""
    if node is None or depth > 8:
        return None
    if isinstance(node, ast.Constant):
        return [node.value] if isinstance(node.value, str) else None
    if isinstance(node, ast.Name):
        return _strings(names.get(node.id), names, depth + 1)
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        parts = [_strings(element, names, depth + 1) for element in node.elts]
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        parts = [_strings(operand, names, depth + 1) for operand in (node.left, node.right)]
    elif isinstance(node, ast.Starred):
        return _strings(node.value, names, depth + 1)
    else:
        return None
    known_parts = [strings for strings in parts if strings is not None]
    return [text for part in known_parts for text in part] if known_parts or not parts else None


def _items(node: ast.expr | None) -> list[tuple[str, ast.expr]]:
    """Return the items of a literal dictionary whose keys are strings."""
    if not isinstance(node, ast.Dict):
        return []
    return [
        (key.value, value)
        for key, value in zip(node.keys, node.values, strict=True)
        if isinstance(key, ast.Constant) and isinstance(key.value, str)
    ]


def _assigned_values(tree: ast.Module) -> dict[str, ast.expr]:
    values: dict[str, ast.expr] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    values[target.id] = node.value
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            values[node.target.id] = node.value
    return values


def _called_name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
