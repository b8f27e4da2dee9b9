"""Unit tests as the run: every test is a number, and a failed test is a result."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from assay.benchmarks import load_suite
from assay.grading import grade_now
from assay.masking.pipeline import MaskingOptions, MaskingResult, make_tasks
from assay.workspace import Submission

SHAPES = '''"""Areas and names of shapes."""


def area(width, height, border, notes):
    """Return the area inside a border."""
    inner = (width - 2 * border) * (height - 2 * border)
    notes.append(width + 2 * height)
    return inner if inner > 0 else 0


def area_reference(width, height, border, words):
    inside = (width - 2 * border) * (height - 2 * border)
    words.append(width + 2 * height)
    return inside if inside > 0 else 0


def label(words, limit):
    """Join words until the limit, upper case."""
    text = "-".join(word.upper() for word in words if len(word) > 1)
    return text[:limit] + ("" if len(text) <= limit else "...")


def untested(value):
    return f"{value * 3 + 4 / value} units"


def spell(value):
    number = value * 3 + 4 - value
    return lambda word: f"{word * value} {number}"
'''
TESTS = """import pytest
from shapes import area, label, spell, untested


@pytest.mark.parametrize("border, expected", [(0, 12), (1, 2), (2, 0)])
def test_area(border, expected):
    assert area(3, 4, border, []) == expected


def test_wide_area():
    assert area(10, 7, 1, []) == 40


def test_label():
    assert label(["ab", "c", "def"], 10) == "AB-DEF"
    assert label(["ab", "def", "gh"], 4) == "AB-D..."
    assert label(["abc", "de"], 6) == "ABC-DE"


def test_spell():
    assert spell(2)("a") == "aa 8"


def test_that_fails():
    assert untested(1) == 0
