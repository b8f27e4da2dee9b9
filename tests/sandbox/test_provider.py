"""The provider as Inspect uses it."""

from __future__ import annotations

import asyncio
import shlex
import subprocess
from pathlib import Path

import pytest
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import SandboxEnvironmentSpec, sandbox
from pydantic import ValidationError

from assay.errors import UsageError
from assay.sandbox.session.inspect_provider import BwrapConfig, BwrapSandboxEnvironment


@solver
def look_around() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        script = "cat given.txt made-by-setup nested/file; id -un; cat /etc/os-release /etc/hosts from-folder"
        state.metadata["seen"] = (await sandbox().exec(["sh", "-c", script])).stdout.split()
        connection = await sandbox().connection()
        visit = await asyncio.to_thread(
            subprocess.run,
            shlex.split(connection.command),
            input=b"cat given.txt\nexit\n",
            capture_output=True,
            check=True,
        )
        state.metadata["visit"] = visit.stdout.decode(errors="replace")
        return state

    return solve


@scorer(metrics=[accuracy()])
def always() -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        return Score(value=1 if (await sandbox().read_file("made-by-setup")) == "setup\n" else 0)

    return score


def run(sandbox_spec: object, tmp_path: Path) -> EvalLog:
    sample = Sample(
        input="look",
        files={"given.txt": "given\n", "nested/file": "nested\n"},
        setup="#!/bin/sh\necho setup > made-by-setup\n",
    )
    task = Task(dataset=[sample], solver=look_around(), scorer=always(), sandbox=sandbox_spec)
    return eval(task, model="mockllm/model", log_dir=str(tmp_path / "logs"), display="none")[0]


def test_a_sample_with_files_and_setup_in_an_empty_workspace(tmp_path: Path) -> None:
    log = run("bwrap", tmp_path)
    assert log.status == "success", log.error
    assert log.samples is not None
    sample = log.samples[0]
    assert sample.metadata["seen"][:4] == ["given", "setup", "nested", "agent"]
    assert "given" in sample.metadata["visit"]
    assert sample.scores is not None
    assert sample.scores["always"].value == 1


def test_a_sample_on_a_folder_with_limits(tmp_path: Path) -> None:
    (tmp_path / "workspace").mkdir()
    (tmp_path / "workspace" / "from-folder").write_text("folder\n")
    config = BwrapConfig(workspace=tmp_path / "workspace", memory_mb=512)
    log = run(SandboxEnvironmentSpec("bwrap", config), tmp_path)
    assert log.samples is not None
    assert "folder" in log.samples[0].metadata["seen"]
    assert sorted(path.name for path in (tmp_path / "workspace").iterdir()) == ["from-folder"]
    assert log.eval.sandbox is not None
    assert log.eval.sandbox.config == config


def test_a_configuration_survives_the_log_and_refuses_what_it_does_not_know() -> None:
    config = BwrapConfig(workspace=Path("/somewhere"), variables={"A": "1"}, cpu_seconds=5)
    assert BwrapSandboxEnvironment.config_deserialize(config.model_dump(mode="json")) == config
    with pytest.raises(ValidationError, match="memroy_mb"):
        BwrapSandboxEnvironment.config_deserialize({"memroy_mb": 3})


@pytest.mark.anyio
async def test_a_string_names_a_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("there")
    environments = await BwrapSandboxEnvironment.sample_init("task", str(tmp_path), {})
    assert await environments["default"].read_file("file") == "there"
    await BwrapSandboxEnvironment.sample_cleanup("task", str(tmp_path), environments, False)
    with pytest.raises(UsageError, match="nowhere"):
        await BwrapSandboxEnvironment.task_init("task", str(tmp_path / "nowhere"))
