"""The form of the source: each class name stands for one class, and no function is long."""

from __future__ import annotations

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path

import assay

SOURCE = Path(assay.__file__).parent
TASK_FILES = {"data", "templates"}
"""Folders whose Python files belong to tasks, not to Assay."""
MOST_LINES = 60
"""Of a body: the command line's functions have a parameter for each option."""


Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def parsed(source: bytes) -> ast.Module:
    """The tree. CPython 3.11 counts the depth of the trees of all threads together, and may then fail."""
    try:
        return ast.parse(source)
    except SystemError:
        return ast.parse(source)


@cache
def definitions() -> list[tuple[str, Definition]]:
    """Every class and function, with the path of its module."""
    modules = {path.relative_to(SOURCE): path for path in SOURCE.rglob("*.py")}
    return [
        (str(module), node)
        for module, path in modules.items()
        if TASK_FILES.isdisjoint(module.parts)
        for node in ast.walk(parsed(path.read_bytes()))
        if isinstance(node, Definition)
    ]


def test_no_class_name_is_used_twice() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for module, node in definitions():
        if isinstance(node, ast.ClassDef):
            places[node.name].append(f"{module}:{node.lineno}")
    assert len(places) > 100
    assert {name: uses for name, uses in places.items() if len(uses) > 1} == {}


def test_no_body_of_a_function_is_longer_than_sixty_lines() -> None:
    lengths = {
        f"{module}:{node.name}": (node.end_lineno or node.lineno) - node.body[0].lineno + 1
        for module, node in definitions()
        if not isinstance(node, ast.ClassDef)
    }
    assert len(lengths) > 1_000
    assert {name: length for name, length in lengths.items() if length > MOST_LINES} == {}


def test_no_temporary_folder_is_open_to_other_users_or_left_when_its_process_is_killed() -> None:
    """The folder of temporary files is shared; `scratch.temporary_folder` is private, and it is swept."""
    apart = {*TASK_FILES, "exported", "injected", "trusted"}
    modules = [path for path in SOURCE.rglob("*.py") if apart.isdisjoint(path.relative_to(SOURCE).parts)]
    calls = [
        (str(path.relative_to(SOURCE)), node)
        for path in modules
        for node in ast.walk(parsed(path.read_bytes()))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("TemporaryDirectory", "mkdtemp")
    ]
    assert len(calls) > 5
    bare = [module for module, call in calls if "dir" not in {keyword.arg for keyword in call.keywords}]
    assert bare == []
