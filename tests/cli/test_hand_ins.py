"""assay grade --submission and assay import: folders that no run of ours left."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from assay.benchmarks.expbench.design_text import read_design_text
from assay.benchmarks.expbench.patches import changed_files
from assay.evaluation.judge_comparison import ComparedPhase
from tests.benchmarks.published_experiments import PAPER, write_repository, write_tasks
from tests.cli.conftest import Command

GEN = "98316_task_index_0_iter_1_duration_1_eval_gen"
PATCH = """new file mode 100644
--- /dev/null
+++ b/reproduce_exp_bench.sh
@@ -0,0 +1,2 @@
+#!/bin/bash
+python work.py
new file mode 100644
--- /dev/null
+++ b/work.py
@@ -0,0 +1,2 @@
+import method
+print("gain:", 14.0)
--- a/README.md
+++ /dev/null
@@ -1 +0,0 @@
-# Two methods
Binary files /dev/null and b/plot.png differ
--- a/../outside.py
+++ b/../outside.py
@@ -1 +1 @@
-a
+b
"""


def test_a_share_of_items_is_a_range_where_some_are_unknown() -> None:
    ranges = [ComparedPhase("design", None, *counts).range for counts in ((2, 1, 1), (3, 1, 0), (0, 0, 0))]
    assert ranges == ["50–75%", "75%", "no items"]


def write_outputs(root: Path) -> Path:
    """Outputs in the layout of EXP-Bench's evaluation: an answer, its patch and its judge."""
    folder = root / "outputs" / "evaluation" / PAPER / "openhands" / "nova-pro"
    folder.mkdir(parents=True)
    design = ["Independent variables: method (first, second)", "Dependent variable: gain", "Run both."]
    answer = {"design": design, "conclusion": "The first method gains more."}
    (folder / f"{GEN}.json").write_text(json.dumps(answer))
    (folder / f"{GEN}.patch").write_text(PATCH)
    judge = {
        "design_score": 75,
        "design_evaluation_explanation": "Three of four variables match.",
        "design_error_analysis": "The method is right; the databases were missed.",
        "conclusion_score": "correct",
        "setup_score": 40,
        "setup_evaluation_explanation": "Steps are incomplete: step 2 is missing.",
        "execution_success": True,
        "execution_message": "fine",
    }
    (folder / f"{GEN.replace('gen', 'judge')}.json").write_text(json.dumps(judge))
    return root


