"""A cluster that asks for a token, a run on it, and a run as a job of it, with Ray's own commands.

`ray start` itself fails on a busy machine, so the cluster is started as `--on ray` starts it.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
import time
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


PATIENCE = {
    "RAY_DASHBOARD_STARTUP_TIMEOUT_S": "300",
    "RAY_DASHBOARD_SUBPROCESS_MODULE_WAIT_READY_TIMEOUT": "300",
}
START = """
from assay.evaluation.engines.ray_cluster import MachineCluster
cluster = MachineCluster(
    num_cpus=2,
    include_dashboard=True,
    dashboard_port={dashboard},
    dashboard_agent_listen_port={agent},
    ray_client_server_port={client},
)
print("ready", flush=True)
input()
cluster.end()
"""


@dataclass(frozen=True)
class TokenCluster:
    """A cluster of a user who has a token."""

    variables: Mapping[str, str]
    client_port: int
    dashboard_port: int

    def run(self, *command: str, **changes: str) -> subprocess.CompletedProcess[str]:
        """Run a command as this user."""
        programs = Path(sys.executable).parent
        return subprocess.run(
            [str(programs / command[0]), *command[1:]],
            env={**self.variables, **changes},
            capture_output=True,
            text=True,
        )


@pytest.fixture(scope="module")
def cluster() -> Iterator[TokenCluster]:
    with tempfile.TemporaryDirectory(prefix="assay-ray-", dir="/tmp") as home:
        programs = str(Path(sys.executable).parent)
        variables = {
            **{key: value for key, value in os.environ.items() if key != "RAY_AUTH_MODE"},
            **SETTINGS,
            **PATIENCE,
            "HOME": home,
            "PATH": f"{programs}:{os.environ['PATH']}",
        }
        client_port, dashboard_port, agent_port = free_ports(3)
        made = TokenCluster(variables, client_port, dashboard_port)
        assert made.run("ray", "get-auth-token", "--generate").returncode == 0
        program = START.format(client=client_port, dashboard=dashboard_port, agent=agent_port)
        with subprocess.Popen(
            [sys.executable, "-c", program],
            env=variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as head:
            assert head.stdout is not None
            assert any(line == "ready\n" for line in head.stdout)
            yield made
            head.communicate("end\n")


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
    cluster_options = ("--address", f"http://127.0.0.1:{cluster.dashboard_port}")
    # Without --no-wait Ray follows the output of the job, and may stop before the job has ended.
    submit = ("ray", "job", "submit", *cluster_options, "--no-wait", "--submission-id", "demo", "--")
    command = (*submit, "assay", "run", str(suite), *options, "--on", "ray")
    ended = cluster.run(*command, RAY_AUTH_MODE="token")
    while "No available agent to submit job" in ended.stderr:
        # Ray takes no job before the agent of a node is there, which on a busy machine is after its cluster.
        ended = cluster.run(*command, RAY_AUTH_MODE="token")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    status = cluster.run("ray", "job", "status", *cluster_options, "demo", RAY_AUTH_MODE="token")
    while "PENDING" in status.stdout or "RUNNING" in status.stdout:
        time.sleep(1)
        status = cluster.run("ray", "job", "status", *cluster_options, "demo", RAY_AUTH_MODE="token")
    log = cluster.run("ray", "job", "logs", *cluster_options, "demo", RAY_AUTH_MODE="token")
    assert "succeeded" in status.stdout, status.stdout + log.stdout
    assert [attempt.passed for attempt in read_attempts(tmp_path / "logs")] == [True]
