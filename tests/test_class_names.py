"""A class name stands for one class in the whole project, so that a reader never takes one for another."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import assay

SOURCE = Path(assay.__file__).parent
TASK_FILES = {"data", "templates"}
"""Folders whose Python files belong to tasks, not to Assay."""


def test_no_class_name_is_used_twice() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path in SOURCE.rglob("*.py"):
        if TASK_FILES.isdisjoint(path.relative_to(SOURCE).parts):
            for node in ast.walk(ast.parse(path.read_bytes())):
                if isinstance(node, ast.ClassDef):
                    places[node.name].append(f"{path.relative_to(SOURCE)}:{node.lineno}")
    assert len(places) > 100
    assert {name: uses for name, uses in places.items() if len(uses) > 1} == {}
