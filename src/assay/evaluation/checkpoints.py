"""Checkpoints of a challenge: what the workspace held as time went by, kept at once and scored afterwards.

Scoring waits until the attempt has ended, so that it takes no processor time from the agent. The grade is
that of what was left at the end. Where the harness itself ended the attempt and what it cut off could not
even start, it is that of the last checkpoint which is valid. A program that ran and gave no answers is not
replaced: it would be a second hand-in with its own time. The best score among checkpoints is reported and
never used as the grade, because the best of many tries on a hidden set is too high.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
from inspect_ai.model import ChatMessageUser
from inspect_ai.solver import Generate, Solver, TaskState
from inspect_ai.util import sample_limits, sandbox

from assay.agents import Budget, already_spent
from assay.agents.solving import without_arguments
from assay.agents.supervisor.notebook import lasting_store
from assay.evaluation.ledger import Entry, Ledger, Moment
from assay.evaluation.turns import grade_in_turn
from assay.grading import Grade, GradingRules
from assay.grading.checkpoint import Checkpoint
from assay.grading.verdict import Notice
from assay.rules.handed_in import HANDED_IN
from assay.run_context import run_context
from assay.sandbox.session.inspect_provider import BwrapSandboxEnvironment
from assay.tasks import Task
from assay.workspace import Submission, collect_snapshot, requested_files, restore, submissions_folder

BEATS = 16
"""How often in the time of an attempt the files of the workspace are written into the ledger."""
SHORTEST_BEAT, LONGEST_BEAT = 2.0, 1800.0
USAGE_BEAT = 10.0
"""Seconds between two writings of what the attempt has used, its plan and its notes."""

GOES_ON = """You have worked on this before and were interrupted. Your workspace is as you left it at most
{beat:.0f} seconds before that; {used:.0f} seconds of your time are used."""
NOT_KEPT = "\nNot kept, so make it again if you need it: {files}."
NAMED = 20
"""Files that were not kept and are named to the agent."""
LONGEST_NAMED = 200
EARLIER = "earlier"
"""What an attempt used before its service failed, in the metadata of a sample."""


def with_checkpoints(
    inner: Solver, tasks: Mapping[str, Task], shown: Mapping[str, Task], budget: Budget
) -> Solver:
    """A solver whose attempts at challenges leave checkpoints, and go on where they were interrupted."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        task = tasks[str(state.sample_id)]
        place = _own_sandbox()
        if place is None:
            return await inner(state, generate)
        recorder = CheckpointRecorder(shown[task.id], place, budget.of(task), Ledger.of(state))
        await recorder.go_on(state)
        if task.assay.challenge is None:
            return await _without_checkpoints(inner, state, generate, recorder)
        failure: Exception | None = None
        async with anyio.create_task_group() as group:
            group.start_soon(recorder.watch)
            try:
                with already_spent(recorder.before_budget):
                    state = await inner(state, generate)
            except Exception as error:
                failure = error
            group.cancel_scope.cancel()
        if failure is not None:
            raise failure
        moments = [moment.model_dump() for moment in recorder.moments]
        state.metadata["checkpoints"] = {
            "seconds": recorder.seconds(),
            "allowed": budget.of(task).seconds,
            "moments": moments,
            "earlier": recorder.before.model_dump(include={"seconds", "tokens", "cost"}),
        }
        return state

    return without_arguments(solve)


async def _without_checkpoints(
    inner: Solver, state: TaskState, generate: Generate, recorder: CheckpointRecorder
) -> TaskState:
    """Make an attempt; if it breaks off, keep what it used and left, so that another try gets no more.

    An agent can use up the requests of its service, and an attempt whose service fails is made again.
    """
    if recorder.before.seconds:
        state.metadata[EARLIER] = recorder.before.model_dump(include={"seconds", "tokens", "turns", "cost"})
    try:
        with already_spent(recorder.before_budget):
            return await inner(state, generate)
    except Exception:
        await recorder.keep_what_is_left()
        raise


def _own_sandbox() -> BwrapSandboxEnvironment | None:
    """The sandbox, past Inspect's record of commands and ours, which are for the agent's; None for others."""
    try:
        return BwrapSandboxEnvironment(sandbox().as_type(BwrapSandboxEnvironment).box)
    except TypeError:
        return None


