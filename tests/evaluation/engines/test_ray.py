"""Runs on a real Ray cluster of two nodes on this machine."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.errors import UsageError
from assay.evaluation import Settings
from assay.evaluation.engines.ray_engine import RayEngine
from assay.evaluation.events import Finished
from assay.models.scripted import ScriptedServer, by_turn, call
from assay.scoring import read_attempts
from tests.evaluation.engines.conftest import SLOW_AND_RIGHT, graded_samples

ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'assay[ray]'")

# Ray ends a node whose own processes do not start within 15 s, as on a crowded machine: not for `make test`.
pytestmark = pytest.mark.long

STORE = 100 << 20
NODE = {"num_cpus": 2, "memory": 4 << 30, "object_store_memory": STORE}
"""Enough for one toy attempt at a time."""


class TwoNodes:
    """A head that runs no attempts, and nodes that can be killed and added."""

    def __init__(self) -> None:
        from ray.cluster_utils import Cluster

        os.environ.setdefault("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")
        head = {"num_cpus": 0, "object_store_memory": STORE, "include_dashboard": False}
        self._cluster = Cluster(initialize_head=True, head_node_args=head)
        self._nodes = [self._cluster.add_node(**NODE) for _ in range(2)]
        self.address = self._cluster.address
        ray.init(address=self.address, namespace="assay", log_to_driver=False, logging_level="ERROR")

    def kill(self, name: str) -> None:
        """SIGKILL the node of this name with all its processes, and add another node."""
        (node,) = (node for node in self._nodes if node.node_id.startswith(name.partition("/")[2]))
        self._cluster.remove_node(node, allow_graceful=False)
        self._nodes = [alive for alive in self._nodes if alive is not node]
        self._nodes.append(self._cluster.add_node(**NODE))

    def end(self) -> None:
        """End all processes of the cluster."""
        ray.shutdown()
        self._cluster.shutdown()


@pytest.fixture(scope="module")
def two_nodes() -> Iterator[TwoNodes]:
    nodes = TwoNodes()
    yield nodes
    nodes.end()


def verdicts(logs: Path) -> dict[tuple[str, str, int], Any]:
    """Agent, task and number of each attempt → its verdicts."""
    return {
        (attempt.agent, attempt.task, attempt.epoch): [
            (verdict.item, verdict.status) for verdict in attempt.verdicts
        ]
        for attempt in read_attempts(logs)
    }


def test_a_run_on_ray_is_logged_as_a_local_run_is(
    suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")
    selected = assay.load_suite(suite).only(limit=2)
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
    assert not ray.is_initialized()
    assay.run(selected, agent="oracle", logs=tmp_path / "local", progress=False)
    assert verdicts(tmp_path / "ray") == verdicts(tmp_path / "local")
    assert {path.name for path in (tmp_path / "ray").iterdir() if path.is_dir()} == {
        path.name for path in (tmp_path / "local").iterdir() if path.is_dir()
    }


def test_an_address_without_a_cluster_is_one_clear_error(suite: Path, tmp_path: Path) -> None:
    with pytest.raises(assay.AssayError, match="no Ray cluster answers at ray"):
        assay.run(suite, agent="idle", logs=tmp_path / "logs", on="ray://127.0.0.1:9", progress=False)


def test_a_killed_node_loses_and_repeats_nothing(two_nodes: TwoNodes, suite: Path, tmp_path: Path) -> None:
    agents = ["oracle", f"command:{SLOW_AND_RIGHT}"]
    killed: list[str] = []

    def kill_first_slow_node(finished: Finished) -> None:
        if not killed and finished.agent.startswith("command"):
            killed.append(finished.node)
            two_nodes.kill(finished.node)

    results = assay.run(
        suite,
        agent=agents,
        logs=tmp_path / "ray",
        on=RayEngine(batch_size=3),
        progress=False,
        on_finish=kill_first_slow_node,
    )
    assert len(killed) == 1
    assert results.not_made == []
    counts = graded_samples(tmp_path / "ray")
    assert len(counts) == 12
    assert set(counts.values()) == {1}
    assay.run(suite, agent=agents, logs=tmp_path / "local", progress=False)
    assert verdicts(tmp_path / "ray") == verdicts(tmp_path / "local")


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
        assert len(results.not_made) >= 4
        assert len(server.requests) <= 1 + 2 * 2


def test_two_runs_do_not_write_into_one_folder(two_nodes: TwoNodes, suite: Path, tmp_path: Path) -> None:
    errors: list[UsageError] = []

    def start_another(*_: object) -> None:
        if not errors:
            with pytest.raises(UsageError, match="another run on this cluster writes into") as caught:
                assay.run(suite, agent="idle", logs=tmp_path / "logs", on="ray", progress=False)
            errors.append(caught.value)

    listener: Callable[..., None] = start_another
    selected = assay.load_suite(suite).only(limit=1)
    assay.run(selected, agent="idle", logs=tmp_path / "logs", on="ray", progress=False, on_start=listener)
    assert len(errors) == 1
