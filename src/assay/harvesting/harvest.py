"""Harvests a list of packages on this machine or on a Ray cluster, and collects one suite."""

from __future__ import annotations

import dataclasses
import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path

from assay.errors import UsageError
from assay.harvesting.one_package import RECORD, HarvestSettings, harvest_package
from assay.harvesting.package_list import PackageRequest, read_package_list
from assay.harvesting.records import HarvestedTask, PackageRecord
from assay.harvesting.suite_folder import collect_suite


@dataclass(frozen=True)
class HarvestOptions:
    """The options of `assay harvest`."""

    packages: Path
    """The list."""
    out: Path
    on: str = "local"
    processes: int | None = None
    """Packages at the same time; None for one on each core."""
    total_minutes: float | None = None
    """No package and no proof starts after this time."""
    settings: HarvestSettings = field(default_factory=HarvestSettings)
    weak_model: Mapping[str, float] = field(default_factory=dict)
    """Task -> share of a weak model's attempts that pass."""
    report: Callable[[str], None] = field(default=lambda line: None)


@dataclass(frozen=True)
class HarvestResult:
    """The suite of a harvest."""

    out: Path
    tasks: list[HarvestedTask]
    """Also the duplicates, which are not in the suite."""
    records: list[PackageRecord]
    pending: list[str]
    """Packages that were not begun or not finished."""

    @property
    def kept(self) -> list[HarvestedTask]:
        """The tasks of the suite."""
        return [task for task in self.tasks if not task.duplicate_of]


def harvest_packages(options: HarvestOptions) -> HarvestResult:
    """Harvest every package of the list and write the suite; the same call continues a stopped one."""
    requests = read_package_list(options.packages)
    if options.on not in ("local", "ray") and not options.on.startswith("ray://"):
        raise UsageError(f"--on is {options.on!r}", hint="expected local, ray or ray://HOST:PORT")
    options.out.mkdir(parents=True, exist_ok=True)
    records: dict[str, PackageRecord] = {}
    start = time.monotonic()
    run = _on_this_machine if options.on == "local" else _on_ray
    for record in run(requests, options):
        records[record.name] = record
        options.report(_progress_line(record, len(records), len(requests), time.monotonic() - start))
    ordered = [records[request.name] for request in requests if request.name in records]
    pending = [request.name for request in requests if request.name not in records]
    tasks = collect_suite(options.out, ordered, pending, options.weak_model, options.settings.selection.seed)
    return HarvestResult(options.out, tasks, ordered, pending)


def _progress_line(record: PackageRecord, number: int, count: int, elapsed: float) -> str:
    left = elapsed / number * (count - number) / 60
    outcome = (
        f"{len(record.tasks)} tasks" if record.tasks else f"lost at {record.stage}: {record.reason[:150]}"
    )
    return f"[{number}/{count}, about {left:.0f} min left] {record.name} {record.version}: {outcome}"


def _folder(options: HarvestOptions, request: PackageRequest) -> Path:
    return (options.out / "packages" / request.name).resolve()


def _settings(options: HarvestOptions, at_once: int) -> HarvestSettings:
    """Return the settings with the deadline, and with a share of the cores for each package."""
    deadline = None if options.total_minutes is None else time.time() + 60 * options.total_minutes
    share = max(1, (os.cpu_count() or 1) // at_once)
    return dataclasses.replace(options.settings, deadline=deadline, processes=share)


def _on_this_machine(requests: Sequence[PackageRequest], options: HarvestOptions) -> Iterator[PackageRecord]:
    """Yield the records as packages finish, each in a process of its own."""
    at_once = max(1, min(options.processes or os.cpu_count() or 1, len(requests)))
    settings = _settings(options, at_once)
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(at_once, mp_context=context, initializer=_ignore_interrupts)
    futures: list[Future[PackageRecord | None]] = [
        pool.submit(_harvest_in_process, request, _folder(options, request), settings) for request in requests
    ]
    try:
        for future in as_completed(futures):
            record = future.result()
            if record is not None:
                yield record
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _ignore_interrupts() -> None:
    """Let Ctrl-C end only a package under way: a process that waits for work would print a traceback."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _harvest_in_process(
    request: PackageRequest, folder: Path, settings: HarvestSettings
) -> PackageRecord | None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return harvest_in_time(request, folder, settings)
    except KeyboardInterrupt:
        return None
    finally:
        _ignore_interrupts()


def harvest_in_time(request: PackageRequest, folder: Path, settings: HarvestSettings) -> PackageRecord | None:
    """Harvest one package; None if the time of the whole harvest is over before it begins."""
    if settings.deadline is not None and time.time() > settings.deadline and not (folder / RECORD).is_file():
        return None
    return harvest_package(request, folder, settings)


def _on_ray(requests: Sequence[PackageRequest], options: HarvestOptions) -> Iterator[PackageRecord]:
    """Yield the records as packages finish on a cluster whose nodes see the folder."""
    from assay.evaluation.engines.batch_work import passed_on_variables
    from assay.evaluation.engines.ray_cluster import import_ray, start_here

    ray = import_ray()
    cluster = None
    if not ray.is_initialized():
        cluster = start_here() if options.on == "ray" else None
        address = cluster.address if cluster is not None else options.on
        ray.init(address=address, log_to_driver=False, logging_level="ERROR")
    settings = dataclasses.replace(_settings(options, 1), processes=1)
    variables = {"env_vars": passed_on_variables()}
    work = ray.remote(num_cpus=1, max_retries=3, runtime_env=variables)(harvest_in_time)
    waiting = [work.remote(request, _folder(options, request), settings) for request in requests]
    try:
        while waiting:
            finished, waiting = ray.wait(waiting, num_returns=1)
            record = ray.get(finished[0])
            if record is not None:
                yield record
    finally:
        ray.shutdown()
        if cluster is not None:
            cluster.end()
