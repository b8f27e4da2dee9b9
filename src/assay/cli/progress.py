"""What is said on standard error while a run goes on: a live display in a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import threading
import time
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.live import Live

    from assay.evaluation.events import Finished, Started, Waiting

SHOWN = 12
"""Running attempts that the display names."""


class Counter:
    """Counts attempts as they begin and end; as a context it keeps saying where the run stands."""

    def __init__(self, console: Console | None = None, *, every: float = 60.0) -> None:
        self.done = 0
        self.total = 0
        self.made = 0
        """Attempts that ended since the run began."""
        self.outcomes = {"passed": 0, "failed": 0, "unknown": 0, "not made": 0}
        self.running: dict[tuple[str, str], list[float]] = {}
        """Agent and task → when their running attempts began."""
        self.by_task: dict[str, int] = {}
        """Task → attempts at it that ended since the run began."""
        self.others: dict[str, tuple[int, int]] = {}
        """What else is done beside attempts: how many of how many."""
        self.tokens = 0
        self.cost: float | None = None
        self.began = time.monotonic()
        self._console = console
        self._every = every
        self._live: Live | None = None
        self._ended = threading.Event()
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        """Begin to say where the run stands: all the time in a terminal, else once a minute."""
        if self._console is not None or sys.stderr.isatty():
            from rich.console import Console
            from rich.live import Live

            self._console = self._console or Console(stderr=True, highlight=False)
            self._live = Live(
                self, console=self._console, refresh_per_second=2, transient=True, redirect_stdout=False
            )
            self._live.start()
        else:
            threading.Thread(target=self._keep_saying, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        """Stop saying it."""
        self._ended.set()
        if self._live is not None:
            self._live.stop()
            self._live = None

    def announce(self, finished: int, left: int) -> None:
        """Say how much there is to do."""
        self.done, self.total, self.began = finished, finished + left, time.monotonic()
        note = f", {finished} already finished" if finished else ""
        self._say(f"{left} attempts to make{note}")

    def begin(self, started: Started) -> None:
        """Note that an attempt has begun."""
        with self._lock:
            self.running.setdefault((started.agent, started.task), []).append(time.monotonic())

    def tell(self, finished: Finished) -> None:
        """Say how one attempt ended."""
        with self._lock:
            self._count(finished)
        width = len(str(self.total))
        self._say(
            f"[{self.done:>{width}}/{self.total}] {finished.agent:<24} {finished.task:<28} "
            f"{finished.outcome:<8} {finished.seconds:6.1f} s"
        )

    def wait(self, waiting: Waiting) -> None:
        """Say that an attempt waits for its service, why, and how often it has asked."""
        self._say(waiting.line)

    def also(self, kind: str, total: int, line: str) -> None:
        """Say that something that is no attempt was done, one of so many."""
        with self._lock:
            self.others[kind] = (self.others.get(kind, (0, total))[0] + 1, total)
        self._say(line)

    def standing(self) -> str:
        """Where the run stands, in one line."""
        with self._lock:
            running = [(start, *attempt) for attempt, times in self.running.items() for start in times]
            parts = [f"{self.done} of {self.total} done", f"{len(running)} running"]
        if running:
            start, agent, task = min(running)
            parts[-1] += f" (longest: {agent} on {task}, {time.monotonic() - start:.0f} s)"
        parts += [f"{done} of {total} {kind}" for kind, (done, total) in self.others.items()]
        parts += [self.spent()] if self.tokens or not self.others else []
        return ", ".join([*parts, self.time_left()])

    def spent(self) -> str:
        """Tokens, and dollars where the model has a price."""
        from assay.reporting.wording import money_text, tokens_text

        money = "price unknown" if self.cost is None else money_text(self.cost)
        return f"{tokens_text(self.tokens)} tokens, {money}" if self.tokens else "no tokens spent"

    def time_left(self) -> str:
        """How long the rest will take at the pace so far."""
        from assay.reporting.wording import time_text

        if self.others and self.done >= self.total:
            return "attempts are all made"
        if not self.made:
            return "time left unknown"
        pace = (time.monotonic() - self.began) / self.made
        return f"about {time_text(pace * (self.total - self.done))} left"

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The live display: a bar, the outcomes so far, and the attempts that are running."""
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        yield ProgressBar(total=max(self.total, 1), completed=self.done, width=min(60, options.max_width))
        outcomes = ", ".join(f"{count} {name}" for name, count in self.outcomes.items() if count)
        yield Text(f"{self.standing()}{f'; {outcomes}' if outcomes else ''}")
        table = Table.grid(padding=(0, 2))
        with self._lock:
            running = sorted((start, *attempt) for attempt, times in self.running.items() for start in times)
        for start, agent, task in running[:SHOWN]:
            spent, ended = f"{time.monotonic() - start:.0f} s", self.by_task.get(task, 0)
            table.add_row("running", Text(agent), Text(task), spent, f"{ended} done at this task")
        yield table
        if len(running) > SHOWN:
            yield Text(f"and {len(running) - SHOWN} more")

    def _count(self, finished: Finished) -> None:
        self.done += 1
        self.made += 1
        self.by_task[finished.task] = self.by_task.get(finished.task, 0) + 1
        self.tokens += finished.tokens
        if finished.cost is not None:
            self.cost = (self.cost or 0.0) + finished.cost
        outcome = {True: "passed", False: "failed", None: "unknown"}[finished.passed]
        self.outcomes["not made" if finished.error is not None else outcome] += 1
        times = self.running.get((finished.agent, finished.task))
        if times:
            times.pop(0)

    def _say(self, line: str) -> None:
        if self._live is not None and self._console is not None:
            self._console.print(line, markup=False, soft_wrap=True)
        else:
            print(line, file=sys.stderr, flush=True)

    def _keep_saying(self) -> None:
        while not self._ended.wait(self._every):
            if self.total:
                self._say(f"… {self.standing()}")
