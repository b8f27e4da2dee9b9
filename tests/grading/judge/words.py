"""A small experiment whose design, requirements and conclusion stand in words, and judges to read it."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from assay.grading import Judge
from assay.models.scripted import Message, Reply, ScriptedServer
from assay.tasks import Task, TaskConfig

CODE = b'''"""Compares two ways of averaging."""
import json

values = [1.0, 2.0, 6.0]
mean = sum(values) / len(values)
middle = sorted(values)[len(values) // 2]
json.dump({"mean": mean, "median": middle}, open("results.json", "w"))
'''
DESIGN = {
    "constant": {"how many numbers there are": "3 numbers"},
    "independent": {"way of averaging": "the mean, the median"},
    "dependent": ["size of the average"],
}
CONCLUSION = {
    "summary": "",
    "claims": {"outcome": "The mean is higher than the median, 3.0 against 2.0, since one value is large."},
}
GOLD = {
    "experiment.py": CODE,
    "design.json": json.dumps(DESIGN).encode(),
    "conclusion.json": json.dumps(CONCLUSION).encode(),
}
TRUTHS = {
    "design.toml": b"""[[variable]]
name = "average"
role = "independent"
values = ["mean", "median"]
synonyms = ["averaging"]
""",
    "requirements.toml": b"""[[requirement]]
id = "middle"
text = "The median is the middle of the sorted values."
gold = ["experiment.py"]
""",
    "conclusion.toml": b"""[[claim]]
id = "outcome"
question = "Which average is larger?"
kind = "statement"
answer = "The mean, 3.0, is higher than the median, 2.0."
""",
}


def worded_task() -> Task:
    """An experiment that only a judge can grade in full."""
    table = {
        "id": "averages",
        "kind": "experiment",
        "run": {"command": "python3 experiment.py", "results": "results.json", "seconds": 20.0},
    }
    config = TaskConfig.model_validate({"task": {"name": "assay/averages"}, "metadata": {"assay": table}})
    return Task(
        config=config,
        instruction="Compare averages.\n",
        environment={"workspace/README.md": b"Numbers.\n"},
        solution={f"files/{path}": data for path, data in GOLD.items()},
        tests={"results.json": b'{"default": {}}', **TRUTHS},
    )


def said(verdict: str, quote: str = "", reason: str = "so it is") -> str:
    """One answer of the asked form."""
    return json.dumps({"quote": quote, "reason": reason, "verdict": verdict})


_numbers = itertools.count()


@contextmanager
def judge_saying(
    monkeypatch: pytest.MonkeyPatch,
    script: list[str] | Callable[[list[Message]], str | Reply],
    repeats: int = 1,
) -> Iterator[tuple[Judge, ScriptedServer]]:
    """A judge whose model answers from a script, over real HTTP."""
    with ScriptedServer(script) as server:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        yield Judge(f"openai-api/scripted/judge-{next(_numbers)}", repeats), server
