"""The files of an ideation task: the baseline that stands alone, proposals made of the method, cheats."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from assay.curation.ideation.definitions import CannotBeTaken, RepositoryFunctions
from assay.grading.execution_trace import parse

_BASELINE = "baseline_of_the_task"
"""The baseline's name in a proposal that also has the method."""
CALLS = "_calls"
_MIXED = """
{calls} = [0]


def {name}({parameters}):
    {calls}[0] += 1
    if ({calls}[0] - 1) % 4 < {quarters}:
        return {method}
    return {baseline}({arguments})
"""
_CONSTANT = """
{calls} = []


def {name}({parameters}):
    if not {calls}:
        {calls}.append({method})
    return {calls}[0]
"""
_STUB = """def {name}(*arguments, **named):
    from proposed_calls import call

    return call(globals(), {name!r}, arguments, named)"""
WRITES_RESULT = """

import json as _json
import pathlib as _pathlib

for _folder in (".", "..", "/truth", "/measuring"):
    try:
        (_pathlib.Path(_folder) / "results.json").write_text(_json.dumps({results!r}))
    except OSError:
        pass
print(_json.dumps({{"value": 0.0}}))
"""
CHANGES_MEASURE = """

import pathlib as _pathlib
import sys as _sys

for _file in [*_pathlib.Path("/").glob("*/measure/**/*.py"), *_pathlib.Path("..").glob("*/*.py")]:
    try:
        _file.write_text("import os\\nos._exit(0)\\n")
    except OSError:
        pass
for _module in list(_sys.modules.values()):
    if hasattr(_module, "measure"):
        _module.measure = lambda *arguments: 0.0
"""


@dataclass(frozen=True)
class FunctionPair:
    """The baseline's function, whose calls proposals answer, and the method."""

    path: str
    name: str
    method: str
    """A name, or an expression such as `solve(items, limit)["plan"]`."""

    @property
    def method_words(self) -> set[str]:
        """The words that name the method and not the baseline; they are a leak in what the agent gets."""
        names = {
            node.id for node in ast.walk(ast.parse(self.method, mode="eval")) if isinstance(node, ast.Name)
        }
        words = {word for name in names for word in name.lower().split("_") if len(word) > 2}
        return words - set(self.name.lower().split("_")) - {"get", "the", "and", "fit", "run"}


class ProposalCode:
    """Makes the files of one pair."""

    def __init__(self, repository: RepositoryFunctions, pair: FunctionPair) -> None:
        self._repository = repository
        self._pair = pair
        function = repository.function(pair.path, pair.name)
        if function is None:
            raise CannotBeTaken(f"{pair.path} has no function {pair.name!r} at its top level")
        if function.args.vararg or function.args.kwarg or function.args.posonlyargs:
            raise CannotBeTaken(f"{pair.name} has parameters without a name, expected named ones")
        self._parameters = ast.unparse(function.args)
        self._names = [argument.arg for argument in (*function.args.args, *function.args.kwonlyargs)]
        self.docstring = ast.get_docstring(function) or ""

    @property
    def baseline(self) -> str:
        """The baseline as a file that stands alone."""
        return self._repository.standing_alone([(self._pair.path, self._pair.name)])

    def mixed(self, quarters: int) -> str:
        """A proposal that uses the method in so many of every four calls, and the baseline in the others."""
        return self._both() + self._fill(_MIXED, quarters=quarters)

    def constant(self) -> str:
        """A proposal that gives the method's first answer to every call: a task that it passes is unsound."""
        return self._both() + self._fill(_CONSTANT)

    def _both(self) -> str:
        pair, tree = self._pair, ast.parse(self._pair.method, mode="eval")
        called = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name)]
        roots = [(pair.path, pair.name)]
        for name in dict.fromkeys(called):
            if name not in self._names:
                is_beside = name in self._repository.bindings(pair.path)
                roots.append((pair.path if is_beside else self._repository.find(name), name))
        text = self._repository.standing_alone(roots)
        renamed = _NameReplacement(pair.name).visit(ast.parse(text))
        return ast.unparse(renamed) + "\n"

    def _fill(self, template: str, quarters: int = 0) -> str:
        is_name = self._pair.method.isidentifier()
        call = f"{self._pair.method}({', '.join(f'{name}={name}' for name in self._names)})"
        return "\n" + template.format(
            calls=CALLS,
            name=self._pair.name,
            parameters=self._parameters,
            arguments=", ".join(f"{name}={name}" for name in self._names),
            method=call if is_name else self._pair.method,
            baseline=_BASELINE,
            quarters=quarters,
        )


def with_passed_on_calls(code: bytes, name: str) -> bytes:
    """Return a file in which the calls of one function are passed on to a proposal."""
    text = code.decode(errors="replace")
    tree = parse(text)
    function = next(
        (
            node
            for node in ast.walk(tree or ast.Module(body=[], type_ignores=[]))
            if isinstance(node, ast.FunctionDef) and node.name == name and node.col_offset == 0
        ),
        None,
    )
    if function is None:
        raise CannotBeTaken(f"{name} stands below an `if` or a `try`, expected it at the left margin")
    first = min([function.lineno, *(decorator.lineno for decorator in function.decorator_list)])
    lines = text.split("\n")
    return "\n".join([*lines[: first - 1], _STUB.format(name=name), *lines[function.end_lineno :]]).encode()


def compatible(repository: RepositoryFunctions, pair: FunctionPair, method_path: str) -> bool:
    """Whether the method's function can be called with the names of the baseline's parameters."""
    first = repository.function(pair.path, pair.name)
    second = repository.function(method_path, pair.method)
    if first is None or second is None or first.args.vararg or first.args.kwarg:
        return False
    parameters = {argument.arg for argument in (*first.args.args, *first.args.kwonlyargs)}
    method_parameters = {argument.arg for argument in (*second.args.args, *second.args.kwonlyargs)}
    required = [
        argument.arg for argument in second.args.args[: len(second.args.args) - len(second.args.defaults)]
    ]
    return bool(parameters) and parameters <= method_parameters and set(required) <= parameters


class _NameReplacement(ast.NodeTransformer):
    """Gives the baseline another name, so that a proposal can have its own function of that name."""

    def __init__(self, name: str) -> None:
        self._name = name

    def visit_Name(self, node: ast.Name) -> ast.Name:
        """Rename a use."""
        if node.id == self._name:
            node.id = _BASELINE
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """Rename the definition."""
        self.generic_visit(node)
        if node.name == self._name:
            node.name = _BASELINE
        return node


def writes_result(baseline: str, results: Mapping[str, object]) -> str:
    """A cheat: the baseline, and a result that nobody measured, written wherever it can be."""
    return baseline + WRITES_RESULT.format(results=results)


def changes_measure(baseline: str) -> str:
    """A cheat: the baseline, and an attempt to change the program that measures it."""
    return baseline + CHANGES_MEASURE
