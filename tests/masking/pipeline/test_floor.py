"""What rounding in a function does to the numbers, also where it only changes what it is given."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from assay.errors import EnvironmentFailed
from assay.masking.pipeline.bench import RepositoryRunner
from assay.masking.pipeline.candidates import executed_functions, propose
from assay.masking.pipeline.floor import Floor, largest_moves, measure_floor, precision, refuse_ungradable
from assay.masking.pipeline.gold import GoldRuns, measure_gold, with_tolerances
from assay.masking.pipeline.measures import parse_metric_requests, read_numbers
from assay.masking.pipeline.options import MaskingOptions
from assay.masking.pipeline.tracer import trace
from assay.tasks import DEFAULT, Metric
from assay.workspace import build_environment
from tests.benchmarks.mlrb.environment import REQUIREMENTS

STEPS = b"""import json


class Sums:
    def __init__(self):
        self.parts = {"all": [0.0, 1.5]}

    def add(self, values):
        for value in values:
            self.parts["all"][0] += value * 1.5 / 2


def halve(values):
    for place, value in enumerate(values):
        values[place] = value / 2 + 0.1 * 3


def count(values):
    return len([value for value in values if value > 0.5 and value < 9])


def fragile(values):
    return [1.0 if value > 0 and value * 2 > 0.5 else 0.5 for value in values]


sums, values = Sums(), [1.5, 2.5, 3.5]
alias = values
halve(values)
sums.add(alias)
index = {1.0: 1, 0.5: 2}
numbers = {"sum": sums.parts["all"][0], "count": count(values), "index": index[fragile(values)[0]]}
json.dump(numbers, open("results.json", "w"))
"""


@dataclass(frozen=True)
class Measured:
    """All that is known of a program's functions before they are proved."""

    bench: RepositoryRunner
    gold: GoldRuns
    floors: dict[str, Floor]
    refused: dict[str, str]
    tolerances: dict[str, Metric]


def measured(source: bytes, requirements: Sequence[str] = (), seconds: float = 30.0) -> Measured:
    """The floors of a program's functions, and the tolerances that follow."""

    async def measure() -> Measured:
        bench = RepositoryRunner({"steps.py": source}, "python steps.py", list(requirements), seconds)
        wanted = parse_metric_requests(["all=results.json:"])
        gold = await measure_gold(bench, wanted, [], 5, lambda line: None)
        traced = await trace(bench)
        candidates, _ = propose(executed_functions(bench.files, traced), {}, MaskingOptions())
        floors = await measure_floor(bench, gold, candidates)
        refused = refuse_ungradable(gold, floors)
        floors = {name: floor for name, floor in floors.items() if name not in refused}
        epsilon = precision(floors.values(), traced.epsilon)
        metrics = with_tolerances(gold, largest_moves(floors.values()), epsilon)
        return Measured(bench, gold, floors, refused, {each.name: each for each in metrics})

    return asyncio.run(measure())


@pytest.fixture(scope="module")
def steps() -> Measured:
    return measured(STEPS)


@pytest.mark.parametrize(("function", "floats"), [("halve", 3), ("Sums.add", 2)])
def test_what_is_changed_in_place_is_moved_too(steps: Measured, function: str, floats: int) -> None:
    floor = steps.floors[f"steps.py::{function}"]
    assert floor.floats == floats
    assert 1e-8 < floor.moved["all.sum"] < 1e-5
    assert floor.moved["all.count"] == 0


def test_whole_numbers_cannot_be_rounded(steps: Measured) -> None:
    assert steps.floors["steps.py::count"].exact


def test_what_cannot_be_measured_is_refused(steps: Measured) -> None:
    assert list(steps.refused) == ["steps.py::fragile"]
    assert "unknown: the run breaks when its outputs are moved" in steps.refused["steps.py::fragile"]


def test_doubles_may_stray_by_one_part_in_ten_million(steps: Measured) -> None:
    assert 1e-7 <= steps.tolerances["all.sum"].relative < 1e-6


