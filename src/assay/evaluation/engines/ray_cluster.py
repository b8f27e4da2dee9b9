"""A Ray cluster of this machine alone, which also starts on a busy machine.

A Ray node ends itself if its dashboard agent has not written its port within 15 s, which is less than the
imports of that agent take on a busy machine. No option changes this time. Here each node finds the file in
advance, with the value that Ray itself writes if it has no dashboard (-1). The other ports are chosen in
advance too, so that a node waits for no agent.

What it does not cover: clusters that somebody starts with Ray's own command.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import socket
import tempfile
from pathlib import Path
from typing import Any

from assay.errors import AssayError, UsageError

SETTINGS = {
    # Ray looks for a uv project in the working folder and would give its nodes another Python.
    "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",
    # Ray gives its workers the niceness 15, so attempts on a busy machine would be slower than local ones.
    "RAY_worker_niceness": "0",
    "RAY_raylet_start_wait_time_s": "120",
    "RAY_worker_register_timeout_seconds": "300",
    "RAY_USAGE_STATS_ENABLED": "0",
}
"""Variables that Ray reads when it is imported; a value of the caller stays."""
OBJECT_STORE_BYTES = 100 << 20
"""Object store of a node: batches are small."""
SESSION = "session_assay"
LONGEST_FOLDER = 40
"""Ray puts sockets into its folder, and Linux limits the length of their paths to 107 bytes."""
_CAUSE = re.compile(r"(?:Check failed: .*?|\bE\b.*?\.cc:\d+: |Error: )(?P<cause>[A-Z].*)")


def import_ray() -> Any:
    """Import Ray, which takes two seconds and is an extra."""
    for name, value in SETTINGS.items():
        os.environ.setdefault(name, value)
    if _has_token():
        os.environ.setdefault("RAY_AUTH_MODE", "token")
    try:
        import ray
    except ImportError:
        raise UsageError("Ray is not installed", hint="pip install 'assay[ray]'") from None
    return ray


def _has_token() -> bool:
    """Whether this user has a token of Ray: then `ray start` makes a cluster that asks for it."""
    names = ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH")
    return any(os.environ.get(name) for name in names) or (Path.home() / ".ray" / "auth_token").is_file()


class MachineCluster:
    """Ray nodes of this machine: a head, and others that can be added and killed.

    All processes end with this one, also if it is killed.
    """

    def __init__(self, **head: Any) -> None:
        """Start the head; `head` has fields of Ray's parameters of a node, such as `num_cpus`."""
        import_ray()
        self._folder = Path(tempfile.mkdtemp(prefix="assay-ray-", dir=_short_folder()))
        (self._folder / SESSION).mkdir()
        try:
            from ray.cluster_utils import Cluster

            # Ray writes the address of the cluster there, and makes the folder only for its own start.
            _address_folder().mkdir(parents=True, exist_ok=True)
            parameters = {"include_dashboard": False, "session_name": SESSION, **head}
            self._cluster = Cluster(initialize_head=True, head_node_args=self._parameters(parameters))
        except Exception as error:  # Ray raises plain exceptions where one of its processes does not start
            cause = self._cause() or str(error)
            shutil.rmtree(self._folder, ignore_errors=True)
            raise AssayError(
                f"Ray could not start on this machine: {cause}",
                hint="start it yourself with Ray's own command, as docs/ray.md shows: it says more",
            ) from error

    @property
    def address(self) -> str:
        """The address for `ray.init`."""
        return str(self._cluster.address)

    def add_node(self, **node: Any) -> Any:
        """Start another node; return Ray's description of it."""
        return self._cluster.add_node(**self._parameters(node))

    def kill_node(self, node: Any) -> None:
        """SIGKILL a node with all its processes."""
        self._cluster.remove_node(node, allow_graceful=False)

    def end(self) -> None:
        """End all processes."""
        with contextlib.suppress(Exception):  # what is dead already cannot be ended
            self._cluster.shutdown()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _parameters(self, fields: dict[str, Any]) -> dict[str, Any]:
        from ray import NodeID

        node_id = NodeID.from_random().hex()
        (self._folder / SESSION / f"dashboard_agent_listen_port_{node_id}").write_text("-1")
        ports = ("metrics_agent_port", "metrics_export_port", "runtime_env_agent_port")
        return {
            "temp_dir": str(self._folder),
            "object_store_memory": OBJECT_STORE_BYTES,
            "env_vars": {"RAY_OVERRIDE_NODE_ID_FOR_TESTING": node_id},
            **dict(zip(ports, free_ports(len(ports)), strict=True)),
            **fields,
        }

    def _cause(self) -> str | None:
        """Return the last error that a process of Ray wrote, as one line."""
        logs = self._folder / SESSION / "logs"
        for name in ("raylet.err", "raylet.out", "gcs_server.err", "gcs_server.out"):
            path = logs / name
            lines = path.read_text(errors="replace").splitlines() if path.is_file() else []
            causes = [match["cause"] for line in lines if (match := _CAUSE.search(line))]
            if causes:
                return str(causes[-1]).strip()
        return None


def start_here() -> MachineCluster:
    """Start a cluster with all cores and GPUs of this machine."""
    from assay.evaluation.turns import own_cores
    from assay.sandbox.gpu.devices import gpu_numbers

    return MachineCluster(num_cpus=own_cores(), num_gpus=len(gpu_numbers()))


def free_ports(count: int) -> list[int]:
    """Return ports that no program uses now."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for listener in sockets:
            listener.bind(("", 0))
        return [listener.getsockname()[1] for listener in sockets]


def _address_folder() -> Path:
    """Where Ray keeps the address of the cluster that `address="auto"` means."""
    return Path(os.environ.get("RAY_TMPDIR") or os.environ.get("TMPDIR") or "/tmp") / "ray"


def _short_folder() -> str | None:
    return None if len(tempfile.gettempdir()) <= LONGEST_FOLDER else "/tmp"
