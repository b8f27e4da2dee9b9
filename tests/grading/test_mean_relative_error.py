"""AutoExperiment's verdict rule: each of its four holes open there, and shut by default."""

from __future__ import annotations

import json
from typing import Any

import pytest

from assay.grading import Grade, GradingRules, grade_now
from assay.grading.mean_relative_error import THRESHOLD, mean_relative_errors
from assay.tasks import Task, TaskConfig
from assay.workspace import Submission


def task(gold: dict[str, float]) -> Task:
    """A task whose one function returns the numbers of one experiment."""
    table = {
        "id": "toy_0",
        "kind": "masked",
        "run": {"command": "python3 run.py", "results": "results.json", "seconds": 20.0},
        "metrics": [{"name": name, "path": f"Experiment 1.{name}", "relative": 0.05} for name in gold],
        "masks": [{"file": "answer.py", "function": "answer"}],
        "submission": {"editable": ["answer.py"]},
    }
    return Task(
        config=TaskConfig.model_validate({"task": {"name": "assay/toy"}, "metadata": {"assay": table}}),
        instruction="Fill in `answer`.\n",
        environment={
            "workspace/answer.py": b"def answer():\n    raise NotImplementedError\n",
            "workspace/run.py": b"import json\nfrom answer import answer\n"
            b"json.dump({'Experiment 1': answer()}, open('results.json', 'w'))\n",
        },
        solution={"files/answer.py": f"def answer():\n    return {gold!r}\n".encode()},
        tests={
            "results.json": json.dumps({"default": {name: [value] for name, value in gold.items()}}).encode()
        },
    )


def graded(gold: dict[str, float], got: dict[str, Any], tolerance: str) -> Grade:
    """The grade of code that returns these numbers."""
    handed_in = Submission({"answer.py": f"def answer():\n    return {got!r}\n".encode()})
    return grade_now(task(gold), handed_in, rules=GradingRules(tolerance))  # type: ignore[arg-type]


EIGHTEEN = {f"metric{number}": 1.0 for number in range(18)}
HOLES = {
    "a negative gold passes any answer": ({"loss": -2.0}, {"loss": 400.0}, True),
    "a gold of zero fails the exact answer": ({"gap": 0.0}, {"gap": 0.0}, False),
    "empty lists count as no error": (EIGHTEEN, {**{key: [] for key in EIGHTEEN}, "metric0": 1.0}, True),
    "the mean hides a number 29% off": (EIGHTEEN, {**EIGHTEEN, "metric3": 1.29}, True),
}


@pytest.mark.parametrize("hole", HOLES)
def test_each_hole_is_open_as_published_and_shut_by_default(hole: str) -> None:
    gold, got, open_ = HOLES[hole]
    assert graded(gold, got, "published").passed is open_
    assert graded(gold, got, "default").passed is not open_


def test_the_rule_where_it_has_no_hole() -> None:
    gold = {"Experiment 1": {"a": [10.0], "b": 4.0}, "Experiment 2": {"c": 1.0}}
    exact = mean_relative_errors(gold, gold)
    assert exact == {"Experiment 1": 0.0, "Experiment 2": 0.0}
    off = mean_relative_errors(gold, {"Experiment 1": {"a": [11.0], "b": 4.0}})
    assert off == {"Experiment 1": pytest.approx(0.05), "Experiment 2": 1.0}
    assert off["Experiment 1"] is not None
    assert off["Experiment 1"] <= THRESHOLD + 1e-12
    assert mean_relative_errors(gold, {"Experiment 1": {"b": 4.0}, "Experiment 2": {"c": "x"}}) == {
        "Experiment 1": 0.5,
        "Experiment 2": 1.0,
    }


def test_answers_on_which_the_published_grader_breaks_fail() -> None:
    gold = {"Experiment 1": {"a": [1.0]}}
    assert mean_relative_errors(gold, {"Experiment 1": {"a": []}}) == {"Experiment 1": None}
    assert mean_relative_errors(gold, {"Experiment 1": {"a": [1.0, 1.0]}}) == {"Experiment 1": None}
    assert mean_relative_errors(gold, None) == {"Experiment 1": 1.0}


def test_verdicts_are_for_experiments() -> None:
    done = graded({"a": 1.0, "b": 2.0}, {"a": 1.0, "b": 2.3}, "published")
    (verdict,) = [each for each in done.verdicts if each.phase == "result"]
    assert (verdict.item, verdict.status, verdict.owner) == ("result.default.Experiment 1", "unmet", "agent")
    assert "mean relative error 0.075" in verdict.evidence