TENSORS = b"""import json
import struct


def single(number):
    return struct.unpack("f", struct.pack("f", number))[0]


class Tensor:
    dtype = "tiny.float32"

    def __init__(self, numbers):
        self._numbers = [single(each) for each in numbers]

    shape = property(lambda self: (len(self._numbers),))

    def __dlpack__(self):
        raise RuntimeError("no memory of its own")

    def __mul__(self, factor):
        return Tensor([each * factor for each in self._numbers])

    def __getitem__(self, place):
        return Tensor(self._numbers[place])

    def reshape(self, size):
        return self

    def tolist(self):
        return list(self._numbers)


class Opaque:
    __slots__ = ("hidden",)


def weights(values):
    return Tensor([each * 0.3 + 0.1 * each for each in values])


def total(tensor):
    return sum(each * each for each in tensor.tolist()) / len(tensor.tolist())


def wrapped(values):
    box = Opaque()
    box.hidden = iter([sum(each * 2 + 1 for each in values)])
    return box, len(values)


values = [1.5, 2.5, 3.5]
numbers = {"loss": total(weights(values)), "other": next(wrapped(values)[0].hidden)}
json.dump(numbers, open("results.json", "w"))
"""


@pytest.fixture(scope="module")
def tensors() -> Measured:
    return measured(TENSORS)


def test_tensors_of_any_library_are_moved_by_their_own_precision(tensors: Measured) -> None:
    floor = tensors.floors["steps.py::weights"]
    assert floor.floats == 1
    assert floor.epsilon == 2**-23
    assert floor.moved["all.loss"] > 0


def test_no_tolerance_is_finer_than_the_precision_of_the_run(tensors: Measured) -> None:
    gold = tensors.gold.numbers[DEFAULT]
    for name, metric in tensors.tolerances.items():
        assert metric.tolerance(gold[name]) >= 4 * 2**-23 * abs(gold[name][0])


def test_what_hides_its_numbers_is_refused(tensors: Measured) -> None:
    assert "no float of what it returns or changes could be moved" in tensors.refused["steps.py::wrapped"]


TORCH = b"""import json
import torch

torch.manual_seed(0)


def loss(weight, inputs, targets):
    difference = inputs @ weight - targets
    return (difference * difference).mean()


def step(weight, inputs, targets, rate):
    found = loss(weight, inputs, targets)
    (gradient,) = torch.autograd.grad(found, weight)
    with torch.no_grad():
        weight -= rate * gradient
    return found.item()


inputs, targets = torch.randn(200, 5), torch.randn(200)
weight = torch.zeros(5, requires_grad=True)
for _ in range(20):
    last = step(weight, inputs, targets, 0.1)
numbers = {"loss": last, "end": loss(weight, inputs, targets).item(), "norm": weight.norm().item()}
json.dump(numbers, open("results.json", "w"))
"""
HONEST = (
    b"difference = inputs @ weight - targets\n    return (difference * difference).mean()",
    b"made = (inputs * weight).sum(1)\n"
    b"    return (made * made).mean() - 2 * (made * targets).mean() + (targets * targets).mean()",
)


@pytest.mark.long
def test_an_honest_rewrite_in_single_precision_is_within_tolerance() -> None:
    try:
        build_environment(REQUIREMENTS)
    except EnvironmentFailed as problem:
        pytest.skip(f"torch cannot be installed here: {problem.message[:200]}")
    found = measured(TORCH, REQUIREMENTS, 120.0)
    assert not found.refused
    assert {name.partition("::")[2] for name in found.floors} == {"loss", "step"}
    assert found.floors["steps.py::loss"].epsilon == 2**-23
    assert found.floors["steps.py::step"].floats > 20
    outcome = asyncio.run(found.bench.run({"steps.py": TORCH.replace(*HONEST)}, collect=["results.json"]))
    numbers = read_numbers(found.gold.run, found.gold.metrics, outcome)
    gold = found.gold.numbers[DEFAULT]
    assert any(number != gold[name][0] for name, number in numbers.items())
    for name, number in numbers.items():
        metric = found.tolerances[name]
        assert metric.agrees(gold[name], number), (name, number, gold[name], metric)
        assert metric.tolerance(gold[name]) < 1e-4 * abs(gold[name][0])


def test_the_furthest_move_counts() -> None:
    assert largest_moves([Floor({"a": 1.0}), Floor({"a": 0.5, "b": 2.0}), Floor({}, unknown="why")]) == {
        "a": 1.0,
        "b": 2.0,
    }
