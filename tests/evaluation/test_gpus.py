"""Attempts and grading take GPUs from one pool; the numbers of GPUs are made up, so no GPU is needed."""

from __future__ import annotations

import itertools
import json
import threading
import time
from pathlib import Path

import pytest

import assay
from assay.evaluation import Settings
from assay.sandbox.gpu.pool import try_gpus
from assay.scoring import read_attempts
from assay.tasks import Task, TaskConfig, save_task

EVALUATE = b"""import json, os
rule = {"met": os.environ.get("CUDA_VISIBLE_DEVICES") == "0", "evidence": "the evaluator's GPUs"}
json.dump({"score": 1.0, "standard_error": 0.0, "rules": {"gpu": rule}}, open("report.json", "w"))
"""
AGENTS = """
import json, os, time
from inspect_ai.solver import solver
from inspect_ai.util import sandbox


@solver
def works():
    async def solve(state, generate):
        began = time.time()
        await sandbox().exec(["bash", "-c", "sleep 0.3; echo -n $CUDA_VISIBLE_DEVICES > seen.txt"])
        with open(os.environ["WORKED"], "a") as file:
            file.write(json.dumps([began, time.time()]) + "\\n")
        return state
    return solve
"""


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A challenge that needs a GPU, on a machine of one, with locks of its own."""
    challenge = {
        "metric": "none",
        "unit": "",
        "direction": "higher",
        "baseline": 0.0,
        "reference": 1.0,
        "build": 'test "$CUDA_VISIBLE_DEVICES" = 0 && cp seen.txt made.txt',
        "artefacts": ["made.txt"],
        "checkpoints": 0,
    }
    table = {"id": "needs-gpu", "kind": "challenge", "challenge": challenge}
    parts = {"task": {"name": "assay/needs-gpu"}, "metadata": {"assay": table}, "environment": {"gpus": 1}}
    task = Task(
        config=TaskConfig.model_validate(parts),
        instruction="Write CUDA_VISIBLE_DEVICES into seen.txt.\n",
        environment={"workspace/README": b"empty\n"},
        solution={"files/seen.txt": b"0"},
        tests={"evaluate.py": EVALUATE},
    )
    save_task(task, tmp_path / "suite" / "needs-gpu")
    (tmp_path / "agents.py").write_text(AGENTS)
    (tmp_path / "locks").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "locks"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "locks"))
    monkeypatch.setenv("ASSAY_GPUS", "0")
    monkeypatch.setenv("WORKED", str(tmp_path / "worked.jsonl"))
    return tmp_path / "suite"


def worked(folder: Path) -> list[list[float]]:
    return sorted(json.loads(line) for line in (folder / "worked.jsonl").read_text().splitlines())


@pytest.mark.long
def test_an_attempt_waits_for_its_gpu_before_its_time_begins(suite: Path, tmp_path: Path) -> None:
    lease = try_gpus((0,), 1)
    assert lease is not None
    released: list[float] = []

    def release() -> None:
        released.append(time.time())
        lease.release()

    threading.Timer(3.0, release).start()
    agents = [f"{tmp_path / 'agents.py'}:works"]
    assay.run(suite, agent=agents, settings=Settings(logs=str(tmp_path / "logs")))
    [[began, _]] = worked(tmp_path)
    assert began >= released[0]
    [attempt] = read_attempts(tmp_path / "logs")
    assert attempt.passed, attempt.verdicts
    assert attempt.gpu_hours is not None
    assert attempt.grading_gpu_hours is not None
    assert attempt.gpu_peak_mb is None


@pytest.mark.long
def test_attempts_of_several_processes_never_have_the_one_gpu_at_once(suite: Path, tmp_path: Path) -> None:
    agents = [f"{tmp_path / 'agents.py'}:works"]
    assay.run(suite, agent=agents, settings=Settings(logs=str(tmp_path / "logs")), epochs=4, processes=2)
    spans = worked(tmp_path)
    assert len(spans) == 4
    assert all(earlier[1] <= later[0] for earlier, later in itertools.pairwise(spans))
    assert [attempt.passed for attempt in read_attempts(tmp_path / "logs")] == [True] * 4
