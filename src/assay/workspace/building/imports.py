"""What a repository's sources import from others, read from their syntax trees."""

from __future__ import annotations

import ast
import json
import re
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from assay.workspace.building.known import distributions_of

_STANDARD = frozenset(sys.stdlib_module_names) | {
    *("distutils", "imp", "asynchat", "asyncore", "smtpd", "lib2to3", "cgi", "cgitb", "crypt", "telnetlib"),
    *("imghdr", "sndhdr", "pipes", "uu", "xdrlib", "nntplib", "audioop", "chunk", "msilib", "__main__"),
}
_ASIDE = {"tests", "test", "testing", "docs", "doc", "build", "dist", "site-packages"}
_ASIDE_FILES = {"setup.py", "conftest.py", "noxfile.py", "fabfile.py", "versioneer.py"}
_CATCHING = {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"}
Use = tuple[str, str]
"""A module, and the name taken from it; the name is empty where the module itself is imported."""


@dataclass
class Imports:
    """Every import of a repository that is neither its own nor the standard library's."""

    needed: dict[str, set[Use]] = field(default_factory=dict)
    """Top-level name -> how it is used where nothing catches its absence."""
    lazy: set[str] = field(default_factory=set)
    """Those among them that are imported only inside functions."""
    optional: set[str] = field(default_factory=set)
    """Top-level names that the code can do without, or that only tests and documents need."""
    own: list[str] = field(default_factory=list)
    """Top-level modules of the repository that can be imported without running an experiment."""
    unreadable: list[str] = field(default_factory=list)


def scan(folder: Path, paths: list[str]) -> Imports:
    """Read every source and notebook."""
    found = Imports()
    local = _Local(paths)
    at_once: set[str] = set()
    for path in paths:
        if not path.endswith((".py", ".ipynb")):
            continue
        tree = _parse(folder / path)
        if tree is None:
            found.unreadable.append(path)
            continue
        aside = _is_aside(path)
        for each in _imported(tree.body):
            top = each.module.partition(".")[0]
            if top in _STANDARD or local.holds(top, path):
                continue
            if aside or each.caught:
                found.optional.add(top)
            else:
                found.needed.setdefault(top, set()).add((each.module, each.name))
                if not each.lazy:
                    at_once.add(top)
        if not aside and (own := _own_module(path, tree)):
            found.own.append(own)
    found.optional -= set(found.needed)
    found.lazy = set(found.needed) - at_once
    return found


class _Import(NamedTuple):
    module: str
    name: str
    caught: bool
    """Whether the code goes on without it."""
    lazy: bool
    """Whether it stands inside a function."""


class _Local:
    """Which names are modules of the repository itself."""

    def __init__(self, paths: list[str]) -> None:
        self._places: dict[str, set[str]] = {}
        for path in paths:
            if not path.endswith((".py", ".so", ".pyx")):
                continue
            pure = PurePosixPath(path)
            self._places.setdefault(pure.name.partition(".")[0], set()).add(str(pure.parent))
            for folder in pure.parents[:-1]:
                self._places.setdefault(folder.name, set()).add(str(folder.parent))

    def holds(self, name: str, importer: str) -> bool:
        """Whether this file would get the repository's own module; a well-known name only from close by."""
        places = self._places.get(name, set())
        if not places or not distributions_of(name):
            return bool(places)
        above = {str(each) for each in PurePosixPath(importer).parents} | {".", "src"}
        return bool(places & above)


def _is_aside(path: str) -> bool:
    pure = PurePosixPath(path)
    name = pure.name
    folders = {part.lower() for part in pure.parts[:-1]}
    hidden = any(part.startswith(".") for part in pure.parts)
    named = name in _ASIDE_FILES or re.match(r"test_.*\.py$|.*_test\.py$", name) is not None
    return hidden or named or bool(folders & _ASIDE)


def _parse(file: Path) -> ast.Module | None:
    try:
        text = file.read_bytes()
        if file.suffix == ".ipynb":
            text = _cells(json.loads(text)).encode()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _cells(notebook: dict[str, object]) -> str:
    """The code of a notebook; a cell that is not plain Python, by a magic or a mistake, is passed over."""
    kept = []
    cells = notebook.get("cells")
    for cell in cells if isinstance(cells, list) else []:
        if cell.get("cell_type") != "code":
            continue
        source = cell.get("source", "")
        text = "".join(source) if isinstance(source, list) else str(source)
        text = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith(("%", "!", "?")))
        try:
            ast.parse(text)
        except (SyntaxError, ValueError):
            continue
        kept.append(text)
    return "\n".join(kept)


def _imported(body: list[ast.stmt], caught: bool = False, lazy: bool = False) -> Iterator[_Import]:
    """Every absolute import, wherever it stands."""
    for node in body:
        if isinstance(node, ast.Import):
            yield from (_Import(alias.name, "", caught, lazy) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.level == 0 and node.module:
                for alias in node.names:
                    yield _Import(node.module, "" if alias.name == "*" else alias.name, caught, lazy)
        elif isinstance(node, ast.Try):
            catches = caught or any(_catches(handler.type) for handler in node.handlers)
            yield from _imported(node.body, catches, lazy)
            for handler in node.handlers:
                yield from _imported(handler.body, catches, lazy)
            yield from _imported(node.orelse + node.finalbody, caught, lazy)
        elif isinstance(node, ast.If) and _only_for_types(node.test):
            yield from _imported(node.body, True, lazy)
            yield from _imported(node.orelse, caught, lazy)
        elif isinstance(node, ast.Match):
            for case in node.cases:
                yield from _imported(case.body, caught, lazy)
        else:
            inside = lazy or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            for block in ("body", "orelse"):
                yield from _imported(getattr(node, block, []), caught, inside)


def _catches(kind: ast.expr | None) -> bool:
    if kind is None:
        return True
    names = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    return any(ast.unparse(each).rpartition(".")[2] in _CATCHING for each in names)


def _only_for_types(test: ast.expr) -> bool:
    return ast.unparse(test).rpartition(".")[2] == "TYPE_CHECKING"


def _own_module(path: str, tree: ast.Module) -> str | None:
    """The name under which a file at the top (or below src/) is imported, if that runs nothing of length."""
    pure = PurePosixPath(path.removeprefix("src/"))
    if pure.suffix != ".py" or not pure.stem.isidentifier():
        return None
    if len(pure.parts) == 2 and pure.name == "__init__.py" and pure.parts[0].isidentifier():
        return pure.parts[0]
    if len(pure.parts) == 1 and pure.stem != "__init__" and _only_defines(tree):
        return pure.stem
    return None


def _only_defines(tree: ast.Module) -> bool:
    """Whether the body is imports, definitions, simple assignments and a guard."""
    for node in tree.body:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        if isinstance(node, ast.If) and "__name__" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.Assign | ast.AnnAssign):
            if any(isinstance(each, ast.Call | ast.Await) for each in ast.walk(node)):
                return False
            continue
        definition = ast.Import | ast.ImportFrom | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
        if not isinstance(node, definition):
            return False
    return True
