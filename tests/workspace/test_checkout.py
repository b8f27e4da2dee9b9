"""The workspace that an agent gets: one commit, no history, nothing of the truth."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from assay.workspace import CANARY_FOLDERS, SECRETS_FOLDER, canaries, checkout, false_numbers, nonce
from tests.tasks.examples import GOLD, masked_task


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache of the test's own, by the variable that users have for it."""
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))


def git(folder: Path, *arguments: str) -> str:
    """What git says in a folder."""
    done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True)
    return done.stdout + done.stderr


def test_one_fresh_commit_and_nothing_else() -> None:
    folder = checkout(masked_task())
    assert git(folder, "rev-list", "--all", "--count").strip() == "1"
    assert git(folder, "remote") == ""
    assert git(folder, "stash", "list") == ""
    assert git(folder, "status", "--porcelain") == ""
    assert "unreachable" not in git(folder, "fsck", "--unreachable", "--no-reflogs")


def test_no_object_and_no_file_holds_the_removed_code() -> None:
    folder = checkout(masked_task())
    body = b"value * 3.0"
    assert body in GOLD
    for path in folder.rglob("*"):
        assert not path.is_file() or body not in path.read_bytes()
    for line in git(folder, "cat-file", "--batch-check", "--batch-all-objects").splitlines():
        assert body.decode() not in git(folder, "cat-file", "-p", line.split()[0])


def test_the_same_task_is_laid_out_once_and_a_changed_one_again() -> None:
    first, second = checkout(masked_task()), checkout(masked_task())
    assert first == second
    assert checkout(masked_task(turns=3)) != first


def test_canaries_look_like_truth_and_are_not() -> None:
    task = masked_task()
    folders = canaries(task)
    assert set(folders) == {*CANARY_FOLDERS, SECRETS_FOLDER}
    found = {path.name: path.read_text() for folder in folders.values() for path in folder.iterdir()}
    assert set(found) == {"results.json", "steps.py", "grader.env"}
    assert all(nonce(task) in text for text in found.values())
    assert not task.assay.metrics[0].agrees(task.gold["default"]["value"], false_numbers(task)["value"])
    assert "value * 3.0" not in found["steps.py"]
