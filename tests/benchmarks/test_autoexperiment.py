"""The published AutoExperiment: rows of every version, functions found by name, tasks that mask cleanly."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from assay.benchmarks import load_suite
from assay.benchmarks.autoexperiment import (
    add_tree,
    fetch,
    fetched,
    load,
    papers,
    read_rows,
    require,
    source_tree,
)
from assay.benchmarks.autoexperiment.audit import audit
from assay.benchmarks.autoexperiment.rows import read_results
from assay.benchmarks.autoexperiment.sources import locate
from assay.errors import TaskError, UsageError
from assay.masking.dial import Selection, count_choices
from assay.masking.engine import find_functions, mask
from tests.benchmarks.published_rows import shared_rows, stand_in, write_own


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository of our own in the published shape, and an empty cache."""
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    return write_own(tmp_path / "repository")


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The published rows with stand-in trees beside them."""
    folder = tmp_path_factory.mktemp("published")
    shutil.copytree(shared_rows(), folder, dirs_exist_ok=True)
    stand_in(read_rows(folder), folder)
    return folder


def git(folder: Path, *words: str) -> str:
    identity = ["-c", "user.name=t", "-c", "user.email=t@localhost"]
    done = subprocess.run(["git", *identity, *words], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_results_are_read_in_every_form() -> None:
    for told in ({"a": [1.0]}, '{"a": [1.0]}', "{'a': [1.0]}"):
        assert read_results(told, "row") == {"a": [1.0]}
    with pytest.raises(TaskError, match="expected an object"):
        read_results("nothing", "row")


def test_functions_of_one_name_are_told_apart_though_every_line_is_wrong(own: Path) -> None:
    rows = read_rows(own)
    found = locate(list(rows.functions["9901.00001"].values()), source_tree(rows, "9901.00001"))
    assert {number: each.function.name for number, each in found.items()} == {
        "0": "First.step",
        "1": "Second.step",
        "2": "join",
    }
    assert not any(each.lines_are_right for each in found.values())


def test_phantoms_duplicates_and_wrong_lines_are_reported(own: Path) -> None:
    findings = audit(read_rows(own))
    told = {(each.kind, each.place.split(" ")[0]) for each in findings}
    assert ("phantom", "9901.00001,") in told
    assert ("phantom", "mlrc_n=1.jsonl:5") in told
    assert ("duplicate", "mlrc_n=1.jsonl:4") in told
    assert Counter(each.kind for each in findings)["lines"] == 3


def test_a_task_shows_no_gold_and_keeps_its_truth(own: Path) -> None:
    suite = load(Selection(n=(2,)), own)
    assert [task.id for task in suite.tasks] == ["9901.00001_0,1", "9901.00001_0,2", "9901.00001_1,2"]
    task = suite.tasks[0]
    assert task.gold == {
        "default": {"Experiment 1 joined": [7.0], "Experiment 1 first": [6.0], "Experiment 1 second": [4.0]}
    }
    assert task.assay.metrics[1].path == "Experiment 1.first.0"
    assert b"NotImplementedError" in task.workspace["method.py"]
    assert (
        b"# Description: A step." in task.workspace["method.py"] or b"A step." in task.workspace["method.py"]
    )
    assert b"6.0" not in task.workspace["experiments.json"]
    assert json.loads(task.tests["excerpts.json"]) == {"First.step": "double", "Second.step": "double"}


def test_a_repository_is_fetched_at_a_commit_and_from_a_plain_folder(own: Path) -> None:
    with pytest.raises(UsageError, match="is not fetched"):
        require()
    git(own, "init", "-q")
    git(own, "add", "-A")
    git(own, "commit", "-qm", "rows")
    commit = git(own, "rev-parse", "HEAD")
    (own / "dataset" / "MLRC" / "9901.00001" / "code" / "method.py").write_text("later = 1\n")
    git(own, "commit", "-qam", "later")
    with pytest.raises(UsageError, match="has no commit"):
        fetch(f"file://{own}")
    assert fetched() is None
    assert fetch(f"file://{own}", commit).commit == commit
    assert load_suite("autoexperiment").tasks[0].id == "9901.00001_0"
    chosen = load_suite("autoexperiment?n=2&sample=2&seed=0")
    assert load_suite(chosen.source).tasks == chosen.tasks
    assert chosen.manifest is not None
    assert len(chosen.tasks) == 2
    shutil.rmtree(own / ".git")
    assert fetch(str(own)).commit is None
    assert fetched() is not None


def test_bad_sources_are_refused(own: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="contains no rows"):
        fetch(str(tmp_path / "empty"))
    with pytest.raises(UsageError, match="there is no folder"):
        fetch(str(tmp_path / "nowhere"))
    with pytest.raises(UsageError, match="has no task"):
        load(Selection(ids=("1234.5_0",)), own)
    with pytest.raises(TaskError, match="has no function 7"):
        load(Selection(ids=("9901.00001_7",)), own)


def test_the_table_of_papers_pins_a_commit_and_names_what_each_needs() -> None:
    table = papers()
    assert len(table.commit) == 40
    assert set(table.papers) == {"2303.11932", "2309.05569", "2205.00048", "2110.03485"}
    assert all(each.needs and len(each.origin_commit) == 40 for each in table.papers.values())
    assert [name for name, each in table.papers.items() if each.gpus == 0] == ["2205.00048"]


def test_the_published_rows_are_read_whole() -> None:
    rows = read_rows(shared_rows())
    assert {paper: len(rows.usable(paper)) for paper in rows.functions} == {
        "2110.03485": 5,
        "2205.00048": 7,
        "2303.11932": 15,
        "2309.05569": 9,
    }
    assert Counter(len(task.ids) for task in rows.tasks) == {0: 4, 1: 36, 2: 179}
    findings = audit(rows)
    assert not [each for each in findings if each.kind == "results"]
    assert "2205.00048_7" in {each.place for each in findings if each.kind == "phantom"}
    assert sum("function 8" in each.text for each in findings) == 10
    sizes = {paper: len(rows.usable(paper)) for paper in rows.functions}
    assert sum(count_choices(sizes, 1).values()) == 36


def test_every_published_function_masks_cleanly(published: Path) -> None:
    rows = read_rows(published)
    checked = 0
    for paper, functions in rows.functions.items():
        tree = source_tree(rows, paper)
        for number, found in locate(list(functions.values()), tree).items():
            source = tree[found.published.file]
            masked = mask(source, [found.function.name])
            ast.parse(masked.source)
            assert masked.restore() == source, number
            assert found.function.name.endswith(f".{found.published.name}")
            assert found.function.name in {each.name for each in find_functions(masked.source)}
            assert masked.source.count(b"NotImplementedError") == 1
            checked += 1
    assert checked == 37


def test_every_task_of_the_published_rows_is_made(published: Path) -> None:
    suite = load(Selection(n=(1, 2)), published)
    assert Counter(len(task.assay.masks) for task in suite.tasks) == {1: 36, 2: 172}
    rows = {(task.paper, task.ids): task.results for task in read_rows(published).tasks}
    for task in suite.tasks:
        paper_id, _, ids = task.id.rpartition("_")
        told = rows[paper_id, tuple(ids.split(","))]
        values = [value for experiment in told.values() for value in experiment.values()]
        flat = [value[0] if isinstance(value, list) else value for value in values]
        assert [gold for (gold,) in task.gold["default"].values()] == flat
        assert suite.needs[task.id]
        assert (task.id in suite.lacking) == (paper_id in ("2205.00048", "2303.11932"))
        assert task.config.environment.gpus == (0 if paper_id == "2205.00048" else 1)


PAPER = Path("dataset", "MLRC", "9901.00001")


def linked(place: Path, target: Path) -> None:
    """Put a link in the place of a file or folder, which moves to the target."""
    place.rename(target)
    place.symlink_to(target)


def fetch_and_load(source: Path, commit: str | None) -> None:
    fetch(str(source), commit)
    load(Selection(ids=("9901.00001_0",)))


@pytest.mark.parametrize(
    "name",
    [
        "paper.txt",
        "code/main.py",
        "code",
        "functions.jsonl",
        "experiments.jsonl",
        "",
        "..",
    ],
)
@pytest.mark.parametrize("kind", ["folder", "git"])
def test_no_link_of_a_copy_leads_to_files_of_this_machine(
    own: Path, tmp_path: Path, name: str, kind: str
) -> None:
    linked((own / PAPER / name).resolve(), tmp_path / "private")
    commit = None
    if kind == "git":
        git(own, "init", "-q")
        git(own, "add", ".")
        git(own, "commit", "-q", "-m", "rows")
        commit = git(own, "rev-parse", "HEAD")
    with pytest.raises(TaskError, match=r"is a link, expected a (plain file|folder)"):
        fetch_and_load(own, commit)


def test_a_folder_or_a_pipe_in_the_place_of_a_file_is_refused(own: Path) -> None:
    text = own / PAPER / "paper.txt"
    text.unlink()
    text.mkdir()
    fetch(str(own))
    with pytest.raises(TaskError, match=r"paper\.txt: is no plain file"):
        load(Selection(ids=("9901.00001_0",)))
    text.rmdir()
    os.mkfifo(text)
    with pytest.raises(UsageError, match=r"cannot be copied: .*paper\.txt. is a named pipe"):
        fetch(str(own))


@pytest.mark.parametrize("paper", ["../../private", "/private", "", "..", 5])
def test_the_id_of_a_paper_leads_to_no_other_folder(own: Path, paper: object) -> None:
    rows = own / PAPER / "functions.jsonl"
    rows.write_text(rows.read_text().replace('"9901.00001"', json.dumps(paper)))
    with pytest.raises(TaskError, match=r"`paper_id` is .*, expected the name of a folder"):
        read_rows(own)


def test_a_source_tree_with_a_link_is_not_added_and_the_one_that_is_there_stays(
    own: Path, tmp_path: Path
) -> None:
    fetch(str(own))
    tree = tmp_path / "tree"
    shutil.copytree(own / PAPER / "code", tree)
    linked(tree / "main.py", tmp_path / "private")
    with pytest.raises(TaskError, match=r"main\.py: is a link, expected a plain file"):
        add_tree("9901.00001", tree)
    assert source_tree(read_rows(require()), "9901.00001")
    (tree / "main.py").unlink()
    (tree / "main.py").write_text("print(1)\n")
    add_tree("9901.00001", tree)
    assert source_tree(read_rows(require()), "9901.00001")["main.py"] == b"print(1)\n"