"""
WITHOUT_PYGMENTS = "pytest<8.4"
"""All files of the environment are searched for copies, and Pygments has most of those of a newer pytest."""


@dataclass(frozen=True)
class MaskedShapes:
    """What one call left."""

    out: Path
    result: MaskingResult
    steps: list[str]


@pytest.fixture(scope="module")
def shapes(tmp_path_factory: pytest.TempPathFactory) -> MaskedShapes:
    folder = tmp_path_factory.mktemp("tests")
    repository = folder / "shapes"
    (repository / "tests").mkdir(parents=True)
    (repository / "shapes.py").write_text(SHAPES)
    (repository / "tests" / "test_shapes.py").write_text(TESTS)
    steps: list[str] = []
    options = MaskingOptions(
        tests=["tests"],
        requirements=[WITHOUT_PYGMENTS],
        exclude=["label"],
        mutants=10,
        paper_id="shapes",
        report=steps.append,
    )
    result = make_tasks(repository, folder / "out", options)
    return MaskedShapes(folder / "out", result, steps)


def test_each_test_is_a_number_and_a_failing_one_is_none(shapes: MaskedShapes) -> None:
    task = load_suite(shapes.out / "tasks").tasks[0]
    assert {name: runs[0] for name, runs in task.gold["default"].items()} == {
        "tests.tests/test_shapes::test_area": 3,
        "tests.tests/test_shapes::test_label": 1,
        "tests.tests/test_shapes::test_spell": 1,
        "tests.tests/test_shapes::test_wide_area": 1,
    }
    assert "4 tests pass in 6 cases" in " ".join(task.instruction.split())


def test_mutants_that_fail_a_test_are_rejected_and_do_not_crash(shapes: MaskedShapes) -> None:
    [proof] = shapes.result.proofs
    assert proof.candidate.name == "shapes.py::area"
    assert proof.score == 1.0
    assert proof.count("rejected") >= 8
    assert all(certificate.sound for certificate in shapes.result.certificates)


def test_a_line_whose_value_is_discarded_does_not_count(shapes: MaskedShapes) -> None:
    area = next(proof for proof in shapes.result.proofs if proof.candidate.name.endswith("::area"))
    assert {tried.mutant.line for tried in area.tried_mutants if tried.status == "discarded"} == {7}
    evidence = shapes.result.certificates[0].checks["mutants shapes.py::area"].evidence
    assert "change line 7, which the run discards" in evidence


def test_failed_tests_are_unmet_items(shapes: MaskedShapes) -> None:
    task = next(task for task in load_suite(shapes.out / "tasks").tasks if task.id == "shapes_0")
    wrong = task.gold_files["shapes.py"].replace(b"(height - 2 * border)", b"(height - border)", 1)
    grade = grade_now(task, Submission({"shapes.py": wrong}))
    unmet = {verdict.item: verdict.evidence for verdict in grade.verdicts if verdict.status == "unmet"}
    assert unmet.keys() == {
        "result.default.tests.tests/test_shapes::test_area",
        "result.default.tests.tests/test_shapes::test_wide_area",
    }


ALWAYS_PASS = b"def pytest_pyfunc_call(pyfuncitem):\n    return True\n"
PLUGIN = b"[pytest11]\nalways = always\n"


@pytest.mark.long
@pytest.mark.parametrize(
    "files",
    [
        {"conftest.py": ALWAYS_PASS},
        {"tests/conftest.py": ALWAYS_PASS},
        {"always.py": ALWAYS_PASS, "always-1.0.dist-info/entry_points.txt": PLUGIN},
        {"always.py": ALWAYS_PASS, "pytest.ini": b"[pytest]\naddopts = -p always\n"},
    ],
    ids=["at the top", "beside the tests", "plugin", "settings"],
)
def test_files_that_pytest_loads_by_itself_take_no_part(
    shapes: MaskedShapes, files: dict[str, bytes]
) -> None:
    task = next(task for task in load_suite(shapes.out / "tasks").tasks if task.id == "shapes_0")
    grade = grade_now(task, Submission(files))
    assert grade.passed is False
    solved = grade_now(task, Submission({**task.gold_files, **files}))
    assert solved.passed is True


def test_tests_that_pass_without_the_functions_prove_nothing(shapes: MaskedShapes) -> None:
    task = next(task for task in load_suite(shapes.out / "tasks").tasks if task.id == "shapes_0")
    source = task.workspace["shapes.py"]
    forging = b"\nimport _pytest.python\n_pytest.python.Function.runtest = lambda item: None\n"
    verdicts = {
        verdict.item: verdict
        for verdict in grade_now(task, Submission({"shapes.py": source + forging})).verdicts
    }
    assert verdicts["execution.default"].status == "met"
    assert (verdicts["integrity.tests"].status, verdicts["integrity.tests"].owner) == ("unmet", "agent")
    solved = grade_now(task, Submission(task.gold_files))
    assert {verdict.item: verdict.status for verdict in solved.verdicts}["integrity.tests"] == "met"


def test_code_of_the_tests_and_what_they_do_not_check_is_left_out(shapes: MaskedShapes) -> None:
    assert shapes.result.left_out["tests/test_shapes.py::test_label"] == "code of the tests"
    assert shapes.result.left_out["shapes.py::label"] == "excluded (--exclude label)"
    assert "do not need it" in shapes.result.left_out["shapes.py::untested"], "words may be masked too"
    assert "cannot be repeated with other inputs" in shapes.result.left_out["shapes.py::spell"]


def test_a_reference_copy_that_nothing_runs_is_emptied(shapes: MaskedShapes) -> None:
    task = next(task for task in load_suite(shapes.out / "tasks").tasks if task.id == "shapes_0")
    assert b"inside =" not in task.workspace["shapes.py"]
    assert b"def area_reference" in task.workspace["shapes.py"]


def test_the_time_is_estimated_before_and_during_the_proofs(shapes: MaskedShapes) -> None:
    assert any(line.startswith("time: about ") for line in shapes.steps)
    assert any(line.startswith("proof 1 of 2, about ") for line in shapes.steps)
    assert not (shapes.out / "partial").exists()


@pytest.mark.long
def test_a_stopped_call_continues_with_its_proofs(shapes: MaskedShapes, tmp_path: Path) -> None:
    repository, out = shapes.out.parent / "shapes", tmp_path / "out"
    words = [sys.executable, "-m", "assay", "mask", str(repository), "--tests", "tests", "--out", str(out)]
    words += ["--mutants", "10", "--only", "label", "--only", "untested", "--processes", "1"]
    first = subprocess.Popen(words, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    assert first.stderr is not None
    for line in first.stderr:
        if line.startswith("proof 1 of 2"):
            break
    first.send_signal(signal.SIGINT)
    first.wait()
    deadline = time.monotonic() + 60
    while not list((out / "partial").glob("proof-*.json")) and time.monotonic() < deadline:
        time.sleep(0.1)
    again = subprocess.run(words, capture_output=True, text=True, env=dict(os.environ))
    assert again.returncode == 0
    assert "resumed: 1 proofs" in again.stderr
    assert "gold: running" not in again.stderr
    assert "1 of 1 tasks certified" in again.stdout
