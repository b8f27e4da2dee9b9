"""Benchmarks whose tasks ship with Assay: folders of both forms, splits, and no tasks at all."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from assay.agents import roster
from assay.benchmarks import find_benchmark, load_suite
from assay.benchmarks.demo import DATA
from assay.benchmarks.frontier import DATA as FRONTIER
from assay.benchmarks.shipped import ShippedBenchmark, load_shipped, read_splits
from assay.errors import AssayError, UsageError
from assay.tasks.selection import Selection


def benchmark_of(folder: Path) -> ShippedBenchmark:
    benchmark = ShippedBenchmark()
    benchmark.name, benchmark.summary, benchmark.folder = "few", "A few tasks.", folder
    return benchmark


@pytest.fixture
def few(tmp_path: Path) -> ShippedBenchmark:
    """One experiment folder, one task folder, a split with one task of each."""
    for name in ("label-spreading", "prune-classifier"):
        shutil.copytree(DATA / name, tmp_path / name)
    (tmp_path / "splits.toml").write_text('lite = ["assay.2402_2", "prune-classifier"]\nlater = []\n')
    return benchmark_of(tmp_path)


def test_folders_of_both_forms_are_loaded_with_their_certificates(few: ShippedBenchmark) -> None:
    tasks = few.load(Selection()).tasks
    ids = ["assay.2402_2", "assay.2402_3", "assay.2402_0,1", "prune-classifier"]
    assert [task.id for task in tasks] == ids
    assert all(task.certified for task in tasks)
    assert few.count_tasks() == len(tasks)
    assert few.describe().splits == ("lite", "later")


def test_a_split_is_a_list_of_ids_and_can_be_selected_from(few: ShippedBenchmark) -> None:
    lite = few.load(Selection(split="lite")).tasks
    assert [task.id for task in lite] == ["assay.2402_2", "prune-classifier"]
    assert [task.id for task in few.load(Selection(split="lite", n=(1,))).tasks] == ["assay.2402_2"]
    with pytest.raises(UsageError, match="has no split 'large'"):
        few.load(Selection(split="large"))
    with pytest.raises(UsageError, match="has no tasks yet in split 'later'"):
        few.load(Selection(split="later"))
    with pytest.raises(UsageError, match=r"has no task 'assay\.2402_3'"):
        few.load(Selection(split="lite", ids=("assay.2402_3",)))


class WithDrafts(ShippedBenchmark):
    """A benchmark some of whose tasks may have no certificate yet."""

    has_drafts = True


def test_tasks_without_a_certificate_are_in_the_split_all_alone(few: ShippedBenchmark) -> None:
    (few.folder / "prune-classifier" / "certificate.json").unlink()
    drafts = WithDrafts()
    drafts.name, drafts.summary, drafts.folder = "drafts", "Some tasks are drafts.", few.folder
    certified = [task.id for task in drafts.load(Selection()).tasks]
    assert certified == ["assay.2402_2", "assay.2402_3", "assay.2402_0,1"]
    assert drafts.count_tasks() == len(certified)
    assert [task.id for task in drafts.load(Selection(split="all")).tasks] == [*certified, "prune-classifier"]
    assert drafts.describe().splits == ("lite", "later", "all")


def test_easy_tasks_are_in_their_split_and_where_they_are_named(few: ShippedBenchmark) -> None:
    (few.folder / "splits.toml").write_text('easy = ["assay.2402_2", "prune-classifier"]\n')
    drafts = WithDrafts()
    drafts.name, drafts.summary, drafts.folder = "drafts", "Some tasks are easy.", few.folder
    assert [task.id for task in drafts.load(Selection()).tasks] == ["assay.2402_3", "assay.2402_0,1"]
    assert drafts.count_tasks() == 2
    easy = drafts.load(Selection(split="easy")).tasks
    assert [task.id for task in easy] == ["assay.2402_2", "prune-classifier"]
    assert drafts.load(Selection()).source == "drafts"
    for selection in (Selection(split="easy"), Selection(split="all"), Selection(ids=("prune-classifier",))):
        assert drafts.load(selection).source == "drafts?split=all", "other processes load it by this name"
    (named,) = drafts.load(Selection(ids=("prune-classifier",))).tasks
    assert named.id == "prune-classifier"
    assert len(drafts.load(Selection(split="all")).tasks) == 4


def test_two_tasks_with_one_id_are_refused(few: ShippedBenchmark) -> None:
    shutil.copytree(few.folder / "prune-classifier", few.folder / "prune-again")
    with pytest.raises(AssayError, match="two tasks have the id 'prune-classifier'"):
        few.load(Selection())


def test_a_benchmark_without_tasks_says_so_in_one_line(tmp_path: Path) -> None:
    empty = benchmark_of(tmp_path / "data")
    assert empty.describe().tasks == 0
    with pytest.raises(UsageError, match="suite 'few' has no tasks yet"):
        empty.load(Selection())


def test_the_splits_of_frontier_name_tasks_that_it_has() -> None:
    assert find_benchmark("frontier").describe().splits == ("lite", "easy", "all")
    ids = {task.id for task in load_shipped("frontier", FRONTIER).tasks}
    for members in read_splits(FRONTIER).values():
        assert set(members) <= ids


def test_ids_beside_a_split_are_looked_up_in_that_split() -> None:
    with pytest.raises(UsageError, match="has no split 'nowhere'"):
        load_suite("frontier?split=nowhere", Selection(ids=("aged-units",)))
    (task,) = load_suite("frontier?split=all", Selection(ids=("aged-units",))).tasks
    assert task.id == "aged-units"


def test_certificates_of_the_demo_cover_every_agent_of_the_roster() -> None:
    for task in load_suite("demo").tasks:
        agents = {
            entry.name for entry in roster().values() if entry.role != "agent" and task.kind in entry.kinds
        }
        assert task.certificate is not None
        missing = agents - set(task.certificate.checks)
        assert not missing, f"{task.id}: run assay certify demo --missing --task {task.id}"
