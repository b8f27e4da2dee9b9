"""Gold: which of the numbers that a run prints are compared."""

from __future__ import annotations

import asyncio

from assay.masking.pipeline.bench import RepositoryRunner
from assay.masking.pipeline.descriptions import instruction_of
from assay.masking.pipeline.gold import GoldRuns, measure_gold
from assay.masking.pipeline.measures import MAX_NOISY, MAX_NUMBERS, parse_metric_requests
from assay.masking.pipeline.options import MaskingOptions
from assay.tasks import DEFAULT, Metric, Run

COUNTS = b"""import random

for number in range(60):
    print("steady", number / 8)
for number in range(60):
    print("noisy", random.random())
for number in range(300):
    print("many", number)
"""


def test_every_steady_number_is_compared_and_some_of_those_that_stray() -> None:
    bench = RepositoryRunner({"main.py": COUNTS}, "python main.py", [], 30.0)
    names = ("steady", "noisy", "many")
    wanted = parse_metric_requests([f"{name}=stdout:{name} ([0-9.e-]+)" for name in names])
    gold = asyncio.run(measure_gold(bench, wanted, [], 5, lambda line: None))
    compared = [each.name.partition(".")[0] for each in gold.metrics]
    assert [compared.count(name) for name in names] == [60, MAX_NOISY, MAX_NUMBERS]
    assert gold.numbers[DEFAULT].keys() == {each.name for each in gold.metrics}
    assert [each.count for each in gold.run.printed] == [60, 60, 300]


def test_a_long_row_of_numbers_is_one_line_of_the_instruction() -> None:
    names = ["loss", *(f"n.{number}" for number in range(1, 31))]
    metrics = [Metric(name=name, path=name) for name in names]
    bench = RepositoryRunner({}, "python main.py", [], 30.0)
    run = Run(command=bench.command, results="results.json")
    numbers = {DEFAULT: {name: [1.5] * 5 for name in names}}
    gold = GoldRuns(run, metrics, numbers, [], {}, 0.1, 0.1)
    said = instruction_of("toy", bench, gold, MaskingOptions(command=bench.command, metrics=["x"]))
    assert [line for line in said.splitlines() if line[:1] == "-"] == [
        "- loss",
        "- n.1, n.2 … n.30 (30 numbers)",
    ]
