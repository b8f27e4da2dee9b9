"""The trusted evaluators of a challenge: those that its tests import, and what these import in turn.

A change to an evaluator therefore voids the certificates of the challenges that use it, and no others.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from assay.tasks.files import read_tree

PACKAGE = "trusted"
TRUSTED = Path(__file__).parent / PACKAGE
DATA = {"lean.py": ("lean_driver.js",)}
"""Evaluator → files that it reads beside itself."""


@cache
def evaluator_files() -> dict[str, bytes]:
    """Return all trusted files by their names."""
    return read_tree(TRUSTED, PACKAGE)


def evaluators_of(tests: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the trusted files that a challenge's own programs use, by their paths among its tests."""
    files, names = evaluator_files(), {"__init__.py"}
    programs = [data for path, data in tests.items() if path.endswith(".py") and "/" not in path]
    new = {name for data in programs for name in _imported(data)}
    while new := (new & files.keys()) - names:
        names |= new
        new = {name for user in new for name in _used(user)}
    return {f"{PACKAGE}/{name}": files[name] for name in sorted(names)}


def _used(name: str) -> Iterator[str]:
    if name.endswith(".py"):
        yield from _imported(evaluator_files()[name])
        yield from DATA.get(name, ())


def _imported(source: bytes) -> Iterator[str]:
    """Yield the files of the trusted modules that a program may import."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            parts = (node.module or "").split(".")
            inside = parts if node.level else parts[1:] if parts[0] == PACKAGE else None
            if inside is not None:
                module = inside[0] if inside else ""
                yield from ([f"{module}.py"] if module else [f"{alias.name}.py" for alias in node.names])
