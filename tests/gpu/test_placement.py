"""Two attempts, one GPU: the second waits until the first has given the GPU back."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

import assay
from assay.tasks import Task, TaskConfig, save_task

pytestmark = pytest.mark.gpu

USE_GPU = b"""import ctypes, json, time
cuda = ctypes.CDLL("libcuda.so.1")
began = time.time()
device, context, memory = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_uint64()
assert cuda.cuInit(0) == 0
count = ctypes.c_int()
cuda.cuDeviceGetCount(ctypes.byref(count))
assert cuda.cuDeviceGet(ctypes.byref(device), 0) == 0
assert cuda.cuCtxCreate_v2(ctypes.byref(context), 0, device) == 0
assert cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(1 << 30)) == 0
time.sleep(2)
json.dump({"began": began, "ended": time.time(), "gpus": count.value}, open("used.json", "w"))
"""
EVALUATE = b"""import json
used = json.load(open("artefacts/made.json"))
rule = {"met": used["gpus"] == 1, "evidence": json.dumps(used)}
json.dump({"score": 1.0, "standard_error": 0.0, "rules": {"gpu": rule}}, open("report.json", "w"))
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A challenge that needs one GPU and uses it for two seconds."""
    challenge = {
        "metric": "none",
        "unit": "",
        "direction": "higher",
        "baseline": 0.0,
        "reference": 1.0,
        "build": "cp used.json made.json",
        "artefacts": ["made.json"],
        "checkpoints": 0,
    }
    table = {"id": "needs-gpu", "kind": "challenge", "challenge": challenge}
    parts = {"task": {"name": "assay/needs-gpu"}, "metadata": {"assay": table}, "environment": {"gpus": 1}}
    task = Task(
        config=TaskConfig.model_validate(parts),
        instruction="Use the GPU.\n",
        environment={"workspace/use_gpu.py": USE_GPU},
        solution={"files/used.json": b"{}"},
        tests={"evaluate.py": EVALUATE},
    )
    save_task(task, tmp_path / "suite" / "needs-gpu")
    return tmp_path / "suite"


def test_attempts_of_two_processes_share_the_one_gpu_in_turn(suite: Path, tmp_path: Path) -> None:
    results = assay.run(
        suite,
        agent="command:python use_gpu.py",
        logs=tmp_path / "logs",
        epochs=2,
        processes=2,
        progress=False,
    )

    rules = [
        verdict for attempt in results.attempts for verdict in attempt.verdicts if verdict.item == "rule.gpu"
    ]
    seen = [attempt.verdicts for attempt in results.attempts]
    assert [rule.status for rule in rules] == ["met", "met"], seen
    spans = sorted((used["began"], used["ended"]) for used in (json.loads(rule.evidence) for rule in rules))
    print("seconds on the GPU:", [(round(a - spans[0][0], 2), round(b - spans[0][0], 2)) for a, b in spans])
    assert all(earlier[1] <= later[0] for earlier, later in itertools.pairwise(spans))
    assert all(attempt.gpu_hours and attempt.machine.get("gpu") for attempt in results.attempts)
