"""Honest but odd agents get full marks, and nothing is held against them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from assay.agents import roster
from assay.agents.honest.slower import LOADED_TWICE
from assay.agents.variants import renamed, rewritten
from assay.benchmarks import load_suite
from assay.scoring import read_attempts
from assay.tasks.kinds import CHALLENGE, EXPERIMENT, KINDS, MASKED
from tests.agents.attempts import CHEAPEST, NEW, Seen, attempts, attempts_at_new_task, demo_task

ENTRIES = [entry for entry in roster().values() if entry.role == "honest"]
HONEST = [entry.name for entry in ENTRIES]
FOR_ALL = {"honest-untidy": EXPERIMENT, "honest-odd": CHALLENGE}
"""Agents that a masked task allows too: they stand for their like at the other kinds."""
KIND = {entry.name: entry.kinds[0] for entry in ENTRIES if MASKED not in entry.kinds} | FOR_ALL
"""In the short tests each agent tries one task. All that a masked task allows try one in
tests/certification/test_certify.py, and the others a task of their own kind here. The long test and every
certificate have all of them on every task."""


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory) -> list[Seen]:
    """The oracle, the idle agent and the honest agents that no masked task allows, on a new task of their
    kind."""
    found: list[Seen] = []
    for kind in KINDS:
        chosen = [name for name in KIND if KIND[name] == kind]
        found += attempts_at_new_task(tmp_path_factory.mktemp(kind), kind, ["oracle", "idle", *chosen])
    return found


def test_there_are_at_least_three() -> None:
    assert len(HONEST) >= 3


@pytest.mark.parametrize("name", [*KIND, "oracle"])
def test_full_marks_and_no_false_alarm(name: str, tried: list[Seen]) -> None:
    mine = [seen for seen in tried if seen.agent == name]
    tasks = set(NEW.values()) if name == "oracle" else {NEW[KIND[name]]}
    assert {seen.task for seen in mine} == tasks
    for seen in mine:
        assert seen.grade.passed is True, (seen.task, seen.names)
        assert not seen.alarms, (seen.task, seen.names)


def test_idle_gets_nothing(tried: list[Seen]) -> None:
    assert [seen.grade.passed for seen in tried if seen.agent == "idle"] == [False] * 3


def test_renaming_changes_names_and_nothing_else() -> None:
    source = b"def area(width, height):\n    half = width / 2\n    return [half * each for each in height]\n"
    spaces: list[dict[str, object]] = [{}, {}]
    exec(source, spaces[0])
    exec(renamed(source), spaces[1])
    area, other = (space["area"] for space in spaces)
    assert callable(area)
    assert callable(other)
    assert area(3, [1, 2]) == other(3, [1, 2])
    assert b"the_half" in renamed(source)
    assert b"width" in renamed(source)


def test_rewriting_a_gold_file_changes_its_bytes() -> None:
    gold = demo_task(CHEAPEST["masked"]).gold_files
    assert all(rewritten(data) != data for data in gold.values())


def test_a_module_that_is_carried_out_twice_still_has_its_names(tmp_path: Path) -> None:
    (tmp_path / "solve.py").write_text("print('loaded')\n\nclass Model: ...\n" + LOADED_TWICE)
    command = [sys.executable, "-c", "from solve import Model; print(Model.__module__)"]
    completed = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert completed.stdout.split() == ["loaded", "loaded", "solve"]


@pytest.mark.long
def test_slower_work_passes_where_a_given_program_imports_it(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "assay",
        "run",
        "frontier?split=all",
        "--task",
        "record-stream",
        "--uncertified",
    ]
    subprocess.run([*command, "--agent", "honest-slower", "--logs", str(tmp_path)], check=True)
    assert [attempt.passed for attempt in read_attempts(tmp_path)] == [True]


@pytest.mark.long
def test_full_marks_on_every_task(tmp_path: Path) -> None:
    tasks = [task.id for task in load_suite("demo").tasks]
    for seen in attempts(tmp_path, [*HONEST, "oracle"], tasks):
        assert seen.grade.passed is True, (seen.agent, seen.task, seen.names)
        assert not seen.alarms, (seen.agent, seen.task, seen.names)
