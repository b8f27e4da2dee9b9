"""The Ray engine: each batch is a Ray task with the resources that its attempts need.

If a node is lost, Ray starts its batches again elsewhere, and the logs say which attempts are left of them.

What it does not cover: Ray counts GPUs, not their memory, so a task that needs much GPU memory is placed on
any GPU. Nodes must have the same versions of Python, Ray and Assay, and see the folder of logs.
"""

from __future__ import annotations

import contextlib
import hashlib
import socket
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from assay.errors import AssayError, UsageError
from assay.evaluation.engines.batch_work import passed_on_variables
from assay.evaluation.engines.batches import Batch, ResourceRequest, make_batches
from assay.evaluation.engines.ray_cluster import MachineCluster, import_ray, start_here
from assay.evaluation.engines.run_folder import run_folder
from assay.evaluation.engines.work import EngineWork
from assay.evaluation.running import Plan, Settings
from assay.files import whole_name

if TYPE_CHECKING:
    from assay.evaluation.preflight import PreflightCheck

NAMESPACE = "assay"
RETRIES = 5
"""How often Ray starts a batch again whose node or worker was lost."""
AT_ONCE = 4000
"""Batches that Ray knows of at the same time; the others wait in the driver."""
SHARED_GPU = 0.5
"""The part of a GPU for an attempt whose task allows another attempt on the same GPU."""
LOOK_SECONDS = 0.5
CONNECT_SECONDS = 10.0
STOP_SECONDS = 60.0
"""How long workers have to end after the first Ctrl-C."""


class RayEngine:
    """Makes attempts on a Ray cluster."""

    name = "ray"

    def __init__(self, address: str | None = None, batch_size: int | None = None) -> None:
        self._address = address
        self._batch_size = batch_size
        self._connected = False
        self._cluster: MachineCluster | None = None

    def checks(self, plan: Plan, settings: Settings) -> Iterator[PreflightCheck]:
        """Check whether the cluster answers, and whether a node is large enough for each task."""
        from assay.evaluation.preflight import PreflightCheck

        self._connect()
        nodes = _node_resources()
        yield PreflightCheck("cluster", "ok", f"Ray answers; it has {len(nodes)} nodes")
        task_ids = {attempt.task for attempt in plan.left}
        tasks = [task for task in plan.suite.tasks if task.id in task_ids]
        for request in dict.fromkeys(
            batch.request for batch in make_batches(tasks, settings, plan.left, self._batch_size)
        ):
            if not any(_fits(request, resources) for resources in nodes):
                message = f"no node has {request}; attempts wait until one is added"
                yield PreflightCheck("nodes", "warning", message)

    def carry_out(self, work: EngineWork) -> None:
        """Make the attempts that are left."""
        self._connect()
        batches = make_batches(work.tasks, work.settings, work.plan.left, self._batch_size)
        try:
            with run_folder(work) as order:
                _RayRun(work, order.as_fields(), batches).follow()
        finally:
            self._disconnect()

    def _connect(self) -> None:
        """Use the cluster of this process, the named one, the one of this machine, or a new one."""
        ray = import_ray()
        if ray.is_initialized():
            return
        shared: dict[str, Any] = {"namespace": NAMESPACE, "log_to_driver": False, "logging_level": "ERROR"}
        if self._address is not None:
            _connect_to(ray, self._address, shared)
        else:
            try:
                ray.init(address="auto", **shared)
            except ConnectionError:
                self._cluster = start_here()
                ray.init(address=self._cluster.address, **shared)
        self._connected = True

    def _disconnect(self) -> None:
        import ray

        if self._connected:
            self._connected = False
            ray.shutdown()
        if self._cluster is not None:
            self._cluster.end()
            self._cluster = None


