"""Seeds drawn at grading, given as a variable and put into the command."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from assay.grading import grade_now
from assay.grading.fresh import with_seed
from assay.tasks import Task, TaskConfig, Variation, save_task
from assay.tasks.template import template
from assay.workspace import Submission
from tests.rules.test_exported import verify
from tests.tasks.examples import masked_task

DRAW = """
import asyncio, json, sys
from pathlib import Path
from assay.grading.fresh import SeedDraws
from assay.tasks import load_task
task = load_task(Path(sys.argv[1]))
draws = SeedDraws(Path(sys.argv[2]))
drawn = draws.draw(task, task.assay.variations[0])
async def twice():
    return await asyncio.gather(draws.gold(task, drawn), draws.gold(task, drawn))
print(json.dumps([drawn.seed, *asyncio.run(twice())]))
"""


@pytest.mark.parametrize(
    ("command", "drawn"),
    [
        (None, None),
        ("python a.py --seed {seed}", "python a.py --seed 12345"),
        ("seed=3; python a.py ${seed} {seed}", "seed=3; python a.py ${seed} 12345"),
        ("python a.py", "python a.py"),
    ],
)
def test_the_drawn_seed_stands_where_the_command_asks_for_it(command: str | None, drawn: str | None) -> None:
    made = with_seed(Variation(name="fresh-seed", fresh=True, command=command), 12345)
    assert (made.seed, made.command, made.fresh) == (12345, drawn, False)


def test_processes_of_one_run_share_a_drawn_seed_and_its_gold(tmp_path: Path) -> None:
    save_task(masked_task(variations=[{"name": "new", "fresh": True}]), tmp_path / "task")
    shared = tmp_path / "draws"
    shared.mkdir()
    command = [sys.executable, "-c", DRAW, str(tmp_path / "task"), str(shared)]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    first, second = (json.loads(process.communicate()[0]) for process in both)
    assert first == second
    seed, gold, again = first
    assert gold == again == {"value": [seed * 3.0 + 1.0]}
    # The solution ran once: what it gave is read by whoever comes later, and is not made again.
    (kept,) = shared.glob("*.gold")
    kept.write_text('{"value": [0.5]}')
    third = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    assert json.loads(third.stdout) == [seed, {"value": [0.5]}, {"value": [0.5]}]


def two_fresh_seeds() -> Task:
    """The task of `assay new experiment` with a second run whose seed is drawn."""
    task = template("experiment", "dice")
    table = task.config.model_dump(exclude_none=True)
    table["metadata"]["assay"]["variations"].append({"name": "fresh-again", "fresh": True})
    return task.model_copy(update={"config": TaskConfig.model_validate(table)})


WITHOUT_DRAWS = b"""
if seed not in (2, 5):
    with open("draws.json", "w") as out:
        out.write("[]")
"""


def evidence_of(grader: str, task: Task, files: dict[str, bytes], folder: Path) -> str:
    """What one grader writes about the check of the draws."""
    item = "requirement.raw-draws"
    if grader == "assay":
        verdicts = grade_now(task, Submission(files)).verdicts
        return next(verdict.evidence for verdict in verdicts if verdict.item == item)
    rulings = verify(task, files, folder).verdicts
    return next(ruling["evidence"] for ruling in rulings if ruling["item"] == item)


@pytest.mark.parametrize("grader", ["assay", "exported"])
def test_a_check_reads_every_run_with_a_drawn_seed(grader: str, tmp_path: Path) -> None:
    task = two_fresh_seeds()
    evidence = evidence_of(grader, task, task.gold_files, tmp_path / "right")
    assert evidence == "the draws and means of 4 runs are right"
    wrong = {**task.gold_files, "run.py": task.gold_files["run.py"] + WITHOUT_DRAWS}
    evidence = evidence_of(grader, task, wrong, tmp_path / "wrong")
    for run in ("fresh-seed", "fresh-again"):
        assert f"run '{run}': draws.json or results.json cannot be read" in evidence