class CheckpointRecorder:
    """Looks into one attempt's workspace from time to time."""

    def __init__(self, task: Task, place: BwrapSandboxEnvironment, allowed: Budget, ledger: Ledger) -> None:
        challenge = task.assay.challenge
        count = challenge.checkpoints if challenge is not None else 0
        total_seconds = allowed.seconds or 0.0
        self.task, self.place, self.ledger = task, place, ledger
        self.started = time.monotonic()
        self.before = Entry()
        self.moments: list[Moment] = []
        self.last: str | None = None
        self.due = [total_seconds * number / (count + 1) for number in range(1, count + 1)]
        self.beat = min(max(total_seconds / BEATS, SHORTEST_BEAT), LONGEST_BEAT)

    @property
    def before_budget(self) -> Budget:
        """What earlier parts of this attempt have used."""
        used = self.before
        return Budget(seconds=used.seconds, tokens=used.tokens, turns=used.turns, cost=used.cost)

    def seconds(self) -> float:
        """How long the attempt has taken, its earlier parts included."""
        return round(self.before.seconds + time.monotonic() - self.started, 3)

    async def go_on(self, state: TaskState) -> None:
        """Put back what an interrupted attempt left, and tell the agent."""
        self.before, left = self.ledger.read()
        self.moments, self.last = list(self.before.moments), self.before.submission
        self.due = [due_time for due_time in self.due if due_time > self.before.seconds]
        for key, value in self.before.store.items():
            state.store.set(key, value)
        if left is not None:
            await restore(self.place, left)
            beat = self.beat if self.task.assay.challenge is not None else 0.0
            note = GOES_ON.format(beat=beat, used=self.before.seconds)
            if left.refused:
                note += NOT_KEPT.format(files=_listed(left.refused))
            state.messages.append(ChatMessageUser(content=note))

    async def watch(self) -> None:
        """Keep the ledger, and a checkpoint whenever one is due, until cancelled."""
        next_beat = self.before.seconds + self.beat
        while True:
            next_files = min([next_beat, *self.due[:1]])
            await anyio.sleep(max(min(next_files - self.seconds(), USAGE_BEAT), 0.01))
            elapsed = self.seconds()
            # What cannot be written, on a full disk for example, must not end an attempt that can be graded.
            with contextlib.suppress(Exception):
                if elapsed < next_files:
                    await anyio.to_thread.run_sync(self.ledger.write, self._entry(elapsed), None)
                else:
                    next_beat = elapsed + self.beat
                    await self._keep(elapsed)

    async def keep_what_is_left(self) -> None:
        """Write down an attempt that breaks off after an answer of its model."""
        with contextlib.suppress(Exception):
            if self._entry(0.0).turns:
                await self._keep(self.seconds())

    async def _keep(self, elapsed: float) -> None:
        """Write down what there is now."""
        work = await self._snapshot()
        if self.due and elapsed >= self.due[0]:
            self.due = [due_time for due_time in self.due if due_time > elapsed]
            if work is not None:
                digest = await anyio.to_thread.run_sync(work.store, submissions_folder())
                self.moments.append(Moment(seconds=elapsed, submission=digest))
        entry = self._entry(self.seconds())
        self.last = (await anyio.to_thread.run_sync(self.ledger.write, entry, work)).submission

    async def _snapshot(self) -> Submission | None:
        """The workspace as it is now. An agent can hold up the copy: what it uses is written meanwhile."""
        work: Submission | None = None
        async with anyio.create_task_group() as group:
            group.start_soon(self._write_usage)
            # What cannot be read just now (a full disk, a sandbox about to end) is read at the next beat.
            with contextlib.suppress(Exception):
                asked_for = requested_files(self.task)
                work = await collect_snapshot(self.place, self.task.workspace, requested=asked_for)
            group.cancel_scope.cancel()
        return work

    async def _write_usage(self) -> None:
        while True:
            await anyio.sleep(USAGE_BEAT)
            with contextlib.suppress(Exception):
                await anyio.to_thread.run_sync(self.ledger.write, self._entry(self.seconds()), None)

    def _entry(self, elapsed: float) -> Entry:
        used = sample_limits()
        return Entry(
            seconds=elapsed,
            tokens=self.before.tokens + int(used.token.usage),
            turns=self.before.turns + int(used.turn.usage),
            cost=self.before.cost + float(used.cost.usage),
            submission=self.last,
            moments=self.moments,
            store=lasting_store(),
        )


def _listed(refused: Mapping[str, str]) -> str:
    """The first of the files that were not collected, with the reasons."""
    named = [f"{path[:LONGEST_NAMED]!a} ({reason})" for path, reason in list(refused.items())[:NAMED]]
    return ", ".join(named) + (f" and {len(refused) - NAMED} more" if len(refused) > NAMED else "")


class StartGrades(dict[str, Grade]):
    """Task digest → the grade of the workspace as it is given: the same for every attempt."""


async def score_checkpoints(
    task: Task,
    snapshots: Mapping[str, Any],
    final: Grade,
    *,
    cut_off: bool,
    rules: GradingRules,
    submissions: Path,
) -> tuple[Grade, list[dict[str, Any]]]:
    """The attempt's grade, and a row for each checkpoint from the start to the end.

    `submissions` is the folder of archived submissions.
    """
    moments = [Moment.model_validate(entry) for entry in snapshots["moments"]]
    graded = {final.submission: final}
    for moment in moments:
        if moment.submission not in graded:
            submission = Submission.load(submissions, moment.submission)
            graded[moment.submission] = await grade_in_turn(task, submission, rules=rules)
    rows = [_row(entry.seconds, graded[entry.submission]) for entry in moments]
    if rows:
        start_grades = run_context().part(StartGrades)
        if task.digest not in start_grades:
            start_grades[task.digest] = await grade_in_turn(task, Submission(), rules=rules)
        rows = [_row(0.0, start_grades[task.digest]), *rows]
    rows.append(_row(snapshots["seconds"], final))
    valid = [entry for entry in moments if graded[entry.submission].score is not None]
    if cut_off and final.score is None and valid and _is_unfinished(task, final):
        last = graded[valid[-1].submission]
        evidence = f"cut off at its limit; graded as it was after {valid[-1].seconds:.0f} s"
        return last.model_copy(
            update={"notices": [*last.notices, Notice(flag="cut-off", evidence=evidence)]}
        ), rows
    return final, rows


def _is_unfinished(task: Task, final: Grade) -> bool:
    """Whether no program of the submission ran: the task has none, or a file that it asks for is missing."""
    challenge = task.assay.challenge
    if challenge is None or not (challenge.build or challenge.serve):
        return True
    return any(verdict.item.startswith(HANDED_IN) and verdict.status == "unmet" for verdict in final.verdicts)


def _row(seconds: float, grade: Grade) -> dict[str, Any]:
    why = next((verdict.evidence for verdict in grade.verdicts if verdict.status != "met"), "")
    return Checkpoint(
        seconds=seconds,
        score=grade.score,
        normalised=grade.normalised,
        standard_error=grade.standard_error,
        valid=grade.score is not None,
        submission=grade.submission,
        note=why[:200],
    ).model_dump()
