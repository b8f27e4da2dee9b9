"""What cannot be made into tasks ends in one clear message with a hint."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Command, Said, assay
from tests.masking.pipeline.stand_in import RUN, write

__all__ = ["assay"]

COMMAND = "python run.py --seed 3"
METRIC = "slope=results.json:slope"


def words(folder: Path, run: str = COMMAND, metric: str = METRIC, *more: str) -> list[str]:
    """The words of one command."""
    return [
        "mask",
        str(folder),
        "--run",
        run,
        "--metrics",
        metric,
        "--out",
        str(folder.parent / "out"),
        *more,
    ]


@pytest.mark.parametrize(
    ("run", "metric", "message", "hint"),
    [
        ("python wrong.py", METRIC, "exited with 2", "does it run there by hand"),
        ("no-such-program", METRIC, "exited with 127", "does it run there by hand"),
        ("true", METRIC, "wrote no results.json", "does --metrics name the right file"),
        ("true", "loss=stdout:loss ([0-9.]+)", "prints no number for 'loss'", "it printed: nothing"),
        (COMMAND, "loss=stdout:loss ([0-9.]+)", "prints no number for 'loss'", "it printed: slope:"),
        (COMMAND, "loss=results.json:loss", "no number at 'loss'", "numbers stand at: slope, end.largest"),
        (COMMAND, "loss", "is not NAME=FILE:PATH", None),
        (COMMAND, "loss=stdout:(", "is no regular expression", None),
        ("echo 1.5", "x=stdout:.+", "executes no function", "installed copy"),
    ],
)
def test_a_wrong_command_or_metric(
    tmp_path: Path, assay: Command, run: str, metric: str, message: str, hint: str | None
) -> None:
    said = assay(*words(write(tmp_path / "toy"), run, metric))
    assert said.code == 2
    error, *hints = complaint(said)
    assert message in error
    assert "Traceback (" not in error.partition("exited")[0]
    assert [hint in each for each in hints if hint] == [True] * (hint is not None)


def complaint(said: Said) -> list[str]:
    """The one error of a command, and its hint where it has one."""
    told = [line for line in said.err.splitlines() if line.startswith(("error:", "hint:"))]
    assert [each.partition(":")[0] for each in told] == ["error", "hint"][: len(told)]
    assert "\nTraceback (" not in said.err
    return told


def test_a_missing_dependency_is_named(tmp_path: Path, assay: Command) -> None:
    said = assay(*words(write(tmp_path / "toy", run="import absent_package\n" + RUN)))
    assert said.code == 2
    error, hint = complaint(said)
    assert "needs the module 'absent_package'" in error
    assert "--requirements absent_package" in hint


def test_a_package_of_the_repository_itself_is_found(tmp_path: Path, assay: Command) -> None:
    folder = write(tmp_path / "toy", run="import own\n" + RUN)
    (folder / "lib" / "own").mkdir(parents=True)
    (folder / "lib" / "own" / "__init__.py").write_text("")
    said = assay(*words(folder))
    assert "PYTHONPATH=lib" in said.err


def test_a_package_inside_another_is_not_the_missing_one(tmp_path: Path, assay: Command) -> None:
    folder = write(tmp_path / "toy", run="import absent_package\n" + RUN)
    (folder / "own" / "absent_package").mkdir(parents=True)
    for package in (folder / "own", folder / "own" / "absent_package"):
        (package / "__init__.py").write_text("")
    said = assay(*words(folder))
    assert "--requirements absent_package" in complaint(said)[1]


@pytest.mark.parametrize("name", ["absent", "empty"])
def test_what_is_no_repository(tmp_path: Path, assay: Command, name: str) -> None:
    (tmp_path / "empty").mkdir()
    said = assay(*words(tmp_path / name))
    assert said.code == 2
    assert "expected a repository" in complaint(said)[0] or "no Python file" in complaint(said)[0]


@pytest.mark.long
def test_noise_that_hides_the_mutants(tmp_path: Path, assay: Command) -> None:
    noisy = RUN.replace("random.Random(seed)", "random.Random()").replace(
        "chance.random()", "chance.gauss(0, 9)"
    )
    said = assay(
        *words(write(tmp_path / "toy", run=noisy), COMMAND, METRIC, "--functions", "2", "--mutants", "10")
    )
    assert said.code == 2
    error, hint = complaint(said)
    assert "noise of the runs hides the mutants" in error
    assert "fix the seed" in hint
