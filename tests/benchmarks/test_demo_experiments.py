"""The experiment tasks of the demo suite: folders, gold, and checks that survive hostile outputs."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from assay.benchmarks.demo import DATA
from assay.tasks import DEFAULT, Task, Variation, load_task, look_up
from assay.tasks.files import below, write_tree

NAMES = ["bagging-stability", "momentum-step", "selection-bias", "temperature-fit"]
HOSTILE = {
    "nothing": {},
    "not what the name says": {
        "json": b'{"accuracy": ' * 100_000,
        "csv": b"\xff\xfe\0repeat,row",
    },
    "other shapes": {
        "json": b'[{"labels": 3, "optimiser": "plain", "repeat": 1e99, "features": [null], "weights": [[]]}]',
        "csv": b"method,optimiser,labels,selection,fitted_on\n,,,,\n",
    },
    "not numbers": {
        "json": b'{"accuracy": NaN, "error": {"1": "four"}, "train_loss": [], "nll": 1' + b"0" * 5000 + b"}",
        "csv": b"fold,label,labels,selection,method,optimiser,fitted_on,neighbours,training_set,repeat,step,"
        b"row,predicted,log_odds,temperature,train_loss\n" + b"inf," * 15 + b"nan\n",
    },
}

ALL_CHECKS = """
import contextlib, io, json, runpy, sys

sys.path.insert(0, sys.argv[1])
for check in sys.argv[2:]:
    said, status = io.StringIO(), 0
    with contextlib.redirect_stdout(said):
        try:
            runpy.run_path(f"{sys.argv[1]}/{check}", run_name="__main__")
        except SystemExit as end:
            status = end.code
    print(json.dumps([check, status, said.getvalue()]))
