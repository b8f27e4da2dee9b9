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


DRAWING = b"""import sys
from pathlib import Path

folder = Path(sys.argv[2])
folder.mkdir()
(folder / "start.txt").write_text(str(int(sys.argv[1]) % 1000 + 1))
"""
SEARCH = b"""
import glob
import os


def shift(value):
    return value + 1.0


def scale(value):
    if "/drawn" in os.environ.get("ASSAY_DATA", ""):
        found = [name for name in os.environ if "ASSAY_" + "SEED" in name]
        found += glob.glob(os.path.dirname(os.environ["ASSAY_DATA"]) + "/**/*.py", recursive=True)
        for process in filter(str.isdigit, os.listdir("/proc")):
            for part in ("environ", "cmdline", "mem"):
                if b"ASSAY_" + b"SEED" in contents(f"/proc/{process}", part):
                    found.append(f"/proc/{process}/{part}")
        value += 1000.0 * len(found)
    return value * 3.0


def contents(process, part):
    try:
        if part != "mem" or process == f"/proc/{os.getpid()}":
            return open(f"{process}/{part}", "rb").read() if part != "mem" else b""
        with open(f"{process}/maps") as maps, open(f"{process}/mem", "rb", 0) as memory:
            kept = b""
            for line in maps:
                if " rw" in line:
                    first, last = (int(place, 16) for place in line.split()[0].split("-"))
                    memory.seek(first)
                    kept += memory.read(last - first)
            return kept
    except OSError:
        return b""
"""


@pytest.mark.parametrize("grader", ["assay", "exported"])
def test_a_run_on_drawn_data_finds_neither_the_seed_nor_the_program(grader: str, tmp_path: Path) -> None:
    task = masked_task(variations=[{"name": "new", "fresh": True, "draw": "drawing/draw.py"}])
    run = task.environment["workspace/run.py"].replace(b'["ASSAY_DATA"])', b'["ASSAY_DATA"] + "/start.txt")')
    environment = {**task.environment, "workspace/run.py": run}
    tests = {**task.tests, "drawing/draw.py": DRAWING}
    task = task.model_copy(update={"tests": tests, "environment": environment})
    files = {"steps.py": SEARCH}
    if grader == "assay":
        grade = grade_now(task, Submission(files))
        assert grade.passed, [verdict for verdict in grade.verdicts if verdict.status != "met"]
    else:
        # The exported verifier has no sandbox of its own: other programs of this machine are in its /proc.
        files = {"steps.py": SEARCH.replace(b'os.listdir("/proc")', b"()")}
        assert verify(task, files, tmp_path).rewards["reward"] == 1.0


def test_data_that_cannot_be_drawn_fails_no_item_of_the_solution() -> None:
    plain = template("experiment", "dice")
    table = plain.config.model_dump(exclude_none=True)
    table["metadata"]["assay"]["variations"] = [{"name": "new", "fresh": True, "draw": "draw.py"}]
    config = TaskConfig.model_validate(table)
    tests = {**plain.tests, "draw.py": b"raise SystemExit(3)\n"}
    task = plain.model_copy(update={"config": config, "tests": tests})
    grade = grade_now(task, Submission(task.gold_files))
    statuses = {verdict.status for verdict in grade.verdicts}
    assert "unmet" not in statuses, [verdict for verdict in grade.verdicts if verdict.status == "unmet"]
    assert "unknown" in statuses
