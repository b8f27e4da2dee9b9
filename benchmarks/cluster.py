"""What a cluster costs: overhead of an attempt on Ray against this machine alone, and very large runs.

    python benchmarks/cluster.py overhead [--nodes 0 1 2] [--attempts 16]
    python benchmarks/cluster.py processes [--processes 1 4 16]
    python benchmarks/cluster.py plan [--attempts 100000]
    python benchmarks/cluster.py read [--attempts 100000] [--logs 10000]

`overhead` makes attempts of the idle agent at small tasks: with 0 nodes by `--on local`, else on a Ray
cluster of so many nodes on this machine, each of which makes one attempt at a time. Seconds for each attempt
are the time from the first begin to the last end, times the nodes, divided by the attempts: on a machine with
enough cores it is the same in each row if a cluster costs nothing. `start` is the time before the first
begin, cluster included.

`processes` makes attempts of the idle agent and of the oracle with so many processes on this machine: 16 for
each process.

`plan` makes the plan and the batches of a large run, and prints the most memory that the driver had. `read`
writes `--logs` made-up attempts as Inspect logs, reads them back and says what of them is left to make; then
it builds the report of `--attempts` made-up attempts, with its parts beside it beyond 20,000. If all attempts
were written and read, the report is that of the attempts that were read. Seconds in brackets are those of the
processor: on a busy machine only they say much.
"""

from __future__ import annotations

import argparse
import importlib
import multiprocessing
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TypeVar

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.many_attempts import many_attempts
from tests.tasks.examples import masked_task

import assay
from assay.benchmarks import load_suite
from assay.evaluation import Settings, plan
from assay.evaluation.engines.batches import make_batches
from assay.evaluation.events import Finished, Started
from assay.scoring import Attempt
from assay.tasks import save_task

