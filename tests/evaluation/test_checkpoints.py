"""A challenge's attempt is looked at as time goes by, and goes on where it was interrupted."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.agents import Budget
from assay.evaluation import Settings
from assay.tasks import Task, TaskConfig, load_task, save_task

EVALUATE = b"""import json
text = open("artefacts/answer.txt").read()
valid = text.strip().replace(".", "").isdigit()
rule = {"met": valid, "evidence": text[:20]}
report = {"score": float(text) if valid else None, "standard_error": 0.01, "rules": {"number": rule}}
json.dump(report, open("report.json", "w"))
"""

AGENTS = """
from inspect_ai.solver import solver
from inspect_ai.util import sandbox


@solver
def improves():
    async def solve(state, generate):
        script = "echo 0.2 > $0; sleep 3; echo 0.6 > $0; sleep 4; echo no > $0; sleep 60"
        await sandbox().exec(["bash", "-c", script, "answer.txt"])
        return state
    return solve


@solver
def spoils():
    async def solve(state, generate):
        script = "echo 0.6 > $0; sleep 7; echo no > $0; sleep 60"
        await sandbox().exec(["bash", "-c", script, "answer.txt"])
        return state
    return solve


@solver
def refuses():
    async def solve(state, generate):
        script = "echo 'echo 0.6 > answer.txt' > $0; sleep 7; echo 'exit 1' > $0; sleep 60"
        await sandbox().exec(["bash", "-c", script, "build.sh"])
        return state
    return solve


@solver
def goes_on():
    async def solve(state, generate):
        if "interrupted" in str(state.messages[-1].content):
            assert "'large.bin' (" in state.messages[-1].content
            script = "[ -x tool -a -x run.sh -a -d empty -a -L links/null ] && echo 0.9 > answer.txt"
        else:
            script = "mkdir empty links; ln -s /dev/null links/null; cp /bin/true tool; echo true > run.sh; "
            script += "chmod +x tool run.sh; head -c 20000000 /dev/zero > large.bin; echo 0.4 > answer.txt; "
            script += "sleep 60"
        await sandbox().exec(["bash", "-c", script])
        return state
    return solve


@solver
def comments():
    async def solve(state, generate):
        await sandbox().exec(["bash", "-c", "for i in $(seq 60); do echo $i > comment; sleep 1; done"])
        return state
    return solve


STALL = '''import os, signal, time
while True:
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            if open("/proc/" + name + "/comm").read().strip() in ("find", "tar", "sha256sum", "xargs", "sh"):
                os.kill(int(name), signal.SIGSTOP)
        except OSError:
            pass
    time.sleep(0.002)
'''


@solver
def stalls():
    async def solve(state, generate):
        await sandbox().exec(["python3", "-c", STALL])
        return state
    return solve
