"""The Python symbols of a repository: which file defines what a script imports, and with which parameters.

What it does not cover: modules that exist only at run time, and names that a module builds on import.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from assay.grading.execution_trace import parse

MOST_HOPS = 6
"""Imports and base classes that are followed to the definition of one symbol."""
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Symbol:
    """A function of the repository that a call leads to."""

    path: str
    """The file that defines it."""
    name: str
    """Its qualified name in that file; the constructor of a class for a class."""
    parameters: tuple[str, ...]
    """The parameters that positional arguments fill, without `self`."""
    is_wrapped: bool = False
    """Whether a decorator may run something else in its place, as compiled code that no trace shows."""


@dataclass(frozen=True)
class TracedCall:
    """Where a call of the gold led when the gold ran, which its text does not say."""

    symbol: Symbol
    arguments: Mapping[str, str | int | float | bool] = field(default_factory=dict)
    """The scalar arguments that were the same in every call."""


class SourceModule:
    """One Python file: what it imports and what it defines at its top."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.tree = parse(text) or ast.Module([], [])

    @cached_property
    def definitions(self) -> dict[str, _Definition]:
        """Name → function or class at the top of the file."""
        kinds = (*_FUNCTIONS, ast.ClassDef)
        return {node.name: node for node in self.tree.body if isinstance(node, kinds)}

    @cached_property
    def imports(self) -> dict[str, str]:
        """Local name → what it stands for, with dots; imports inside functions count too."""
        names: dict[str, str] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    local = alias.asname or alias.name.partition(".")[0]
                    names[local] = alias.name if alias.asname else local
            elif isinstance(node, ast.ImportFrom):
                module = self.absolute(node)
                names |= {alias.asname or alias.name: f"{module}.{alias.name}" for alias in node.names}
        return names

    @cached_property
    def starred(self) -> list[str]:
        """The modules of which it imports everything."""
        nodes = [node for node in ast.walk(self.tree) if isinstance(node, ast.ImportFrom)]
        return [self.absolute(node) for node in nodes if any(alias.name == "*" for alias in node.names)]

    def absolute(self, node: ast.ImportFrom) -> str:
        """The module of a `from … import`, with the folders of the file where the import is relative."""
        if not node.level:
            return node.module or ""
        folders = self.path.split("/")[: -node.level]
        return ".".join([*folders, *([node.module] if node.module else [])])


class RepositorySources:
    """The Python files of a repository, parsed when they are needed."""

    def __init__(
        self,
        files: Mapping[str, bytes],
        masked: Iterable[str] = (),
        traced: Mapping[str, Mapping[str, TracedCall]] | None = None,
    ) -> None:
        """`traced` has the calls of files that were run: file → the call as it is written → where it led."""
        self.files = files
        self.traced = traced or {}
        self._masked = {_module_name(path) for path in masked if path.endswith(".py")}
        self._resolved: dict[tuple[str, str], Symbol | None] = {}
        self._modules: dict[str, SourceModule] = {}
        self._by_name: dict[str, list[str]] = {}
        for path in files:
            if path.endswith(".py"):
                parts = _module_name(path).split(".")
                for start in range(len(parts)):
                    self._by_name.setdefault(".".join(parts[start:]), []).append(path)

    def module(self, path: str) -> SourceModule:
        """The parsed file at a path."""
        if path not in self._modules:
            self._modules[path] = SourceModule(path, self.files[path].decode(errors="replace"))
        return self._modules[path]

    def find_module(self, name: str, script: str) -> str | None:
        """The file that an import means: from the root, beside the script, else the only one that fits."""
        relative = name.replace(".", "/")
        folder = script.rpartition("/")[0]
        for prefix in ("", f"{folder}/" if folder else "", "src/"):
            for path in (f"{prefix}{relative}.py", f"{prefix}{relative}/__init__.py"):
                if path in self.files:
                    return path
        fitting = self._by_name.get(name, [])
        return fitting[0] if len(fitting) == 1 else None

    def is_masked(self, module: str) -> bool:
        """Whether a module, or what holds a symbol, is a file that is left out of this repository."""
        names = (module, module.rpartition(".")[0])
        return any(
            masked == name or masked.endswith(f".{name}") for masked in self._masked for name in names if name
        )

    def resolve(self, dotted: str, script: str, hops: int = MOST_HOPS) -> Symbol | None:
        """The function that a dotted name leads to; None where it is not of this repository."""
        key = (dotted, script)
        if key not in self._resolved:
            # Imports may lead round in a circle.
            self._resolved[key] = None
            self._resolved[key] = self._resolve(dotted, script, hops)
        return self._resolved[key]

    def _resolve(self, dotted: str, script: str, hops: int) -> Symbol | None:
        parts = dotted.split(".")
        for count in range(len(parts) - 1, 0, -1):
            path = self.find_module(".".join(parts[:count]), script)
            if path is not None and path != script:
                return self._inside(self.module(path), parts[count:], hops)
        return None

    def _inside(self, module: SourceModule, names: list[str], hops: int) -> Symbol | None:
        definition = module.definitions.get(names[0])
        if isinstance(definition, ast.ClassDef):
            method = names[1] if len(names) == 2 else "__init__"
            return self._method(module, definition, method, hops) if len(names) <= 2 else None
        if definition is not None:
            wrapped = bool(definition.decorator_list)
            symbol = Symbol(module.path, names[0], _parameters(definition, bound=False), wrapped)
            return symbol if len(names) == 1 else None
        if hops <= 0:
            return None
        if names[0] in module.imports:
            target = ".".join([module.imports[names[0]], *names[1:]])
            return self.resolve(target, module.path, hops - 1)
        starred = [f"{name}.{'.'.join(names)}" for name in module.starred]
        candidates = [self.resolve(target, module.path, hops - 1) for target in starred]
        return next((symbol for symbol in candidates if symbol is not None), None)

    def _method(self, module: SourceModule, owner: ast.ClassDef, name: str, hops: int) -> Symbol | None:
        """A method of a class or of the first base that has it."""
        for node in owner.body:
            if isinstance(node, _FUNCTIONS) and node.name == name:
                kinds = {getattr(part, "id", "") for part in node.decorator_list}
                bound = "staticmethod" not in kinds
                wrapped = bool(kinds - {"staticmethod", "classmethod", "property"})
                parameters = _parameters(node, bound=bound)
                return Symbol(module.path, f"{owner.name}.{name}", parameters, wrapped)
        for base in owner.bases if hops > 0 else ():
            dotted = dotted_name(base)
            if dotted in module.definitions:
                definition = module.definitions[dotted]
                found = (
                    self._method(module, definition, name, hops - 1)
                    if isinstance(definition, ast.ClassDef)
                    else None
                )
            else:
                head, _, rest = (dotted or "").partition(".")
                target = ".".join(filter(None, (module.imports.get(head, ""), rest, name)))
                found = self.resolve(target, module.path, hops - 1) if head in module.imports else None
            if found is not None:
                return found
        return None

    def class_of(self, dotted: str, script: str) -> bool:
        """Whether a dotted name leads to a class of the repository with a constructor of its own."""
        symbol = self.resolve(dotted, script)
        return symbol is not None and symbol.name.endswith(".__init__")


def _module_name(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _parameters(node: _Definition, *, bound: bool) -> tuple[str, ...]:
    if isinstance(node, ast.ClassDef):
        return ()
    names = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
    return tuple(names[1:] if bound else names)


def dotted_name(node: ast.expr) -> str | None:
    """`a.b.c` as text; None for anything else."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(names)]) if isinstance(node, ast.Name) else None
