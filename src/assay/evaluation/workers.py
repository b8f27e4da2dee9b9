"""Several processes for one run: each makes a share of the attempts, all log into one folder.

One process, the nursery, imports what attempts need and then forks the workers, so that imports are paid
once. It is a fresh interpreter and not the caller, because a caller may have threads, and a fork of a process
with threads can hang.

The protocol is plain: the nursery imports, reads one order, a line of JSON, from its standard input, and then
a line that says to begin. Each worker writes one JSON object a line, for each attempt that begins or ends, to
a pipe that the caller made for it. The nursery writes the exit codes of its workers to its standard output.

Signals reach the workers through the caller alone: the nursery has a process group of its own. A first
interrupt lets attempts end as Inspect ends them; a second one kills. Standard input that ends means that the
caller is gone: then the workers are killed too.
"""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from dataclasses import asdict, replace

from assay.errors import AssayError
from assay.evaluation.events import Finished, Started, Waiting
from assay.evaluation.running import PlannedAttempt, Settings, may_ask_models
from assay.nursery_process import NurseryProcess

Tell = Callable[[Finished], None]
Begin = Callable[[Started], None]
Wait = Callable[[Waiting], None]


class Workers:
    """The processes of one run, seen from the caller."""

    def __init__(
        self, nursery: NurseryProcess, source: str, settings: Settings, attempts: Sequence[PlannedAttempt]
    ) -> None:
        shares = deal(attempts, len(nursery.reports))
        if settings.max_cost is not None:
            settings = replace(settings, max_cost=settings.max_cost / len(shares))
        self._nursery = nursery
        self._count = len(shares)
        order = {
            "suite": source,
            "settings": asdict(settings),
            "shares": [[asdict(attempt) for attempt in share] for share in shares],
            "reports": nursery.report_ends,
            "asks_models": may_ask_models(settings, attempts),
        }
        nursery.say(json.dumps(order))

    def work(self, tell: Tell, begin: Begin | None = None, wait: Wait | None = None) -> None:
        """Let them begin, and pass on what they report until the last one has ended."""
        self._nursery.say("begin")
        reports, self._nursery.reports = self._nursery.reports, []
        with ThreadPoolExecutor(len(reports)) as readers:
            following = [readers.submit(_follow, report, tell, begin, wait) for report in reports]
            try:
                _settle(following)
            except KeyboardInterrupt:
                self._nursery.signal(signal.SIGINT)
                try:
                    _settle(following)
                except KeyboardInterrupt:
                    self._nursery.signal(signal.SIGKILL)
                raise
            except BaseException:
                self._nursery.signal(signal.SIGKILL)
                raise
        self._check_exits()

    def _check_exits(self) -> None:
        process = self._nursery.process
        assert process.stdout is not None
        lines = process.stdout.read().splitlines()
        ended = process.wait()
        codes = json.loads(lines[-1]) if lines and ended == 0 else [ended or 1] * self._count
        failed = [code for code in codes if code != 0]
        if failed:
            raise AssayError(
                f"{len(failed)} of {len(codes)} processes ended early (exit {failed[0]})",
                hint="the same command again goes on where it stopped",
            )


def deal(attempts: Sequence[PlannedAttempt], processes: int) -> list[list[PlannedAttempt]]:
    """Equal shares in which every task comes in turn, so that no process has all attempts at a slow one."""
    shares: list[list[PlannedAttempt]] = [[] for _ in range(min(processes, len(attempts)))]
    for place, attempt in enumerate(attempts):
        shares[(place + place // len(shares)) % len(shares)].append(attempt)
    return shares


def _settle(following: Sequence[Future[None]]) -> None:
    """Wait for all readers; an error in one of them ends the wait."""
    for future in wait_for(following, return_when="FIRST_EXCEPTION").done:
        future.result()


def _follow(report: int, tell: Tell, begin: Begin | None, wait: Wait | None) -> None:
    with open(report, encoding="utf-8") as lines:
        for line in lines:
            if line.startswith('{"finished"'):
                tell(Finished(**json.loads(line)["finished"]))
            elif line.startswith('{"started"') and begin is not None:
                begin(Started(**json.loads(line)["started"]))
            elif line.startswith('{"waiting"') and wait is not None:
                wait(Waiting(**json.loads(line)["waiting"]))
