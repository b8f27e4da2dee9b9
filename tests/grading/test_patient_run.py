"""A busy machine does not make a run fail at its time limit, and an idle one does not wait longer."""

from __future__ import annotations

import asyncio
import math
from pathlib import Path

import pytest

from assay.grading.patient_run import run_with_patience, was_held_up
from assay.rules.running import is_busy
from assay.sandbox import Confinement, Outcome, SandboxLimits


def run(folder: Path, command: str, *, busy: bool) -> Outcome:
    workspace = folder / "workspace"
    workspace.mkdir()
    confinement = Confinement(workspace=workspace, limits=SandboxLimits(wall_seconds=2.0))
    return asyncio.run(
        run_with_patience(
            confinement,
            ["/bin/bash", "-c", command],
            collect=["done"],
            target_folder=folder / "outputs",
            watch=lambda: lambda: busy,
        )
    )


@pytest.mark.long
@pytest.mark.parametrize("busy", [True, False])
def test_only_a_run_that_was_held_up_on_a_busy_machine_gets_more_time(tmp_path: Path, busy: bool) -> None:
    outcome = run(tmp_path, "sleep 4; echo done > done", busy=busy)
    assert (outcome.exceeded is None) == busy
    assert ("done" in outcome.saved) == busy


@pytest.mark.parametrize(
    ("idle_seconds", "busy"), [(0.0, True), (0.5, True), (7.0, False), (20.0, False), (math.nan, False)]
)
def test_idle_time_decides_whether_a_machine_is_busy(idle_seconds: float, busy: bool) -> None:
    assert is_busy(idle_seconds, seconds=10.0, processors=2) == busy


@pytest.mark.parametrize(("cpu_seconds", "held_up"), [(0.1, True), (1.9, False), (7.5, False), (None, False)])
def test_a_run_that_computes_all_the_time_was_not_held_up(cpu_seconds: float | None, held_up: bool) -> None:
    outcome = Outcome(1, b"", b"", 2.0, exceeded="wall", cpu_seconds=cpu_seconds)
    assert was_held_up(outcome, 2.0) == held_up
