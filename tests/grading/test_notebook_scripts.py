"""A notebook that is handed in beside the script that was made of it: it ran if the script did."""

from __future__ import annotations

import json

import pytest

from assay.grading import grade_now
from assay.tasks import Task, TaskConfig
from assay.workspace import Submission

CELLS = [
    "%matplotlib inline\nimport json\nimport random",
    "source = random.Random(2)\ndraws = [source.randint(1, 6) for _ in range(1000)]",
    "mean = sum(draws) / len(draws)\nmean",
    'json.dump({"mean": mean}, open("results.json", "w"))',
]
NOTEBOOK = json.dumps(
    {
        "cells": [
            {"cell_type": "markdown", "source": "# The mean of a die"},
            *({"cell_type": "code", "source": cell.splitlines(keepends=True)} for cell in CELLS),
        ],
        "nbformat": 4,
    }
).encode()
SCRIPT = "\n\n".join(CELLS).replace("%matplotlib inline", "pass").replace("\nmean\n", "\nprint(mean)\n")
GOLD = {
    "dice.ipynb": NOTEBOOK,
    "dice.notebook.py": SCRIPT.encode(),
    "reproduce.sh": b"python dice.notebook.py\n",
}


@pytest.fixture(scope="module")
def task() -> Task:
    """An experiment whose solution is a notebook."""
    run = {"command": "bash reproduce.sh", "results": "results.json", "seconds": 60.0}
    table = {"id": "dice", "kind": "experiment", "run": run}
    config = TaskConfig.model_validate({"task": {"name": "assay/dice"}, "metadata": {"assay": table}})
    requirement = '[[requirement]]\nid = "mean"\ntext = "Take the mean."\ngold = ["dice.ipynb"]\n'
    return Task(
        config=config,
        instruction="Roll a die.\n",
        environment={"workspace/README.md": b"A die.\n"},
        solution={f"files/{path}": data for path, data in GOLD.items()},
        tests={"results.json": b'{"default": {}}', "requirements.toml": requirement.encode()},
    )


def requirement_of(task: Task, changes: dict[str, bytes]) -> tuple[str, str]:
    grade = grade_now(task, Submission({**GOLD, **changes}))
    (verdict,) = [verdict for verdict in grade.verdicts if verdict.item == "requirement.mean"]
    return verdict.status, verdict.evidence


def test_a_notebook_ran_where_the_script_of_its_cells_ran(task: Task) -> None:
    status, evidence = requirement_of(task, {})
    assert status == "met", evidence
    assert "executed 3 of 3 submitted programs" in evidence


def test_a_notebook_beside_a_script_that_only_contains_its_code_did_not_run(task: Task) -> None:
    dead = "def never():\n    " + SCRIPT.replace("\n", "\n    ")
    random_number = "import json, random\njson.dump({'mean': random.random()}, open('results.json', 'w'))\n"
    status, evidence = requirement_of(task, {"dice.notebook.py": f"{random_number}{dead}\n".encode()})
    assert status == "unmet", evidence
    assert "never executed: dice.ipynb" in evidence