class _RayRun:
    """The batches of one run on a cluster."""

    def __init__(self, work: EngineWork, order: dict[str, Any], batches: list[Batch]) -> None:
        self._work, self._order = work, order
        self._waiting = list(reversed(batches))
        self._count = len(batches)
        self._running: dict[Any, Batch] = {}
        self._problems: list[str] = []
        self._variables = passed_on_variables()
        self._board = _start_board(work.settings)

    def follow(self) -> None:
        """Submit all batches and pass on what they report until the last one has ended."""
        import ray

        try:
            while self._waiting or self._running:
                self._submit()
                ended, _ = ray.wait(list(self._running), num_returns=len(self._running), timeout=LOOK_SECONDS)
                self._pass_on_events()
                for reference in ended:
                    self._settle(reference, self._running.pop(reference))
            self._pass_on_events()
        except KeyboardInterrupt:
            self._stop()
            raise
        finally:
            ray.kill(self._board)
        if self._problems:
            raise AssayError(
                f"{len(self._problems)} of {self._count} batches ended early: {self._problems[0]}",
                hint="the same command again goes on where it stopped",
            )

    def _submit(self) -> None:
        import ray

        from assay.evaluation.engines.ray_worker import make_batch_on_ray

        while self._waiting and len(self._running) < AT_ONCE:
            batch = self._waiting.pop()
            task = ray.remote(make_batch_on_ray).options(
                name=f"assay batch {batch.number}",
                max_retries=RETRIES,
                retry_exceptions=False,
                **ray_resources(batch.request),
            )
            reference = task.remote(self._order, asdict(batch), self._variables, self._board)
            self._running[reference] = batch

    def _pass_on_events(self) -> None:
        import ray

        for event in ray.get(self._board.take_events.remote()):
            self._work.pass_on(event)

    def _settle(self, reference: Any, batch: Batch) -> None:
        import ray

        try:
            problem = ray.get(reference)
        except ray.exceptions.RayError as error:
            lines = str(error).strip().splitlines() or [type(error).__name__]
            problem = f"batch {batch.number}: {lines[-1]}"
        if problem is not None:
            self._problems.append(problem)

    def _stop(self) -> None:
        """Let running attempts end as Inspect ends them; a second Ctrl-C, or a minute, kills them."""
        import ray

        for reference in self._running:
            with contextlib.suppress(ray.exceptions.RayError):
                ray.cancel(reference, force=False)
        try:
            references = list(self._running)
            _, alive = ray.wait(references, num_returns=len(references), timeout=STOP_SECONDS)
        except KeyboardInterrupt:
            alive = list(self._running)
        for reference in alive:
            with contextlib.suppress(ray.exceptions.RayError):
                ray.cancel(reference, force=True)


def _connect_to(ray: Any, address: str, shared: dict[str, Any]) -> None:
    """Connect with a cluster elsewhere; Ray itself tries for half a minute whether anybody answers."""
    host, _, port = address.removeprefix("ray://").rstrip("/").rpartition(":")
    try:
        if not host or not port.isdigit():
            raise ConnectionError("expected ray://HOST:PORT")
        socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_SECONDS).close()
        ray.init(address=address, **shared)
    except OSError as error:
        raise AssayError(
            f"no Ray cluster answers at {address}: {error}",
            hint="start one with Ray's own command, as docs/ray.md shows",
        ) from None


def ray_resources(request: ResourceRequest) -> dict[str, Any]:
    """Return what a Ray task asks for, so that it gets what an attempt needs."""
    gpus = request.gpus * SHARED_GPU if request.gpus == 1 and request.gpus_shared else request.gpus
    resources = {"num_cpus": request.cores, "memory": request.memory_mb << 20}
    return resources | ({"num_gpus": gpus} if gpus else {})


def _start_board(settings: Settings) -> Any:
    """Start the actor of a run beside its driver; its name allows one run at a time for a folder of logs."""
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    from assay.evaluation.engines.run_board import RunBoard

    digest = hashlib.sha256(whole_name(settings.logs).encode()).hexdigest()[:16]
    head = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
    try:
        return (
            ray.remote(RunBoard)
            .options(name=f"assay-{digest}", namespace=NAMESPACE, num_cpus=0, scheduling_strategy=head)
            .remote()
        )
    except ValueError:
        raise UsageError(
            f"another run on this cluster writes into {settings.logs}",
            hint="wait until it ends, or choose another folder with --logs",
        ) from None


def _node_resources() -> list[dict[str, float]]:
    import ray

    return [node["Resources"] for node in ray.nodes() if node["Alive"]]


def _fits(request: ResourceRequest, resources: dict[str, float]) -> bool:
    names = {"num_cpus": "CPU", "memory": "memory", "num_gpus": "GPU"}
    return all(resources.get(names[name], 0.0) >= amount for name, amount in ray_resources(request).items())
