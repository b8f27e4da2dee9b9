"""Estimates how difficult each task is, and divides the packages into parts for training and testing."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence

from assay.harvesting.records import Difficulty, HarvestedTask

TEST_SHARE = 0.2
_FLOW_POINTS = {None: 0.0, "none": 0.0, "feeds": 0.5, "chain": 1.0}


def points_of(task: HarvestedTask) -> float:
    """Return a number that grows with the difficulty.

    Doubling the lines, one more function, each step of data flow, and a constant that is written nowhere else
    count one point or less each. A body with few possible mistakes (mutants) counts less.
    """
    points = math.log2(max(1, task.lines)) + (task.n - 1) + _FLOW_POINTS[task.flow]
    points += 1.0 if task.guessed else 0.0
    return points + min(1.0, task.mutants / 20)


def with_difficulty(
    tasks: Sequence[HarvestedTask], weak_model: Mapping[str, float] | None = None
) -> list[HarvestedTask]:
    """Return the tasks with their difficulty: thirds by points, and what a weak model passes is easy."""
    results = weak_model or {}
    ordered = sorted(tasks, key=lambda task: (points_of(task), task.id))
    ranks = {task.id: position for position, task in enumerate(ordered)}
    rated = []
    for task in tasks:
        passed = results.get(task.id)
        third = ranks[task.id] * 3 // max(1, len(tasks))
        level: Difficulty = ("easy", "medium", "hard")[third]
        if passed is not None and passed >= 0.5:
            level = "easy"
        elif passed == 0 and level == "easy":
            level = "medium"
        rated.append(task.model_copy(update={"difficulty": level, "weak_model": passed}))
    return rated


def split_packages(packages: Iterable[str], seed: int = 0) -> dict[str, str]:
    """Return train or test for each package: a fifth is for testing, chosen by hash."""
    ordered = sorted(packages, key=lambda name: hashlib.sha256(f"{seed}:{name}".encode()).hexdigest())
    test_count = max(1, round(TEST_SHARE * len(ordered))) if len(ordered) > 1 else 0
    return {name: "test" if number < test_count else "train" for number, name in enumerate(ordered)}
