"""The Slurm engine: batches with the same needs are one job array, each batch one element of it.

If a node fails, Slurm puts its elements back into the queue, and the logs say which attempts are left.
If the driver is killed, its jobs go on; the same command follows them to their end before it submits more.

What it does not cover: GPU memory (name a partition or a constraint with `--slurm`), and machines that do not
share the folder of logs.
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import AssayError
from assay.evaluation.engines.batch_work import engine_folder
from assay.evaluation.engines.batches import Batch, ResourceRequest, make_batches
from assay.evaluation.engines.folder_link import EventFiles
from assay.evaluation.engines.run_folder import make_order, remove_folder, write_order
from assay.evaluation.engines.slurm_commands import (
    ENDED,
    LONGEST_ARRAY,
    PURGED,
    Element,
    array_script,
    cancel,
    check_slurm,
    past_states,
    states_of,
    submit,
)
from assay.evaluation.engines.work import EngineWork
from assay.evaluation.running import Plan, Settings, still_to_make
from assay.files import publish, whole_name

if TYPE_CHECKING:
    from assay.evaluation.preflight import PreflightCheck

LOOK_SECONDS = 1.0
ROUNDS = 4
"""How often attempts are submitted whose jobs were lost or ran out of time."""
PATIENCE_SECONDS = 600.0
"""How long the controller may not answer before the driver gives up; the jobs go on."""


class SlurmEngine:
    """Makes attempts as jobs of a Slurm cluster."""

    name = "slurm"

    def __init__(self, options: Mapping[str, str] | None = None, batch_size: int | None = None) -> None:
        self._options = dict(options or {})
        self._batch_size = batch_size

    def checks(self, plan: Plan, settings: Settings) -> Iterator[PreflightCheck]:
        """Check whether jobs can be submitted from this machine."""
        from assay.evaluation.preflight import PreflightCheck

        check_slurm()
        yield PreflightCheck("cluster", "ok", "Slurm's commands are here; it checks each request itself")

    def carry_out(self, work: EngineWork) -> None:
        """Follow the jobs of a driver that was killed, then make the attempts that are left."""
        check_slurm()
        runs = engine_folder(whole_name(work.settings.logs), str(Path.cwd()))
        for jobs in sorted(runs.glob("*/jobs.json")):
            SlurmRun(work, jobs.parent).follow()
        for _ in range(ROUNDS):
            plan = work.plan
            left = still_to_make(plan.suite, work.settings, plan.left)
            if not left:
                return
            run = self._submit(replace(work, plan=replace(plan, left=left)))
            outcome = run.follow()
            if not outcome.lost:
                break
        if outcome.problems:
            raise AssayError(
                f"{len(outcome.problems)} batches ended early: {outcome.problems[0]}",
                hint="the same command again goes on where it stopped",
            )

    def _submit(self, work: EngineWork) -> SlurmRun:
        """Write the batches of a run and submit them."""
        order = make_order(work)
        batches = make_batches(work.tasks, work.settings, work.plan.left, self._batch_size)
        write_order(order, batches)
        jobs: list[str] = []
        try:
            for array, members in enumerate(_arrays(batches)):
                numbers = [batch.number for batch in members]
                publish(order.folder / "arrays" / f"{array}.json", json.dumps(numbers))
                jobs.append(submit(array_script(order.folder, array, members, self._options)))
                # After each array: a driver that is killed knows its jobs when it starts again.
                publish(order.folder / "jobs.json", json.dumps(jobs))
        except BaseException:
            cancel(jobs)
            remove_folder(order.folder)
            raise
        return SlurmRun(work, order.folder)


class BatchTally:
    """What became of the batches of a run."""

    def __init__(self) -> None:
        self.lost = 0
        """Batches that a machine or the clock ended; they can be submitted again."""
        self.problems: list[str] = []

    def add_note(self, note: Mapping[str, Any]) -> None:
        """Count what a worker wrote at its end."""
        self.lost += bool(note["time_over"])
        if note["problem"] is not None:
            self.problems.append(note["problem"])


class SlurmRun:
    """Submitted arrays, seen from the driver."""

    def __init__(self, work: EngineWork, folder: Path) -> None:
        self._work, self._folder = work, folder
        self._jobs: list[str] = json.loads((folder / "jobs.json").read_text())
        self._events = EventFiles(folder)
        self._states: dict[Element, str] = {}
        self._answered = time.monotonic()

    def follow(self) -> BatchTally:
        """Pass on what the jobs report until the last one has ended."""
        try:
            while not self._has_ended():
                self._pass_on_events()
                time.sleep(LOOK_SECONDS)
            self._pass_on_events()
            outcome = self._outcome()
        except (KeyboardInterrupt, AssayError):
            cancel(self._jobs)
            remove_folder(self._folder)
            raise
        remove_folder(self._folder)
        return outcome

    def _has_ended(self) -> bool:
        try:
            present = states_of(self._jobs)
        except ConnectionError as error:
            if time.monotonic() - self._answered > PATIENCE_SECONDS:
                raise ConnectionError(
                    f"Slurm has not answered for {PATIENCE_SECONDS:.0f} s: {error}; its jobs go on, and "
                    "the same command follows them again"
                ) from None
            return False
        self._answered = time.monotonic()
        self._states.update(present)
        return all(state in ENDED for state in present.values())

    def _pass_on_events(self) -> None:
        for event in self._events.new_events():
            self._work.pass_on(event)

    def _outcome(self) -> BatchTally:
        outcome = BatchTally()
        accounts: dict[Element, str] | None = None
        for array, job in enumerate(self._jobs):
            numbers = json.loads((self._folder / "arrays" / f"{array}.json").read_text())
            for place, number in enumerate(numbers):
                note = self._folder / "results" / f"{number}.json"
                if note.is_file():
                    outcome.add_note(json.loads(note.read_text()))
                    continue
                accounts = past_states(self._jobs) if accounts is None else accounts
                state = accounts.get((job, place)) or self._states.get((job, place), PURGED)
                state = state if state in ENDED else PURGED
                outcome.lost += ENDED.get(state) != "grader"
                output = self._folder / f"output-{array}-{place}.txt"
                outcome.problems.append(_describe(number, state, output))
        return outcome


def _describe(number: int, state: str, output: Path) -> str:
    lines = output.read_text(errors="replace").strip().splitlines() if output.is_file() else []
    message = f": {lines[-1]}" if lines else ""
    return f"Slurm ended batch {number} as {state} (owner: {ENDED.get(state) or 'sandbox'}){message}"


def _arrays(batches: Sequence[Batch]) -> Iterator[list[Batch]]:
    """Batches with the same needs together, and no more in one array than Slurm takes."""
    groups: dict[ResourceRequest, list[Batch]] = defaultdict(list)
    for batch in batches:
        groups[batch.request].append(batch)
    for members in groups.values():
        for start in range(0, len(members), LONGEST_ARRAY):
            yield members[start : start + LONGEST_ARRAY]
