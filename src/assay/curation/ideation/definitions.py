"""Takes a function out of a repository, with all that it needs, as one file that stands alone.

What it does not cover: a function that uses a whole module of the repository (`import tools; tools.f()`), or
a name that the repository defines in a loop.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from assay.grading.execution_trace import parse

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class CannotBeTaken(Exception):
    """A function cannot be taken out of its repository; the text says why."""


class RepositoryFunctions:
    """The Python files of a repository, and the functions at their top level."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._sources = {
            path: data.decode(errors="replace") for path, data in files.items() if path.endswith(".py")
        }
        self._trees: dict[str, ast.Module | None] = {}

    def find(self, name: str) -> str:
        """Return the file that defines a function; `file.py::name` says which of several."""
        path, _, function = name.rpartition("::")
        places = [place for place in self._sources if self.function(place, function) is not None]
        places = [place for place in places if path in ("", place)]
        if len(places) != 1:
            files = ", ".join(places) or "no file"
            raise CannotBeTaken(
                f"{files} defines a function {function!r} at its top level, expected one file"
            )
        return places[0]

    def function(self, path: str, name: str) -> ast.FunctionDef | None:
        """Return a function at the top level of a file."""
        return next(
            (
                node
                for node in _statements(self._tree(path))
                if isinstance(node, ast.FunctionDef) and node.name == name
            ),
            None,
        )

    def standing_alone(self, functions: Sequence[tuple[str, str]]) -> str:
        """Return one file with these functions (file and name) and all that they need."""
        code = _TakenCode(self)
        for path, name in functions:
            code.add(path, name)
        return code.text()

    def bindings(self, path: str) -> dict[str, ast.stmt]:
        """Return each name at the top level of a file → the statement that gives it its first value."""
        names: dict[str, ast.stmt] = {}
        for node in _statements(self._tree(path)):
            for name in _bound_names(node):
                names.setdefault(name, node)
        return names

    def source(self, path: str, node: ast.stmt) -> str:
        """Return the text of a statement with its decorators."""
        first = min([node.lineno, *(line.lineno for line in getattr(node, "decorator_list", []))])
        return "\n".join(self._sources[path].split("\n")[first - 1 : node.end_lineno])

    def file_of_import(self, path: str, node: ast.ImportFrom) -> str | None:
        """Return the file of the repository from which a statement imports; None for another package."""
        parts = (node.module or "").split(".") if node.module else []
        roots: list[PurePosixPath] = []
        if node.level:
            roots.append([PurePosixPath(path), *PurePosixPath(path).parents][node.level])
        else:
            roots += list(PurePosixPath(path).parents)
            roots += [root / "src" for root in PurePosixPath(path).parents]
        for root in roots:
            module = root.joinpath(*parts)
            for candidate in (f"{module}.py", f"{module}/__init__.py"):
                if candidate.removeprefix("./") in self._sources:
                    return candidate.removeprefix("./")
        return None

    def is_module(self, name: str) -> bool:
        """Whether a dotted name is a module of the repository."""
        end = name.replace(".", "/")
        return any(
            path in (f"{end}.py", f"{end}/__init__.py")
            or path.endswith((f"/{end}.py", f"/{end}/__init__.py"))
            for path in self._sources
        )

    def _tree(self, path: str) -> ast.Module:
        if path not in self._trees:
            self._trees[path] = parse(self._sources[path])
        return self._trees[path] or ast.Module(body=[], type_ignores=[])


class _TakenCode:
    """The statements that were taken so far: what a statement needs comes before it."""

    def __init__(self, repository: RepositoryFunctions) -> None:
        self._repository = repository
        self._origins: dict[str, str] = {}
        self._imports: dict[str, None] = {}
        self._parts: list[str] = []

    def add(self, path: str, name: str) -> None:
        statement = self._repository.bindings(path).get(name)
        if statement is None:
            return
        if isinstance(statement, ast.Import | ast.ImportFrom):
            self._add_import(path, name, statement)
            return
        if name in self._origins:
            if self._origins[name] != path:
                raise CannotBeTaken(f"{self._origins[name]} and {path} both define {name!r}")
            return
        for bound in _bound_names(statement):
            self._origins[bound] = path
        for used in ast.walk(statement):
            if isinstance(used, ast.Name):
                self.add(path, used.id)
        self._parts.append(self._repository.source(path, statement))

    def _add_import(self, path: str, name: str, statement: ast.Import | ast.ImportFrom) -> None:
        alias = next(alias for alias in statement.names if (alias.asname or alias.name.split(".")[0]) == name)
        if isinstance(statement, ast.Import):
            if self._repository.is_module(alias.name):
                raise CannotBeTaken(f"{path} uses the whole module {alias.name}")
            self._imports[ast.unparse(ast.Import(names=[alias]))] = None
            return
        origin = self._repository.file_of_import(path, statement)
        if origin is None:
            if statement.level:
                raise CannotBeTaken(f"{path} imports {alias.name!r} from a file that is not there")
            module = ast.ImportFrom(module=statement.module, names=[alias], level=0)
            self._imports[ast.unparse(module)] = None
        elif alias.name not in self._repository.bindings(origin):
            raise CannotBeTaken(
                f"{path} imports {alias.name!r}, which {origin} does not define at its top level"
            )
        else:
            self.add(origin, alias.name)
            if alias.asname and alias.asname != alias.name:
                self._origins[alias.asname] = path
                self._parts.append(f"{alias.asname} = {alias.name}")

    def text(self) -> str:
        future = [line for line in self._imports if line.startswith("from __future__")]
        imports = [line for line in sorted(self._imports) if line not in future]
        return (
            "\n".join(["from __future__ import annotations", "", *imports, "", ""])
            + "\n\n\n".join([*self._parts, ""]).rstrip("\n")
            + "\n"
        )


def _statements(tree: ast.Module) -> Iterator[ast.stmt]:
    """The statements at the top level, also those below `if` and `try`."""
    waiting = list(tree.body)
    while waiting:
        statement = waiting.pop(0)
        if isinstance(statement, ast.If | ast.Try):
            waiting = [*statement.body, *statement.orelse, *waiting]
        else:
            yield statement


def _bound_names(statement: ast.stmt) -> list[str]:
    if isinstance(statement, _Definition):
        return [statement.name]
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return [alias.asname or alias.name.split(".")[0] for alias in statement.names]
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
        targets = [statement.target]
    else:
        return []
    return [node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)]
