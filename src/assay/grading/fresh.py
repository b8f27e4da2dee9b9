"""Runs that nobody could know: a seed drawn at grading, with gold made by running the solution under it.

Stored gold can leak, and the seeds of a public benchmark can be learned by heart. One seed is drawn for each
task and process, so that the solution is run once and not for every submission. Processes of one run share
what they drew: the first that needs it draws and runs the solution, the others read that from a folder that
no sandbox shows and that ends with the run.
"""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import json
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO
from weakref import WeakKeyDictionary

from assay.cache import locked, write_whole
from assay.errors import GradingError
from assay.grading.cleanroom import CleanRoom
from assay.rules.running import SEEDS, seeded_command
from assay.tasks import Task, Variation, look_up
from assay.workspace import Submission

Key = tuple[str, str]
"""A task's digest and a variation's name."""
_seeds: dict[Key, int] = {}
_gold: dict[Key, dict[str, list[float]]] = {}
_making: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Key, asyncio.Lock]] = WeakKeyDictionary()
_shared: Path | None = None


def share_draws(folder: Path) -> None:
    """Share drawn seeds and their gold with the other processes that name this folder."""
    global _shared
    _shared = folder


def draw(task: Task, variation: Variation) -> Variation:
    """The variation with its seed, drawn now where it is to be fresh."""
    if not variation.fresh:
        return variation
    key = (task.digest, variation.name)
    if key not in _seeds:
        _seeds[key] = secrets.choice(SEEDS) if _shared is None else _shared_seed(_place(_shared, key))
    return with_seed(variation, _seeds[key])


def with_seed(variation: Variation, seed: int) -> Variation:
    """A fresh variation with a seed, given as ASSAY_SEED and put into its command where that asks for it."""
    command = seeded_command(variation.command, seed)
    return variation.model_copy(update={"seed": seed, "fresh": False, "command": command})


async def fresh_gold(task: Task, drawn: Variation) -> dict[str, list[float]]:
    """The solution's own numbers under a drawn seed."""
    key = (task.digest, drawn.name)
    # Gradings of one task begin together: the first runs the solution, the others wait for its numbers.
    async with _making.setdefault(asyncio.get_running_loop(), {}).setdefault(key, asyncio.Lock()):
        if key not in _gold:
            _gold[key] = await (_run_solution(task, drawn) if _shared is None else _shared_gold(task, drawn))
    return _gold[key]


async def _run_solution(task: Task, drawn: Variation) -> dict[str, list[float]]:
    async with CleanRoom(task, Submission(task.gold_files)) as room:
        rerun = await room.rerun(drawn)
    if rerun.results is None:
        raise GradingError(f"the solution does not run with the drawn seed {drawn.seed}: {rerun.problem}")
    return {metric.name: [look_up(rerun.results, metric.path)] for metric in task.assay.metrics}


def _place(folder: Path, key: Key) -> Path:
    return folder / hashlib.sha256("/".join(key).encode()).hexdigest()[:32]


def _shared_seed(place: Path) -> int:
    file = place.with_suffix(".seed")
    with locked(place.with_suffix(".seed-lock")):
        if not file.is_file():
            write_whole(file, str(secrets.choice(SEEDS)).encode())
        return int(file.read_text())


async def _shared_gold(task: Task, drawn: Variation) -> dict[str, list[float]]:
    assert _shared is not None
    place = _place(_shared, (task.digest, drawn.name))
    file = place.with_suffix(".gold")
    async with _locked_in_thread(place.with_suffix(".gold-lock")):
        if not file.is_file():
            write_whole(file, json.dumps(await _run_solution(task, drawn)).encode())
        found: dict[str, list[float]] = json.loads(file.read_text())
        return found


@asynccontextmanager
async def _locked_in_thread(path: Path) -> AsyncIterator[None]:
    """Hold a lock file without stopping the event loop while another process holds it."""

    def take() -> IO[str]:
        handle = path.open("w")
        fcntl.flock(handle, fcntl.LOCK_EX)
        return handle

    with await asyncio.to_thread(take):
        yield
