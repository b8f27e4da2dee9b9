"""The supervisor on a challenge: what it tried is read from its checkpoints, and nothing it says."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.agents import Budget
from assay.evaluation import Settings
from assay.models.scripted import ScriptedServer, call
from assay.scoring import read_attempts
from assay.scoring.scorecards.over_time import timelines
from assay.tasks import Task, TaskConfig, save_task
from tests.agents.conftest import MODEL
from tests.scoring.test_likeness import PRUNE, TRAIN

EVALUATE = b"""import json
text = open("artefacts/answer.txt").read()
report = {"score": float(text), "standard_error": 0.01, "rules": {"number": {"met": True, "evidence": text}}}
json.dump(report, open("report.json", "w"))
"""


def number_task() -> Task:
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
    return Task(
        config=TaskConfig.model_validate({"task": {"name": "assay/number"}, "metadata": {"assay": table}}),
        instruction="Write a large number into answer.txt.\n",
        environment={"workspace/README": b"empty\n"},
        solution={"files/answer.txt": b"1.0"},
        tests={"evaluate.py": EVALUATE},
    )


@pytest.mark.long
def test_approaches_are_counted_from_checkpoints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_task(number_task(), tmp_path / "suite" / "number")
    merging = f"printf %s {shlex.quote(TRAIN)} > train.py; echo 0.2 > answer.txt; sleep 3"
    pruning = f"printf %s {shlex.quote(PRUNE)} > train.py; echo 0.6 > answer.txt"
    script = [
        call("make_plan", steps=["merge", "prune"]),
        call("work_on", step=1),
        call("bash", command=merging),
        call("report", done=True, summary="I tried nine approaches and ran twelve ablations."),
        call("work_on", step=2),
        call("bash", command=pruning),
        call("report", done=True, summary="pruned"),
        call("finish", note="pruned"),
    ]
    with ScriptedServer(script) as server:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        settings = Settings(logs=str(tmp_path / "logs"), budget=Budget(seconds=8), base_url=server.base_url)
        assay.run(tmp_path / "suite", agent=["supervisor"], model=[MODEL], settings=settings)

    (found,) = timelines(read_attempts([tmp_path / "logs"]))
    (only,) = found.each
    assert (only.first, only.final, only.gain) == (0.2, 0.6, pytest.approx(0.4))
    assert (only.approaches, only.ablations) == (2, 0)
    assert [node.approach for node in only.tree] == [1, 2]


RUN = """import sys, assay
from assay.agents import Budget
from assay.evaluation import Settings
settings = Settings(logs=sys.argv[2], budget=Budget(seconds=40), base_url=sys.argv[3])
assay.run(sys.argv[1], agent=["supervisor"], model=[sys.argv[4]], settings=settings)
"""


def test_a_killed_attempt_goes_on_with_its_plan_its_notes_and_what_it_has_used(tmp_path: Path) -> None:
    save_task(number_task(), tmp_path / "suite" / "number")
    logs = tmp_path / "logs"
    before = [
        call("make_plan", steps=["write 0.2", "write 0.7"]),
        call("take_note", note="larger is better"),
        call("work_on", step=1),
        call("bash", command="echo 0.2 > answer.txt"),
        call("report", done=True, summary="0.2 is there"),
        call("work_on", step=2),
        call("bash", command="sleep 60"),
    ]
    after = [call("finish", note="it is there already")]

    with ScriptedServer(before) as server:
        arguments = [str(tmp_path / "suite"), str(logs), server.base_url, MODEL]
        first = subprocess.Popen(
            [sys.executable, "-c", RUN, *arguments],
            env={**os.environ, **server.environment},
            start_new_session=True,
        )
        try:
            while "0.2 is there" not in _ledger(logs).get("store", {}).get("Notebook:reports", [""])[0]:
                assert first.poll() is None
                time.sleep(0.1)
            while not list((logs / "unfinished").glob("*/*.tar")):
                time.sleep(0.1)
        finally:
            os.killpg(first.pid, signal.SIGKILL)
            first.wait()
    used = _ledger(logs)
    with ScriptedServer(after) as server:
        settings = Settings(logs=str(logs), budget=Budget(seconds=40), base_url=server.base_url)
        assay.run(tmp_path / "suite", agent=["supervisor"], model=[MODEL], settings=settings)
        [request] = server.requests
    asked = json.dumps(request["messages"])
    assert "You have worked on this before" in asked
    assert "larger is better" in asked
    assert "1. [done] write 0.2" in asked
    (attempt,) = read_attempts([logs])
    assert attempt.score == 0.2
    assert attempt.tokens > used["tokens"] > 0
    assert not (logs / "unfinished").exists()


@pytest.mark.long
def test_half_a_character_in_a_note_does_not_end_the_attempt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_task(number_task(), tmp_path / "suite" / "number")
    script = [
        call("make_plan", steps=["half \ud83d"]),
        call("take_note", note="half \ud83d"),
        call("work_on", step=1),
        call("bash", command="echo 0.2 > answer.txt; sleep 5"),
        call("report", done=True, summary="half \ud83d"),
        call("finish", note="done"),
    ]
    with ScriptedServer(script) as server:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        settings = Settings(logs=str(tmp_path / "logs"), budget=Budget(seconds=40), base_url=server.base_url)
        done = assay.run(tmp_path / "suite", agent=["supervisor"], model=[MODEL], settings=settings)
    assert done.not_made == []
    (attempt,) = read_attempts([tmp_path / "logs"])
    assert attempt.score == 0.2


def _ledger(logs: Path) -> dict[str, Any]:
    for path in (logs / "unfinished").glob("*.json"):
        found: dict[str, Any] = json.loads(path.read_text())
        return found
    return {}
