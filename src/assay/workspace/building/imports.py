"""Reads from syntax trees which packages a repository's sources import."""

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

from assay.workspace.building.distribution_names import distributions_of

_STANDARD = frozenset(sys.stdlib_module_names) | {
    *("distutils", "imp", "asynchat", "asyncore", "smtpd", "lib2to3", "cgi", "cgitb", "crypt", "telnetlib"),
    *("imghdr", "sndhdr", "pipes", "uu", "xdrlib", "nntplib", "audioop", "chunk", "msilib", "__main__"),
}
_SKIPPED_FOLDERS = {"tests", "test", "testing", "docs", "doc", "build", "dist", "site-packages"}
_SKIPPED_FILES = {"setup.py", "conftest.py", "noxfile.py", "fabfile.py", "versioneer.py"}
_CAUGHT_ERRORS = {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"}
Use = tuple[str, str]
"""A module, and the name imported from it; empty if the module itself is imported."""


@dataclass
class Imports:
    """All imports of a repository, except its own modules and the standard library."""

    needed: dict[str, set[Use]] = field(default_factory=dict)
    """Top-level name -> its uses in code that fails without it."""
    lazy: set[str] = field(default_factory=set)
    """Those needed names that are imported only inside functions."""
    optional: set[str] = field(default_factory=set)
    """Top-level names that the code works without, or that only tests and documents need."""
    on_path: dict[str, set[Use]] = field(default_factory=dict)
    """Those of `needed` that the tasks' path imports; without a path, all of them."""
    own: list[str] = field(default_factory=list)
    """Top-level modules of the repository that an import does not execute as an experiment."""
    unreadable: list[str] = field(default_factory=list)


def scan(folder: Path, paths: list[str], path_files: frozenset[str] | None = None) -> Imports:
    """Read every source and notebook; `path_files` are the files on the tasks' path, if it is known."""
    imports = Imports()
    local_modules = _LocalModules(paths)
    eager: set[str] = set()
    for path in paths:
        if not path.endswith((".py", ".ipynb")):
            continue
        tree = _parse(folder / path)
        if tree is None:
            imports.unreadable.append(path)
            continue
        on_path = path_files is None or path in path_files
        skipped = _is_skipped(path) and not (path_files and on_path)
        for statement in _imports_in(tree.body):
            top = statement.module.partition(".")[0]
            if top in _STANDARD or local_modules.contains(top, path):
                continue
            if skipped or statement.caught:
                imports.optional.add(top)
            else:
                imports.needed.setdefault(top, set()).add((statement.module, statement.name))
                if not statement.lazy:
                    eager.add(top)
                if on_path:
                    imports.on_path.setdefault(top, set()).add((statement.module, statement.name))
        if on_path and not skipped and (own_module := _own_module(path, tree)):
            imports.own.append(own_module)
    imports.optional -= set(imports.needed)
    imports.lazy = set(imports.needed) - eager
    return imports


class LocalImport(NamedTuple):
    """An import statement as it is written, absolute or relative."""

    module: str
    name: str
    level: int
    """How many dots it begins with."""


def local_imports(file: Path) -> list[LocalImport]:
    """List every import of a source or notebook; empty if it cannot be read."""
    tree = _parse(file)
    statements: list[LocalImport] = []
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.Import):
            statements += [LocalImport(alias.name, "", 0) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            statements += [LocalImport(node.module or "", alias.name, node.level) for alias in node.names]
    return statements


class _Import(NamedTuple):
    module: str
    name: str
    caught: bool
    """True if the code catches a missing module."""
    lazy: bool
    """True if the import is inside a function."""


class _LocalModules:
    """The names of the repository's own modules."""

    def __init__(self, paths: list[str]) -> None:
        self._folders_by_name: dict[str, set[str]] = {}
        for path in paths:
            if not path.endswith((".py", ".so", ".pyx")):
                continue
            pure = PurePosixPath(path)
            self._folders_by_name.setdefault(pure.name.partition(".")[0], set()).add(str(pure.parent))
            for folder in pure.parents[:-1]:
                self._folders_by_name.setdefault(folder.name, set()).add(str(folder.parent))

    def contains(self, name: str, importer: str) -> bool:
        """True if this file would import the repository's own module; a well-known name only from nearby."""
        folders = self._folders_by_name.get(name, set())
        if not folders or not distributions_of(name):
            return bool(folders)
        parent_folders = {str(parent) for parent in PurePosixPath(importer).parents} | {".", "src"}
        return bool(folders & parent_folders)


def _is_skipped(path: str) -> bool:
    pure = PurePosixPath(path)
    name = pure.name
    folders = {part.lower() for part in pure.parts[:-1]}
    hidden = any(part.startswith(".") for part in pure.parts)
    has_skipped_name = name in _SKIPPED_FILES or re.match(r"test_.*\.py$|.*_test\.py$", name) is not None
    return hidden or has_skipped_name or bool(folders & _SKIPPED_FOLDERS)


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
    """Return the code of a notebook, without cells that are not plain Python."""
    code_cells = []
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
        code_cells.append(text)
    return "\n".join(code_cells)


def _imports_in(body: list[ast.stmt], caught: bool = False, lazy: bool = False) -> Iterator[_Import]:
    """Yield every absolute import, at any depth."""
    for node in body:
        if isinstance(node, ast.Import):
            yield from (_Import(alias.name, "", caught, lazy) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.level == 0 and node.module:
                for alias in node.names:
                    yield _Import(node.module, "" if alias.name == "*" else alias.name, caught, lazy)
        elif isinstance(node, ast.Try):
            catches = caught or any(_catches_import_error(handler.type) for handler in node.handlers)
            yield from _imports_in(node.body, catches, lazy)
            for handler in node.handlers:
                yield from _imports_in(handler.body, catches, lazy)
            yield from _imports_in(node.orelse + node.finalbody, caught, lazy)
        elif isinstance(node, ast.If) and _is_type_checking(node.test):
            yield from _imports_in(node.body, True, lazy)
            yield from _imports_in(node.orelse, caught, lazy)
        elif isinstance(node, ast.Match):
            for case in node.cases:
                yield from _imports_in(case.body, caught, lazy)
        else:
            inside_function = lazy or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            for block in ("body", "orelse"):
                yield from _imports_in(getattr(node, block, []), caught, inside_function)


def _catches_import_error(kind: ast.expr | None) -> bool:
    if kind is None:
        return True
    names = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    return any(ast.unparse(name).rpartition(".")[2] in _CAUGHT_ERRORS for name in names)


def _is_type_checking(test: ast.expr) -> bool:
    return ast.unparse(test).rpartition(".")[2] == "TYPE_CHECKING"


def _own_module(path: str, tree: ast.Module) -> str | None:
    """Return the module name of a file at the top (or below src/), if its import runs no long code."""
    pure = PurePosixPath(path.removeprefix("src/"))
    if pure.suffix != ".py" or not pure.stem.isidentifier():
        return None
    if len(pure.parts) == 2 and pure.name == "__init__.py" and pure.parts[0].isidentifier():
        return pure.parts[0]
    if len(pure.parts) == 1 and pure.stem != "__init__" and _only_defines(tree):
        return pure.stem
    return None


def _only_defines(tree: ast.Module) -> bool:
    """True if the body contains only imports, definitions, simple assignments and a `__name__` guard."""
    for node in tree.body:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        if isinstance(node, ast.If) and "__name__" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.Assign | ast.AnnAssign):
            if any(isinstance(child, ast.Call | ast.Await) for child in ast.walk(node)):
                return False
            continue
        definition = ast.Import | ast.ImportFrom | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
        if not isinstance(node, definition):
            return False
    return True
