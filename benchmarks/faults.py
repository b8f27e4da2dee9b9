"""Kills drivers, workers and nodes of a run at random, then counts in the logs what was lost or repeated.

    python benchmarks/faults.py [--minutes 10] [--on local|ray] [--seed 0] [--skew]

The run is a folder of small tasks with a program that takes a second, the oracle and the idle agent. Each
round starts `assay run` on the same folder of logs, waits until attempts are made and sends SIGKILL: to the
driver, or to a process that works for it; on Ray (a head and two nodes of this machine) also to a whole node,
and adds another. When all attempts are made, the next round asks for one more attempt at each task. At the
end one run without faults makes what is left.

The logs are read without any rule that counts an attempt once:

- lost: an attempt that a log contained as graded at any time and no log contains at the end, or that was
  planned and never made;
- repeated: an attempt that is graded in more than one sample;
- counted twice: an attempt that the scorecard has more than once.

With --skew every second driver has a clock that is an hour ahead (the program `faketime`). The exit code is 1
if any of the three numbers is not zero.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.evaluation.engines.ray_cluster import MachineCluster

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.evaluation.engines.conftest import SLOW_AND_RIGHT, graded_samples
from tests.tasks.examples import masked_task

TASKS = 4
AGENTS = ("oracle", "idle", f"command:{SLOW_AND_RIGHT.replace('sleep 3', 'sleep 1')}")
START_SECONDS = 120.0
"""How long a driver may take until it makes attempts, before it is killed all the same."""
LONGEST_WAIT = 8.0
"""The longest time from the first new log to the fault."""
AttemptName = tuple[str, str, int]


@dataclass
class FaultRun:
    """One folder of logs that many drivers write, one after the other."""

    folder: Path
    engine: str
    random: random.Random
    skew: bool
    epochs: int = 1
    faults: Counter[str] = field(default_factory=Counter)
    rounds: int = 0
    seen: set[AttemptName] = field(default_factory=set)
    """Attempts that a log has contained as graded."""
    cluster: RayNodes | None = None

    @property
    def logs(self) -> Path:
        """The folder of logs."""
        return self.folder / "logs"

    def start_driver(self) -> subprocess.Popen[bytes]:
        """Start `assay run` in a process group of its own."""
        program = [sys.executable, "-m", "assay", "run", str(self.folder / "toys"), "--logs", str(self.logs)]
        program += [word for agent in AGENTS for word in ("--agent", agent)]
        program += ["--epochs", str(self.epochs), "--on", self.engine, "--no-preflight"]
        program += ["--processes", "2"] if self.engine == "local" else ["--batch", "3"]
        self.rounds += 1
        if self.skew and self.rounds % 2 == 0:
            self.faults["clock an hour ahead"] += 1
            program = ["faketime", "-f", "+1h", *program]
        with (self.folder / "driver.txt").open("ab") as output:
            return subprocess.Popen(program, stdout=output, stderr=output, process_group=0)

    def one_round(self) -> None:
        """Start a driver and disturb it; a driver that ends first asks for more attempts."""
        count = self._log_count()
        driver = self.start_driver()
        started = time.monotonic()
        while driver.poll() is None and self._log_count() == count:
            if time.monotonic() - started > START_SECONDS:
                break
            time.sleep(0.2)
        with contextlib.suppress(subprocess.TimeoutExpired):
            driver.wait(self.random.uniform(0.0, LONGEST_WAIT))
        if driver.poll() is None:
            self._disturb(driver)
        elif driver.returncode == 0:
            self.epochs += 1
        self.note_finished()

    def _disturb(self, driver: subprocess.Popen[bytes]) -> None:
        choices = ["driver", "worker"] + (["node"] if self.cluster is not None else [])
        kind = self.random.choice(choices)
        workers = self.cluster.workers() if self.cluster is not None else descendants(driver.pid)
        if kind == "worker" and workers:
            kill(self.random.choice(workers))
        elif kind == "node" and self.cluster is not None:
            self.cluster.replace_node(self.random)
        else:
            kind = "driver"
            kill(driver.pid)
        self.faults[f"{kind} killed"] += 1
        if kind != "driver":
            # The driver notices the loss by itself; it may go on for a while or end with an error.
            with contextlib.suppress(subprocess.TimeoutExpired):
                driver.wait(self.random.uniform(1.0, 3 * LONGEST_WAIT))
        if driver.poll() is None:
            kill(driver.pid)
        driver.wait()

    def finish(self) -> None:
        """Make what is left, without faults."""
        for _ in range(3):
            driver = self.start_driver()
            if driver.wait() == 0:
                break
        self.note_finished()

    def note_finished(self) -> None:
        """Remember every attempt that a log contains as graded."""
        self.seen |= set(graded_samples(self.logs))

    def _log_count(self) -> int:
        return len(list(self.logs.glob("*.eval")))


class RayNodes:
    """A Ray cluster of this machine whose nodes can be replaced."""

    def __init__(self) -> None:
        from assay.evaluation.engines.ray_cluster import MachineCluster

        self._cluster: MachineCluster = MachineCluster(num_cpus=0)
        self._nodes: list[Any] = []
        for _ in range(2):
            self._add_node()
        os.environ["RAY_ADDRESS"] = self._cluster.address

    def workers(self) -> list[int]:
        """Processes that make batches now."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if (folder / "cmdline").read_bytes().startswith(b"ray::make_batch_on_ray"):
                    found.append(int(folder.name))
        return found

    def replace_node(self, source: random.Random) -> None:
        """SIGKILL a node with all its processes, and add another."""
        node = source.choice(self._nodes)
        self._nodes.remove(node)
        self._cluster.kill_node(node)
        self._add_node()

    def end(self) -> None:
        """End all processes."""
        self._cluster.end()

    def _add_node(self) -> None:
        self._nodes.append(self._cluster.add_node(num_cpus=2, memory=4 << 30))


