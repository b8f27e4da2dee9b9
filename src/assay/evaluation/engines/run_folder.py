"""The folder beside the logs that belongs to one run on a cluster: its order, its drawn seeds, its events."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path

from assay.evaluation.engines.batch_work import RunOrder
from assay.evaluation.engines.batches import Batch
from assay.evaluation.engines.work import EngineWork
from assay.files import publish, whole_name
from assay.version import __version__


def make_order(work: EngineWork) -> RunOrder:
    """Make the folder of a new run, and the order that its workers get."""
    settings = replace(work.settings, logs=whole_name(work.settings.logs))
    name = f"{time.strftime('%Y%m%dT%H%M%S')}-{secrets.token_hex(4)}"
    order = RunOrder(name, work.plan.suite.source, settings, str(Path.cwd()), __version__)
    order.folder.mkdir(parents=True)
    # Drawn seeds are for this user alone; no sandbox shows this folder.
    (order.folder / "draws").mkdir(mode=0o700)
    return order


def write_order(order: RunOrder, batches: Sequence[Batch]) -> None:
    """Write an order and its batches for workers that read them from the folder."""
    publish(order.folder / "order.json", json.dumps(order.as_fields()))
    for batch in batches:
        publish(order.folder / "batches" / f"{batch.number}.json", json.dumps(asdict(batch)))


@contextmanager
def run_folder(work: EngineWork) -> Iterator[RunOrder]:
    """The order of a run whose folder ends with the run."""
    order = make_order(work)
    try:
        yield order
    finally:
        remove_folder(order.folder)


def remove_folder(folder: Path) -> None:
    """Remove the folder of a run that has ended."""
    shutil.rmtree(folder, ignore_errors=True)
    if folder.parent.is_dir() and not any(os.scandir(folder.parent)):
        folder.parent.rmdir()
