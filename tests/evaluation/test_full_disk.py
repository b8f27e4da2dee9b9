"""A disk that fills up is named, costs no finished attempt, and the same command goes on afterwards."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import assay
from assay.benchmarks import load_suite
from assay.errors import DiskFull, UsageError
from assay.evaluation import Settings
from assay.evaluation.space import check_space
from assay.scoring import read_attempts
from assay.workspace import Submission


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of four mebibytes."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)], capture_output=True, text=True
    )
    if mounted.returncode != 0:
        pytest.skip(f"no small file system can be mounted here: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(folder: Path, *, but: int = 0) -> Path:
    """A file that takes all the space of a disk but so many bytes."""
    space = os.statvfs(folder)
    junk = folder / "junk"
    junk.write_bytes(bytes(space.f_bavail * space.f_frsize - but))
    return junk


def test_a_full_disk_of_logs_is_named_and_finished_attempts_are_kept(suite: Path, small_disk: Path) -> None:
    settings = Settings(logs=str(small_disk))
    tasks = load_suite(suite).only(limit=2)
    assay.run(tasks.only(limit=1), agent=["oracle"], settings=settings)
    junk = fill(small_disk)
    with pytest.raises(UsageError, match=f"the disk that holds {small_disk} is full") as raised:
        assay.run(tasks, agent=["oracle"], settings=settings)
    assert "same command again" in (raised.value.hint or "")
    assert [(each.task, each.passed) for each in read_attempts(small_disk)] == [("toy_0", True)]

    junk.unlink()
    assay.run(tasks, agent=["oracle"], settings=settings)
    assert [each.passed for each in read_attempts(small_disk)] == [True, True]


@pytest.mark.long
def test_a_disk_that_fills_up_during_an_attempt_is_named_too(suite: Path, small_disk: Path) -> None:
    settings = Settings(logs=str(small_disk))
    tasks = load_suite(suite).only(limit=1)
    junks: list[Path] = []
    with pytest.raises(DiskFull, match="is full"):
        assay.run(
            tasks, agent=["oracle"], settings=settings, on_start=lambda _: junks.append(fill(small_disk))
        )
    assert not [path for path in small_disk.rglob("*") if path.name.startswith(".partial-")]
    junks[0].unlink()
    assay.run(tasks, agent=["oracle"], settings=settings)
    assert [each.passed for each in read_attempts(small_disk)] == [True]


def test_a_submission_that_does_not_fit_is_not_left_in_part(small_disk: Path) -> None:
    large = Submission({"weights.bin": os.urandom(5 * 2**20)})
    with pytest.raises(DiskFull, match="is full"):
        large.store(small_disk / "submissions")
    assert list((small_disk / "submissions").iterdir()) == []


def test_a_full_cache_is_named(suite: Path, small_disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(small_disk / "cache"))
    fill(small_disk)
    with pytest.raises(UsageError, match=str(small_disk)):
        assay.run(load_suite(suite).only(limit=1), agent=["oracle"], settings=Settings(logs=str(suite / "l")))


def test_logs_that_are_to_go_into_a_file_are_refused_in_a_sentence(tmp_path: Path) -> None:
    file = tmp_path / "logs.txt"
    file.write_text("mine")
    with pytest.raises(UsageError, match=r"logs\.txt is not a folder"):
        check_space(file)
    assert file.read_text() == "mine"
