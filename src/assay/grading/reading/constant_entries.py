"""Entries of the results that a program writes as constants: they measure nothing.

So they support no conclusion. An entry counts as constant if the programs that ran write its name exactly
once, outside of every branch and loop, with a value that stands in the source and that the results have too.
What this does not cover: a constant that passes through a function, an expression or a file.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping

from assay.grading.execution_trace.statements import parse
from assay.grading.reading.listed_results import LONGEST_PATH

_UNKNOWN = object()
_MOST_SOURCE = 200_000
"""Bytes of one program that are looked at."""
_BRANCHES = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.Try, ast.Match, ast.IfExp, ast.comprehension)


def without_constants(results: object, programs: Mapping[str, bytes]) -> tuple[object, list[str]]:
    """The results without entries that the programs write as constants, and the paths of these entries."""
    written: Counter[str] = Counter()
    constants: dict[str, object] = {}
    for data in programs.values():
        tree = parse(data[:_MOST_SOURCE].decode(errors="replace"))
        if tree is None:
            continue
        names = _constant_names(tree)
        for name, value, is_conditional in _writes(tree):
            written[name] += 1
            constants[name] = _UNKNOWN if is_conditional else _value(value, names)
    only_once = {
        name: value for name, value in constants.items() if written[name] == 1 and value is not _UNKNOWN
    }
    left_out: list[str] = []
    return _filtered(results, only_once, "", left_out), left_out


def _filtered(value: object, constants: Mapping[str, object], path: str, left_out: list[str]) -> object:
    if isinstance(value, list):
        places = enumerate(value)
        return [
            _filtered(entry, constants, f"{path}.{place}".lstrip("."), left_out) for place, entry in places
        ]
    if not isinstance(value, Mapping):
        return value
    measured = {}
    for name, entry in value.items():
        place = f"{path}.{name}".lstrip(".")
        if name in constants and entry not in ({}, []) and _as_json(constants[name]) == entry:
            left_out.append(place[:LONGEST_PATH])
        else:
            measured[name] = _filtered(entry, constants, place, left_out)
    return measured


def _writes(tree: ast.Module) -> Iterator[tuple[str, ast.expr | None, bool]]:
    """Each place that gives a value to a named entry: its name, the value, and whether it may not happen."""
    waiting: list[tuple[ast.AST, bool]] = [(tree, False)]
    while waiting:
        node, is_conditional = waiting.pop()
        is_conditional = is_conditional or isinstance(node, _BRANCHES)
        for name, value in _named_values(node):
            yield name, value, is_conditional
        waiting += [(inner, is_conditional) for inner in ast.iter_child_nodes(node)]


def _named_values(node: ast.AST) -> list[tuple[str, ast.expr | None]]:
    """The entries to which one node gives a value: in a dictionary, by a subscript or by `dict(name=…)`."""
    if isinstance(node, ast.Dict):
        keys = [key.value if isinstance(key, ast.Constant) else None for key in node.keys]
        return [(key, value) for key, value in zip(keys, node.values, strict=True) if isinstance(key, str)]
    if isinstance(node, ast.Assign):
        return [(name, node.value) for name in map(_entry_name, node.targets) if name is not None]
    if isinstance(node, ast.AugAssign):
        return [(name, None) for name in [_entry_name(node.target)] if name is not None]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict":
        return [(keyword.arg, keyword.value) for keyword in node.keywords if keyword.arg is not None]
    return []


def _entry_name(target: ast.expr) -> str | None:
    if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant):
        return target.slice.value if isinstance(target.slice.value, str) else None
    return None


def _constant_names(tree: ast.Module) -> dict[str, object]:
    """Variables that the program assigns once, and to a constant."""
    assigned: Counter[str] = Counter()
    values: dict[str, object] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            assigned[node.id] += 1
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            values[node.targets[0].id] = _value(node.value, {})
    return {name: value for name, value in values.items() if assigned[name] == 1 and value is not _UNKNOWN}


def _value(node: ast.expr | None, names: Mapping[str, object]) -> object:
    if isinstance(node, ast.Name):
        return names.get(node.id, _UNKNOWN)
    if node is None:
        return _UNKNOWN
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return _UNKNOWN


def _as_json(value: object) -> object:
    """A constant as it reads after a trip through JSON."""
    if isinstance(value, Mapping):
        return {str(name): _as_json(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_as_json(entry) for entry in value]
    return value
