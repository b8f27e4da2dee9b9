"""The program with which an agent checks its own submission: it says what mends it, and knows no truth."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from assay.rules.check_submission import read
from assay.tasks import Task
from assay.tasks.files import write_tree
from assay.workspace import contract_files, contract_folder, with_checker_note
from tests.agents.attempts import demo_task
from tests.tasks.examples import masked_task

EXPERIMENTS = ["bagging-stability", "momentum-step", "selection-bias", "temperature-fit"]
TASK = "selection-bias"
OUTPUTS = {"results.json": b"{}", "predictions.csv": b"", "features.json": b"[]"}


def checked(task: Task, workspace: Mapping[str, bytes], folder: Path) -> tuple[int, list[str]]:
    """How the program exits over a workspace, and its lines."""
    write_tree(workspace, folder)
    program = contract_folder(task)
    assert program is not None
    command = [sys.executable, "-I", str(program / "check-submission"), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


def outputs(task: Task) -> dict[str, bytes]:
    """Something for each file that the run writes."""
    assert task.assay.run is not None
    return dict.fromkeys(task.assay.run.written, b"{}")


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_the_oracles_files_are_well_formed_and_an_empty_workspace_is_not(name: str, tmp_path: Path) -> None:
    task = demo_task(name)
    assert checked(task, {**task.gold_files, **outputs(task)}, tmp_path / "full")[0] == 0
    code, lines = checked(task, {"README.md": b""}, tmp_path / "empty")
    assert code == 1
    missing = {line.partition(" is missing")[0] for line in lines}
    assert missing == {*task.assay.submission.required, *outputs(task)}


@pytest.mark.parametrize("name", ["character-model", "prune-classifier"])
def test_what_grading_builds_itself_need_not_be_there(name: str, tmp_path: Path) -> None:
    task = demo_task(name)
    assert checked(task, {**task.workspace, **task.gold_files}, tmp_path / "full")[0] == 0
    code, lines = checked(task, {"README.md": b""}, tmp_path / "empty")
    assert (code, len(lines)) == (1, len(task.assay.submission.required))


FAULTS = {
    "not JSON": ("design.json", b"{", "design.json is not JSON"),
    "not UTF-8": ("design.json", b"\xff\xfe{}", "design.json is not JSON"),
    "too large": ("conclusion.json", b'"' + b"x" * 1_100_000 + b'"', "at most 1,000,000 are read"),
    "too deep": ("design.json", b"[" * 100_000, "design.json is not JSON"),
    "deep": ("design.json", b'{"constant": ' + b"[" * 90 + b"]" * 90 + b"}", "nested more than 40 deep"),
    "a list": ("design.json", b"[]", "design.json is array, expected object"),
    "twice": ("design.json", b'{"constant": {"folds": 5, "folds": 6}}', "'folds' stands there twice"),
    "wrapped": ("design.json", b'{"design": {"constant": {}}}', "has none of constant"),
    "a role of another type": ("design.json", b'{"constant": 3}', "'constant' is number"),
    "no claims": ("conclusion.json", b'{"summary": ""}', "conclusion.json has no 'claims'"),
    "an unknown word": (
        "conclusion.json",
        b'{"claims": {"real-optimism": "up"}}',
        '"higher" or "lower" or "same"',
    ),
    "not a number": ("conclusion.json", b'{"claims": {"permuted-size": NaN}}', "'permuted-size' is nan"),
    "a size as text": (
        "conclusion.json",
        b'{"claims": {"permuted-size": "0.23 or so"}}',
        "'permuted-size' is string, expected number",
    ),
    "unfinished results": ("results.json", b'{"accuracy": ', "results.json is not JSON"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_named(fault: str, tmp_path: Path) -> None:
    path, data, expected = FAULTS[fault]
    task = demo_task(TASK)
    code, lines = checked(task, {**task.gold_files, **OUTPUTS, path: data}, tmp_path)
    assert code == 1
    assert any(expected in line for line in lines), lines


def test_variables_and_claims_that_the_instruction_names_are_asked_for(tmp_path: Path) -> None:
    task = demo_task(TASK)
    poor = {"design.json": b'{"constant": {"Noise Features": 1}}', "conclusion.json": b'{"claims": {}}'}
    _, lines = checked(task, {**task.gold_files, **OUTPUTS, **poor}, tmp_path)
    assert sum("gives no role to" in line for line in lines) == 7
    assert sum("claims' has no" in line for line in lines) == 4


def test_nothing_of_the_truth_is_in_it() -> None:
    task = demo_task(TASK)
    contract = json.loads(contract_files(task)["contract.json"])
    assert "role" not in str(contract["variables"])
    assert str(contract).count("higher") == 2
    assert "0.232" not in str(contract)
    silent = Task(**{name: getattr(task, name) for name in Task.model_fields} | {"instruction": "Find out."})
    unnamed = json.loads(contract_files(silent)["contract.json"])
    assert unnamed["variables"] == []
    assert "permuted" not in str(unnamed)


def test_an_agent_is_told_of_it_and_the_task_stays_what_it_was() -> None:
    task = demo_task(TASK)
    assert "python3 /opt/assay/check-submission" in with_checker_note(task).instruction
    assert task.certified
    assert with_checker_note(masked_task()) == masked_task()
    assert contract_folder(masked_task()) is None


def test_grading_reads_by_the_same_rules() -> None:
    for path, data, _ in FAULTS.values():
        if path == "design.json":
            assert read(path, data)[1] is not None
    assert read("design.json", b'\xef\xbb\xbf{"constant": {"k": 1}}') == ({"constant": {"k": 1}}, None)
