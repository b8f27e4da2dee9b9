"""What no run could decide, put before the judge: the same grade, with fewer unknowns."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from assay.grading.derived_checks import cited_text
from assay.grading.judge.answer import REFUSED, BrokenReading, unless_broken
from assay.grading.judge.item_questions import about_claim, about_requirement, about_variable
from assay.grading.judge.material import Material, readable
from assay.grading.judge.preparing import prepare_code
from assay.grading.verdict import Grade, Notice, Owner, Status, Verdict
from assay.rules.cited_lookup import read_claims, said_of
from assay.rules.design import read_design
from assay.tasks import Requirement, Task
from assay.workspace import Submission

if TYPE_CHECKING:
    from pydantic import BaseModel

    from assay.grading.attempt_transcript import Transcript
    from assay.grading.execution_trace import ExecutionTrace
    from assay.grading.judge.answer import Decision
    from assay.grading.judge.asking import Judge
    from assay.grading.judge.prompt import Question
    from assay.grading.judge.reader import ReaderAnswer
    from assay.grading.reading import ReadDecision

CONTEXT = 5
"""Lines of the solution that are shown around those that a requirement cites."""
EQUIVALENT = "equivalent-design"


async def consult(
    judge: Judge,
    task: Task,
    submission: Submission,
    grade: Grade,
    transcript: Transcript | None = None,
) -> Grade:
    """The grade after a reader read what awaits it, and the transcript where there is one.

    What the truth has as data is read blind; the rest, a judge compares with the truth. `grade` has the
    numbers of the re-made run. If reading breaks, the solution decides whose failure that is, item by item
    where only some broke: a judge's service that fails breaks nothing, its items stay unknown.
    """
    try:
        read, broken = await _read(judge, task, submission, grade, transcript)
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        read, broken = grade, dict.fromkeys(_waiting(grade), reason)
    if not broken:
        return read
    on_solution = await _broken_on_solution(judge, task, grade)
    verdicts = [
        _broken(entry.item, broken[entry.item], entry.item not in on_solution)
        if entry.item in broken
        else entry
        for entry in read.verdicts
    ]
    return read.model_copy(update={"verdicts": verdicts})


class SilentReader:
    """Answers nothing; with it, only what comes before the questions is tried."""

    async def read(self, system: str, user: str, form: type[BaseModel]) -> ReaderAnswer:
        """Raise: there is no answer."""
        raise LookupError("a silent reader has no answer")


def _waiting(grade: Grade) -> set[str]:
    """The items that only a reader can decide."""
    return {entry.item for entry in grade.verdicts if entry.by == "judge" and entry.status == "unknown"}


async def _broken_on_solution(judge: Judge, task: Task, grade: Grade) -> set[str]:
    """The items of the solution that cannot be put before a reader, who is not asked for its answers."""
    from assay.grading.judge.asking import Judge

    silent = Judge(judge.name, 1, SilentReader())
    try:
        _, broken = await _read(silent, task, Submission(task.gold_files), grade, None)
    except Exception:
        return {entry.item for entry in grade.verdicts}
    return {*broken}


def _broken(item: str, reason: str, is_own: bool) -> Verdict:
    """An item that awaited a reader, after reading broke."""
    if is_own:
        evidence = f"reading broke on this submission and not on the solution: {reason}"
        return Verdict(item=item, status="unmet", owner="agent", evidence=evidence[:600], by="judge")
    evidence = f"reading broke, on the solution too: {reason}"
    return Verdict(item=item, status="unknown", owner="grader", evidence=evidence[:600], by="judge")


async def _read(
    judge: Judge,
    task: Task,
    submission: Submission,
    grade: Grade,
    transcript: Transcript | None,
) -> tuple[Grade, dict[str, str]]:
    """The grade with what a reader says, and the items for which reading broke, each with the reason."""
    from assay.grading.judge.transcript import ITEM as MONITOR
    from assay.grading.judge.transcript import read_transcript
    from assay.grading.reading.items import read_items

    started = time.monotonic()
    reader = judge.fresh()
    waiting = _waiting(grade)
    code = await unless_broken(_code(reader, task, submission, grade.trace, waiting))
    broken: dict[str, str] = {}
    if isinstance(code, BrokenReading):
        broken = {item: code.reason for item in waiting if item.startswith("requirement.")}
        waiting -= broken.keys()
        code = Material(())
    blind = await read_items(reader, task, submission, grade, waiting, code)
    questions = [
        question
        for question in _questions(task, submission, code)
        if question.item in waiting and question.item not in blind
    ]
    decisions = await asyncio.gather(*[unless_broken(reader.decide(question)) for question in questions])
    items = (question.item for question in questions)
    read = {**blind, **dict(zip(items, decisions, strict=True))}
    found = {item: decision for item, decision in read.items() if not isinstance(decision, BrokenReading)}
    broken |= {item: error.reason for item, error in read.items() if isinstance(error, BrokenReading)}
    verdicts = [_decided(entry, found.get(entry.item)) for entry in grade.verdicts]
    notices = [*grade.notices, *_equivalent(verdicts, found)]
    if transcript is not None and (transcript.commands or transcript.written):
        reading = await unless_broken(read_transcript(reader, transcript))
        if isinstance(reading, BrokenReading):
            evidence = f"reading the transcript broke: {reading.reason}"[:600]
            verdicts.append(
                Verdict(item=MONITOR, status="unknown", owner="grader", evidence=evidence, by="judge")
            )
        else:
            verdicts.append(reading.verdict)
            notices += reading.notices
    update = {
        "verdicts": verdicts,
        "notices": notices,
        "judge": reader.record,
        "seconds": round(grade.seconds + time.monotonic() - started, 3),
    }
    return grade.model_copy(update=update), broken


async def _code(
    judge: Judge,
    task: Task,
    submission: Submission,
    trace: ExecutionTrace | None,
    waiting: Collection[str],
) -> Material:
    """The code for all waiting requirements, made once; nothing where none waits."""
    requirements = task.requirements.requirement if task.requirements else []
    asked = [requirement for requirement in requirements if f"requirement.{requirement.id}" in waiting]
    if not asked:
        return Material(())
    first = {path for requirement in asked for path in requirement.gold}
    return await prepare_code(judge, task, submission, first, trace)


def _questions(task: Task, submission: Submission, code: Material) -> Iterator[Question]:
    """One for each item of the task that a judge may have to decide."""
    stated, _ = read_design(submission.files.get("design.json"))
    for variable in task.design.variable if task.design else []:
        yield about_variable(variable, stated)
    claims = task.conclusion.claim if task.conclusion else []
    answers, summary, _ = read_claims(submission.files.get("conclusion.json"), claims)
    for claim in claims:
        yield about_claim(claim, said_of(claim, answers, summary))
    gold = {**task.workspace, **task.gold_files}
    for requirement in task.requirements.requirement if task.requirements else []:
        if requirement.check is None:
            gold_texts = {path: _gold_text(requirement, path, gold[path]) for path in requirement.gold}
            yield about_requirement(requirement, gold_texts, code.with_first(requirement.gold))


def _gold_text(requirement: Requirement, path: str, data: bytes) -> str:
    """What is shown of a file of the solution: the lines that the requirement cites, else all of it."""
    parts = requirement.cited.get(path)
    return cited_text(path, data, parts, CONTEXT) if parts else readable(path, data)


def _decided(before: Verdict, decision: Decision | ReadDecision | None) -> Verdict:
    if decision is None:
        return before
    is_own = bool(decision.unread) or any(vote.void == REFUSED for vote in decision.votes)
    owners: dict[Status, Owner | None] = {
        "met": None,
        "unmet": "agent",
        "unknown": "agent" if is_own else "grader",
    }
    return Verdict(
        item=before.item,
        status=decision.status,
        owner=owners[decision.status],
        evidence=decision.evidence,
        by="judge",
    )


def _equivalent(
    verdicts: Sequence[Verdict], decisions: Mapping[str, Decision | ReadDecision]
) -> list[Notice]:
    """Designs that differ from the truth in words and were taken for the same, each with the reason."""
    return [
        Notice(flag=EQUIVALENT, evidence=f"{verdict.item.partition('.')[2]}: {verdict.evidence}")
        for verdict in verdicts
        if verdict.item in decisions and verdict.phase == "design" and verdict.status == "met"
    ]
