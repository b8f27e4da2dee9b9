"""Ray's own commands as docs/ray.md writes them: a cluster with a token, a run on it, a run as its job."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from assay.evaluation.engines.ray_cluster import SETTINGS, free_ports
from assay.scoring import read_attempts

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(
        importlib.util.find_spec("ray") is None or importlib.util.find_spec("aiohttp_cors") is None,
        reason="Ray's jobs are not installed: pip install 'assay[ray]' 'ray[default]'",
    ),
]


@dataclass(frozen=True)
class TokenCluster:
    """A cluster that `ray start` made for a user who has a token."""

    variables: Mapping[str, str]
    client_port: int
    dashboard_port: int

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a command as this user."""
        programs = Path(sys.executable).parent
        return subprocess.run(
            [str(programs / command[0]), *command[1:]], env=self.variables, capture_output=True, text=True
        )


@pytest.fixture(scope="module")
def cluster() -> Iterator[TokenCluster]:
    with tempfile.TemporaryDirectory(prefix="assay-ray-", dir="/tmp") as name:
        programs = str(Path(sys.executable).parent)
        variables = {
            **{key: value for key, value in os.environ.items() if key != "RAY_AUTH_MODE"},
            **SETTINGS,
            "HOME": name,
            "PATH": f"{programs}:{os.environ['PATH']}",
        }
        port, client_port, dashboard_port = free_ports(3)
        made = TokenCluster(variables, client_port, dashboard_port)
        assert made.run("ray", "get-auth-token", "--generate").returncode == 0
        ports = f"--port={port} --ray-client-server-port={client_port} --dashboard-port={dashboard_port}"
        size = f"--num-cpus=2 --object-store-memory=100000000 --temp-dir={name}/ray"
        head = subprocess.Popen(
            [f"{programs}/ray", "start", "--head", "--block", *ports.split(), *size.split()],
            env=variables,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert head.stdout is not None
        assert any("Ray runtime started" in line for line in head.stdout)
        yield made
        head.send_signal(signal.SIGTERM)
        head.communicate()


def test_a_run_finds_a_cluster_that_asks_for_a_token(
    cluster: TokenCluster, suite: Path, tmp_path: Path
) -> None:
    address = f"ray://127.0.0.1:{cluster.client_port}"
    options = ("--agent", "oracle", "--limit", "1", "--logs", str(tmp_path / "logs"))
    ended = cluster.run("assay", "run", str(suite), *options, "--on", address)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert [attempt.passed for attempt in read_attempts(tmp_path / "logs")] == [True]


def test_a_run_as_a_job_of_the_cluster(cluster: TokenCluster, suite: Path, tmp_path: Path) -> None:
    options = ("--agent", "oracle", "--limit", "1", "--logs", str(tmp_path / "logs"))
    address = f"http://127.0.0.1:{cluster.dashboard_port}"
    ended = cluster.run(
        "ray",
        "job",
        "submit",
        "--address",
        address,
        "--",
        "assay",
        "run",
        str(suite),
        *options,
        "--on",
        "ray",
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert [attempt.passed for attempt in read_attempts(tmp_path / "logs")] == [True]
