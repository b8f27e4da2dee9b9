"""`assay vary`: a folder with vary.py becomes new tasks, with gold that the solution makes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import assay as public
from assay.benchmarks.frontier import DATA
from assay.grading import grade_now
from assay.tasks import Task, load_task
from assay.tasks.files import read_tree
from assay.workspace import Submission
from tests.cli.conftest import Command, assay

__all__ = ["assay"]

SIDES = """
import pathlib, random, sys
most = int(pathlib.Path("../_shared/tests/making/most.txt").read_text())
sides = random.Random(int(sys.argv[1])).randint(8, most)
for path in pathlib.Path(".").rglob("*.py"):
    if path.name != "vary.py":
        path.write_text(path.read_text().replace("randint(1, 6)", f"randint(1, {sides})"))
"""
GAP = """
[[claim]]
id = "gap"
question = "By how much is the mean of the better of two higher?"
kind = "magnitude"
paths = ["mean.two", "mean.one"]
answer = 0.944
tolerance = 0.01
"""
EXPERIMENT = """
paper_id = "scaling"
title = "A function that scales"
requirements = []
tasks = [[0], [0, 1]]
functions = [{ file = "method.py", function = "scale" }, { file = "method.py", function = "shift" }]
metrics = [{ name = "value", path = "value", absolute = 0.01 }]
variations = [{ name = "other-seed", seed = 5 }]
broken = [{ name = "adds", function = 0 }]

[run]
command = "python run.py"
results = "results.json"
seconds = 30.0
"""
FACTOR = """
import pathlib, random, sys
factor = random.Random(int(sys.argv[1])).randint(4, 9)
for path in pathlib.Path(".").rglob("*.p*"):
    if path.name != "vary.py":
        path.write_text(path.read_text().replace("* 3.0", f"* {factor}.0"))
