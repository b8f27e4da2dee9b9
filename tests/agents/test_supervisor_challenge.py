"""The supervisor on a challenge: what it tried is read from its checkpoints, and nothing it says."""

from __future__ import annotations

import shlex
from pathlib import Path

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
