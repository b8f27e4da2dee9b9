"""Several processes for one run: each makes a share of the attempts, all log into one folder.

The protocol is plain: a worker reads one JSON object from its standard input and writes one JSON object a
line for each attempt that begins or ends.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from typing import IO

from assay.agents import Budget
from assay.errors import AssayError
from assay.evaluation.progress import Finished, Started, listen
from assay.evaluation.running import Attempt, Settings, make_attempts
from assay.tasks import load_suite


def share_out(
    source: str,
    settings: Settings,
    attempts: Sequence[Attempt],
    processes: int,
    tell: Callable[[Finished], None],
    begin: Callable[[Started], None] | None = None,
) -> None:
    """Make attempts in several processes and tell of each one that begins or ends."""
    shares = [list(attempts[start::processes]) for start in range(processes)]
    workers = [_start(source, settings, share) for share in shares if share]
    try:
        with ThreadPoolExecutor(len(workers)) as readers:
            list(readers.map(lambda worker: _follow(worker, tell, begin), workers))
    finally:
        for worker in workers:
            if worker.poll() is None:
                worker.terminate()
    failed = [worker.returncode for worker in workers if worker.wait() != 0]
    if failed:
        raise AssayError(
            f"{len(failed)} of {len(workers)} processes ended early (exit {failed[0]})",
            hint="the same command again goes on where it stopped",
        )


def _start(source: str, settings: Settings, share: list[Attempt]) -> subprocess.Popen[str]:
    worker = subprocess.Popen(
        [sys.executable, "-m", "assay.evaluation.workers"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    order = {"suite": source, "settings": asdict(settings), "attempts": [asdict(each) for each in share]}
    assert worker.stdin is not None
    worker.stdin.write(json.dumps(order))
    worker.stdin.close()
    return worker


def _follow(
    worker: subprocess.Popen[str],
    tell: Callable[[Finished], None],
    begin: Callable[[Started], None] | None,
) -> None:
    assert worker.stdout is not None
    for line in worker.stdout:
        if line.startswith('{"finished"'):
            tell(Finished(**json.loads(line)["finished"]))
        elif line.startswith('{"started"') and begin is not None:
            begin(Started(**json.loads(line)["started"]))


def work(orders: IO[str], out: IO[str]) -> None:
    """The worker's side: read the order, make the attempts, tell of each."""
    order = json.load(orders)
    settings = order["settings"]
    budget = Budget(**settings.pop("budget"))

    def say(name: str, event: Finished | Started) -> None:
        out.write(json.dumps({name: asdict(event)}) + "\n")
        out.flush()

    listen(lambda finished: say("finished", finished), lambda started: say("started", started))
    attempts = [Attempt(**each) for each in order["attempts"]]
    price = settings.pop("price")
    chosen = Settings(**settings, budget=budget, price=None if price is None else (price[0], price[1]))
    make_attempts(load_suite(order["suite"]), chosen, attempts)


if __name__ == "__main__":
    work(sys.stdin, sys.stdout)
