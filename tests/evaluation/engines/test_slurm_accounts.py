"""What Slurm's accounts say about jobs that ended, from a real slurmdbd with a database of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import assay
from assay.evaluation.engines.slurm_commands import ENDED, past_states, states_of
from assay.evaluation.events import Started
from tests.evaluation.engines.conftest import SLOW_AND_RIGHT
from tests.evaluation.engines.test_slurm import two_nodes

MISSING = [name for name in ("slurmctld", "slurmdbd", "mariadbd") if shutil.which(name) is None]

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}"),
    pytest.mark.skipif(os.getuid() != 0, reason="only root can start Slurm"),
]


@pytest.fixture(scope="module")
def accounts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("accounts")
    previous = {name: os.environ.get(name) for name in ("SLURM_CONF", "ASSAY_SLURM_PORT")}
    os.environ |= {"SLURM_CONF": str(folder / "slurm.conf"), "ASSAY_SLURM_PORT": "28817"}
    try:
        two_nodes("start", str(folder), "accounts")
        yield folder
    finally:
        two_nodes("stop", str(folder))
        for name, value in previous.items():
            del os.environ[name]
            if value is not None:
                os.environ[name] = value


def submit(*options: str) -> str:
    """Submit an array of one element; return its number."""
    shared = ["sbatch", "--parsable", "--array=0-0", "--mem=100", "--output=/dev/null"]
    return subprocess.run([*shared, *options], check=True, capture_output=True, text=True).stdout.strip()


def wait_for_state(job: str, state: str) -> None:
    while states_of([job]).get((job, 0)) != state:
        time.sleep(0.2)


def test_the_state_of_each_ended_job_names_an_owner(accounts: Path) -> None:
    good, bad = submit("--wrap", "exit 0"), submit("--wrap", "exit 3")
    late = submit("--time=1", "--wrap", "sleep 600")
    cancelled = submit("--wrap", "sleep 600")
    wait_for_state(cancelled, "RUNNING")
    subprocess.run(["scancel", cancelled], check=True)
    lost = submit("--no-requeue", "--nodelist=n2", "--wrap", "sleep 600")
    wait_for_state(lost, "RUNNING")
    two_nodes("kill", str(accounts), "n2")
    jobs = [good, bad, late, cancelled, lost]
    while len(states := past_states(jobs)) < len(jobs) or states_of(jobs):
        time.sleep(1.0)
    two_nodes("revive", str(accounts), "n2")
    owners = [(states[job, 0], ENDED[states[job, 0]]) for job in jobs]
    assert owners == [
        ("COMPLETED", None),
        ("FAILED", "grader"),
        ("TIMEOUT", "sandbox"),
        ("CANCELLED", "sandbox"),
        ("NODE_FAIL", "sandbox"),
    ]


def test_a_run_names_the_state_and_the_owner_of_jobs_that_are_always_cancelled(
    accounts: Path, tmp_path: Path
) -> None:
    from assay.tasks import save_task
    from tests.tasks.examples import masked_task

    save_task(masked_task(id="toy_0"), tmp_path / "toys" / "toy-0")
    logs = tmp_path / "logs"

    def cancel_job(_: Started) -> None:
        (jobs,) = logs.glob("engine/*/jobs.json")
        subprocess.run(["scancel", *json.loads(jobs.read_text())], check=True)

    with pytest.raises(assay.AssayError, match=r"Slurm ended batch 0 as CANCELLED \(owner: sandbox\)"):
        assay.run(
            tmp_path / "toys",
            agent=f"command:{SLOW_AND_RIGHT}",
            logs=logs,
            on="slurm",
            progress=False,
            on_start=cancel_job,
        )
