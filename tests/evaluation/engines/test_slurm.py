"""Runs on a real Slurm of two nodes on this machine, which `scripts/slurm-two-nodes` starts."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import assay
from assay.evaluation.engines.slurm_engine import SlurmEngine
from assay.evaluation.events import Finished, Started
from tests.evaluation.engines.conftest import SLOW_AND_RIGHT, check_two_passes, graded_samples, verdicts
from tests.evaluation.test_remote_logs import BUCKET, S3Server, s3

__all__ = ["s3"]

SCRIPT = Path(__file__).parents[3] / "scripts" / "slurm-two-nodes"

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(shutil.which("slurmctld") is None, reason="Slurm is not installed: slurm-wlm, munge"),
    pytest.mark.skipif(os.getuid() != 0, reason="only root can start Slurm"),
]


def two_nodes(*words: str) -> None:
    """Run the script."""
    subprocess.run([SCRIPT, *words], check=True)


@pytest.fixture(scope="module")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("slurm")
    previous = os.environ.get("SLURM_CONF")
    os.environ["SLURM_CONF"] = str(folder / "slurm.conf")
    try:
        two_nodes("start", str(folder))
        yield folder
    finally:
        two_nodes("stop", str(folder))
        del os.environ["SLURM_CONF"]
        if previous is not None:
            os.environ["SLURM_CONF"] = previous


def test_a_killed_node_loses_and_repeats_nothing(slurm: Path, suite: Path, tmp_path: Path) -> None:
    selected = assay.load_suite(suite).only(limit=3)
    agents = ["oracle", "idle", f"command:{SLOW_AND_RIGHT}"]
    killed: list[str] = []
    finished_attempts: list[tuple[str, str]] = []

    def kill_first_slow_node(finished: Finished) -> None:
        finished_attempts.append((finished.agent, finished.task))
        if not killed and finished.agent == "sleep":
            killed.append(finished.node)
            two_nodes("kill", str(slurm), finished.node)

    results = assay.run(
        selected,
        agent=agents,
        logs=tmp_path / "slurm",
        on=SlurmEngine(batch_size=3),
        progress=False,
        on_finish=kill_first_slow_node,
    )
    two_nodes("revive", str(slurm), killed[0])
    assert results.not_made == []
    assert len(finished_attempts) == len(set(finished_attempts)) == 9
    counts = graded_samples(tmp_path / "slurm")
    assert len(counts) == 9
    assert set(counts.values()) == {1}
    assay.run(selected, agent=agents, logs=tmp_path / "local", progress=False)
    assert verdicts(tmp_path / "slurm") == verdicts(tmp_path / "local")


def test_attempts_of_a_cancelled_job_are_submitted_again(slurm: Path, suite: Path, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    cancelled: list[str] = []

    def cancel_the_first_job(_: Started) -> None:
        if not cancelled:
            (jobs,) = logs.glob("engine/*/jobs.json")
            cancelled.extend(json.loads(jobs.read_text()))
            subprocess.run(["scancel", *cancelled], check=True)

    selected = assay.load_suite(suite).only(limit=1)
    results = assay.run(
        selected,
        agent=f"command:{SLOW_AND_RIGHT}",
        logs=logs,
        on="slurm",
        progress=False,
        on_start=cancel_the_first_job,
    )
    assert len(cancelled) == 1
    assert results.not_made == []
    assert list(graded_samples(logs).values()) == [1]


def test_slurm_itself_sends_the_signal_and_the_attempt_hands_in_what_it_has(
    slurm: Path, suite: Path, tmp_path: Path
) -> None:
    """Slurm sends a signal up to a minute earlier than asked, so the job has three minutes."""
    right_and_endless = SLOW_AND_RIGHT.removeprefix("sleep 3; ") + "sleep 3600\n"
    results = assay.run(
        assay.load_suite(suite).only(limit=1),
        agent=f"command:{right_and_endless}",
        logs=tmp_path / "logs",
        on=SlurmEngine({"time": "3", "signal": "B:USR1@60"}),
        progress=False,
    )
    [attempt] = results.attempts
    assert (attempt.passed, attempt.limit) == (True, "job-time")
    assert list(graded_samples(tmp_path / "logs").values()) == [1]


@pytest.mark.parametrize("remote", [False, True], ids=["folder", "address"])
def test_grading_on_slurm_gives_the_verdicts_of_one_pass(
    slurm: Path, s3: S3Server, suite: Path, tmp_path: Path, remote: bool
) -> None:
    check_two_passes(
        suite, f"{BUCKET}/slurm" if remote else str(tmp_path / "logs"), tmp_path, "local", SlurmEngine()
    )


def test_a_request_that_never_starts_is_one_clear_error(slurm: Path, suite: Path, tmp_path: Path) -> None:
    with pytest.raises(assay.AssayError, match="sbatch refused the jobs"):
        assay.run(
            suite,
            agent="idle",
            logs=tmp_path / "logs",
            on=SlurmEngine({"mem": "900000"}),
            progress=False,
        )


def test_the_jobs_of_a_killed_driver_go_on_and_the_same_command_follows_them(
    slurm: Path, suite: Path, tmp_path: Path
) -> None:
    logs, agent = tmp_path / "logs", f"command:{SLOW_AND_RIGHT}"
    program = [sys.executable, "-m", "assay", "run", str(suite), "--agent", agent, "--limit", "2"]
    driver = subprocess.Popen([*program, "--on", "slurm", "--batch", "2", "--logs", str(logs)])
    while not list(logs.glob("engine/*/events/*.jsonl")):
        assert driver.poll() is None
        time.sleep(0.1)
    driver.kill()
    driver.wait()
    (jobs,) = logs.glob("engine/*/jobs.json")
    numbers = json.loads(jobs.read_text())
    selected = assay.load_suite(suite).only(limit=2)
    results = assay.run(selected, agent=agent, logs=logs, on="slurm", progress=False)
    assert results.not_made == []
    assert list(graded_samples(logs).values()) == [1, 1]
    later = subprocess.run(["sbatch", "--parsable", "--wrap", "true"], check=True, capture_output=True)
    assert int(later.stdout) == int(numbers[-1]) + 1, "nothing was submitted again"
