"""A toy suite on disk, and a scripted model over real HTTP to try it with."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalLog, EvalSample, read_eval_log

import assay
from assay.agents import Budget
from assay.evaluation import Settings
from assay.evaluation.resume import log_files
from assay.models.replies import Script
from assay.models.scripted import ScriptedServer
from assay.tasks import Task, save_task
from tests.tasks.examples import masked_task

MODEL = "openai-api/scripted/any"
PAPER = b"""# A study of steps

The shift adds one to whatever it is given, as is usual.

The scale multiplies its value by 3.0, which we found by trying. With it the value is 7.0.

Years of experience with other steps taught us nothing of interest.
"""


def toy(**changes: object) -> Task:
    """The toy task with a paper and its excerpt."""
    plain = masked_task(paper="paper.md", variations=[], **changes)
    parts = {name: getattr(plain, name) for name in Task.model_fields}
    parts["environment"] = {**plain.environment, "workspace/paper.md": PAPER}
    parts["tests"] = {
        "results.json": b'{"default": {"value": [7.0, 7.0, 7.0]}}',
        "excerpts.json": b'{"scale": "The scale multiplies its value by 3.0."}',
    }
    return Task(**parts)


class Tried:
    """One attempt: its log, its sample, and what the model was asked."""

    def __init__(self, logs: Path, server: ScriptedServer) -> None:
        self.logs = logs
        self.requests = server.requests
        self.log: EvalLog = read_eval_log(str(log_files(logs)[-1]))

    @property
    def sample(self) -> EvalSample:
        (sample,) = self.log.samples or []
        return sample

    @property
    def score(self) -> dict[str, Any]:
        assert self.sample.scores is not None
        metadata = self.sample.scores["assay"].metadata
        assert metadata is not None
        return metadata

    @property
    def passed(self) -> bool:
        assert self.sample.scores is not None
        value = self.sample.scores["assay"].value
        assert isinstance(value, dict)
        return value["passed"] == 1.0

    def asked(self, number: int) -> str:
        """The text of one request's messages."""
        return "\n".join(str(each.get("content")) for each in self.requests[number]["messages"])


Try = Callable[..., Tried]


@pytest.fixture
def attempt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Try:
    """Let an agent try the toy task once, with a script for a model."""
    folder = tmp_path / "toys"

    def act(
        agent: str, script: Script, budget: Budget | None = None, task: Task | None = None, **settings: Any
    ) -> Tried:
        if not folder.exists():
            save_task(task or toy(), folder / "toy-0")
        logs = tmp_path / "logs"
        with ScriptedServer(script) as server:
            for name, value in server.environment.items():
                monkeypatch.setenv(name, value)
            how = Settings(logs=str(logs), budget=budget or Budget(), base_url=server.base_url, **settings)
            assay.run(folder, agent=[agent], model=[MODEL], settings=how)
        return Tried(logs, server)

    return act


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    """The scripted model's service wants a key in the environment, as every service does."""
    monkeypatch.setenv("SCRIPTED_API_KEY", "none")
