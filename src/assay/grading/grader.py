"""From submission to grade: every item gets a verdict, whatever the submission does."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence

from assay.apart import apart
from assay.errors import AssayError, DiskFull, DrawingError, SandboxError
from assay.grading.attempt_transcript import Transcript
from assay.grading.challenge import Scored
from assay.grading.cleanroom import CleanRoom, Rerun
from assay.grading.conclusion_numbers import cited_in, settings_of
from assay.grading.execution_trace import ExecutionTrace
from assay.grading.grading_rules import DEFAULT_RULES, GradingRules
from assay.grading.implementation import grade_requirement
from assay.grading.judge import Judge, consult
from assay.grading.kept_results import always_built
from assay.grading.mean_relative_error import grade_mean_relative_error
from assay.grading.monitor import judge_integrity, notice
from assay.grading.own_code import ask_about_method
from assay.grading.results import grade_results
from assay.grading.same_workspace import grade_once
from assay.grading.unit_tests import grade_unit_tests
from assay.grading.verdict import Grade, Notice, Verdict, verdicts_of
from assay.protocols import Grader
from assay.rules.conclusion import grade_conclusion
from assay.rules.design import extra_variables, grade_design, short
from assay.rules.fresh_calls import runs_unit_tests
from assay.rules.handed_in import grade_handed_in
from assay.rules.literals import stated_numbers
from assay.rules.ruling import Owner, is_decided, of_solution, without_runs
from assay.rules.tables import MOST_BYTES
from assay.tasks import DEFAULT, Requirement, Task
from assay.workspace import Submission

Step = Callable[[CleanRoom], Awaitable[Scored]]


async def grade(
    task: Task,
    submission: Submission,
    transcript: Transcript | None = None,
    rules: GradingRules = DEFAULT_RULES,
    judge: Judge | None = None,
    graders: Mapping[str, Grader] | None = None,
) -> Grade:
    """All verdicts on a submission by some rules.

    What needs a reader stays unknown without a judge; `rules.judge()` makes the one that the rules name.
    `graders` are steps of the caller's own, by the item that is named where one breaks; they run after the
    task's own steps.
    """
    started = time.monotonic()
    commands = transcript or Transcript()
    verdicts: list[Verdict] = []
    scored = Scored(verdicts=[])
    async with CleanRoom(task, submission) as room:
        for name, step in [("integrity", _integrity), *_steps(task, rules), *(graders or {}).items()]:
            part = await settle(room, name, step)
            verdicts += part.verdicts
            scored = part if part.score is not None else scored
        results = await _rerun_results(room) if task.conclusion else None
        trace = room.trace
        gpu_use = room.gpu_use
    verdicts = [Verdict.of(ruling) for ruling in without_runs(verdict.ruling for verdict in verdicts)]
    is_unproved = _is_unproved_solution(task, submission)
    verdicts = _of_solution(verdicts) if is_unproved else verdicts
    result = Grade(
        task=task.id,
        kind=task.kind,
        verdicts=verdicts,
        notices=await _notices(task, submission, commands, verdicts, trace),
        score=scored.score,
        standard_error=scored.standard_error,
        normalised=scored.normalised,
        submission=await asyncio.to_thread(lambda: submission.digest),
        seconds=round(time.monotonic() - started, 3),
        trace=None if trace is None else trace.for_log(),
        gpu=gpu_use,
    ).with_results(results)
    if judge is None:
        return result
    read = await consult(judge, task, submission, result, commands)
    return read.model_copy(update={"verdicts": _of_solution(read.verdicts)}) if is_unproved else read


async def _rerun_results(room: CleanRoom) -> object | None:
    """The numbers of the plain run for a reader; None if there are none. The steps name what breaks it."""
    try:
        return (await room.rerun()).results
    except (SandboxError, DiskFull):
        raise
    except Exception:
        return None


async def _integrity(room: CleanRoom) -> Scored:
    """What was handed in, before anything of it is run."""
    task, submission = room.task, room.submission
    verdicts = await asyncio.to_thread(judge_integrity, task, submission, room.environment)
    read_later = await asyncio.to_thread(ask_about_method, task, submission)
    return Scored(verdicts=[*verdicts, *read_later, *_contract(task, submission)])


async def _notices(
    task: Task,
    submission: Submission,
    transcript: Transcript,
    verdicts: Sequence[Verdict],
    trace: ExecutionTrace | None,
) -> list[Notice]:
    """What was seen. A submission that breaks the reading of it gets a notice, and grading goes on."""
    notices = _unfounded(task, submission, verdicts)
    try:
        untouched = trace.untouched if trace is not None else ()
        notices += await asyncio.to_thread(notice, task, submission, transcript, untouched)
        if task.design is not None:
            extra = await apart(extra_variables, task.design, submission.files.get("design.json"))
            if extra:
                notices.append(Notice(flag="extra-variables", evidence=f"{len(extra)}: {short(extra)}"))
    except Exception as error:
        notices.append(
            Notice(flag="unread", evidence=f"reading it broke: {type(error).__name__}: {error}"[:300])
        )
    return notices


def _is_unproved_solution(task: Task, submission: Submission) -> bool:
    """Whether this is the truth, and nothing else, of a published experiment: no gold run has proved it."""
    clean = not submission.deleted and not submission.refused
    return clean and task.unproved and submission.files == task.gold_files


def _of_solution(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """The same verdicts; what the published solution itself does not meet, the task owns."""
    return [Verdict.of(of_solution(verdict.ruling)) for verdict in verdicts]


def _unfounded(task: Task, submission: Submission, verdicts: Sequence[Verdict]) -> list[Notice]:
    """Results that were handed in although the run that should make them does not."""
    results = task.assay.run.results if task.assay.run else None
    failed = any(verdict.item == f"execution.{DEFAULT}" and verdict.status == "unmet" for verdict in verdicts)
    if results not in submission.files or not failed:
        return []
    return [Notice(flag="unfounded", evidence=f"{results} was handed in, and the run does not make it")]


def _contract(task: Task, submission: Submission) -> list[Verdict]:
    """Whether everything that must be handed in was."""
    required = task.assay.submission.required
    return verdicts_of(
        grade_handed_in(required, submission.files, task.workspace, submission.deleted, submission.refused)
    )


def _steps(task: Task, rules: GradingRules) -> list[tuple[str, Grader]]:
    """What is graded for this kind of task, in order."""
    steps: list[tuple[str, Grader]] = []
    challenge, design, conclusion = task.assay.challenge, task.design, task.conclusion
    if challenge is not None:
        steps.append(("score.reference", lambda room: grade_once(room, challenge)))
    if task.assay.run is not None:
        compare = grade_mean_relative_error if rules.tolerance == "published" else grade_results
        steps.append(("execution.default", _plain(compare)))
        if task.assay.masks and runs_unit_tests(task.assay.run.command):
            steps.append(("integrity.tests", _plain(grade_unit_tests)))
    if design is not None:

        async def plan(room: CleanRoom) -> list[Verdict]:
            handed_in = room.submission.files.get("design.json")
            return verdicts_of(await apart(grade_design, design, handed_in, task.instruction))

        steps.append(("design", _plain(plan)))
    for requirement in task.requirements.requirement if task.requirements else []:
        steps.append((f"requirement.{requirement.id}", _requirement(requirement)))
    if conclusion is not None:

        async def conclude(room: CleanRoom) -> list[Verdict]:
            handed_in = room.submission.files.get("conclusion.json")
            plain = await room.rerun()
            settings = await asyncio.to_thread(settings_of, room.submission, plain.trace)
            known_numbers = stated_numbers(task.instruction, conclusion, design)
            outputs = await asyncio.to_thread(_other_outputs, task, plain)
            lookup = None if plain.results is None else await cited_in(room, plain)
            rulings = await apart(
                grade_conclusion,
                conclusion,
                handed_in,
                plain.results,
                known_numbers,
                task.noise,
                settings,
                outputs,
                lookup,
            )
            return verdicts_of(rulings)

        steps.append(("conclusion", _plain(conclude)))
    return steps


def _other_outputs(task: Task, plain: Rerun) -> dict[str, bytes]:
    """What the run wrote beside its results; files that are too long to be read are left out."""
    results = task.assay.run.results if task.assay.run else None
    outputs: dict[str, bytes] = {}
    for path, saved in plain.outputs.items():
        if path == results:
            continue
        if isinstance(saved, bytes):
            outputs[path] = saved
        elif saved.stat().st_size <= MOST_BYTES:
            outputs[path] = saved.read_bytes()
    return outputs


def _plain(grader: Callable[[CleanRoom], Awaitable[list[Verdict]]]) -> Grader:
    async def step(room: CleanRoom) -> Scored:
        return Scored(verdicts=await grader(room))

    return step


def _requirement(requirement: Requirement) -> Grader:
    async def step(room: CleanRoom) -> Scored:
        return Scored(verdicts=[await grade_requirement(room, requirement)])

    return step


async def settle(room: CleanRoom, item: str, step: Grader) -> Scored:
    """Run one step; if it breaks, a control submission decides whose failure that is."""
    try:
        return await step(room)
    except Exception as error:
        message = error.message if isinstance(error, AssayError) else f"{type(error).__name__}: {error}"
        owner: Owner = "sandbox" if isinstance(error, SandboxError) else "grader"
        full = error if isinstance(error, DiskFull) else None
        was_drawing = isinstance(error, DrawingError)
        if full is not None:
            room.discard_outputs()
    if was_drawing:
        # On a busy machine the control may be drawn in time where this was not: that says nothing.
        evidence = f"the task could not draw its inputs: {message}"
        return Scored(verdicts=[Verdict(item=item, status="unknown", owner=owner, evidence=evidence[:600])])
    if await _control_grades(room, step):
        evidence = f"grading broke on this submission and not on the control: {message}"
        return Scored(verdicts=[Verdict(item=item, status="unmet", owner="agent", evidence=evidence[:600])])
    if full is not None:
        raise full
    evidence = f"grading broke, on the control submission too: {message}"
    return Scored(verdicts=[Verdict(item=item, status="unknown", owner=owner, evidence=evidence[:600])])


async def _control_grades(room: CleanRoom, step: Grader) -> bool:
    try:
        async with CleanRoom(room.task, Submission(room.task.gold_files)) as control:
            with always_built():
                control_grade = await step(control)
    except Exception:
        return False
    return all(is_decided(verdict.ruling, room.task.unproved) for verdict in control_grade.verdicts)


def grade_now(
    task: Task,
    submission: Submission,
    transcript: Transcript | None = None,
    rules: GradingRules = DEFAULT_RULES,
    judge: Judge | None = None,
    graders: Mapping[str, Grader] | None = None,
) -> Grade:
    """`grade` for callers without an event loop."""
    return asyncio.run(grade(task, submission, transcript, rules, judge, graders))
