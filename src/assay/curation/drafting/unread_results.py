"""Takes results out of a module that the run needs: comments, and tables that no other code reads."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from assay.grading.execution_trace import parse


def without_unread_results(path: str, data: bytes, hits: Sequence[str], files: Mapping[str, bytes]) -> bytes:
    """Return a Python module without the comments and unread constants that have these lines.

    A test may read such a constant: it compares with the results, so it is no part of the experiment.
    """
    source = data.decode(errors="replace")
    tree = parse(source) if path.endswith(".py") else None
    if tree is None:
        return data
    lines = source.split("\n")
    result_lines = set(hits)
    dropped = {
        number
        for number, line in enumerate(lines, 1)
        if line in result_lines and line.lstrip().startswith("#")
    }
    other_files = {name: text for name, text in files.items() if name != path and name.endswith(".py")}
    for statement in tree.body:
        span = range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
        if not any(lines[number - 1] in result_lines for number in span):
            continue
        name = _constant_name(statement)
        if name is not None and not _is_read(name, source, other_files):
            dropped |= set(span)
    kept_lines = [line for number, line in enumerate(lines, 1) if number not in dropped]
    return "\n".join(kept_lines).encode()


def _constant_name(statement: ast.stmt) -> str | None:
    """The name of a constant that a statement makes without calling anything."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target: ast.expr = statement.targets[0]
    elif isinstance(statement, ast.AnnAssign):
        target = statement.target
    else:
        return None
    value = statement.value
    calls = value is None or any(isinstance(node, ast.Call) for node in ast.walk(value))
    return target.id if isinstance(target, ast.Name) and not calls else None


def _is_read(name: str, own_source: str, other_files: Mapping[str, bytes]) -> bool:
    """Whether another statement of the module, or a file that is no test, names the constant."""
    word = re.compile(rf"\b{re.escape(name)}\b")
    if len(word.findall(own_source)) > 1:
        return True
    return any(word.search(text.decode(errors="replace")) for text in _without_tests(other_files))


def _without_tests(files: Mapping[str, bytes]) -> Iterator[bytes]:
    for path, text in files.items():
        if not _is_test(path.split("/")):
            yield text


def _is_test(parts: Collection[str]) -> bool:
    return any(part in ("test", "tests") or part.startswith("test_") for part in parts)
