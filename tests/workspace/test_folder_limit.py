"""The folders of a submission are limited: links to one deep folder give each of its folders again."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.exported.workspace_files import read_workspace
from assay.grading.merging import merge
from assay.rules.handed_in import FOLDER_LIMIT, over_folder_limit
from assay.tasks.files import folders_of
from assay.workspace import Submission
from assay.workspace.folder_submission import read_folder
from tests.tasks.examples import masked_task

DEPTH = 480
LINKS = 3_000


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A file below a chain of folders, thousands of links to the top of the chain, and a program."""
    folder = tmp_path / "workspace"
    deep = folder / "d" / "/".join("d" * (DEPTH - 1))
    deep.mkdir(parents=True)
    (deep / "f").write_text("1")
    (folder / "run.py").write_text("print(1)\n")
    for number in range(LINKS):
        (folder / f"l{number}").symlink_to("d")
    return folder


def folder_count(paths: list[str]) -> int:
    return len({folder for path in paths for folder in folders_of(path)})


def test_links_to_a_deep_folder_are_limited_with_one_refusal(workspace: Path) -> None:
    submission = read_folder(workspace, {"given.py": b"x = 1\n"}, requested=["run.py"])
    assert "run.py" in submission.files
    count = folder_count([*submission.files])
    assert FOLDER_LIMIT - DEPTH <= count <= FOLDER_LIMIT
    kept = len(submission.files) - 1
    missing = LINKS + 1 - kept
    reason = f"{missing:,} paths were not collected: they are over the limits of a submission"
    assert submission.refused == {"…": f"{reason} (20,000 folders in all)"}


def test_the_verifier_of_an_export_limits_the_same_folders(workspace: Path, tmp_path: Path) -> None:
    (tmp_path / "given").mkdir()
    found = read_workspace(workspace, tmp_path / "given", ["run.py"])
    assert found.changed.keys() == read_folder(workspace, {}, requested=["run.py"]).files.keys()


def test_an_archive_with_too_many_folders_is_merged_within_the_limit() -> None:
    task = masked_task(submission={})
    deep = {f"l{number}/" + "d/" * DEPTH + "f": b"1" for number in range(LINKS)}
    merged = merge(task, Submission({**task.gold_files, **deep}))
    assert folder_count([*merged.files]) <= FOLDER_LIMIT + folder_count([*task.workspace])
    assert task.gold_files.keys() <= merged.files.keys()
    assert 0 < len(deep.keys() & merged.files.keys()) < LINKS
    assert set(merged.ignored) >= deep.keys() - merged.files.keys()


def test_a_wide_submission_with_few_folders_is_whole(tmp_path: Path) -> None:
    for number in range(60):
        (tmp_path / f"part{number}" / "a" / "b").mkdir(parents=True)
        for name in range(20):
            (tmp_path / f"part{number}" / "a" / "b" / f"{name}.txt").write_text(str(name))
    submission = read_folder(tmp_path, {})
    assert (len(submission.files), submission.refused) == (1200, {})


PATHS = st.lists(st.lists(st.sampled_from("ab!"), min_size=1, max_size=5).map("/".join), max_size=30)


@given(PATHS, st.integers(0, 20))
def test_what_is_kept_has_at_most_so_many_folders(paths: list[str], most: int) -> None:
    left_out = over_folder_limit(paths, most=most)
    assert folder_count([path for path in paths if path not in left_out]) <= most
    if folder_count(paths) <= most:
        assert left_out == set()


@given(PATHS, st.integers(0, 20))
def test_the_order_of_the_paths_decides_nothing(paths: list[str], most: int) -> None:
    mixed = random.Random(1).sample(paths, len(paths))
    assert over_folder_limit(mixed, most=most) == over_folder_limit(paths, most=most)


def test_required_files_fit_first() -> None:
    deep = "d/" * 15 + "f"
    assert over_folder_limit(["a/b", "c/d", deep], most=16) == {deep}
    assert over_folder_limit(["a/b", "c/d", deep], first=[deep], most=16) == {"c/d"}
