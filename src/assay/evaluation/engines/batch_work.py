"""What a worker of a cluster does: makes the attempts of one batch into the logs that all workers share.

A batch that an earlier worker has begun is not made again as a whole: the logs say which of its attempts are
finished, and only the others are made.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from assay.benchmarks import Suite, load_suite
from assay.errors import UsageError
from assay.evaluation.engines.batches import Batch
from assay.evaluation.engines.run_link import RunLink
from assay.evaluation.events import Finished, Started, Waiting
from assay.evaluation.orders import read_settings
from assay.evaluation.running import Settings, prepare, still_to_make
from assay.evaluation.stages import work_on
from assay.files import is_remote, place
from assay.run_context import run_context
from assay.version import __version__

PASSED_ON = ("ASSAY_", "INSPECT_", "AWS_", "FSSPEC_")
"""Beginnings of the environment variables that a worker needs."""
PASSED_ON_ENDS = ("_API_KEY", "_BASE_URL")


@dataclass(frozen=True)
class RunOrder:
    """What every worker of a run gets."""

    run: str
    """The name of the run's folder beside the logs."""
    suite: str
    settings: Settings
    working_folder: str
    """Where the command was entered: names of files are relative to it."""
    version: str
    """The version of Assay that every worker must have."""

    def as_fields(self) -> dict[str, Any]:
        """Return the order as JSON takes it."""
        return asdict(self)

    @staticmethod
    def from_fields(fields: Mapping[str, Any]) -> RunOrder:
        """Read an order that became JSON."""
        return RunOrder(**{**fields, "settings": read_settings(fields["settings"])})

    @property
    def folder(self) -> Path:
        """The run's folder, which every worker must see at the same path if logs are in a folder."""
        return engine_folder(self.settings.logs, self.working_folder) / self.run


def engine_folder(logs: str, working_folder: str) -> Path:
    """Return where runs on clusters keep their files: with the logs, or in the working folder."""
    path = place(logs)
    if is_remote(path):
        return Path(working_folder) / ".assay-engine" / hashlib.sha256(str(path).encode()).hexdigest()[:16]
    return path / "engine"


def passed_on_variables() -> dict[str, str]:
    """Return the environment variables that workers on other machines need."""
    return {
        name: value
        for name, value in os.environ.items()
        if name.startswith(PASSED_ON) or name.endswith(PASSED_ON_ENDS)
    }


def make_batch(order: RunOrder, batch: Batch, link: RunLink) -> None:
    """Make the attempts of a batch, one after the other, and report each."""
    from assay.agents.run_cost_cap import Purse
    from assay.evaluation.machine_record import NodeName
    from assay.evaluation.progress import listen
    from assay.evaluation.turns import CoreShare, usable_cores
    from assay.sandbox.host.machine_turn import BoundCores

    if Path(order.working_folder).is_dir():
        os.chdir(order.working_folder)
    _check_node(order, link.node)
    suite = _suite(order.suite)
    attempts = list(batch.attempts)
    if link.begin_batch(batch.number):
        attempts = still_to_make(suite, order.settings, attempts)
    if not attempts:
        return
    task_ids = {attempt.task for attempt in attempts}
    prepare([task for task in suite.tasks if task.id in task_ids])
    run_context().put(CoreShare(cores=batch.request.cores))
    run_context().put(NodeName(link.node))
    run_context().put(BoundCores(usable_cores() <= batch.request.cores))
    _share_draws(order.folder / "draws" if order.folder.is_dir() else _node_folder(order.run))

    def report(event: Finished | Started | Waiting) -> None:
        link.report(event if isinstance(event, Waiting) else replace(event, node=link.node))

    stop = listen(report, report, report)
    try:
        purse = Purse(order.settings.max_cost, link)
        work_on(suite, order.settings, attempts, purse=purse, rate=link, one_at_a_time=True)
    finally:
        stop()


def _check_node(order: RunOrder, node: str) -> None:
    """Refuse to work where the folder of logs or the version of Assay is another one."""
    if not is_remote(place(order.settings.logs)) and not order.folder.is_dir():
        raise UsageError(
            f"node {node} does not see {order.folder}, so its logs would be lost",
            hint="put --logs on a folder that all machines share, at the same path",
        )
    if order.version != __version__:
        raise UsageError(
            f"node {node} has Assay {__version__}, the run has {order.version}",
            hint="install the same version of Assay on all machines",
        )


def _node_folder(run: str) -> Path:
    """A folder for the draws of one node, where workers share no folder."""
    folder = Path(tempfile.gettempdir()) / f"assay-draws-{os.getuid()}-{run}"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


@lru_cache(maxsize=2)
def _suite(source: str) -> Suite:
    return load_suite(source)


@lru_cache(maxsize=1)
def _share_draws(folder: Path) -> None:
    """Draw seeds once for the whole run; a worker that makes several batches does this once."""
    from assay.grading.fresh import SeedDraws

    run_context().put(SeedDraws(folder))
