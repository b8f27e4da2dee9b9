"""A function whose mistakes show only in a number that anyone can write is not masked."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.masking.pipeline.gold import GoldRuns
from assay.masking.pipeline.guessable import guessable_numbers
from assay.tasks import DEFAULT, Metric, Run, Variation
from tests.cli.conftest import Command, assay
from tests.masking.pipeline.stand_in import write

__all__ = ["assay"]

METHOD = '''"""Numbers in order, and their spread."""


def merge(left, right):
    """Merge two lists in order."""
    merged, i, j = [], 0, 0
    while i < len(left) and j < len(right):
        if left[i] <= right[j]:
            merged.append(left[i])
            i += 1
        else:
            merged.append(right[j])
            j += 1
    return merged + left[i:] + right[j:]


def spread(values):
    """Mean squared distance from the mean."""
    mean = sum(values) / len(values)
    return sum((value - mean) ** 2 for value in values) / (len(values) - 1)
'''
RUN = """import json, random, sys
from method import merge, spread


def main(seed):
    chance = random.Random(seed)
    lists = [sorted(chance.randrange(90) for _ in range(9)) for _ in range(40)]
    right = sum(merge(a, b) == sorted(a + b) for a, b in zip(lists, lists[1:])) / 39
    json.dump({"right": right, "spread": spread(sum(lists, []))}, open("results.json", "w"))


if __name__ == "__main__":
    main(int(sys.argv[sys.argv.index("--seed") + 1]))
"""


@pytest.mark.long
def test_a_function_that_moves_a_constant_number_alone_is_left_out(tmp_path: Path, assay: Command) -> None:
    folder = write(tmp_path / "toy", method=METHOD, run=RUN)
    said = assay(
        "mask",
        str(folder),
        "--run",
        "python run.py --seed 3",
        "--metrics",
        "all=results.json:",
        "--out",
        str(tmp_path / "made"),
        "--functions",
        "3",
        "--mutants",
        "10",
    )
    assert said.code == 0, said.err
    lines = [line for line in said.out.splitlines() if line.startswith("left out") and "::merge" in line]
    assert ["can be guessed" in line for line in lines] == [True], said.out
    assert any(line.startswith("masked") and "::spread" in line for line in said.out.splitlines())


@pytest.mark.parametrize(
    ("plain", "varied", "is_guessable"),
    [
        (0.25, 0.25, True),
        (0.25, 0.26, False),
        (1.0, None, True),
        (0.25, None, False),
        (1.0, 0.5, False),
    ],
)
def test_which_numbers_can_be_guessed(plain: float, varied: float | None, is_guessable: bool) -> None:
    numbers = {DEFAULT: {"share": [plain] * 3}} | ({} if varied is None else {"other": {"share": [varied]}})
    variations = [] if varied is None else [Variation(name="other", seed=4)]
    metric = Metric(name="share", path="share")
    run = Run(command="python run.py", results="results.json")
    gold = GoldRuns(run, [metric], numbers, variations, {"share": 0.0}, 1.0, 1.0)
    assert guessable_numbers(gold) == (frozenset({"share"}) if is_guessable else frozenset())
