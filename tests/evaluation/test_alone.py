"""A task whose time counts runs alone on its machine; each test has lock files of its own."""

from __future__ import annotations

import asyncio
import fcntl
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import assay
from assay.grading.cleanroom import CleanRoom
from assay.sandbox.host.locks import lock_folder, try_lock
from assay.sandbox.host.machine_turn import machine_turn, take_turn
from assay.tasks import Task, save_task
from assay.workspace import Submission
from tests.tasks.examples import masked_task

AGENTS = """
import asyncio, os
from inspect_ai.solver import solver


@solver
def waits():
    async def solve(state, generate):
        open(os.environ["BEGUN"], "w").close()
        while not os.path.exists(os.environ["GO"]):
            await asyncio.sleep(0.05)
        return state
    return solve
"""


@pytest.fixture(autouse=True)
def own_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "locks").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "locks"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "locks"))
    monkeypatch.setenv("BEGUN", str(tmp_path / "begun"))
    monkeypatch.setenv("GO", str(tmp_path / "go"))


def is_free(name: str, mode: int) -> bool:
    """Whether somebody could lock one of the files in this way now."""
    lock = try_lock(lock_folder("cores") / f"{name}.lock", mode)
    if lock is not None:
        os.close(lock)
    return lock is not None


def free_modes() -> tuple[bool, bool]:
    """Whether another attempt could run now, and whether one could run alone now."""
    return is_free("machine", fcntl.LOCK_SH), is_free("machine", fcntl.LOCK_EX)


def task(*, timed: bool) -> Task:
    return masked_task(id="toy_0", resources={"timed": timed})


def look_while_running(folder: Path, look: Callable[[], tuple[bool, bool]]) -> list[tuple[bool, bool]]:
    """Start a thread that looks once the attempt has begun, and then lets it end."""
    seen: list[tuple[bool, bool]] = []

    def wait_and_look() -> None:
        while not (folder / "begun").exists():
            time.sleep(0.05)
        seen.append(look())
        (folder / "go").touch()

    threading.Thread(target=wait_and_look, daemon=True).start()
    return seen


@pytest.mark.parametrize("timed", [True, False])
def test_no_other_attempt_can_begin_while_a_timed_one_runs(timed: bool, tmp_path: Path) -> None:
    save_task(task(timed=timed), tmp_path / "suite" / "toy")
    (tmp_path / "agents.py").write_text(AGENTS)
    seen = look_while_running(tmp_path, free_modes)
    agent, logs = f"{tmp_path / 'agents.py'}:waits", tmp_path / "logs"
    results = assay.run(tmp_path / "suite", agent=agent, logs=logs, progress=False, preflight=False)
    assert seen == [(not timed, False)]
    [attempt] = results.attempts
    assert attempt.machine.get("alone") == ("yes" if timed else None)
    assert free_modes() == (True, True), "a turn ends with its attempt"


@pytest.mark.parametrize("timed", [True, False])
def test_grading_has_a_turn_too(timed: bool) -> None:
    async def look() -> tuple[bool, bool]:
        async with CleanRoom(task(timed=timed), Submission({})):
            return free_modes()

    assert asyncio.run(look()) == (not timed, False)
    assert free_modes() == (True, True)


def test_who_waits_to_be_alone_lets_nobody_pass_and_a_nested_request_does_not_wait() -> None:
    async def check() -> None:
        first = await take_turn()
        waiting = asyncio.create_task(take_turn(alone=True))
        while is_free("gate", fcntl.LOCK_SH):
            await asyncio.sleep(0.01)
        assert not waiting.done()
        first.release()
        alone = await waiting
        assert alone.alone
        assert is_free("gate", fcntl.LOCK_EX)
        assert free_modes() == (False, False)
        alone.release()
        async with machine_turn(alone=True) as outer, machine_turn() as inner:
            assert inner is outer

    asyncio.run(check())