Made = TypeVar("Made")
TASKS = 8
NODE_CORES, NODE_MEMORY = 2, 4 << 30
"""Enough for one of the small tasks at a time."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="What a cluster costs.")
    parser.add_argument("what", choices=["overhead", "processes", "plan", "read"])
    parser.add_argument("--nodes", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--processes", type=int, nargs="+", default=[1, 4, 16])
    parser.add_argument("--attempts", type=int)
    parser.add_argument("--logs", type=int, default=10_000)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="assay-cluster-") as name:
        folder = Path(name)
        if chosen.what == "overhead":
            measure_overhead(folder, chosen.nodes, chosen.attempts or 16)
        elif chosen.what == "processes":
            measure_processes(folder, chosen.processes)
        elif chosen.what == "plan":
            measure_plan(folder, chosen.attempts or 100_000)
        else:
            measure_reading(folder, chosen.attempts or 100_000, chosen.logs)


def measure_overhead(folder: Path, node_counts: list[int], attempts: int) -> None:
    """Make the same attempts on each number of nodes."""
    suite = toys(folder)
    for count in node_counts:
        make_run(suite, folder / f"logs-{count}", count, attempts)


def make_run(suite: Path, logs: Path, nodes: int, attempts: int) -> None:
    """Print one row: on this machine alone for 0 nodes, else on Ray."""
    from assay.evaluation.engines.ray_cluster import MachineCluster, import_ray
    from assay.evaluation.engines.ray_engine import RayEngine

    begins: list[float] = []
    ends: list[float] = []
    start = time.perf_counter()
    cluster = MachineCluster(num_cpus=0) if nodes else None
    if cluster is not None:
        for _ in range(nodes):
            cluster.add_node(num_cpus=NODE_CORES, memory=NODE_MEMORY)
        import_ray().init(address=cluster.address, namespace="assay", log_to_driver=False)

    def begin(_: Started) -> None:
        begins.append(time.perf_counter())

    def finish(_: Finished) -> None:
        ends.append(time.perf_counter())

    try:
        assay.run(
            suite,
            agent="idle",
            epochs=max(1, attempts // TASKS),
            logs=logs,
            on=RayEngine(batch_size=max(1, attempts // max(1, 2 * nodes))) if nodes else "local",
            progress=False,
            preflight=False,
            on_start=begin,
            on_finish=finish,
        )
    finally:
        if cluster is not None:
            import_ray().shutdown()
            cluster.end()
    cores = nodes or 1
    seconds = (max(ends) - min(begins)) * cores / len(ends)
    engine = f"ray, {nodes} nodes" if nodes else "local"
    row = f"{engine:<14} {len(ends)} attempts, start {min(begins) - start:6.1f} s"
    print(f"{row}, {seconds:6.2f} s an attempt", flush=True)


def measure_processes(folder: Path, process_counts: list[int]) -> None:
    """Make attempts with each number of processes on this machine."""
    suite = toys(folder)
    for agent in ("idle", "oracle"):
        for processes in process_counts:
            begins: list[float] = []
            ends: list[float] = []
            start = time.perf_counter()
            assay.run(
                suite,
                agent=agent,
                epochs=2 * processes,
                processes=processes,
                logs=folder / f"logs-{agent}-{processes}",
                progress=False,
                preflight=False,
                on_start=lambda _, begins=begins: begins.append(time.perf_counter()),
                on_finish=lambda _, ends=ends: ends.append(time.perf_counter()),
            )
            span = max(ends) - min(begins)
            row = f"{agent:<6} {processes} processes: {len(ends)} attempts, start {min(begins) - start:.1f} s"
            seconds = f"{span * processes / len(ends):.3f} s of a process for each"
            print(f"{row}, {len(ends) / span:.1f} a second, {seconds}", flush=True)


def measure_plan(folder: Path, attempts: int) -> None:
    """Plan a large run and divide it into batches."""
    suite = load_suite(toys(folder))
    settings = Settings(logs=str(folder / "logs"))
    agents = ["oracle", "idle"]
    epochs = attempts // (TASKS * len(agents))
    before = peak_mb()
    planned = timed("plan", lambda: plan(suite, settings, agents, epochs=epochs))
    batches = timed("batches", lambda: make_batches(suite.tasks, settings, planned.left))
    print(f"{len(planned.attempts)} attempts in {len(batches)} batches")
    print(f"driver: {peak_mb():.0f} MB at most, {peak_mb() - before:.0f} MB more than before the plan")


def measure_reading(folder: Path, attempts: int, in_logs: int) -> None:
    """Read logs back, and build the report of many attempts."""
    from report import write_logs

    from assay import reporting
    from assay.evaluation.resume import finished_attempts
    from assay.scoring import LogRecord, read_record

    made_up = many_attempts(attempts)
    logs, first = folder / "logs", folder / "first"
    write_logs(made_up[:20], first)
    # What Python compiles and imports once is not the time of reading.
    importlib.import_module("scipy.stats")
    reporting.render(read_record(first))
    finished_attempts(first)
    write_by_agent(made_up[:in_logs], logs)
    record = LogRecord(attempts=made_up, logs=10)
    if in_logs >= attempts:
        made_up, record = [], LogRecord(attempts=[], logs=0)
    start = time.perf_counter()
    read = timed(f"read {in_logs} attempts", lambda: read_record(logs))
    reading = time.perf_counter() - start
    print(f"{len(read.attempts)} attempts read; memory at most {peak_mb():.0f} MB")
    timed(f"what of {in_logs} is finished", lambda: finished_attempts(logs))
    record = record if made_up else read
    start = time.perf_counter()
    page = timed(f"report of {attempts}", lambda: reporting.write(record, folder / "report.html"))
    parts = sum(part.stat().st_size for part in (folder / "report.parts").glob("*.js"))
    print(f"read and report together: {reading + time.perf_counter() - start:.1f} s")
    sizes = f"page: {page.stat().st_size / 1e6:.1f} MB and {parts / 1e6:.1f} MB beside it"
    print(f"{sizes}; memory at most {peak_mb():.0f} MB")


def write_by_agent(attempts: list[Attempt], logs: Path) -> None:
    """Write the log of each agent in a process of its own: Inspect takes a millisecond for each sample."""
    from report import write_logs

    logs.mkdir()
    by_agent: dict[str, list[Attempt]] = {}
    for attempt in attempts:
        by_agent.setdefault(attempt.agent, []).append(attempt)
    with ProcessPoolExecutor(mp_context=multiprocessing.get_context("fork")) as pool:
        list(pool.map(write_logs, by_agent.values(), [logs] * len(by_agent)))


def toys(folder: Path) -> Path:
    """A folder of small tasks."""
    for number in range(TASKS):
        save_task(masked_task(id=f"toy_{number}"), folder / "toys" / f"toy-{number}")
    return folder / "toys"


def peak_mb() -> float:
    """The most memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def timed(what: str, do: Callable[[], Made]) -> Made:
    """Do something and print how long it took."""
    clock, processor = time.perf_counter(), time.process_time()
    made = do()
    seconds = time.perf_counter() - clock, time.process_time() - processor
    print(f"{what:<28} {seconds[0]:8.2f} s ({seconds[1]:.2f} s)", flush=True)
    return made


if __name__ == "__main__":
    main()
