"""What people who mask their own repositories need: choices, several result files, words about numbers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.benchmarks import load_suite
from assay.errors import UsageError
from assay.masking.leaks.sources import FunctionPlace
from assay.masking.pipeline import MaskingOptions, make_tasks
from assay.masking.pipeline.options import matches
from assay.masking.pipeline.repository import read_repository, requirements_of

MODEL = '''"""A model."""


def fit(xs, ys):
    """Least squares through the origin."""
    top = sum(x * y for x, y in zip(xs, ys))
    bottom = sum(x * x for x in xs) + 0.0371
    return top / bottom


def fit_ref(xs, ys):
    top = sum(x * y for x, y in zip(xs, ys))
    bottom = sum(x * x for x in xs) + 0.0371
    return top / bottom


def risk(slope, xs, ys):
    """Mean squared error."""
    errors = [(y - slope * x) ** 2 for x, y in zip(xs, ys)]
    return sum(errors) / len(errors)


def spread(values):
    middle = sum(values) / len(values)
    return sum(abs(value - middle) for value in values) / len(values)
'''
MAIN = '''"""Fits a line to random points; risk is the mean squared error of the line."""
import json, os, random, sys
from model import fit, fit_ref, risk, spread

chance = random.Random(int(sys.argv[sys.argv.index("--seed") + 1]))
xs = [chance.gauss(0, 1) for _ in range(20)]
ys = [2 * x + chance.random() for x in xs]
slope = fit(xs, ys)
os.makedirs("out", exist_ok=True)
json.dump({"slope": slope, "check": fit_ref(xs, ys)}, open("out/slope.json", "w"))
json.dump({"risk": {"train": risk(slope, xs, ys)}, "spread": spread(ys)}, open("out/risk.json", "w"))
'''
README = """# Lines

## Results

The spread is the mean absolute deviation of y.

Nothing here matters.
"""


@pytest.fixture(scope="module")
def masked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("builders")
    repository = folder / "lines"
    repository.mkdir()
    (repository / "model.py").write_text(MODEL)
    (repository / "main.py").write_text(MAIN)
    (repository / "README.md").write_text(README)
    paper = folder / "paper.tex"
    paper.write_text("We add a ridge of 0.0371 to the denominator of the slope.\n\nWe thank nobody.\n")
    options = MaskingOptions(
        command="python main.py --seed 3",
        metrics=["slope=out/slope.json:", "risk=out/risk.json:risk.train", "spread=out/risk.json:spread"],
        paper_id="lines",
        paper=paper,
        describe="All three numbers are computed from the same 20 points.",
        exclude=["spread"],
        mutants=10,
    )
    make_tasks(repository, folder / "out", options)
    return folder / "out"


@pytest.mark.long
def test_numbers_of_several_files_are_compared(masked: Path) -> None:
    task = load_suite(masked / "tasks").tasks[0]
    assert sorted(task.gold["default"]) == ["risk", "slope.check", "slope.slope", "spread"]
    assert task.assay.run is not None
    assert task.assay.run.results == "assay_results.json"
    assert "python assay_merge_results.py out/slope.json out/risk.json" in task.assay.run.command


def test_functions_are_left_out_by_name_and_reference_copies_by_similarity(masked: Path) -> None:
    left_out = json.loads((masked / "experiment" / "making.json").read_text())["left_out"]
    assert left_out["model.py::spread"] == "excluded (--exclude spread)"
    assert left_out["model.py::fit_ref"].startswith("a reference copy of model.py::fit (100% alike)")
    assert "which the run executes" in left_out["model.py::fit"]


def test_the_instruction_says_what_the_numbers_mean(masked: Path) -> None:
    text = load_suite(masked / "tasks").tasks[0].instruction
    assert "All three numbers are computed from the same 20 points." in text
    assert "> We add a ridge of 0.0371 to the denominator of the slope." in text
    assert "> The spread is the mean absolute deviation of y." in text
    assert "> Fits a line to random points" in text
    assert "We thank nobody" not in text
    assert "Nothing here matters" not in text
    assert "- risk (here 0." in text


@pytest.mark.parametrize("n", ["5", "2-3"])
def test_a_suite_without_tasks_of_this_n_says_so(masked: Path, n: str) -> None:
    with pytest.raises(UsageError, match=r"has no task with n = .*\nhint: it has n = 1"):
        load_suite(f"{masked / 'tasks'}?n={n}")


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("fit", True),
        ("Model.fit", True),
        ("Model.*", True),
        ("src/*.py", True),
        ("src/a.py::*", True),
        ("a.py", False),
        ("it", False),
    ],
)
def test_a_pattern_names_functions_and_files(pattern: str, expected: bool) -> None:
    assert matches(FunctionPlace("src/a.py", "Model.fit"), pattern) is expected


@pytest.mark.parametrize(
    ("setup", "expected"),
    [
        (
            "from setuptools import setup\nsetup(install_requires=['numpy>=1', 'scipy'])",
            ["numpy>=1", "scipy"],
        ),
        (
            "import setuptools\nNEEDS = ['numpy']\nsetuptools.setup(name='x', install_requires=NEEDS)",
            ["numpy"],
        ),
        ("ARGS = {'install_requires': ['six']}\nfrom setuptools import setup\nsetup(**ARGS)", ["six"]),
        ("from setuptools import setup\nsetup(install_requires=open('r.txt').read())", []),
    ],
)
def test_requirements_of_setup_programs_are_read_and_not_executed(
    tmp_path: Path, setup: str, expected: list[str]
) -> None:
    (tmp_path / "setup.py").write_text(setup)
    assert requirements_of(read_repository(tmp_path), []) == expected


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (MaskingOptions(), "either a command or tests"),
        (MaskingOptions(command="pytest"), "needs --metrics(.|\n)*--tests tests"),
        (MaskingOptions(tests=["t"], metrics=["a=b.json:"]), "needs no --metrics"),
    ],
)
def test_options_that_contradict_each_other(tmp_path: Path, options: MaskingOptions, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        make_tasks(tmp_path, tmp_path / "out", options)