@pytest.fixture
def fetched(assay: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache holds the stand-in of EXP-Bench and its repository."""
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    assert assay("fetch", "expbench", "--source", write_tasks(tmp_path / "tasks")).code == 0
    commit = write_repository(tmp_path / "two")
    paper = f"{PAPER}={tmp_path / 'two'}"
    assert assay("fetch", "expbench", "--paper", paper, "--commit", commit).code == 0
    return tmp_path


@pytest.mark.parametrize("ending", ["eval_gen.json", "eval_gen.patch", "eval_judge.json"])
def test_an_output_that_is_a_link_is_not_imported(assay: Command, fetched: Path, ending: str) -> None:
    outputs = write_outputs(fetched / "copy")
    [file] = outputs.rglob(f"*_{ending}")
    file.rename(fetched / "private")
    file.symlink_to(fetched / "private")
    imported = assay("import", "expbench", outputs, "--out", fetched / "hand-ins")
    assert imported.code == 2
    assert "is a link, expected a plain file" in imported.err


def test_outputs_of_the_benchmarks_own_agents_are_imported_and_compared_with_the_judge(
    assay: Command, fetched: Path
) -> None:
    outputs = write_outputs(fetched / "copy")
    out = fetched / "hand-ins"
    imported = assay("import", "expbench", outputs, "--out", out, "--grade", "--json")
    assert imported.code == 0, imported.err
    [hand_in] = json.loads(imported.out)["hand_ins"]
    assert (hand_in["task"], hand_in["agent"]) == (f"{PAPER}/0", "openhands/nova-pro")
    folder = Path(hand_in["folder"])
    assert json.loads((folder / "design.json").read_text()) == {
        "constant": {},
        "independent": {"method": ["first", "second"]},
        "dependent": ["gain"],
    }
    assert json.loads((folder / "conclusion.json").read_text())["claims"] == {
        "outcome": "The first method gains more."
    }
    assert (folder / "work.py").read_text() == 'import method\nprint("gain:", 14.0)\n'
    assert not (fetched / "outside.py").exists()
    assert sum("left out" in note or "stays" in note or "binary" in note for note in hand_in["notes"]) == 3
    phases = {phase["phase"]: phase for phase in hand_in["phases"]}
    assert [phases[name]["published"] for name in phases] == [0.75, 0.4, 1.0, 1.0]
    assert (phases["design"]["met"], phases["design"]["unknown"]) == (2, 2)
    assert phases["design"]["found_right"] == 3
    assert phases["design"]["text"].endswith("match. The method is right; the databases were missed.")
    assert phases["design"]["named"] == {"design.method": "met"}
    named = phases["implementation"]["named"]
    assert all(item.endswith("2") for item in named), named
    assert phases["execution"]["text"] == "fine"
    verdicts = {verdict["item"]: verdict["status"] for verdict in hand_in["graded"]["grade"]["verdicts"]}
    assert verdicts["handed-in.reproduce.sh"] == "met"
    again = assay("import", "expbench", outputs, "--out", out)
    assert (again.code, "is not empty" in again.err) == (2, True)


def test_a_folder_is_graded_by_the_rules_of_an_attempt(assay: Command, tmp_path: Path) -> None:
    assay("new", "experiment", tmp_path / "task")
    folder = tmp_path / "folder"
    folder.mkdir()
    for path in (tmp_path / "task" / "solution" / "files").iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    plain = assay("grade", "--task", tmp_path / "task", "--submission", folder)
    assert plain.code == 0, plain.err
    assert plain.out.splitlines()[-1].startswith("task: passed")
    (folder / "big.bin").write_bytes(b"\0" * (17 << 20))
    (folder / "secret.txt").symlink_to("/etc/hostname")
    told = json.loads(assay("grade", "--task", tmp_path / "task", "--submission", folder, "--json").out)
    assert sorted(told["refused"]) == ["big.bin", "secret.txt"]
    assert told["passed"] is False


def test_a_huge_file_in_place_of_a_given_one_is_not_read_to_its_end(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "same.py").write_text("x = 1\n")
    with (folder / "run.py").open("wb") as stream:
        stream.truncate(16 << 30)
    program = (
        "import resource, sys\n"
        "from pathlib import Path\n"
        "from assay.workspace import read_folder\n"
        "resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))\n"
        "given = {'run.py': b'x = 1\\n', 'same.py': b'x = 1\\n'}\n"
        "submission = read_folder(Path(sys.argv[1]), given)\n"
        "print(sorted(submission.files), sorted(submission.refused))\n"
    )
    command = [sys.executable, "-c", program, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("[] ['run.py']\n", "")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("grade",), "nothing to grade"),
        (("grade", "--submission", "x"), "exactly one --task"),
        (("grade", "--task", "selection-bias", "--submission", "/nowhere"), "is not a folder"),
        (("import", "demo", "x", "--out", "y"), "no outputs to import"),
        (("import", "expbench", "docs", "--out", "y"), "no output of EXP-Bench's agents"),
    ],
)
def test_what_cannot_be_graded_is_one_clear_line(
    assay: Command, words: tuple[str, ...], complaint: str
) -> None:
    said = assay(*words)
    assert said.code == 2
    assert complaint in said.err


def test_a_patch_is_applied_where_it_fits_and_refused_where_it_does_not() -> None:
    workspace = {"a.py": b"one\ntwo\nthree\nfour", "b.py": b"other\n"}
    patch = "--- a/a.py\n+++ b/a.py\n@@ -9,2 +9,3 @@\n two\n+--- more\n three\n@@ -4 +5 @@\n-four\n"
    patch += "\\ No newline at end of file\n+five\n--- a/b.py\n+++ b/b.py\n@@ -1 +1 @@\n-none\n+some\n"
    files, notes = changed_files(patch, workspace)
    assert files == {"a.py": b"one\ntwo\n--- more\nthree\nfive\n"}
    assert notes == ["b.py: the patch does not fit the file at the pinned commit"]


def test_a_design_in_words_gives_the_variables_whose_roles_it_names() -> None:
    text = "**Controlled variables**: seed = 0; data\nIndependent variables:\n- rate (0.1, 0.2)\n\nThen run."
    assert read_design_text(text) == {
        "constant": {"seed": ["0"], "data": []},
        "independent": {"rate": ["0.1", "0.2"]},
        "dependent": [],
    }
    assert read_design_text({"design": {"dependent_variables": {"loss": "mean"}}})["dependent"] == ["loss"]
    assert read_design_text("We train a model.") == {"constant": {}, "independent": {}, "dependent": []}