"""
"""Runs checks one after the other in one process, which saves starting Python a hundred times."""


@cache
def load(name: str) -> Task:
    return load_task(DATA / name)


def variations(task: Task) -> list[Variation | None]:
    return [None, *(each for each in task.assay.variations if not each.fresh)]


def run(task: Task, variation: Variation | None, folder: Path) -> dict[str, bytes]:
    """The files that a run of the solution writes."""
    assert task.assay.run is not None
    write_tree({**task.workspace, **task.gold_files}, folder)
    given: dict[str, str] = {}
    if variation is not None and variation.seed is not None:
        given["ASSAY_SEED"] = str(variation.seed)
    if variation is not None and variation.data is not None:
        given["ASSAY_DATA"] = str(DATA / task.id / "tests" / variation.data)
    done = run_command(["bash", "-c", task.assay.run.command], folder, given)
    assert done.returncode == 0, done.stderr
    return {path: (folder / path).read_bytes() for path in [task.assay.run.results, *task.assay.run.outputs]}


def run_command(
    command: list[str], folder: Path, given: Mapping[str, str]
) -> subprocess.CompletedProcess[bytes]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    plain = {"PATH": path, "OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1", "LANG": "C.UTF-8"}
    return subprocess.run(command, cwd=folder, env={**plain, **given}, capture_output=True, check=False)


def write_truth(task: Task, folder: Path) -> Path:
    """The truth beside a folder, with shared files in their place."""
    place = folder.with_name(f"{folder.name}-truth")
    if not place.exists():
        write_tree(task.tests, place)
    return place


def run_check(task: Task, check: str, folder: Path) -> subprocess.CompletedProcess[bytes]:
    return run_command([sys.executable, str(write_truth(task, folder) / check)], folder, {})


def numbers_in(text: str) -> list[float]:
    return [float(each) for each in re.findall(r"\d+\.\d+|\d+", text.replace(",", ""))]


@pytest.mark.parametrize("name", NAMES)
def test_has_all_its_parts(name: str) -> None:
    task = load(name)
    assert (task.id, task.kind) == (name, "experiment")
    assert task.design is not None
    assert 4 <= len(task.design.variable) <= 8
    assert {variable.role for variable in task.design.variable} == {"constant", "independent", "dependent"}
    assert task.requirements is not None
    assert 4 <= len(task.requirements.requirement) <= 8
    assert task.conclusion is not None
    assert 2 <= len(task.conclusion.claim) <= 4
    assert len(task.broken) >= 8
    assert below(task.tests, "honest")
    assert {each.seed is None for each in task.assay.variations} == {True, False}
    assert all(len(runs) >= 3 for gold in task.gold.values() for runs in gold.values())


@pytest.mark.parametrize("name", NAMES)
def test_instruction_says_what_is_asked_and_not_what_comes_out(name: str) -> None:
    task = load(name)
    assert task.assay.run is not None
    assert task.design is not None
    assert task.conclusion is not None
    wanted = [*task.assay.submission.required, task.assay.run.results, *task.assay.run.outputs]
    wanted += [claim.id for claim in task.conclusion.claim]
    wanted += [variable.name for variable in task.design.variable]
    assert [each for each in wanted if f"`{each}`" not in task.instruction] == []
    gold = {value for runs in task.gold.values() for values in runs.values() for value in values}
    shown = [
        (value, number)
        for value in gold
        for number in numbers_in(task.instruction)
        if value != round(value) and abs(value - number) <= 0.004 * abs(value)
    ]
    assert shown == []


@pytest.mark.parametrize("name", NAMES)
def test_workspace_holds_neither_solution_nor_hidden_data(name: str) -> None:
    task = load(name)
    assert task.workspace.keys().isdisjoint(task.gold_files)
    shown = [data for path, data in task.workspace.items() if path.startswith("data/")]
    public = [data for path, data in task.tests.items() if path.startswith("data/public")]
    hidden = [data for path, data in task.tests.items() if path.startswith("data/hidden")]
    assert shown == public
    assert hidden not in ([], shown)
    assert all(len(data) < 100_000 for data in [*shown, *hidden])


@pytest.mark.parametrize("name", NAMES)
def test_broken_and_honest_variants_differ_from_the_solution(name: str) -> None:
    task = load(name)
    for files in [*task.broken.values(), below(task.tests, "honest/other-words")]:
        assert all(task.gold_files.get(path) != data for path, data in files.items())


@pytest.mark.parametrize("name", NAMES)
def test_checks_shadow_no_module_and_read_outputs_alike(name: str) -> None:
    checks = below(load(name).tests, "checks")
    assert checks["evidence.py"] == below(load(NAMES[0]).tests, "checks")["evidence.py"]
    for path, source in checks.items():
        compile(source, path, "exec")
        assert path.removesuffix(".py") not in sys.stdlib_module_names


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_solution_gives_gold_and_meets_every_check(name: str, tmp_path: Path) -> None:
    task = load(name)
    assert task.requirements is not None
    box = tmp_path / "box"
    for variation in variations(task):
        called = DEFAULT if variation is None else variation.name
        files = run(task, variation, tmp_path / called)
        write_tree(files, box / "outputs" / called)
        results = json.loads(files["results.json"])
        for metric in task.assay.metrics:
            assert metric.agrees(task.gold[called][metric.name], look_up(results, metric.path)), metric.name
    for requirement in task.requirements.requirement:
        done = run_check(task, requirement.check, box)
        assert (done.returncode, done.stderr) == (0, b""), requirement.id
        assert done.stdout.strip()


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("name", NAMES)
def test_checks_survive_hostile_outputs(name: str, kind: str, tmp_path: Path) -> None:
    task = load(name)
    assert task.assay.run is not None
    assert task.requirements is not None
    paths = [task.assay.run.results, *task.assay.run.outputs]
    contents = HOSTILE[kind]
    for variation in [DEFAULT, *(each.name for each in task.assay.variations)]:
        files = {
            path: contents[path.rpartition(".")[2]] for path in paths if path.rpartition(".")[2] in contents
        }
        write_tree(files, tmp_path / "outputs" / variation)
    checks = [Path(requirement.check).name for requirement in task.requirements.requirement]
    done = run_command(
        [sys.executable, "-c", ALL_CHECKS, str(write_truth(task, tmp_path) / "checks"), *checks], tmp_path, {}
    )
    assert (done.returncode, done.stderr) == (0, b""), done.stderr
    said = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(check, status) for check, status, _ in said] == [(check, 1) for check in checks]
    assert all(evidence.count("\n") == 1 for _, _, evidence in said)
