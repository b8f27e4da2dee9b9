"""The nursery: imports what attempts need once, then forks one worker for each share of them.

`assay.nursery_process` starts it, and `assay.evaluation.workers` says how the two talk.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import select
import signal
import sys
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, NoReturn

from assay.agents.request_rate import FolderRate, RateAccount
from assay.benchmarks import Suite, load_suite
from assay.errors import AssayError
from assay.evaluation.attempt_imports import import_for_attempts
from assay.evaluation.events import Finished, Started, Waiting
from assay.evaluation.orders import read_settings
from assay.evaluation.running import PlannedAttempt, Settings
from assay.evaluation.stages import work_on
from assay.evaluation.turns import CoreShare
from assay.grading.fresh import SeedDraws
from assay.run_context import run_context
from assay.sandbox import find_engine
from assay.sandbox.host.scratch import scratch_folder
from assay.sandbox.shown_code import shown_code
from assay.tasks.kinds import MASKED

_PARENT_DEATH_SIGNAL = 1


def main() -> int:
    """Read the order, warm up, fork, wait."""
    # An interrupt is for the workers, which unblock it. This process stays to say how they ended.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    import_for_attempts(asks_models=False)
    line = sys.stdin.readline()
    if not line:
        return 1
    order = json.loads(line)
    for end in order["reports"][len(order["shares"]) :]:
        os.close(end)
    settings = read_settings(order["settings"])
    suite = _warm_up(order["suite"], settings, asks_models=order["asks_models"])
    if sys.stdin.readline().strip() != "begin":
        return 1
    return _fork_workers(order, suite, settings)


def _fork_workers(order: dict[str, Any], suite: Suite, settings: Settings) -> int:
    """Start a worker for each share, and wait until all have ended."""
    reports = order["reports"][: len(order["shares"])]
    workers: dict[int, int] = {}
    nursery_pid = os.getpid()
    draws = scratch_folder() / "draws"
    draws.mkdir(exist_ok=True)
    run_context().put(SeedDraws(draws))
    for place, share in enumerate(order["shares"]):
        pid = os.fork()
        if pid == 0:
            _become_worker(nursery_pid, reports, place)
            attempts = [PlannedAttempt(**fields) for fields in share]
            _end(_work(suite, settings, attempts, reports[place], FolderRate(draws)))
        workers[os.pidfd_open(pid)] = pid
    for report in reports:
        os.close(report)
    print(json.dumps(_wait_for(workers)), flush=True)
    return 0


def _warm_up(source: str, settings: Settings, *, asks_models: bool) -> Suite:
    """Do once what every worker would do again: imports, the suite, the look at this machine."""
    from assay.evaluation.progress import load_hooks_quietly

    if asks_models:
        import_for_attempts(asks_models=True)
    load_hooks_quietly()
    suite = load_suite(source)
    if settings.sandbox == "bwrap":
        find_engine()
    if any(task.kind == MASKED for task in suite.tasks):
        shown_code(None)  # reads the folders that every environment's sandboxes show, once for all workers
    gc.freeze()  # a collection in a worker would touch, and so copy, every page that it shares
    gc.enable()
    return suite


def _wait_for(workers: Mapping[int, int]) -> list[int]:
    """The exit codes of all workers; where the caller is gone, its workers are killed."""
    codes: dict[int, int] = {}
    waiting = select.poll()
    waiting.register(sys.stdin.fileno(), select.POLLHUP | select.POLLIN)
    for handle in workers:
        waiting.register(handle, select.POLLIN)
    while len(codes) < len(workers):
        for handle, _ in waiting.poll():
            if handle not in workers:
                sys.exit(1)  # and the kernel kills the workers with this process
            waiting.unregister(handle)
            _, status = os.waitpid(workers[handle], 0)
            codes[handle] = os.waitstatus_to_exitcode(status)
    return [codes[handle] for handle in workers]


def _become_worker(parent: int, reports: list[int], place: int) -> None:
    """What a worker changes of what it got from the nursery."""
    _die_with(parent)
    null_device = os.open(os.devnull, os.O_RDWR)
    os.dup2(null_device, 0)
    os.dup2(null_device, 1)
    for report in reports[:place] + reports[place + 1 :]:
        os.close(report)
    run_context().put(CoreShare(len(reports)))
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def _work(
    suite: Suite, settings: Settings, attempts: list[PlannedAttempt], report: int, rate: RateAccount
) -> int:
    """A worker: make the attempts of one share and report each."""
    from assay.evaluation.progress import listen

    with open(report, "w", encoding="utf-8") as out:

        def say(name: str, event: Finished | Started | Waiting) -> None:
            out.write(json.dumps({name: asdict(event)}) + "\n")
            out.flush()

        listen(
            lambda finished: say("finished", finished),
            lambda started: say("started", started),
            lambda waiting: say("waiting", waiting),
        )
        try:
            work_on(suite, settings, attempts, rate=rate)
        except KeyboardInterrupt:
            return 128 + signal.SIGINT
        except AssayError as error:
            print(f"error: {error.message}", file=sys.stderr)
            return 1
    return 0


def _end(code: int) -> NoReturn:
    """End a worker as forked processes end: what it must remove is removed, the interpreter is not torn down.

    The interpreter's own shutdown ended some workers with a segmentation fault after their last attempt.
    """
    atexit._run_exitfuncs()
    sys.stderr.flush()
    os._exit(code)


def _die_with(parent: int) -> None:
    """Let the kernel kill this process when its parent ends."""
    import ctypes

    ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)
