"""The list of a harvest."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.errors import UsageError
from assay.harvesting.difficulty import split_packages, with_difficulty
from assay.harvesting.package_list import PackageRequest, read_package_list
from assay.harvesting.records import HarvestedTask


def write_list(folder: Path, text: str, name: str = "list.txt") -> Path:
    """The list as a file."""
    path = folder / name
    path.write_text(text)
    return path


def test_a_line_has_a_package_and_options(tmp_path: Path) -> None:
    path = write_list(
        tmp_path,
        "# comment\na==1.0 --tests t --only 'src/*' --only f  # why\n\nb --run x --metrics y=z.json:\n",
    )
    assert read_package_list(path) == [
        PackageRequest(name="a", version="1.0", tests=["t"], only=["src/*", "f"]),
        PackageRequest(name="b", run="x", metrics=["y=z.json:"]),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "names no package"),
        ("a\nA==2", "'a' is there twice"),
        ("a --wrong x", "list.txt:1: .*wrong"),
        ("../a", "does not begin with NAME==VERSION"),
        ("a --run x", "`run` needs `metrics`"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read_package_list(write_list(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[package]]\nname = 'a'\nversions = '1'", "versions"),
        ("[[package]\n", "is no TOML"),
        ("[[package]]\nname = '../a'", "no name of a package"),
    ],
)
def test_a_wrong_table_is_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read_package_list(write_list(tmp_path, text, "list.toml"))


def test_the_shipped_recipe_is_a_list_of_pinned_packages() -> None:
    packages = read_package_list(Path(__file__).parents[2] / "recipes" / "harvest.toml")
    assert len(packages) >= 60
    assert all(package.version and package.sha256 and package.tests for package in packages)
    allowed = {"numpy", "scipy", "hypothesis"}
    assert all(set(package.requirements) <= allowed for package in packages)


def task(number: int, lines: int) -> HarvestedTask:
    """A task with so many lines."""
    return HarvestedTask(
        id=f"p_{number}",
        package="p",
        functions=["a.py::f"],
        n=1,
        lines=lines,
        flow="none",
        mutants=12,
        mutation_score=1.0,
        tests=3,
        guessed=False,
    )


def test_difficulty_is_by_thirds_and_a_weak_model_overrules_it() -> None:
    tasks = [task(number, lines) for number, lines in enumerate((2, 40, 8))]
    assert [rated.difficulty for rated in with_difficulty(tasks)] == ["easy", "hard", "medium"]
    rated = with_difficulty(tasks, {"p_0": 0.0, "p_1": 0.75})
    assert [(entry.difficulty, entry.weak_model) for entry in rated] == [
        ("medium", 0.0),
        ("easy", 0.75),
        ("medium", None),
    ]


def test_a_fifth_of_the_packages_is_for_testing() -> None:
    names = [f"p{number}" for number in range(20)]
    splits = split_packages(names)
    assert sorted(splits.values()).count("test") == 4
    assert splits == split_packages(reversed(names))
    assert splits != split_packages(names, seed=1)
