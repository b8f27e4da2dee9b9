"""Runs a task's solution to make its gold numbers, and the answers that follow from them, again."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

import tomlkit

from assay.errors import TaskError
from assay.grading.cleanroom import CleanRoom
from assay.tasks import DEFAULT, Task, Variation, look_up
from assay.tasks.truth import Gold
from assay.workspace import Submission

RUNS = 3
"""Gold runs of the plain run and of each stored variation; a certificate needs as many."""
DIGITS = 6
"""Significant digits of a recomputed answer; a claim's tolerance is far larger."""


async def with_new_gold(task: Task) -> Task:
    """Return the task with the numbers of its own solution; a task without metrics stays as it is."""
    if not task.assay.metrics:
        return task
    stored = [variation for variation in task.assay.variations if not variation.fresh]
    gate = asyncio.Semaphore(os.cpu_count() or 1)
    results = {
        DEFAULT if variation is None else variation.name: await asyncio.gather(
            *(_results(task, variation, gate) for _ in range(RUNS))
        )
        for variation in (None, *stored)
    }
    gold: Gold = {name: _columns(task, runs) for name, runs in results.items()}
    tests = {**task.tests, "results.json": (json.dumps(gold, indent=2) + "\n").encode()}
    return _with_new_magnitudes(rebuilt(task, tests=tests), results[DEFAULT][0])


def rebuilt(task: Task, **changes: Any) -> Task:
    """Return a task with other parts and without what was computed from the old ones."""
    return Task(**{**{name: getattr(task, name) for name in Task.model_fields}, **changes})


async def _results(task: Task, variation: Variation | None, gate: asyncio.Semaphore) -> object:
    async with gate, CleanRoom(task, Submission(task.gold_files)) as room:
        rerun = await room.rerun(variation)
    if rerun.results is None:
        raise TaskError(task.id, f"the solution does not run ({rerun.variation}): {rerun.problem}")
    return rerun.results


def _columns(task: Task, runs: Sequence[object]) -> dict[str, list[float]]:
    try:
        return {
            metric.name: [look_up(results, metric.path) for results in runs] for metric in task.assay.metrics
        }
    except KeyError as error:
        raise TaskError(task.id, f"the solution gives no number: {error.args[0]}") from None


def _with_new_magnitudes(task: Task, results: object) -> Task:
    """Replace the answers that are numbers, in the truth and in the solution's own conclusion."""
    claims = task.conclusion.claim if task.conclusion is not None else []
    answers = {claim.id: _magnitude(results, claim.paths) for claim in claims if claim.kind == "magnitude"}
    if not answers:
        return task
    tests = {**task.tests, "conclusion.toml": _answered_truth(task.tests["conclusion.toml"], answers)}
    path = "files/conclusion.json"
    solution = dict(task.solution)
    if path in solution:
        solution[path] = _answered_conclusion(solution[path], answers)
    return rebuilt(task, tests=tests, solution=solution)


def _magnitude(results: object, paths: Sequence[str]) -> float:
    numbers = [look_up(results, path) for path in paths]
    value = numbers[0] - numbers[1] if len(numbers) == 2 else numbers[0]
    return float(f"{value:.{DIGITS}g}")


def _answered_truth(data: bytes, answers: Mapping[str, float]) -> bytes:
    document = tomlkit.parse(data.decode())
    for claim in document["claim"]:
        if claim["id"] in answers:
            claim["answer"] = answers[claim["id"]]
    return tomlkit.dumps(document).encode()


def _answered_conclusion(data: bytes, answers: Mapping[str, float]) -> bytes:
    document = json.loads(data)
    claims = document.get("claims", {})
    claims.update({name: answer for name, answer in answers.items() if name in claims})
    return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode()
