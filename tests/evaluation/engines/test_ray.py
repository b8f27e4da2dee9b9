"""Runs on a real Ray cluster of two nodes on this machine."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.errors import UsageError
from assay.evaluation import Settings
from assay.evaluation.engines.ray_cluster import MachineCluster, free_ports, import_ray
from assay.evaluation.engines.ray_engine import RayEngine
from assay.evaluation.events import Finished
from assay.models.scripted import ScriptedServer, by_turn, call
from assay.scoring import read_attempts
from tests.evaluation.engines.conftest import SLOW_AND_RIGHT, check_two_passes, graded_samples, verdicts
from tests.evaluation.test_remote_logs import BUCKET, S3Server, s3

__all__ = ["s3"]

pytest.importorskip("ray", reason="Ray is not installed: pip install 'assay[ray]'")

NODE = {"num_cpus": 2, "memory": 4 << 30}
"""Enough for one toy attempt at a time."""
SLOW_AGENTS = """
import time
line = open("/proc/self/cmdline").read()
if "dashboard/agent.py" in line or "runtime_env/agent/main.py" in line:
    time.sleep(20)
"""


class TwoNodes:
    """A head that runs no attempts, and nodes that can be killed and added."""

    def __init__(self) -> None:
        (self.client_port,) = free_ports(1)
        self._cluster = MachineCluster(num_cpus=0, ray_client_server_port=self.client_port)
        self._nodes = [self._cluster.add_node(**NODE) for _ in range(2)]
        self.address = self._cluster.address
        import_ray().init(address=self.address, namespace="assay", log_to_driver=False, logging_level="ERROR")

    def kill(self, name: str) -> None:
        """SIGKILL the node of this name with all its processes, and add another node."""
        (node,) = (node for node in self._nodes if node.node_id.startswith(name.partition("/")[2]))
        self._cluster.kill_node(node)
        self._nodes = [alive for alive in self._nodes if alive is not node]
        self._nodes.append(self._cluster.add_node(**NODE))

    def end(self) -> None:
        """End all processes of the cluster."""
        import_ray().shutdown()
        self._cluster.end()


@pytest.fixture(scope="module")
def two_nodes() -> Iterator[TwoNodes]:
    nodes = TwoNodes()
    yield nodes
    nodes.end()


@pytest.mark.long
def test_a_cluster_of_this_machine_starts_although_its_agents_start_late(
    suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text(SLOW_AGENTS)
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path / "no-ray-yet"))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    selected = assay.load_suite(suite).only(limit=1)
    nodes: set[str] = set()
    results = assay.run(
        selected,
        agent="oracle",
        logs=tmp_path / "ray",
        on="ray",
        progress=False,
        on_finish=lambda finished: nodes.add(finished.node),
    )
    assert results.not_made == []
    assert len(nodes) == 1
    assert not import_ray().is_initialized()
    assay.run(selected, agent="oracle", logs=tmp_path / "local", progress=False)
    assert verdicts(tmp_path / "ray") == verdicts(tmp_path / "local")
    assert {path.name for path in (tmp_path / "ray").iterdir() if path.is_dir()} == {
        path.name for path in (tmp_path / "local").iterdir() if path.is_dir()
    }


def test_an_address_without_a_cluster_is_one_clear_error(suite: Path, tmp_path: Path) -> None:
    with pytest.raises(assay.AssayError, match="no Ray cluster answers at ray"):
        assay.run(suite, agent="idle", logs=tmp_path / "logs", on="ray://127.0.0.1:9", progress=False)


@pytest.mark.long
def test_a_killed_node_loses_and_repeats_nothing(two_nodes: TwoNodes, suite: Path, tmp_path: Path) -> None:
    selected = assay.load_suite(suite).only(limit=4)
    agents = ["oracle", "idle", f"command:{SLOW_AND_RIGHT}"]
    killed: list[str] = []

    def kill_first_slow_node(finished: Finished) -> None:
        if not killed and finished.agent == "sleep":
            killed.append(finished.node)
            two_nodes.kill(finished.node)

    results = assay.run(
        selected,
        agent=agents,
        logs=tmp_path / "ray",
        on=RayEngine(batch_size=2),
        progress=False,
        on_finish=kill_first_slow_node,
    )
    assert len(killed) == 1
    assert results.not_made == []
    counts = graded_samples(tmp_path / "ray")
    assert len(counts) == 12
    assert set(counts.values()) == {1}
    assay.run(selected, agent=agents, logs=tmp_path / "local", progress=False)
    assert verdicts(tmp_path / "ray") == verdicts(tmp_path / "local")


@pytest.mark.long
def test_the_command_makes_attempts_on_a_cluster_elsewhere(
    two_nodes: TwoNodes, suite: Path, tmp_path: Path
) -> None:
    address = f"ray://127.0.0.1:{two_nodes.client_port}"
    program = [sys.executable, "-m", "assay", "run", str(suite), "--agent", "oracle", "--limit", "2"]
    ended = subprocess.run(
        [*program, "--on", address, "--logs", str(tmp_path / "logs")], capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stderr
    assert [attempt.passed for attempt in read_attempts(tmp_path / "logs")] == [True, True]


@pytest.mark.long
def test_one_cap_on_money_holds_over_all_workers(
    two_nodes: TwoNodes, suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = by_turn([call("bash", command="true")] * 3 + [call("submit", answer="done")])
    with ScriptedServer(script) as server:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        capped = Settings(
            logs=str(tmp_path / "logs"), base_url=server.base_url, max_cost=0.01, price=(1000.0, 1000.0)
        )
        results = assay.run(
            suite, model="openai-api/scripted/any", settings=capped, on=RayEngine(), progress=False
        )
        assert len(results.not_made) >= 4, "all but those that spent the money, one on each node"
        assert len(server.requests) <= 2


@pytest.mark.long
@pytest.mark.parametrize("remote", [False, True], ids=["folder", "address"])
def test_grading_on_ray_gives_the_verdicts_of_one_pass(
    two_nodes: TwoNodes, s3: S3Server, suite: Path, tmp_path: Path, remote: bool
) -> None:
    logs = f"{BUCKET}/ray" if remote else str(tmp_path / "logs")
    check_two_passes(suite, logs, tmp_path, "ray" if remote else "local", RayEngine())


@pytest.mark.long
def test_two_runs_do_not_write_into_one_folder(two_nodes: TwoNodes, suite: Path, tmp_path: Path) -> None:
    errors: list[UsageError] = []

    def start_another(*_: Any) -> None:
        if not errors:
            with pytest.raises(UsageError, match="another run on this cluster writes into") as caught:
                assay.run(suite, agent="idle", logs=tmp_path / "logs", on="ray", progress=False)
            errors.append(caught.value)

    selected = assay.load_suite(suite).only(limit=1)
    assay.run(
        selected, agent="idle", logs=tmp_path / "logs", on="ray", progress=False, on_start=start_another
    )
    assert len(errors) == 1
