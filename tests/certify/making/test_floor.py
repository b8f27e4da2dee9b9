"""What rounding in a function does to the numbers, also where it only changes what it is given."""

from __future__ import annotations

import asyncio

import pytest

from assay.certify.making.bench import Bench
from assay.certify.making.candidates import executed, propose
from assay.certify.making.floor import Floor, furthest, measure_floor
from assay.certify.making.gold import measure_gold
from assay.certify.making.measures import parse_wanted
from assay.certify.making.tracer import trace

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


@pytest.fixture(scope="module")
def floors() -> dict[str, Floor]:
    async def measure() -> dict[str, Floor]:
        bench = Bench({"steps.py": STEPS}, "python steps.py", [], 30.0)
        wanted = parse_wanted(["all=results.json:"])
        gold = await measure_gold(bench, wanted, [], 5, lambda line: None)
        candidates, _ = propose(executed(bench.files, await trace(bench)), {}, 9)
        found, chaotic = await measure_floor(bench, gold, candidates)
        assert not chaotic
        return found

    return asyncio.run(measure())


@pytest.mark.parametrize(("function", "floats"), [("halve", 3), ("Sums.add", 2)])
def test_what_is_changed_in_place_is_moved_too(floors: dict[str, Floor], function: str, floats: int) -> None:
    floor = floors[f"steps.py::{function}"]
    assert floor.floats == floats
    assert 1e-8 < floor.moved["all.sum"] < 1e-5
    assert floor.moved["all.count"] == 0


@pytest.mark.parametrize(
    ("function", "why"), [("count", "no float"), ("fragile", "breaks when its outputs are moved")]
)
def test_what_cannot_be_measured_is_said_to_be_unknown(
    floors: dict[str, Floor], function: str, why: str
) -> None:
    assert why in (floors[f"steps.py::{function}"].unknown or "")


def test_the_furthest_move_counts() -> None:
    assert furthest([Floor({"a": 1.0}), Floor({"a": 0.5, "b": 2.0}), Floor({}, unknown="why")]) == {
        "a": 1.0,
        "b": 2.0,
    }
