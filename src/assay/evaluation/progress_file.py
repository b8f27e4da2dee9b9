"""The progress of a run as a file beside its logs, so that anybody who sees the folder can follow the run.

All times are those of the clock of the machine that writes; a reader compares them only with each other.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections import Counter
from pathlib import Path

from pydantic import ValidationError

from assay.errors import UsageError
from assay.evaluation.engines.work import EngineWork
from assay.evaluation.events import Finished, Started
from assay.files import place, publish
from assay.tasks.metric import Strict

NAME = "progress.json"
WRITE_SECONDS = 2.0


class RunningAttempt(Strict):
    """An attempt that is being made."""

    node: str
    agent: str
    task: str
    since: float


class RunProgress(Strict):
    """Where a run stands."""

    engine: str
    """local, ray, slurm or the name of another engine."""
    started: float
    updated: float
    ended: bool = False
    total: int
    """Attempts of the whole run."""
    done_before: int
    """Attempts that earlier calls finished."""
    finished: int = 0
    """Attempts that this call finished."""
    outcomes: dict[str, int] = {}
    """passed, failed, unknown or not made → how often."""
    owners: dict[str, int] = {}
    """Owner → attempts that did not pass and whose doing that is."""
    nodes: dict[str, int] = {}
    """Node → attempts that it finished."""
    tokens: int = 0
    cost: float | None = None
    """Dollars; None where no price is known."""
    running: list[RunningAttempt] = []

    @property
    def seconds(self) -> float:
        """How long the run has taken."""
        return self.updated - self.started

    @property
    def seconds_left(self) -> float | None:
        """How long the remaining attempts take at the pace so far; None before the first has ended."""
        if not self.finished:
            return None
        return self.seconds / self.finished * (self.total - self.done_before - self.finished)


class ProgressWriter:
    """Writes the file every two seconds while its block runs."""

    def __init__(self, work: EngineWork, engine: str, *, another_follows: bool = False) -> None:
        """With `another_follows`, the run goes on after this block in a second pass."""
        self._work, self._engine = work, engine
        self._another_follows = another_follows
        self._path = place(work.settings.logs) / NAME
        self._host = socket.gethostname()
        self._start_time = time.time()
        self._lock = threading.Lock()
        self._end = threading.Event()
        self._outcomes: Counter[str] = Counter()
        self._owners: Counter[str] = Counter()
        self._nodes: Counter[str] = Counter()
        self._running: list[RunningAttempt] = []
        self._tokens = 0
        self._cost: float | None = None
        self._thread = threading.Thread(target=self._keep_writing, daemon=True)

    def __enter__(self) -> ProgressWriter:
        """Begin to write."""
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        """Write for the last time: nothing runs any more."""
        self._end.set()
        self._thread.join()
        self._running.clear()
        self._write(ended=not self._another_follows or error[0] is not None)

    def begin(self, started: Started) -> None:
        """Note an attempt that begins, and pass it on."""
        node = started.node or self._host
        attempt = RunningAttempt(node=node, agent=started.agent, task=started.task, since=time.time())
        with self._lock:
            self._running.append(attempt)
        self._work.pass_on(started)

    def finish(self, finished: Finished) -> None:
        """Note an attempt that ends, and pass it on."""
        node = finished.node or self._host
        outcome = {True: "passed", False: "failed", None: "unknown"}[finished.passed]
        with self._lock:
            self._tokens += finished.tokens
            if finished.cost is not None:
                self._cost = (self._cost or 0.0) + finished.cost
            self._outcomes["not made" if finished.error is not None else outcome] += 1
            self._nodes[node] += 1
            if finished.owner is not None:
                self._owners[finished.owner] += 1
            self._remove_running(node, finished)
        self._work.pass_on(finished)

    def _remove_running(self, node: str, finished: Finished) -> None:
        key = (finished.agent, finished.task)
        matches = [attempt for attempt in self._running if (attempt.agent, attempt.task) == key]
        if matches:
            self._running.remove(next((match for match in matches if match.node == node), matches[0]))

    def _keep_writing(self) -> None:
        while True:
            self._write()
            if self._end.wait(WRITE_SECONDS):
                return

    def _write(self, *, ended: bool = False) -> None:
        plan = self._work.plan
        with self._lock:
            progress = RunProgress(
                engine=self._engine,
                started=self._start_time,
                updated=time.time(),
                ended=ended,
                total=len(plan.attempts),
                done_before=len(plan.attempts) - len(plan.left),
                finished=self._nodes.total(),
                outcomes=dict(self._outcomes),
                owners=dict(self._owners),
                nodes=dict(self._nodes),
                tokens=self._tokens,
                cost=self._cost,
                running=list(self._running),
            )
        # A full disk, or a service that does not answer, ends attempts with a message of its own; the view
        # only shows an older state.
        with contextlib.suppress(Exception):
            publish(self._path, progress.model_dump_json(indent=1))


def mark_ended(logs: Path) -> None:
    """Note that the run of a folder of logs has ended although no writer says so."""
    with contextlib.suppress(Exception):
        progress = read_progress(logs).model_copy(update={"ended": True})
        publish(place(logs) / NAME, progress.model_dump_json(indent=1))


def read_progress(logs: Path) -> RunProgress:
    """Read where the run of a folder of logs stands."""
    path = place(logs) / NAME
    try:
        return RunProgress.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        raise UsageError(
            f"{logs} has no {NAME}, expected the folder of logs of a run",
            hint="name the folder that `assay run --logs` writes into",
        ) from None
    except ValidationError as error:
        raise UsageError(
            f"{path} is not the progress of a run: {error.errors()[0]['msg']}", hint="remove the file"
        ) from None
