"""The process from which the workers of a run are forked, as its caller sees it: `assay.evaluation.nursery`.

It needs nothing of Assay, so the command line can start it before it imports anything else. Both then import
at the same time.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_START = "import gc; gc.disable(); from assay.evaluation.nursery import main; raise SystemExit(main())"
"""Python looks for no garbage while the nursery imports: nothing of it goes away."""


class NurseryProcess:
    """A process that imports what attempts need, and then waits for the order of a run."""

    def __init__(self, most_workers: int) -> None:
        pipes = [os.pipe() for _ in range(most_workers)]
        self.reports = [reading for reading, _ in pipes]
        """From these the caller reads what each worker reports."""
        self.report_ends = [writing for _, writing in pipes]
        """The numbers that the other ends have in the nursery."""
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-c", _START],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                pass_fds=self.report_ends,
                process_group=0,
            )
        finally:
            for end in self.report_ends:
                os.close(end)

    def say(self, line: str) -> None:
        """Send one line; if the nursery has ended, its exit code is seen later."""
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the nursery and all its workers."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)

    def end(self) -> None:
        """Kill what still runs, and let go of everything; a second call does nothing."""
        if self.process.poll() is None:
            self.signal(signal.SIGKILL)
            self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        for report in self.reports:
            os.close(report)
        self.reports = []


@contextmanager
def nursery_started(most_workers: int) -> Iterator[NurseryProcess | None]:
    """Start a nursery if there is to be more than one worker; at the end nothing of it is left."""
    nursery = NurseryProcess(most_workers) if most_workers > 1 else None
    try:
        yield nursery
    finally:
        if nursery is not None:
            nursery.end()
