"""What statements of a Python file do, as far as their text says it: calls, imports and settings."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from assay.grading.derived_checks.repository import RepositorySources, SourceModule, Symbol, dotted_name
from assay.grading.execution_trace.moving import own_parts
from assay.grading.execution_trace.statements import joins_text
from assay.tasks import Value

PLUMBING = frozenset(
    """print len range str int float bool format join enumerate zip list dict tuple set append extend
    sorted makedirs mkdir exists time info debug warning log tqdm trange parse_args ArgumentParser
    item items keys values isinstance reversed strip split lower upper getLogger basicConfig
    manual_seed_all flush copy update get set_defaults parse_known_args abspath dirname""".split()  # noqa: SIM905
)
"""Calls that carry nothing of a requirement."""
_COMPUTES = (
    ast.AugAssign,
    ast.Lambda,
    ast.While,
    ast.comprehension,
    ast.Assert,
    ast.Delete,
    ast.Yield,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Compare,
    ast.BoolOp,
    ast.Raise,
    ast.Try,
)


@dataclass(frozen=True)
class WrittenCall:
    """One call as it stands in a file."""

    name: str
    """What is called, with dots, as far as imports and assignments say it."""
    symbol: Symbol | None
    """The function of the repository that it leads to."""
    arguments: dict[str, list[Value]]
    """Parameter or position → its literal values."""
    is_imported: bool = False
    """Whether its first part is an imported name."""
    traced: dict[str, list[Value]] = field(default_factory=dict)
    """Arguments that only a run of the file shows, where one was recorded."""


@dataclass
class StatementSummary:
    """What some statements do."""

    calls: list[WrittenCall] = field(default_factory=list)
    imports: list[str] = field(default_factory=list)
    settings: dict[str, list[Value]] = field(default_factory=dict)
    own_work: list[str] = field(default_factory=list)
    """Why the statements do more than calls and settings can say."""


class SourceReader:
    """Reads statements of one file against the repository that it imports from."""

    def __init__(self, module: SourceModule, repository: RepositorySources) -> None:
        self.module, self.repository = module, repository

    @cached_property
    def constants(self) -> dict[str, list[Value]]:
        """Names that the file assigns once, to literals."""
        values: dict[str, list[list[Value] | None]] = {}
        for node in ast.walk(self.module.tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                values.setdefault(node.id, []).append(None)
        for node in ast.walk(self.module.tree):
            if isinstance(node, ast.Assign) and len(node.targets) == 1:
                target = node.targets[0]
                if isinstance(target, ast.Name) and len(values[target.id]) == 1:
                    values[target.id] = [literals_of(node.value)]
            elif (
                isinstance(node, ast.For)
                and isinstance(node.target, ast.Name)
                and isinstance(node.iter, ast.List | ast.Tuple)
                and len(values[node.target.id]) == 1
            ):
                values[node.target.id] = [literals_of(node.iter)]
        return {
            name: assigned_values[0]
            for name, assigned_values in values.items()
            if assigned_values[0] is not None
        }

    @cached_property
    def classes(self) -> dict[str, str]:
        """Variables that hold an instance of a class of the repository → the class, with dots."""
        assigned: dict[str, set[str | None]] = {}
        for node in ast.walk(self.module.tree):
            if isinstance(node, ast.Assign) and len(node.targets) == 1:
                target = node.targets[0]
                if isinstance(target, ast.Name):
                    dotted = dotted_name(node.value.func) if isinstance(node.value, ast.Call) else None
                    assigned.setdefault(target.id, set()).add(dotted)
        class_names = {}
        for variable, names in assigned.items():
            (first, *other_names) = names
            if first is not None and not other_names and first.partition(".")[0] != variable:
                qualified = self.qualify(first)
                if self.repository.class_of(qualified, self.module.path):
                    class_names[variable] = qualified
        return class_names

    def qualify(self, dotted: str) -> str:
        """A dotted name with what its first part stands for."""
        head, dot, attribute = dotted.partition(".")
        if head in self.module.imports:
            return self.module.imports[head] + dot + attribute
        if head in self.module.definitions:
            return dotted
        for module in self.module.starred:
            if self.repository.resolve(f"{module}.{dotted}", self.module.path) is not None:
                return f"{module}.{dotted}"
        return dotted

    def read(self, statements: Iterable[ast.stmt], *, certain: bool = False) -> StatementSummary:
        """Read statements, each without those inside it; `certain` leaves out what may not be evaluated."""
        reading = StatementSummary()
        for statement in statements:
            self._read(statement, reading, certain)
        return reading

    def _read(self, statement: ast.stmt, reading: StatementSummary, certain: bool) -> None:
        if isinstance(statement, ast.Import):
            reading.imports += [alias.name for alias in statement.names]
        elif isinstance(statement, ast.ImportFrom):
            module = self.module.absolute(statement)
            reading.imports += [f"{module}.{alias.name}".removesuffix(".*") for alias in statement.names]
        elif isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            values = literals_of(statement.value)
            for target in targets if values else ():
                name = target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", None)
                if name:
                    reading.settings.setdefault(name, []).extend(values or [])
            if not values and not any(isinstance(part, ast.Call) for part in ast.walk(statement.value)):
                reading.own_work.append(f"line {statement.lineno}: a value of its own")
        for part in certain_parts(statement) if certain else own_parts(statement):
            if isinstance(part, ast.Call):
                self._read_call(part, reading)
            elif isinstance(part, _COMPUTES) and not is_main(statement):
                reading.own_work.append(f"line {statement.lineno}: {type(part).__name__}")
            elif isinstance(part, ast.BinOp) and not joins_text(part):
                reading.own_work.append(f"line {statement.lineno}: arithmetic")

    def _read_call(self, node: ast.Call, reading: StatementSummary) -> None:
        dotted = dotted_name(node.func)
        if dotted is None:
            name = node.func.attr if isinstance(node.func, ast.Attribute) else "?"
            reading.calls.append(WrittenCall(f"?.{name}", None, {}))
            return
        head, _, attribute = dotted.partition(".")
        if head in self.classes and attribute:
            qualified = f"{self.classes[head]}.{attribute}"
        else:
            qualified = self.qualify(dotted)
        symbol = self.repository.resolve(qualified, self.module.path)
        if dotted.endswith(".add_argument"):
            _read_option(node, reading)
        imported = head in self.module.imports
        traced = self.repository.traced.get(self.module.path, {}).get(dotted)
        if traced is not None and symbol is None:
            symbol = traced.symbol
        arguments = self._arguments(node, symbol)
        is_same = traced is not None and symbol is not None and traced.symbol.name == symbol.name
        shown = {
            name: [value]
            for name, value in (traced.arguments.items() if traced is not None and is_same else ())
            if name not in arguments
        }
        reading.calls.append(WrittenCall(qualified, symbol, arguments, imported, shown))

    def _arguments(self, node: ast.Call, symbol: Symbol | None) -> dict[str, list[Value]]:
        names = symbol.parameters if symbol is not None else ()
        values: dict[str, list[Value]] = {}
        starred = any(isinstance(argument, ast.Starred) for argument in node.args)
        for place, argument in enumerate(() if starred else node.args):
            argument_values = self._values(argument)
            if argument_values and place < len(names):
                values[names[place]] = argument_values
            elif argument_values and symbol is None:
                values[str(place)] = argument_values
        for keyword in node.keywords:
            argument_values = self._values(keyword.value)
            if keyword.arg and argument_values:
                values[keyword.arg] = argument_values
        return values

    def _values(self, node: ast.expr) -> list[Value] | None:
        """The literal that an argument is; a list is no scalar, and no run shows what is in it."""
        if isinstance(node, ast.Name):
            return self.constants.get(node.id)
        return None if isinstance(node, ast.List | ast.Tuple) else literals_of(node)


def certain_parts(statement: ast.stmt) -> Iterator[ast.AST]:
    """The expressions that are evaluated whenever a statement is, without the statements inside it."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        yield node
        children: list[ast.AST] = list(ast.iter_child_nodes(node))
        if isinstance(node, ast.BoolOp):
            children = [node.values[0]]
        elif isinstance(node, ast.IfExp):
            children = [node.test]
        elif isinstance(node, ast.Lambda | ast.GeneratorExp | ast.ListComp | ast.SetComp | ast.DictComp):
            children = []
        waiting += [child for child in children if not isinstance(child, ast.stmt)]


def _read_option(node: ast.Call, reading: StatementSummary) -> None:
    """Take the default of a command-line option."""
    names = [text for argument in node.args for text in literals_of(argument) or () if isinstance(text, str)]
    defaults = [literals_of(keyword.value) for keyword in node.keywords if keyword.arg == "default"]
    if names and defaults and defaults[0]:
        name = max(names, key=len).lstrip("-").replace("-", "_")
        reading.settings.setdefault(name, []).extend(defaults[0])


def literals_of(node: ast.expr) -> list[Value] | None:
    """The values of a literal, or of a list of literals; None for anything else."""
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    values = list(value) if isinstance(value, list | tuple) else [value]
    plain = [entry for entry in values if isinstance(entry, str | int | float | bool)]
    return plain if plain and len(plain) == len(values) else None


def is_main(statement: ast.stmt) -> bool:
    """Whether a statement is `if __name__ == "__main__"`."""
    if not isinstance(statement, ast.If):
        return False
    return any(isinstance(node, ast.Name) and node.id == "__name__" for node in ast.walk(statement.test))