"""


def passes(task: Task, files: dict[str, bytes]) -> bool | None:
    return grade_now(task, Submission(files)).passed


@pytest.fixture
def dice(tmp_path: Path) -> Path:
    """An experiment whose dice can get another number of sides."""
    folder = tmp_path / "suite" / "dice"
    public.new("experiment", folder)
    (folder / "vary.py").write_text(SIDES)
    shared = folder.parent / "_shared" / "tests" / "making"
    shared.mkdir(parents=True)
    (shared / "most.txt").write_text("90")
    (folder / "tests" / "conclusion.toml").open("a").write(GAP)
    conclusion = folder / "solution" / "files" / "conclusion.json"
    conclusion.write_text(json.dumps({"summary": "Higher.", "claims": {"better": "higher", "gap": 0.944}}))
    instruction = folder / "instruction.md"
    instruction.write_text(instruction.read_text() + "\nAlso claim `gap`, the difference, as a number.\n")
    return folder


def write_experiment(folder: Path) -> Path:
    """An experiment folder with two masked tasks, and a broken variant written as a patch."""
    code = 'def scale(value: float) -> float:\n    """Scale it."""\n    return value * 3.0\n'
    shift = '\n\ndef shift(value: float) -> float:\n    """Shift it."""\n    return value + 1.0\n'
    run = (
        "import json, os\nfrom method import scale, shift\n"
        'seed = int(os.environ.get("ASSAY_SEED", "2"))\n'
        'json.dump({"value": shift(scale(seed))}, open("results.json", "w"))\n'
    )
    header = "--- a/method.py\n+++ b/method.py\n@@ -3,1 +3,1 @@\n"
    patch = header + "-    return value * 3.0\n+    return value + 3.0\n"
    gold = {"default": {"value": [7.0] * 3}, "other-seed": {"value": [16.0] * 3}}
    files = {
        "experiment.toml": EXPERIMENT,
        "instruction.md": "# Scale\n",
        "code/method.py": code + shift,
        "code/run.py": run,
        "broken/adds.patch": patch,
        "results.json": json.dumps(gold),
        "vary.py": FACTOR,
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def test_a_variant_has_a_new_id_new_gold_and_no_certificate(
    assay: Command, dice: Path, tmp_path: Path
) -> None:
    public.new("challenge", dice.parent / "fixed")
    done = assay("vary", dice.parent, "--seed", "7", "--out", tmp_path / "out")
    assert done.code == 0, done.err
    assert f"Next: assay certify {tmp_path / 'out'}" in done.out
    assert "without vary.py, so left out: fixed" in done.out

    old, new = load_task(dice), load_task(tmp_path / "out" / "dice-v7")
    assert (new.id, new.certificate) == ("dice-v7", None)
    assert new.digest != old.digest
    assert new.gold["default"]["best of two"][0] > 6 > old.gold["default"]["best of two"][0]
    assert [len(runs) for numbers in new.gold.values() for runs in numbers.values()] == [3] * 4
    assert not any(Path(path).name == "vary.py" for path in read_tree(tmp_path / "out", "out"))

    assert passes(new, new.gold_files)
    assert passes(new, old.gold_files) is False


@pytest.mark.long
def test_the_same_seed_gives_the_same_bytes_and_another_seed_other_ones(tmp_path: Path) -> None:
    folder = write_experiment(tmp_path / "scaling")
    for name, seed in (("first", 1), ("second", 1), ("third", 5)):
        public.vary(folder, tmp_path / name, seed=seed)
    first, second, third = (read_tree(tmp_path / name, name) for name in ("first", "second", "third"))
    assert first == second
    path = "solution/files/method.py"
    assert first[f"scaling_0-v1/{path}"] != third[f"scaling_0-v5/{path}"]


def test_masked_tasks_of_one_experiment_share_their_new_gold(assay: Command, tmp_path: Path) -> None:
    folder = write_experiment(tmp_path / "scaling")
    made = assay("vary", folder, "--seed", "1", "--out", tmp_path / "out", "--json")
    assert made.code == 0, made.err
    rows = json.loads(made.out)["tasks"]
    assert [row["id"] for row in rows] == ["scaling_0-v1", "scaling_0,1-v1"]
    assert rows[0]["changed"] == ["broken/adds.patch", "code/method.py"]
    one, both = (load_task(row["folder"]) for row in rows)
    assert one.gold == both.gold
    factor = (one.gold["default"]["value"][0] - 1) / 2
    assert factor in range(4, 10)
    assert one.gold["other-seed"]["value"] == [5 * factor + 1] * 3
    assert passes(both, both.gold_files)
    assert passes(both, {**both.gold_files, **both.broken["adds"]}) is False


@pytest.mark.parametrize(
    ("program", "complaint"),
    [
        ("pass", "changed no file for seed 5"),
        ("import numpy", "No module named 'numpy'"),
        ("open('instruction.md', 'w').write(str(__import__('time').time_ns()))", "different bytes"),
        ("open('task.toml', 'w').write('id = 1')", "made a folder that cannot be read"),
        ("open('/etc/passwd', 'a')", "Read-only file system"),
    ],
)
def test_a_vary_program_that_breaks_a_rule_is_refused_in_one_line(
    assay: Command, dice: Path, tmp_path: Path, program: str, complaint: str
) -> None:
    (dice / "vary.py").write_text(program)
    refused = assay("vary", dice, "--seed", "5", "--out", tmp_path / "out")
    assert refused.code != 0
    assert complaint in refused.err
    assert "dice/vary.py" in refused.err
    assert "Traceback" not in refused.err.partition("error:")[0]


def test_what_cannot_be_varied_says_why(assay: Command, tmp_path: Path) -> None:
    refused = assay("vary", "demo/selection-bias", "--seed", "5", "--out", tmp_path / "out")
    assert refused.code == 2
    assert "no folder has a vary.py" in refused.err
    refused = assay("vary", "mlrb-mini", "--seed", "5", "--out", tmp_path / "out")
    assert refused.code == 2


def test_a_variant_of_an_experiment_of_frontier_grades_with_its_own_studies(
    assay: Command, tmp_path: Path
) -> None:
    """Its vary.py needs the packages of the task, and writes files that the task copies from other parts."""
    out = tmp_path / "out"
    done = assay("vary", "frontier/coached-sites", "--seed", "5", "--out", str(out))
    assert done.code == 0, done.err
    task = load_task(out / "coached-sites-v5")
    data = {path: task.workspace[path] for path in task.workspace if path.startswith("data/")}
    assert data
    assert data == {f"data/{path[6:]}": task.tests[path] for path in task.tests if path.startswith("given/")}
    assert task.tests["checks/reference.py"] == task.gold_files["study.py"]
    assert data["data/s01.csv"] != load_task(DATA / "coached-sites").workspace["data/s01.csv"]


@pytest.mark.parametrize(
    ("contents", "complaint"),
    [
        (b"x = " + b"[" * 5000 + b"]" * 5000, "nested more than 100 deep"),
        (b"metadata = 5", "task.toml"),
        (b"# \xff\xfe", "is not TOML that can be read"),
        (b"x = ", "is not TOML that can be read"),
        (b"[metadata.assay]\ncopies = 5", "task.toml"),
        (b"[metadata.assay]\ncopies = ['tests/x']", "task.toml"),
    ],
    ids=["deep", "number for a table", "not UTF-8", "not TOML", "copies as number", "copies as list"],
)
def test_a_task_file_that_vary_made_and_nobody_can_read_is_one_clear_line(
    dice: Path, assay: Command, contents: bytes, complaint: str
) -> None:
    (dice / "vary.py").write_text(f"open('task.toml', 'wb').write({contents!r})\n")
    varied = assay("vary", dice, "--seed", "7", "--out", dice.parent / "new")
    assert varied.code == 2
    assert "vary.py: made a folder that cannot be read: task.toml" in varied.err
    assert complaint in varied.err
    assert "Traceback" not in varied.err


def test_a_folder_that_cannot_be_read_is_no_fault_of_its_program(dice: Path, assay: Command) -> None:
    (dice / "task.toml").write_text("x = 1")
    varied = assay("vary", dice, "--seed", "7", "--out", dice.parent / "new")
    assert varied.code == 2
    assert f"error: {dice}/task.toml" in varied.err
    assert "vary.py: made" not in varied.err
