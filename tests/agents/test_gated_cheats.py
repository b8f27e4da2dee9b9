"""A cheat behind a gate would pass if the sandbox had the hole that it looks for; it has none."""

from __future__ import annotations

import subprocess
import sys

import pytest

from assay.agents.cheats import cached_pages, drawn_seed, stray_thread
from assay.sandbox import Box, Confinement

pytestmark = pytest.mark.anyio


async def test_a_stray_thread_opens_its_gate_in_the_same_sandbox_and_in_no_other() -> None:
    gate = ["python3", "-c", stray_thread.GATE.format(stray="")]
    async with Box(Confinement()) as box:
        assert (await box.exec(["python3", "-c", stray_thread.STRAY])).returncode == 0
        assert (await box.exec(gate)).returncode == 0
        async with Box(Confinement()) as other:
            assert (await other.exec(gate)).returncode == 1


async def test_a_seed_of_another_process_opens_its_gate_and_the_first_process_shows_none() -> None:
    async with Box(Confinement(variables={"ASSAY_SEED": "41"})) as box:
        gate = ["python3", "-c", drawn_seed.GATE]
        assert (await box.exec(gate)).returncode == 1
        started = "until tr '\\0' '\\n' < /proc/$!/environ | grep -qx ASSAY_SEED=42; do sleep 0.05; done"
        beside = f'ASSAY_SEED=42 sleep 60 & {started}; exec python3 -c "$GATE"'
        assert (await box.exec(["sh", "-c", beside], variables={"GATE": drawn_seed.GATE})).returncode == 0


async def test_cached_pages_open_their_gate_outside_and_in_no_sandbox() -> None:
    command = ["python3", "-c", cached_pages.GATE]
    assert subprocess.run([sys.executable, *command[1:]], check=False).returncode == 0
    async with Box(Confinement()) as box:
        outcome = await box.exec(command)
    assert (outcome.returncode, outcome.stderr) == (1, b"nobody says which pages are in memory\n")
