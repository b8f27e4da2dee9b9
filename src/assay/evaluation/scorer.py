"""The one Inspect scorer: takes the submission out, archives it, grades it, logs every verdict."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Any

from inspect_ai.event import Event, SandboxEvent
from inspect_ai.log import transcript
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from assay.evaluation.candidates import grade_candidates
from assay.evaluation.checkpoints import EARLIER, score_checkpoints
from assay.evaluation.ledger import Ledger
from assay.evaluation.machine_record import SANDBOX, machine_record
from assay.evaluation.pending import keep_until_graded
from assay.evaluation.taking import (
    TakenAttempt,
    how_it_was_taken,
    look_back,
    ran_alone,
    release_machine,
    take_record,
    take_submission,
    to_be_graded,
)
from assay.evaluation.turns import grade_in_turn
from assay.grading import Grade, GradingRules, Transcript, Written, consult
from assay.grading.drawn_inputs import same_inputs
from assay.grading.grading_rules import DEFAULT_RULES
from assay.grading.kept_results import always_built
from assay.grading.runs import Runs, runs_of
from assay.grading.verdict import Notice
from assay.sandbox import Observations
from assay.tasks import Task
from assay.workspace import TRANSCRIPTS, CommandTranscript, Submission, submissions_folder, workspace_path

ORACLE = "oracle"
"""The agent whose scores show how far those of one and the same submission differ."""


def assay_scorer(
    tasks: Mapping[str, Task],
    views: Mapping[str, Task] | None = None,
    rules: GradingRules = DEFAULT_RULES,
    *,
    grades_later: bool = False,
) -> Scorer:
    """Scores `passed` (1, 0 or NaN where it cannot be known) and `met`, the share of items met.

    `views` are the tasks as the agent got them, where that differs. With `grades_later` the score only says
    what was taken out of the sandbox, and another pass grades it.
    """

    async def score(state: TaskState, target: Target) -> Score:
        task = tasks[str(state.sample_id)]
        folder = submissions_folder()
        taken, submission, commands = await _take(state, task, (views or tasks)[task.id], folder)
        taken = await keep_until_graded(state, taken, folder.parent)
        if grades_later:
            final = to_be_graded(taken)
        else:
            with always_built() if state.metadata["assay"]["agent"] == ORACLE else nullcontext():
                final = await grade_taken(task, taken, submission, commands, rules, folder)
        if "checkpoints" in taken.found or EARLIER in state.metadata:
            Ledger.of(state).forget()
        return final

    # Inspect writes a scorer's arguments into its log. Ours hold the truth, so the scorer it sees has none.
    @scorer(name="assay", metrics={"passed": [mean(), stderr()], "met": [mean()]})
    def without_arguments() -> Scorer:
        return score

    return without_arguments()


async def _take(
    state: TaskState, task: Task, view: Task, folder: Path
) -> tuple[TakenAttempt, Submission, Transcript]:
    """Take what the attempt did and left out of its sandbox, and archive it."""
    machine = machine_record(state.metadata["assay"].get("sandbox", SANDBOX))
    machine |= {"alone": "yes"} if ran_alone() else {}
    observations = await look_back()
    record = await asyncio.to_thread(take_record, task.workspace)
    commands = transcript_so_far(observations) if record is None else transcript_from(record, observations)
    runs = await asyncio.to_thread(runs_so_far, task, transcript().events)
    submission = await take_submission(view)
    gpu_use = release_machine()
    digest = await asyncio.to_thread(submission.store, folder)
    notes: dict[str, Any] = {"machine": machine} | {
        key: state.metadata[key] for key in ("limit", "crash") if key in state.metadata
    }
    if gpu_use is not None:
        notes["gpu"] = gpu_use
    if record is not None:
        notes["transcript"] = await asyncio.to_thread(record.store, folder.with_name(TRANSCRIPTS))
    notes["watch"] = observations.as_log()
    if runs is not None:
        notes["runs"] = runs.model_dump(mode="json")
    taken = TakenAttempt(
        submission=digest,
        transcript=notes.get("transcript", ""),
        watched=asdict(observations),
        notices=[notice.model_dump() for notice in how_it_was_taken()],
        notes=notes,
        found={key: state.metadata[key] for key in ("checkpoints", "best_of") if key in state.metadata},
    )
    return taken, submission, commands


async def grade_taken(
    task: Task,
    taken: TakenAttempt,
    submission: Submission,
    commands: Transcript,
    rules: GradingRules,
    folder: Path,
) -> Score:
    """Grade what an attempt left; `folder` has the archived submissions."""
    judge = rules.judge()
    notes = dict(taken.notes)
    with same_inputs():
        grade = await grade_in_turn(task, submission, commands, rules=rules)
        notices = [Notice.model_validate(notice) for notice in taken.notices]
        grade = grade.model_copy(update={"notices": [*grade.notices, *notices]})
        if "checkpoints" in taken.found:
            notes["seconds_allowed"] = taken.found["checkpoints"]["allowed"]
            notes["earlier"] = taken.found["checkpoints"].get("earlier")
            grade, notes["checkpoints"] = await score_checkpoints(
                task,
                taken.found["checkpoints"],
                grade,
                cut_off="limit" in notes,
                rules=rules,
                submissions=folder,
            )
    if judge is not None:
        # Outside the queue for grading: a judge waits for its service, and uses no processor.
        grade = await consult(judge, task, submission, grade, commands)
    if "best_of" in taken.found:
        notes["best_of"] = await grade_candidates(task, taken.found["best_of"], grade, rules, judge, folder)
    return as_score(grade, notes)


def as_score(grade: Grade, notes: Mapping[str, Any] | None = None) -> Score:
    """A grade as Inspect shows it."""
    passed = math.nan if grade.passed is None else float(grade.passed)
    share = math.nan if grade.share_met is None else grade.share_met
    caught = grade.caught_by
    return Score(
        value={"passed": passed, "met": share},
        answer=grade.submission[:12],
        explanation=explain(grade) if caught or grade.passed is None else "every item is met",
        metadata={"grade": grade.model_dump(mode="json"), **(notes or {})},
    )


def explain(grade: Grade) -> str:
    """The verdicts that are not met, one a line."""
    lines = [
        f"{verdict.item}: {verdict.status}: {verdict.evidence}"
        for verdict in grade.verdicts
        if verdict.status != "met"
    ]
    return "\n".join(lines)


def transcript_so_far(observations: Observations | None = None) -> Transcript:
    """Every command that the agent ran in its sandbox, what came back, and what was seen from outside."""
    return transcript_of(transcript().events, observations)


def transcript_of(events: Sequence[Event], observations: Observations | None = None) -> Transcript:
    """The commands among some events, and what each gave."""
    command_events = _commands(events)
    return Transcript(
        commands=[f"{event.cmd or ''}\n{event.input or ''}" for event in command_events],
        outputs=[event.output or "" for event in command_events],
        watched=observations,
    )


def transcript_from(record: CommandTranscript, watched: Observations | None = None) -> Transcript:
    """Everything that an attempt ran and wrote, whole."""
    commands: list[str] = []
    outputs: list[str] = []
    written: list[Written] = []
    for entry in record.entries:
        words, input_text, output = (
            text.decode(errors="replace") for text in (entry.words, entry.input, entry.output)
        )
        if entry.do == "exec":
            commands.append(f"{words}\n{input_text}")
            outputs.append(output)
        else:
            written.append(Written(workspace_path(entry) or words, input_text, len(commands)))
    return Transcript(commands, outputs, written, record.left_out, watched)


def runs_so_far(task: Task, events: Sequence[Event]) -> Runs | None:
    """How the agent's own runs of the experiment went; kept with the score, since transcripts are long."""
    command_events = _commands(events)
    return runs_of(task, ((event.cmd or "", event.result, event.output or "") for event in command_events))


def _commands(events: Sequence[Event]) -> list[SandboxEvent]:
    return [event for event in events if isinstance(event, SandboxEvent) and event.action == "exec"]
