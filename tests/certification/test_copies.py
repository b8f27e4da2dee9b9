"""A masked task whose workspace holds its own solution gets no certificate."""

from __future__ import annotations

import gzip

import pytest

from assay.certification.copies import no_copies
from assay.tasks import Task
from assay.tasks.template import template

SOLUTION = b'''"""The method."""


def scale(values, factor):
    """Scale the values around their mean."""
    centre = sum(values) / len(values)
    return [centre + factor * (value - centre) for value in values if value is not None]
'''


def task_with(**more: bytes) -> Task:
    task = template("masked", "leak")
    environment = {**task.environment, **{f"workspace/{path}": data for path, data in more.items()}}
    solution = {**task.solution, "files/method.py": SOLUTION}
    return Task(config=task.config, instruction="", environment=environment, solution=solution)


@pytest.mark.parametrize(
    ("path", "data"),
    [("old/method.py", SOLUTION), ("notes.md", SOLUTION), ("old.gz", gzip.compress(SOLUTION))],
)
def test_a_copy_of_the_solution_in_the_workspace_is_found(path: str, data: bytes) -> None:
    check = no_copies(task_with(**{path: data}))["copies"]
    assert not check.holds
    assert path in check.evidence
    assert "scale" in check.evidence


def test_a_function_that_is_too_short_for_a_twin_is_found_by_its_name() -> None:
    task = template("masked", "leak")
    environment = {**task.environment, "workspace/old/method.py": task.gold_files["method.py"]}
    check = no_copies(
        Task(config=task.config, instruction="", environment=environment, solution=task.solution)
    )
    assert not check["copies"].holds
    assert "old/method.py::scale is the same as method.py::scale" in check["copies"].evidence


def test_a_workspace_without_copies_holds() -> None:
    assert no_copies(template("masked", "mine"))["copies"].holds
    assert no_copies(task_with())["copies"].holds


def test_only_masked_tasks_have_the_check() -> None:
    assert no_copies(template("experiment", "mine")) == {}
