"""Runs whose logs and submissions are at an address: a real S3 server program on this machine."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
from typer.testing import CliRunner

import assay
from assay.cli import app
from assay.errors import UsageError
from assay.evaluation.events import Finished
from assay.files import place
from assay.reporting.diffs import gather
from assay.tasks import save_task
from tests.evaluation.engines.conftest import SLOW_AND_RIGHT, verdicts
from tests.tasks.examples import masked_task

pytest.importorskip("moto.server", reason="moto's S3 server is not installed: pip install 'moto[server]'")

BUCKET = "s3://assay-tests"
AGENTS = [f"command:{SLOW_AND_RIGHT.removeprefix('sleep 3; ')}", "idle"]


class S3Server:
    """A server program that can be stopped for a while."""

    def __init__(self) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        program = [sys.executable, "-m", "moto.server", "-p", str(self.port)]
        self._process = subprocess.Popen(program, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while True:
            try:
                urlopen(Request(f"{self.address}/assay-tests", method="PUT")).close()
                return
            except OSError:
                assert self._process.poll() is None, "the server ended"
                time.sleep(0.1)

    def pause(self, seconds: float) -> None:
        """Let it answer nobody for a while."""
        self._process.send_signal(signal.SIGSTOP)
        threading.Timer(seconds, self._process.send_signal, [signal.SIGCONT]).start()

    def end(self) -> None:
        """End it."""
        self._process.kill()
        self._process.wait()


@pytest.fixture(scope="module")
def s3() -> Iterator[S3Server]:
    server = S3Server()
    changed = {
        "AWS_ENDPOINT_URL": server.address,
        "AWS_ACCESS_KEY_ID": "nobody",
        "AWS_SECRET_ACCESS_KEY": "nothing",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    before = {name: os.environ.get(name) for name in changed}
    os.environ |= changed
    yield server
    server.end()
    for name, value in before.items():
        del os.environ[name]
        if value is not None:
            os.environ[name] = value


@pytest.fixture(scope="module")
def toys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("remote") / "toys"
    for number in range(2):
        save_task(masked_task(id=f"toy_{number}"), folder / f"toy-{number}")
    return folder


def test_a_run_at_an_address_is_resumed_read_reported_and_graded_again(
    s3: S3Server, toys: Path, tmp_path: Path
) -> None:
    logs = f"{BUCKET}/run"
    first = assay.run(toys, agent=AGENTS, tasks=["toy_0"], logs=logs, progress=False)
    assert first.not_made == []
    made: list[tuple[str, str]] = []
    results = assay.run(
        toys,
        agent=AGENTS,
        logs=logs,
        processes=2,
        progress=False,
        on_finish=lambda finished: made.append((finished.agent, finished.task)),
    )
    assert sorted(made) == [("cat", "toy_1"), ("idle", "toy_1")]
    assay.run(toys, agent=AGENTS, logs=tmp_path / "local", progress=False)
    assert verdicts(place(logs)) == verdicts(tmp_path / "local")
    archived = {path.stem for path in (place(logs) / "submissions").glob("*.tar")}
    assert archived == {attempt.submission for attempt in results.attempts}
    assert any("value * 3.0" in diff for diff in gather(results.attempts).values()), "the report shows it"
    shown = CliRunner().invoke(app, ["top", logs, "--once"])
    assert "4 of 4 attempts done on local, ended" in shown.output
    rows = assay.grade(logs, agents=["cat"])
    assert [(row.before, row.after) for row in rows] == [(True, True)] * 2
    assert len(assay.read(f"{logs}/regraded").attempts) == 2


def test_an_address_that_cannot_be_written_is_one_clear_error(s3: S3Server, toys: Path) -> None:
    with pytest.raises(UsageError, match="s3://no-such-bucket/run cannot be written"):
        assay.run(toys, agent="idle", logs="s3://no-such-bucket/run", progress=False, preflight=False)


@pytest.mark.long
def test_a_service_that_is_away_for_a_minute_costs_no_attempt(
    s3: S3Server, toys: Path, tmp_path: Path
) -> None:
    logs = f"{BUCKET}/pause"
    paused: list[str] = []
    made: list[tuple[str, str]] = []

    def pause_once(finished: Finished) -> None:
        made.append((finished.agent, finished.task))
        if not paused:
            paused.append(finished.task)
            s3.pause(60.0)

    results = assay.run(
        toys, agent=f"command:{SLOW_AND_RIGHT}", epochs=2, logs=logs, progress=False, on_finish=pause_once
    )
    assert results.not_made == []
    assert len(made) == 4
    assert [attempt.passed for attempt in results.attempts] == [True] * 4
    assert results.findings == []
