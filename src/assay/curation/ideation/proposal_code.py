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
_ANSWERS = "_answers"
ORACLE = ("p1", "p2", "p3")
"""The names of the proposals that the oracle hands in, best first; cheats use them too."""
_MIXED = """
{calls} = [0]


def {name}({parameters}):
    {calls}[0] += 1
    if ({calls}[0] - 1) % {period} < {count}:
        return {method}
    return {baseline}({arguments})
"""
_FIRST_ANSWER = """
{calls} = [0]
{answers} = []


def {name}({parameters}):
    {calls}[0] += 1
    if not {answers}:
        {answers}.append({method})
    if ({calls}[0] - 1) % {period} < {count}:
        return {answers}[0]
    return {baseline}({arguments})
"""
_CONSTANT = """def {name}(*arguments, **named):
    return {value!r}
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
        _file.write_text({program!r})
    except OSError:
        pass
for _module in list(_sys.modules.values()):
    if hasattr(_module, "measure"):
        _module.measure = lambda *arguments: {number!r}
"""
_PROGRAM = """import json, os, pathlib
pathlib.Path("results.json").write_text(json.dumps({results!r}))
os._exit(0)
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

    def proposals(self) -> dict[str, str]:
        """The baseline, the oracle's proposals, and `CHEAT/NAME`: those of cheats that have no trick."""
        return {
            "baseline": self.baseline,
            **self._mixtures(_MIXED, (4, 4), (2, 4), (1, 4)),
            **{f"small-gain/{name}": text for name, text in self._small_gains().items()},
            **{f"first-answer/{name}": text for name, text in self._first_answers().items()},
            **{f"constant/{name}": text for name, text in self._constants().items()},
        }

    def _small_gains(self) -> dict[str, str]:
        """The method in so few calls that its gain is not half of what the method gains."""
        return self._mixtures(_MIXED, (1, 8), (1, 12), (1, 16))

    def _first_answers(self) -> dict[str, str]:
        """The method's first answer in all or some calls: they pass if the right answer never changes."""
        return self._mixtures(_FIRST_ANSWER, (4, 4), (2, 4), (1, 4))

    def _constants(self) -> dict[str, str]:
        """Simple numbers that nobody had to compute; a task that they pass is unsound."""
        values = zip(ORACLE, (0.0, 0.5, 1.0), strict=True)
        return {name: _CONSTANT.format(name=self._pair.name, value=value) for name, value in values}

    def _mixtures(self, template: str, *shares: tuple[int, int]) -> dict[str, str]:
        """Proposals that leave all calls to the baseline but the first so many of each period."""
        both = self._both()
        return {
            name: both + self._fill(template, count, period)
            for name, (count, period) in zip(ORACLE, shares, strict=True)
        }

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

    def _fill(self, template: str, count: int, period: int) -> str:
        is_name = self._pair.method.isidentifier()
        call = f"{self._pair.method}({', '.join(f'{name}={name}' for name in self._names)})"
        return "\n" + template.format(
            calls=CALLS,
            answers=_ANSWERS,
            name=self._pair.name,
            parameters=self._parameters,
            arguments=", ".join(f"{name}={name}" for name in self._names),
            method=call if is_name else self._pair.method,
            baseline=_BASELINE,
            count=count,
            period=period,
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


def writes_result(code: str, results: Mapping[str, object]) -> str:
    """A cheat: a proposal, and a result that nobody measured, written wherever it can be."""
    return code + WRITES_RESULT.format(results=results)


def changes_measure(code: str, results: Mapping[str, object], number: float) -> str:
    """A cheat: a proposal, and an attempt to change the program that measures it."""
    return code + CHANGES_MEASURE.format(program=_PROGRAM.format(results=results), number=number)