"""

DRAW = b"""import os, pathlib
pathlib.Path("workspace").mkdir()
pathlib.Path("workspace/drawn.txt").write_text("0." + os.environ["ASSAY_SEED"])
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A challenge whose score is the number handed in."""
    challenge = {
        "metric": "number",
        "unit": "",
        "direction": "higher",
        "baseline": 0.0,
        "reference": 1.0,
        "noise": 0.0,
        "artefacts": ["answer.txt"],
    }
    table = {"id": "number", "kind": "challenge", "challenge": challenge}
    config = TaskConfig.model_validate({"task": {"name": "assay/number"}, "metadata": {"assay": table}})
    task = Task(
        config=config,
        instruction="Write a large number into answer.txt.\n",
        environment={"workspace/README": b"empty\n"},
        solution={"files/answer.txt": b"1.0"},
        tests={"evaluate.py": EVALUATE},
    )
    save_task(task, tmp_path / "suite" / "number")
    (tmp_path / "agents.py").write_text(AGENTS)
    return tmp_path / "suite"


@contextlib.contextmanager
def running(suite: Path, agent: str, logs: Path, seconds: float) -> Iterator[subprocess.Popen[bytes]]:
    """A run in a process of its own, which is killed at the end."""
    program = (
        "import sys, assay; from assay.agents import Budget; from assay.evaluation import Settings; "
        "assay.run(sys.argv[1], agent=[sys.argv[2]], settings=Settings(logs=sys.argv[3], "
        "budget=Budget(seconds=float(sys.argv[4]))), preflight=False)"
    )
    arguments = [sys.executable, "-c", program, str(suite), agent, str(logs), str(seconds)]
    run = subprocess.Popen(arguments, start_new_session=True)
    try:
        yield run
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(run.pid, signal.SIGKILL)
        run.wait()


def has_answer(path: Path) -> bool:
    """Whether kept files of an attempt have its answer: on a busy machine the first ones come before it."""
    try:
        with tarfile.open(path) as archive:
            return any(Path(name).name == "answer.txt" for name in archive.getnames())
    except (OSError, tarfile.TarError):  # replaced while it is read
        return False


def all_scored(logs: Path) -> list[dict[str, Any]]:
    """What the scorer wrote about every attempt of the only log."""
    from inspect_ai.log import read_eval_log

    [path] = logs.glob("*.eval")
    scores = [sample.scores for sample in read_eval_log(str(path)).samples or []]
    return [score["assay"].metadata or {} for score in scores if score is not None]


def scored(logs: Path) -> dict[str, Any]:
    """What the scorer wrote about the only attempt."""
    [about] = all_scored(logs)
    return about


@pytest.mark.long
def test_what_was_cut_off_is_graded_as_it_was_when_last_valid(suite: Path, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    settings = Settings(logs=str(logs), budget=Budget(seconds=8.0))
    assay.run(suite, agent=[f"{tmp_path / 'agents.py'}:spoils"], settings=settings, preflight=False)
    about = scored(logs)
    assert {row["score"] for row in about["checkpoints"]} == {None, 0.6}
    assert about["grade"]["score"] == 0.6
    assert "cut-off" in [each["flag"] for each in about["grade"]["notices"]]
    assert not (logs / "unfinished").exists()


def test_a_program_that_ran_and_gave_no_answer_is_not_replaced_by_an_earlier_one(
    suite: Path, tmp_path: Path
) -> None:
    """It would be a second hand-in with its own time, whenever the first one does not like its inputs."""
    table = suite / "number/task.toml"
    table.write_text(table.read_text().replace("artefacts =", 'build = "bash build.sh"\nartefacts ='))
    logs = tmp_path / "logs"
    settings = Settings(logs=str(logs), budget=Budget(seconds=8.0))
    assay.run(suite, agent=[f"{tmp_path / 'agents.py'}:refuses"], settings=settings, preflight=False)
    assert scored(logs)["grade"]["score"] is None


@pytest.mark.long
def test_checkpoints_follow_an_answer_that_changes(suite: Path, tmp_path: Path) -> None:
    """On a busy machine the answer may change after the checkpoint that should see it."""
    logs = tmp_path / "logs"
    settings = Settings(logs=str(logs), budget=Budget(seconds=8.0))
    assay.run(suite, agent=[f"{tmp_path / 'agents.py'}:improves"], settings=settings, preflight=False)
    about = scored(logs)
    assert [row["score"] for row in about["checkpoints"]] == [None, 0.2, 0.6, 0.6, None]
    assert [row["seconds"] for row in about["checkpoints"]] == pytest.approx([0, 2, 4, 6, 8], abs=0.9)
    assert about["grade"]["score"] == 0.6


def test_an_interrupted_attempt_goes_on_with_its_files_and_what_is_left_of_its_time(
    suite: Path, tmp_path: Path
) -> None:
    logs, agent = tmp_path / "logs", f"{tmp_path / 'agents.py'}:goes_on"
    with running(suite, agent, logs, 40.0) as first:
        while not any(has_answer(path) for path in (logs / "unfinished").glob("*/*.tar")):
            assert first.poll() is None
            time.sleep(0.1)
    settings = Settings(logs=str(logs), budget=Budget(seconds=40.0))
    assay.run(suite, agent=[agent], settings=settings, preflight=False)
    latest = max(logs.glob("*.eval"), key=lambda path: path.stat().st_mtime)
    for other in logs.glob("*.eval"):
        if other != latest:
            other.unlink()
    about = scored(logs)
    assert about["grade"]["score"] == 0.9
    [end] = about["checkpoints"]
    assert end["seconds"] >= 2.5


@pytest.mark.long
def test_an_agent_that_stops_the_copy_of_its_files_does_not_stop_the_record_of_its_time(
    suite: Path, tmp_path: Path
) -> None:
    """Else an interrupted attempt gets back the time that it has used."""
    logs, agent = tmp_path / "logs", f"{tmp_path / 'agents.py'}:stalls"
    used: set[float] = set()
    with running(suite, agent, logs, 100.0) as run:
        while max(used, default=0.0) < 35.0:
            assert run.poll() is None
            time.sleep(0.5)
            for path in (logs / "unfinished").rglob("*.json"):
                with contextlib.suppress(ValueError, KeyError, OSError):
                    used.add(json.loads(path.read_text())["seconds"])
    assert len(used) >= 3


@pytest.mark.long
def test_all_checkpoints_of_an_attempt_get_the_same_drawn_inputs(suite: Path, tmp_path: Path) -> None:
    """Else a program that fails on inputs which it does not like gets others."""
    task = load_task(suite / "number")
    parts = {name: getattr(task, name) for name in Task.model_fields}
    table = task.config.model_dump(exclude_none=True)
    challenge = {"draw": "draw.py", "build": "cp drawn.txt answer.txt", "build_seconds": 10.0}
    table["metadata"]["assay"]["challenge"] |= challenge
    parts["config"] = TaskConfig.model_validate(table)
    parts["tests"] = {**task.tests, "draw.py": DRAW}
    save_task(Task(**parts), tmp_path / "drawn" / "number")
    assay.run(
        tmp_path / "drawn",
        agent=[f"{tmp_path / 'agents.py'}:comments"],
        settings=Settings(logs=str(tmp_path / "logs"), budget=Budget(seconds=8.0)),
        epochs=2,
        preflight=False,
    )
    first, second = (about["checkpoints"] for about in all_scored(tmp_path / "logs"))
    assert len({row["submission"] for row in first[1:]}) == 4
    assert len({row["score"] for row in first[1:]}) == 1
    assert first[-1]["score"] != second[-1]["score"]
