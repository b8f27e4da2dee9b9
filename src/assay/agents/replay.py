"""A recorded agent: it leaves the archived files of a real agent, which are graded like any others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from assay.agents.entry import AgentEntry
from assay.agents.options import full_name
from assay.agents.recordings import RecordedHandIn, Recording, find_recordings, read_hand_in, read_recording
from assay.errors import SandboxError, TaskError, UsageError
from assay.tasks import Task
from assay.workspace import Submission, restore

if TYPE_CHECKING:
    from inspect_ai.solver import Generate, Solver, TaskState

REPLAY = "replay:"
OPTION = "recorded"
"""The option that holds the date in the agent's name, as in `careful[recorded=2026-11-16]`."""


class RecordedTaskError(TaskError):
    """The task is not the one that the recorded agent tried; there is no attempt to count."""


def from_recording(name: str) -> AgentEntry:
    """The agent that `replay:NAME` or `replay:FOLDER` names."""
    recordings = {folder: read_recording(folder) for folder in find_recordings(name)}
    first = next(iter(recordings.values()))
    for folder, recording in recordings.items():
        if (recording.name, recording.date) != (first.name, first.date):
            raise UsageError(
                f"{folder} says {recording.name} of {recording.date}, another folder of this recording says "
                f"{first.name} of {first.date}",
                hint="recordings under one name are of one agent and one day",
            )

    for folder, recording in recordings.items():
        for hand_in in recording.hand_in:
            read_hand_in(folder, hand_in)
    unchecked = sum(recording.without_digests for recording in recordings.values())
    count = sum(len(recording.hand_in) for recording in recordings.values())
    remark = f"{unchecked} of {count} recorded hand-ins have no digests: changed files would not be noticed"

    def covers(task: Task, number: int) -> bool:
        return any((task.id, number) in recording.by_attempt for recording in recordings.values())

    def make(tasks: Mapping[str, Task]) -> Solver:
        return replay_solver(recordings)

    date = {OPTION: first.date}
    return AgentEntry(
        full_name(first.name, date),
        first.description,
        "agent",
        make,
        covers=covers,
        changed_options=date,
        remark=remark if unchecked else "",
    )


def changed_tasks(name: str, tasks: Iterable[Task]) -> list[str]:
    """Return the ids of tasks that changed since `replay:NAME` was recorded."""
    recorded = {
        hand_in.task: hand_in.digest
        for folder in find_recordings(name)
        for hand_in in read_recording(folder).hand_in
    }
    return [task.id for task in tasks if recorded.get(task.id, task.digest) != task.digest]


def replay_solver(recordings: Mapping[Path, Recording]) -> Solver:
    """Leaves the recorded files of a task in its workspace."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        task_facts = state.metadata["assay"]
        numbers = task_facts["attempts"]
        task_id, number = str(state.sample_id), int(numbers[state.epoch - 1])
        folder, hand_in = _find(recordings, task_id, number)
        if hand_in.digest != task_facts["digest"]:
            raise RecordedTaskError(
                task_id,
                f"changed since its hand-in was recorded: its digest was {hand_in.digest[:12]}… and is "
                f"{task_facts['digest'][:12]}… now",
                hint="record the agent again on the present task",
            )
        state.metadata[OPTION] = {"seconds": hand_in.seconds}
        await _leave(read_hand_in(folder, hand_in))
        return state

    return solve


def _find(recordings: Mapping[Path, Recording], task: str, number: int) -> tuple[Path, RecordedHandIn]:
    for folder, recording in recordings.items():
        hand_in = recording.by_attempt.get((task, number))
        if hand_in is not None:
            return folder, hand_in
    raise RecordedTaskError(task, f"has no recorded hand-in of attempt {number}")


async def _leave(submission: Submission) -> None:
    from inspect_ai.util import sandbox

    not_written = await restore(sandbox(), submission)
    if not_written:
        raise SandboxError(f"{len(not_written)} recorded files cannot be written, {not_written[0]!a} is one")
