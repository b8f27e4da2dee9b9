"""Small tasks for tests, made in memory; each one runs in milliseconds and needs no package."""

from __future__ import annotations

import json

from assay.tasks import Task, TaskConfig

GOLD = b'''"""Two steps."""


def scale(value: float) -> float:
    """Return the scaled value."""
    return value * 3.0


def shift(value: float) -> float:
    """Return the shifted value."""
    return value + 1.0
'''
STUB = GOLD.replace(b"    return value * 3.0\n", b'    raise NotImplementedError("masked: scale")\n')
RUN = b"""import json
import os

from steps import scale, shift

seed = int(os.environ.get("ASSAY_SEED", "2"))
start = float(open(os.environ["ASSAY_DATA"]).read()) if "ASSAY_DATA" in os.environ else 1.0
with open("results.json", "w") as out:
    json.dump({"value": shift(scale(seed * start)), "runs": [seed]}, out)
"""


def masked_task(**changes: object) -> Task:
    """A masked task with two hidden variations."""
    table: dict[str, object] = {
        "id": "toy_0",
        "kind": "masked",
        "run": {"command": "python3 run.py", "results": "results.json", "seconds": 20.0},
        "metrics": [{"name": "value", "path": "value", "absolute": 0.01}],
        "variations": [{"name": "seed", "seed": 5}, {"name": "data", "data": "data/start.txt"}],
        "masks": [{"file": "steps.py", "function": "scale"}],
        "submission": {"editable": ["steps.py"]},
        **changes,
    }
    config = TaskConfig.model_validate({"task": {"name": "assay/toy"}, "metadata": {"assay": table}})
    gold = {"default": {"value": [7.0] * 3}, "seed": {"value": [16.0] * 3}, "data": {"value": [13.0] * 3}}
    return Task(
        config=config,
        instruction="Fill in `scale`.\n",
        environment={"workspace/steps.py": STUB, "workspace/run.py": RUN},
        solution={"files/steps.py": GOLD},
        tests={
            "results.json": json.dumps(gold).encode(),
            "data/start.txt": b"2.0",
            "broken/added/steps.py": GOLD.replace(b"value * 3.0", b"value + 4.0"),
        },
    )
