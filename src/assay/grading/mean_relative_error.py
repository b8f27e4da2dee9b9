"""AutoExperiment's verdict rule (`--tolerance published`), for reproducing its numbers; never the default.

For each experiment the mean over its numbers of |gold - got| / gold must be at most 0.05. Its faults are kept
as they were published: a negative gold passes with any answer, a gold of 0 fails the exact answer, an empty
list counts as no error, and the mean hides one number that is far off. Where the numbers come from is not
as published: they are re-made in the clean room, not taken from the agent's word.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.grading.cleanroom import CleanRoom
from assay.grading.results import execution
from assay.grading.verdict import Verdict
from assay.rules.documents import read_json
from assay.tasks import DEFAULT, Task, centre

THRESHOLD = 0.05


async def grade_mean_relative_error(room: CleanRoom) -> list[Verdict]:
    """One verdict for each experiment of the plain run; there were no hidden variations."""
    rerun = await room.rerun()
    verdicts = [execution(rerun, room.task)]
    losses = mean_relative_errors(gold_results(room.task), rerun.results)
    for experiment, loss in losses.items():
        passes = loss is not None and loss <= THRESHOLD
        account = "the published grader breaks on it" if loss is None else f"mean relative error {loss:.4g}"
        verdicts.append(
            Verdict(
                item=f"result.{DEFAULT}.{experiment}",
                status="met" if passes else "unmet",
                owner=None if passes else "agent",
                evidence=f"{account}, at most {THRESHOLD:g} passes (the published rule)",
            )
        )
    return verdicts


def gold_results(task: Task) -> dict[str, Any]:
    """Gold in the shape of the results file: what stands first in a path is the experiment."""
    results: dict[str, Any] = {}
    for metric in task.assay.metrics:
        *parents, last = metric.path.split(".")
        place = results
        for step in parents:
            place = place.setdefault(step, {})
        place[last] = centre(task.gold[DEFAULT][metric.name])
    return {key: _with_lists(value) for key, value in results.items()}


def mean_relative_errors(gold: Mapping[str, Any], answer: object) -> dict[str, float | None]:
    """Experiment → its mean relative error; None for all where the published grader would break."""
    if not isinstance(answer, dict):
        return dict.fromkeys(gold, 1.0)
    try:
        return {name: _mean(_losses(gold[name], answer[name])) if name in answer else 1.0 for name in gold}
    except (ZeroDivisionError, IndexError, KeyError, TypeError):
        return dict.fromkeys(gold)


def _losses(gold: Any, answer: Any) -> list[float]:
    """The relative errors below one place; the shape of the answer leads, as published."""
    if isinstance(answer, str):
        try:
            answer = read_json(answer)
        except ValueError:
            return [1.0]
    if isinstance(answer, dict):
        return [loss for key in gold for loss in _losses(gold[key], answer.get(key, 0.0))]
    if isinstance(answer, list):
        return [loss for number, value in enumerate(answer) for loss in _losses(gold[number], value)]
    try:
        return [abs(gold - answer) / gold]
    except (ZeroDivisionError, TypeError):
        return [1.0]


def _mean(losses: list[float]) -> float:
    return sum(losses) / len(losses)


def _with_lists(value: Any) -> Any:
    """Tables whose keys count from 0 are lists."""
    if not isinstance(value, dict):
        return value
    inner = {key: _with_lists(child) for key, child in value.items()}
    if list(inner) == [str(number) for number in range(len(inner))]:
        return list(inner.values())
    return inner
