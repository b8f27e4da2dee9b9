"""Runs that nobody could know: a seed drawn at grading, with gold made by running the solution under it.

Stored gold can leak, and the seeds of a public benchmark can be learned by heart. One seed is drawn for each
task and process, so that the solution is run once and not for every submission. Processes of one run share
what they drew: the first that needs it draws and runs the solution, the others read that from a folder that
no sandbox shows and that ends with the run.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import secrets
from pathlib import Path
from weakref import WeakKeyDictionary

from assay.cache import locked, take_lock
from assay.errors import GradingError
from assay.files import publish
from assay.grading.cleanroom import CleanRoom
from assay.rules.running import DATA_SEEDS, SEEDS, seeded_command
from assay.tasks import Task, Variation, look_up
from assay.workspace import Submission

Key = tuple[str, str]
"""A task's digest and a variation's name."""
GoldNumbers = dict[str, list[float]]


class SeedDraws:
    """The seeds that one process drew, and the solution's numbers under each."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        """Where several processes share what they drew; None: nobody else draws."""
        self._seeds: dict[Key, int] = {}
        self._gold: dict[Key, GoldNumbers] = {}
        self._locks: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Key, asyncio.Lock]]
        self._locks = WeakKeyDictionary()

    def draw(self, task: Task, variation: Variation) -> Variation:
        """The variation with its seed, drawn now where it is to be fresh."""
        if not variation.fresh:
            return variation
        key = (task.digest, variation.name)
        if key not in self._seeds:
            seeds = SEEDS if variation.draw is None else DATA_SEEDS
            self._seeds[key] = (
                secrets.choice(seeds) if self._folder is None else self._shared_seed(key, seeds)
            )
        return with_seed(variation, self._seeds[key])

    async def gold(self, task: Task, variation: Variation) -> GoldNumbers:
        """The solution's own numbers under a drawn seed."""
        key = (task.digest, variation.name)
        locks = self._locks.setdefault(asyncio.get_running_loop(), {})
        # Gradings of one task begin together: the first runs the solution, the others wait for its numbers.
        async with locks.setdefault(key, asyncio.Lock()):
            if key not in self._gold:
                run = _run_solution if self._folder is None else self._shared_gold
                self._gold[key] = await run(task, variation)
        return self._gold[key]

    def _file(self, key: Key, ending: str) -> Path:
        assert self._folder is not None
        return self._folder / f"{hashlib.sha256('/'.join(key).encode()).hexdigest()[:32]}.{ending}"

    def _shared_seed(self, key: Key, seeds: range) -> int:
        file = self._file(key, "seed")
        with locked(self._file(key, "seed-lock")):
            if not file.is_file():
                publish(file, str(secrets.choice(seeds)))
            return int(file.read_text())

    async def _shared_gold(self, task: Task, variation: Variation) -> GoldNumbers:
        key = (task.digest, variation.name)
        file = self._file(key, "gold")
        # In a thread: another process may hold the lock, and the event loop must go on.
        with await asyncio.to_thread(take_lock, self._file(key, "gold-lock")):
            if not file.is_file():
                publish(file, json.dumps(await _run_solution(task, variation)))
            numbers: GoldNumbers = json.loads(file.read_text())
            return numbers


def with_seed(variation: Variation, seed: int) -> Variation:
    """A fresh variation with a seed, given as ASSAY_SEED and put into its command where that asks for it."""
    command = seeded_command(variation.command, seed)
    return variation.model_copy(update={"seed": seed, "fresh": False, "command": command})


async def _run_solution(task: Task, variation: Variation) -> GoldNumbers:
    async with CleanRoom(task, Submission(task.gold_files)) as room:
        rerun = await room.rerun(variation)
    if rerun.results is None:
        raise GradingError(f"the solution does not run with the drawn seed {variation.seed}: {rerun.problem}")
    return {metric.name: [look_up(rerun.results, metric.path)] for metric in task.assay.metrics}
