"""How attempts per second grow with processes, beside Inspect's own time for as many trivial samples.

    python benchmarks/throughput.py [--suite demo] [--agents idle oracle] [--rounds 4] [--most 16]

A row has k processes on k cores (the benchmark pins itself to them) and gives each process the same work:
`rounds` attempts at each task. So k times the attempts take as long as one process alone takes for its own,
if nothing is shared; `gain` says how many times the attempts per second of the first row are reached.

Rates count from the first attempt's begin to the last one's end; `start` is the time before that, and
`processor` the whole run's processor time, that of every child included. Processor time says more than the
clock where others use the machine. `in harness` is the processor time of Assay's own process for each
attempt, `in sandboxes` that of its children: bubblewrap and the task's code. Both are known for one process.

The first table is the machine's own: how many times faster k processes on k cores are than one at plain
Python and at starting bare sandboxes, without Assay. Cores that share a pipeline or a kernel lock bound the
rest.

Bubblewrap ends without waiting for the first process of its sandbox, so that process and what it waited for
would be counted nowhere. The benchmark therefore adopts all orphans of its runs.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field

ADOPT_ORPHANS = 36
"""Linux's PR_SET_CHILD_SUBREAPER."""
CORES = sorted(os.sched_getaffinity(0))


@dataclass(frozen=True)
class Measured:
    """One run."""

    attempts: int
    start_seconds: float
    seconds: float
    """From the first begin to the last end."""
    harness: float | None = None
    """Processor seconds of the one process that made the attempts, in that time."""
    own: float = 0.0
    """Processor seconds of the calling process, from its start to its end."""
    processor: float = field(default=0.0)
    """Of the whole run and all its children."""

    @property
    def rate(self) -> float:
        """Attempts per second."""
        return self.attempts / self.seconds


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Attempts per second, by the number of processes.")
    parser.add_argument("--suite", default="demo")
    parser.add_argument("--agents", nargs="+", default=["idle", "oracle"])
    parser.add_argument("--rounds", type=int, default=4, help="attempts at each task for each process")
    parser.add_argument("--most", type=int, default=16, help="most processes")
    parser.add_argument("--limit", type=int, help="only the first tasks of the suite")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.child:
        print(json.dumps(asdict(measure_here(**json.loads(chosen.child)))))
        return
    ctypes.CDLL(None).prctl(ADOPT_ORPHANS, 1, 0, 0, 0)
    machine_table(min(chosen.most, len(CORES)))
    for agent in chosen.agents:
        table(agent, chosen.suite, chosen.limit, chosen.rounds, min(chosen.most, len(CORES)))


BARE_WORK = {
    "Python": [sys.executable, "-S", "-c", "for _ in range(8): sum(range(4_000_000))"],
    "bubblewrap": ["sh", "-c", 'i=0; while [ $i -lt 40 ]; do "$@"; i=$((i+1)); done', "sh"],
}
"""Fixed work for one process: plain Python, and forty sandboxes one after the other."""


def machine_table(most: int) -> None:
    """Print how the machine itself scales, with work that has nothing of Assay."""
    from assay.sandbox import find_engine

    sandbox = [str(find_engine().program), "--unshare-all", "--dev-bind", "/", "/", "true"]
    work = {"Python": BARE_WORK["Python"], "bubblewrap": BARE_WORK["bubblewrap"] + sandbox}
    print(f"{'processes':>9}" + "".join(f"{name + ' gain':>17}{'/ k':>6}" for name in work))
    alone = {name: bare_seconds(command, 1) for name, command in work.items()}
    processes = 1
    while processes <= most:
        gains = [processes * alone[name] / bare_seconds(command, processes) for name, command in work.items()]
        cells = [f"{gain:>17.2f}{gain / processes:>6.2f}" for gain in gains]
        print(f"{processes:>9}" + "".join(cells), flush=True)
        processes *= 2


def bare_seconds(command: Sequence[str], processes: int) -> float:
    """How long the same work takes in so many processes on as many cores."""
    began = time.monotonic()
    running = [subprocess.Popen(["taskset", "-c", str(core), *command]) for core in CORES[:processes]]
    for process in running:
        process.wait()
    return time.monotonic() - began


