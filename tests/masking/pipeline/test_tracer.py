"""Traced runs: however Python is started, the repository's functions are seen, and which feeds which."""

from __future__ import annotations

import array
import asyncio
import sys
from collections import deque
from types import SimpleNamespace

import pytest

from assay.masking.leaks.sources import FunctionPlace, definitions
from assay.masking.pipeline.bench import RepositoryRunner
from assay.masking.pipeline.candidates import (
    executed_functions,
    first_candidates,
    propose,
    summarize_reasons,
)
from assay.masking.pipeline.injected.assay_summary import VISITS, summarise
from assay.masking.pipeline.mutants import mutants
from assay.masking.pipeline.options import MaskingOptions
from assay.masking.pipeline.tracer import Trace, reached_lines, trace

STEPS = b'''"""Steps."""


class Model:
    def __init__(self, size):
        self.weights = [0.5] * size

    @property
    def total(self):
        return sum(self.weights)

    def fit(self, values):
        self.weights = [weight * value for weight, value in zip(self.weights, values)]
        return self

    @staticmethod
    def halve(value):
        return value / 2.5


def make(count):
    return [number + 0.25 for number in range(count)]


def pairs(values):
    for value in values:
        yield value, value


def never(value):
    return value
'''
MAIN = b"""from pack.steps import Model, make, pairs

if __name__ == "__main__":
    values = make(4)
    model = Model(4).fit(values)
    for _ in range(100):
        Model.halve(model.total)
    print(len(list(pairs(values))))
"""
FILES = {
    "pack/__init__.py": b"",
    "pack/steps.py": STEPS,
    "pack/__main__.py": MAIN,
    "main.py": MAIN,
    "run.sh": b"cd pack && cd .. && PYTHONPATH=. python main.py\n",
}


def traced(command: str) -> Trace:
    """One trace of the files above."""
    return asyncio.run(trace(RepositoryRunner(FILES, command, [], 30.0)))


@pytest.fixture(scope="module")
def plain() -> Trace:
    return traced("python main.py")


def test_executed_functions_are_counted(plain: Trace) -> None:
    calls = {name.partition("::")[2]: each.calls for name, each in plain.functions.items()}
    assert calls == {
        "Model.__init__": 1,
        "Model.total": 100,
        "Model.fit": 1,
        "Model.halve": 100,
        "make": 1,
        "pairs": 1,
    }


def test_values_are_followed_by_content_and_by_identity(plain: Trace) -> None:
    flows = {(a.partition("::")[2], b.partition("::")[2]) for a, b, _ in plain.flows}
    assert ("make", "Model.fit") in flows
    assert ("Model.fit", "Model.total") in flows
    assert ("Model.total", "Model.halve") in flows
    assert ("Model.halve", "make") not in flows


def test_what_a_function_gives_is_told(plain: Trace) -> None:
    assert plain.functions["pack/steps.py::make"].returns_numbers
    assert plain.functions["pack/steps.py::Model.fit"].changes_arguments
    assert not plain.functions["pack/steps.py::make"].changes_arguments


@pytest.mark.parametrize("command", ["python -m pack", "bash run.sh"])
def test_other_ways_of_starting_python(plain: Trace, command: str) -> None:
    assert traced(command).functions.keys() == plain.functions.keys()


HOARDER = b"""import sys


def survey(everything):
    return len(everything) * 2 + 1


def late(value):
    return value * 2.5 + 1


for _ in range(16):
    survey({"all": [dict(each.__dict__) for each in list(sys.modules.values())]})
print(late(1.5))
"""


def test_a_function_with_large_arguments_leaves_the_others_watched() -> None:
    seen = asyncio.run(trace(RepositoryRunner({"main.py": HOARDER}, "python main.py", [], 30.0))).functions
    assert seen["main.py::late"].returns_numbers
    assert seen["main.py::survey"].watched_calls


def test_the_look_at_one_value_is_limited_and_stops_at_modules() -> None:
    assert summarise(sys)[3] == 0
    words = [["a"] * 10 for _ in range(VISITS)]
    assert summarise(words) == summarise([*words[:-1], [1.5]])
    assert summarise(words[:9]) != summarise([*words[:8], [1.5]])


def test_the_order_in_which_attributes_are_set_is_no_difference() -> None:
    one, other = SimpleNamespace(a=1.5, b=[2]), SimpleNamespace(b=[2], a=1.5)
    assert summarise(one) == summarise(other)
    assert summarise(one) != summarise(SimpleNamespace(a=2, b=[1.5]))


class Genome(array.array):  # type: ignore[type-arg]
    """A sequence with an attribute, as evolutionary code has them."""

    fitness = 0.0


def test_the_contents_of_every_sequence_are_seen_and_what_it_carries() -> None:
    first, second, third = Genome("b", [1, 0]), Genome("b", [0, 1]), Genome("b", [1, 0])
    third.fitness = 2.5
    told = [summarise(each) for each in (first, second, third, deque([1]), deque([2]))]
    assert told[0][3] == 2
    assert all(told[0] != each for each in told[1:])
    assert told[3] != told[4]


BRANCHES = b"""import functools


def outer(values):
    if len(values) > 9:
        raise ValueError(
            "too many"
        )
    return [inner(value)
            for value in values]


@functools.cache
def inner(value):
    if value < 0:
        return -value
    return value * 2


print(outer((1, 2)))
"""


def test_lines_that_no_call_reaches_are_known() -> None:
    bench = RepositoryRunner({"main.py": BRANCHES}, "python main.py", [], 30.0)
    reached = asyncio.run(reached_lines(bench, definitions(bench.files)))
    assert {name: sorted(lines) for name, lines in reached.items()} == {
        "main.py::outer": [5, 9, 10],
        "main.py::inner": [15, 17],
    }
    node = next(each.node for each in definitions(bench.files) if each.place.function == "inner")
    place = FunctionPlace("main.py", "inner")
    everywhere = {each.line for each in mutants(BRANCHES, place, node)}
    assert everywhere - {each.line for each in mutants(BRANCHES, place, node, 0, {15, 17})} == {16}


LONG_AND_SHORT = b"""def long(value):
    if value < 0:
        return (value * 2 + 3) / 4 - value**2 + abs(value) * 5 + 6
    return value + 1


def short(value):
    return (value * 2 + 3) / 4 - value


print(long(1.5) + short(1.5))
"""


def test_candidates_are_chosen_by_what_the_run_reaches() -> None:
    async def first() -> list[tuple[str, int]]:
        bench = RepositoryRunner({"main.py": LONG_AND_SHORT}, "python main.py", [], 30.0)
        found = executed_functions(bench.files, await trace(bench))
        reached = await reached_lines(bench, [defined for defined, _ in found])
        candidates, left_out = propose(found, reached, MaskingOptions())
        assert left_out == {}
        chosen, others = first_candidates(candidates, 1)
        assert summarize_reasons(others) == "1 more than 1 candidates (--functions)"
        return [(each.name, each.operations) for each in chosen]

    assert asyncio.run(first()) == [("main.py::short", 4)]