def descendants(process: int) -> list[int]:
    """The processes below a driver that make attempts: neither itself nor sandboxes."""
    import psutil

    with contextlib.suppress(psutil.Error):
        children = psutil.Process(process).children(recursive=True)
        return [child.pid for child in children if child.name().startswith("python")]
    return []


def kill(process: int) -> None:
    """SIGKILL one process."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)


def check(run: FaultRun) -> int:
    """Print what the logs say; return how many attempts were lost, repeated or counted twice."""
    from assay.agents import find_agent
    from assay.scoring import read_attempts

    names = [find_agent(agent).name for agent in AGENTS]
    planned = {
        (agent, f"toy_{task}", number)
        for agent in names
        for task in range(TASKS)
        for number in range(1, run.epochs + 1)
    }
    graded = graded_samples(run.logs)
    counted = Counter((attempt.agent, attempt.task, attempt.epoch) for attempt in read_attempts(run.logs))
    lost = (planned | run.seen) - set(graded)
    repeated = [name for name, count in graded.items() if count > 1]
    twice = [name for name, count in counted.items() if count > 1]
    faults = ", ".join(f"{count} x {name}" for name, count in sorted(run.faults.items()))
    print(f"{run.rounds} drivers; faults: {faults or 'none'}")
    print(
        f"{len(planned)} attempts planned, {len(graded)} graded, in {len(list(run.logs.glob('*.eval')))} logs"
    )
    print(f"{len(lost)} lost, {len(repeated)} repeated, {len(twice)} counted twice")
    for name in [*sorted(lost), *repeated, *twice]:
        print(f"  {name}")
    return len(lost) + len(repeated) + len(twice)


def main() -> int:
    """Disturb runs for some minutes, then check."""
    from assay.tasks import save_task

    parser = argparse.ArgumentParser(description="Random faults, and what they cost.")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--on", default="local", choices=["local", "ray"])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--skew", action="store_true", help="let every second driver have a wrong clock")
    chosen = parser.parse_args()
    if chosen.skew and shutil.which("faketime") is None:
        parser.error("--skew needs the program faketime")
    with tempfile.TemporaryDirectory(prefix="assay-faults-") as folder:
        run = FaultRun(Path(folder), chosen.on, random.Random(chosen.seed), chosen.skew)
        for number in range(TASKS):
            save_task(masked_task(id=f"toy_{number}"), Path(folder) / "toys" / f"toy-{number}")
        run.cluster = RayNodes() if chosen.on == "ray" else None
        try:
            end = time.monotonic() + 60 * chosen.minutes
            while time.monotonic() < end:
                run.one_round()
            run.finish()
        finally:
            if run.cluster is not None:
                run.cluster.end()
        problems = check(run)
        if problems:
            kept = shutil.copytree(folder, f"{folder}-kept")
            print(f"logs are kept in {kept}")
        return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