def table(agent: str, suite: str, limit: int | None, rounds: int, most: int) -> None:
    """The rows of one agent."""
    order = {"agent": agent, "suite": suite, "limit": limit}
    measure(**order, epochs=1, processes=1)  # builds environments and fills caches
    single = measure(agent=agent, suite=suite, limit=1, epochs=1, processes=1)
    print(
        f"\n{agent} on {suite}, {len(CORES)} cores; one attempt alone: {single.processor:.2f} s of processor"
    )
    print(
        f"{'processes':>9}{'attempts':>10}{'start s':>9}{'run s':>9}{'per s':>9}{'gain':>7}{'/ k':>6}"
        f"{'processor s':>13}{'in harness':>12}{'in sandboxes':>14}{'Inspect s':>11}{'processor s':>13}"
    )
    first: Measured | None = None
    processes = 1
    while processes <= most:
        row = measure(**order, epochs=rounds * processes, processes=processes)
        plain = measure(agent=None, suite=suite, limit=row.attempts, epochs=1, processes=1)
        first = first or row
        print(line(processes, row, first, plain), flush=True)
        processes *= 2


def line(processes: int, row: Measured, first: Measured, plain: Measured) -> str:
    """One row."""
    gain = row.rate / first.rate
    own = boxes = ""
    if row.harness is not None:
        own = f"{row.harness / row.attempts * 1000:.0f} ms"
        boxes = f"{(row.processor - row.own) / row.attempts * 1000:.0f} ms"
    return (
        f"{processes:>9}{row.attempts:>10}{row.start_seconds:>9.2f}{row.seconds:>9.2f}{row.rate:>9.2f}"
        f"{gain:>7.2f}{gain / processes:>6.2f}{row.processor:>13.2f}{own:>12}{boxes:>14}"
        f"{plain.seconds:>11.2f}{plain.processor:>13.2f}"
    )


def measure(**order: object) -> Measured:
    """Run one order in a process of its own, and count all that it and its children used."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, __file__, "--child", json.dumps(order)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    with contextlib.suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    found: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return Measured(**{**found, "processor": used})  # type: ignore[arg-type]


def measure_here(agent: str | None, suite: str, limit: int | None, epochs: int, processes: int) -> Measured:
    """Make the attempts in this process or in several, on as many cores."""
    began = time.monotonic()
    os.sched_setaffinity(0, CORES[:processes])
    with tempfile.TemporaryDirectory() as logs:
        if agent is None:
            return trivial_samples(limit or 1, logs, began)
        import assay
        from assay.evaluation import Settings

        marks: list[Mark] = []
        done = assay.run(
            assay.load_suite(suite).only(limit=limit),
            agent=[agent],
            settings=Settings(logs=logs),
            epochs=epochs,
            processes=processes,
            on_start=lambda _: marks.append(mark()),
            on_finish=lambda _: marks.append(mark()),
        )
    if left := [attempt for attempt in done.attempts if attempt.error]:
        raise SystemExit(f"{len(left)} of {len(done.attempts)} attempts were not made")
    return between(len(done.attempts), began, marks, alone=processes == 1)


@dataclass(frozen=True)
class Mark:
    """A moment, and the processor time that this process has used until then."""

    when: float
    own: float


def mark() -> Mark:
    """Now."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return Mark(time.monotonic(), used.ru_utime + used.ru_stime)


def between(attempts: int, began: float, marks: Sequence[Mark], *, alone: bool) -> Measured:
    """What lies between the first mark and the last."""
    first, last = marks[0], marks[-1]
    return Measured(
        attempts=attempts,
        start_seconds=first.when - began,
        seconds=last.when - first.when,
        harness=last.own - first.own if alone else None,
        own=mark().own,
    )


def trivial_samples(count: int, logs: str, began: float) -> Measured:
    """Inspect alone, warm: samples without a sandbox, a model or an answer, logged as attempts are."""
    from inspect_ai import Task
    from inspect_ai import eval as inspect_eval
    from inspect_ai.dataset import Sample
    from inspect_ai.scorer import includes
    from inspect_ai.solver import Generate, Solver, TaskState, solver

    @solver
    def nothing() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            return state

        return solve

    def evaluate(count: int, folder: str) -> None:
        samples = [Sample(id=number, input="nothing", target="") for number in range(1, count + 1)]
        inspect_eval(
            Task(dataset=samples, solver=nothing(), scorer=includes()),
            model="none/none",
            log_dir=folder,
            log_buffer=1,
            log_realtime=False,
            display="none",
            ctl_server=False,
        )

    evaluate(1, f"{logs}/first")  # what Inspect imports only when it evaluates
    first = mark()
    evaluate(count, logs)
    return between(count, began, [first, mark()], alone=True)


if __name__ == "__main__":
    main()
