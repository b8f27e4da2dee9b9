"""The whole way, from a repository that nobody prepared to certified tasks."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from assay.benchmarks import load_suite
from assay.grading import grade_now
from assay.masking.dial import Selection
from assay.masking.experiment import load_masked_tasks
from assay.masking.pipeline import MaskingOptions, MaskingResult, make_tasks
from assay.workspace import Submission
from tests.cli.conftest import Command, assay
from tests.masking.pipeline.stand_in import write
from tests.tasks.verifier_command import verifier_command

__all__ = ["assay"]


@dataclass(frozen=True)
class Written:
    """What one making left."""

    out: Path
    made: MaskingResult
    said: list[str]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    folder = tmp_path_factory.mktemp("mask")
    said: list[str] = []
    making = MaskingOptions(
        command="python3 run.py --seed 3",
        metrics=["slope=results.json:slope", "end=results.json:end", "printed=stdout:: ([0-9.]+)"],
        paper_id="toy.1",
        mutants=10,
        selection=Selection(n=(1, 2)),
        scrub=True,
        report=said.append,
    )
    made = make_tasks(write(folder / "toy"), folder / "out", making)
    return Written(folder / "out", made, said)


def test_every_task_is_certified_and_has_the_published_id(written: Written) -> None:
    suite = load_suite(written.out / "tasks")
    assert sorted(task.id for task in suite.tasks) == ["toy.1_0", "toy.1_0,1", "toy.1_1"]
    assert all(task.certified for task in suite.tasks)


def test_every_task_tells_whether_its_functions_feed_each_other(written: Written) -> None:
    suite = load_suite(written.out / "tasks")
    assert suite.flow == {"toy.1_0": "feeds", "toy.1_1": "feeds", "toy.1_0,1": "feeds"}
    assert suite.manifest == written.made.manifest
    assert [(each.n, each.flow, each.possible, each.drawn) for each in suite.manifest.strata] == [
        (1, "feeds", 2, 2),
        (2, "feeds", 1, 1),
    ]


def test_the_functions_are_those_that_the_numbers_need(written: Written) -> None:
    masked = [proof.candidate.name for proof in written.made.proofs]
    assert masked == ["method.py::slope", "method.py::standardise"]
    assert "do not need it" in written.made.left_out["method.py::ignored"]
    assert "only input and output" in written.made.left_out["method.py::report"]


def test_mutants_and_fillings_are_rejected_and_kept_as_broken_variants(written: Written) -> None:
    for proof in written.made.proofs:
        assert proof.score is not None
        assert proof.score >= 0.95
        assert {"returns-none", "returns-zero", "returns-zeros"} <= set(proof.fillings)
    task = load_suite(written.out / "tasks").tasks[0]
    assert "f0-returns-zeros" in task.broken
    assert any(name.startswith("f0-m") for name in task.broken)


def test_the_seed_among_the_arguments_becomes_a_hidden_variation(written: Written) -> None:
    task = load_suite(written.out / "tasks").tasks[0]
    assert [(each.command, each.fresh) for each in task.assay.variations] == [
        ("python3 run.py --seed 44", False),
        ("python3 run.py --seed {seed}", True),
    ]
    assert [len(runs) for runs in task.gold["default"].values()] == [5] * 4
    assert [len(runs) for runs in task.gold["other-seed"].values()] == [3] * 4
    assert "44" not in task.instruction


def test_numbers_that_are_known_by_heart_fail_at_the_seed_that_is_drawn(written: Written) -> None:
    task = next(each for each in load_suite(written.out / "tasks").tasks if each.id == "toy.1_0")
    known = {
        round(sum(gold["end.largest"]) / len(gold["end.largest"]), 9): gold["slope"][0]
        for gold in task.gold.values()
    }
    cheat = f"def slope(xs, ys):\n    return {known}.get(round(max(xs), 9), 2.0)\n"
    source = task.gold_files["method.py"].decode() + "\n\n" + cheat
    grade = grade_now(task, Submission({"method.py": source.encode()}))
    unmet = {each.item for each in grade.verdicts if each.status == "unmet"}
    assert unmet == {"result.fresh-seed.slope", "result.fresh-seed.printed"}


def test_tolerances_are_narrow_and_never_nothing(written: Written) -> None:
    for metric in load_suite(written.out / "tasks").tasks[0].assay.metrics:
        gold = load_suite(written.out / "tasks").tasks[0].gold["default"][metric.name]
        assert 1e-8 < metric.tolerance(gold) < 1e-4


def test_what_gives_the_bodies_away_is_gone(written: Written) -> None:
    task = next(each for each in load_suite(written.out / "tasks").tasks if each.id == "toy.1_0")
    shown = task.workspace["method.py"].decode()
    assert "top is the sum" not in shown
    assert "u * v" not in shown
    assert '"""Least squares."""' in shown
    assert "results.json" not in task.workspace


def test_the_experiment_folder_makes_the_same_tasks_again(written: Written) -> None:
    again = {task.id: task for task in load_masked_tasks(written.out / "experiment")}
    for task in load_suite(written.out / "tasks").tasks:
        assert again[task.id].workspace == task.workspace
        assert again[task.id].config == task.config


def test_the_record_tells_calls_flows_and_mutants(written: Written) -> None:
    record = json.loads((written.out / "experiment" / "making.json").read_text())
    assert record["trace"]["calls"]["method.py::standardise"] == 1
    flows = {(producer, consumer) for producer, consumer, _ in record["trace"]["flows"]}
    assert ("method.py::standardise", "method.py::slope") in flows
    assert {"kind", "line", "change", "status", "evidence"} == set(
        record["mutants"]["method.py::slope"]["tried"][0]
    )
    assert any("times the plain run" in line for line in written.said)


def test_one_line_more_than_gold_prints_is_unmet(written: Written) -> None:
    task = next(each for each in load_suite(written.out / "tasks").tasks if each.id == "toy.1_0")
    talkative = task.gold_files["method.py"].replace(b"    top = ", b'    print("guess: 1.0")\n    top = ', 1)
    grade = grade_now(task, Submission({"method.py": talkative}))
    unmet = {each.item: each.evidence for each in grade.verdicts if each.status == "unmet"}
    assert {"result.default.printed", "result.default.printed.1"} <= set(unmet)
    assert "matched 3 times, expected 2" in unmet["result.default.printed"]
    assert "result.default.slope" not in unmet


@pytest.mark.long
def test_a_stopped_call_continues_with_its_proofs(assay: Command, tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = ["mask", str(write(tmp_path / "toy")), "--out", str(out)]
    words += ["--run", "python3 run.py --seed 3", "--metrics", "slope=results.json:slope", "--mutants", "10"]
    words += ["--only", "slope", "--only", "ignored", "--processes", "1"]
    command = [sys.executable, "-m", "assay", *words]
    first = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    assert first.stderr is not None
    for line in first.stderr:
        if line.startswith("proof 1 of 2"):
            break
    first.send_signal(signal.SIGINT)
    first.wait()
    assert list((out / "partial").glob("proof-*.json"))
    again = assay(*words)
    assert again.code == 0, again.err
    assert re.search("resumed: [12] proofs", again.err), again.err
    assert "gold: running" not in again.err
    assert "1 of 1 tasks certified" in again.out


@pytest.mark.parametrize(("solved", "reward"), [(True, 1.0), (False, 0.0)])
def test_other_harnesses_reach_the_same_verdict(
    written: Written, tmp_path: Path, solved: bool, reward: float
) -> None:
    folder = written.out / "tasks" / "toy.1_0"
    workspace = shutil.copytree(folder / "environment" / "workspace", tmp_path / "workspace")
    tests = shutil.copytree(folder / "tests", tmp_path / "tests")
    if solved:
        shutil.copytree(folder / "solution" / "files", workspace, dirs_exist_ok=True)
    told = tmp_path / "reward.json"
    subprocess.run(verifier_command(sys.executable, workspace, tests, told), check=True)
    assert json.loads(told.read_text())["reward"] == reward
