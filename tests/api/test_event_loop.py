"""Public functions where an event loop already runs, as in a notebook."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import assay
from assay.evaluation.resume import log_files
from assay.tasks import save_task
from tests.tasks.examples import masked_task

INTERRUPTED = """
import asyncio, sys, assay

async def cell():
    assay.run(
        sys.argv[1],
        agent="command:sleep 600",
        logs=sys.argv[2],
        progress=False,
        on_start=lambda _: print("started", flush=True),
    )

# As a kernel does it: asyncio.run would turn the first interrupt into a cancellation.
asyncio.new_event_loop().run_until_complete(cell())
"""


@pytest.fixture
def task(tmp_path: Path) -> Path:
    """A task that is graded in milliseconds."""
    save_task(masked_task(), tmp_path / "toy")
    return tmp_path / "toy"


def test_an_error_reaches_the_caller_as_it_is(task: Path) -> None:
    async def cell() -> None:
        with pytest.raises(assay.UsageError, match="there is no agent 'nobody'"):
            assay.run(task, agent="nobody", logs=task.parent / "logs")

    asyncio.run(cell())


@pytest.mark.long
def test_an_interrupt_of_the_cell_ends_the_run(task: Path) -> None:
    logs = task.parent / "logs"
    running = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, str(task), str(logs)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Whoever runs the tests in the background may have let its children ignore SIGINT.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert running.stdout is not None
    try:
        assert running.stdout.readline() == "started\n"
        os.kill(running.pid, signal.SIGINT)
        running.communicate(timeout=120)
    finally:
        running.kill()
    assert running.returncode in (130, -signal.SIGINT)
    assert [attempt for log in log_files(logs) for attempt in assay.read(log).attempts] == []
