"""Long and cut-off output: its head, its tail, and a word on what is missing."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import bash

from assay.agents.supervisor.offering import shortened
from assay.agents.supervisor.output import SHOWN, shorten


@settings(deadline=None)
@given(st.text(max_size=300), st.integers(1, 200))
def test_head_and_tail_are_kept_and_the_gap_is_counted(text: str, most: int) -> None:
    short = shorten(text, most)
    if len(text) <= most:
        assert short == text
        return
    head, tail = int(most / 3), most - int(most / 3)
    assert short.startswith(text[:head])
    assert short.endswith(text[-tail:])
    assert f"{len(text) - most:,} characters left out here" in short


@pytest.mark.long
def test_a_command_that_is_killed_keeps_what_it_said(tmp_path: Path) -> None:
    @solver
    def running() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            late, much = shortened(bash(timeout=5)).tool, shortened(bash(timeout=60)).tool
            state.metadata["late"] = await late(command="echo begun; echo trouble >&2; sleep 60")
            state.metadata["much"] = await much(command="echo begun; yes")
            return state

        return solve

    task = Task(dataset=[Sample(input="run")], solver=running(), sandbox="bwrap")
    (log,) = eval(task, model="mockllm/model", display="none", log_dir=str(tmp_path))
    assert log.status == "success", log.error
    said = (log.samples or [])[0].metadata
    assert said["late"].startswith("begun\ntrouble\n")
    assert "[killed: bash was killed after 5" in said["late"]
    assert said["much"].startswith("begun\ny\n")
    assert "[killed: its output went over" in said["much"]
    assert len(said["much"]) < SHOWN + 300
