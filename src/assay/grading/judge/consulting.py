"""What no run could decide, put before the judge: the same grade, with fewer unknowns."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from assay.grading.judge.material import code_of, readable
from assay.grading.judge.questions import about_claim, about_requirement, about_variable
from assay.grading.verdict import Grade, Notice, Owner, Status, Verdict
from assay.rules.conclusion import read_claims, said_of
from assay.rules.design import read_design
from assay.tasks import Task
from assay.workspace import Submission

if TYPE_CHECKING:
    from assay.grading.execution_trace import ExecutionTrace
    from assay.grading.grader import Transcript
    from assay.grading.judge.answer import Decision
    from assay.grading.judge.asking import Judge
    from assay.grading.judge.question import Question

EQUIVALENT = "equivalent-design"


async def consult(
    judge: Judge, task: Task, submission: Submission, done: Grade, transcript: Transcript | None = None
) -> Grade:
    """The grade after the judge read what awaits it, and the transcript where there is one."""
    from assay.grading.judge.transcript import read_transcript

    started = time.monotonic()
    asked = judge.fresh()
    waiting = {each.item for each in done.verdicts if each.by == "judge" and each.status == "unknown"}
    questions = [each for each in _questions(task, submission, done.trace) if each.item in waiting]
    decisions = await asyncio.gather(*[asked.decide(question) for question in questions])
    found = dict(zip((each.item for each in questions), decisions, strict=True))
    verdicts = [_decided(each, found.get(each.item)) for each in done.verdicts]
    notices = [*done.notices, *_equivalent(verdicts, found)]
    if transcript is not None and (transcript.commands or transcript.written):
        reading = await read_transcript(asked, transcript)
        verdicts.append(reading.verdict)
        notices += reading.notices
    return done.model_copy(
        update={
            "verdicts": verdicts,
            "notices": notices,
            "judge": asked.record,
            "seconds": round(done.seconds + time.monotonic() - started, 3),
        }
    )


def _questions(task: Task, submission: Submission, trace: ExecutionTrace | None) -> Iterator[Question]:
    """One for each item of the task that a judge may have to decide."""
    stated, _ = read_design(submission.files.get("design.json"))
    for variable in task.design.variable if task.design else []:
        yield about_variable(variable, stated)
    claims, summary, _ = read_claims(submission.files.get("conclusion.json"))
    for claim in task.conclusion.claim if task.conclusion else []:
        yield about_claim(claim, said_of(claim, claims, summary))
    gold = {**task.workspace, **task.gold_files}
    for requirement in task.requirements.requirement if task.requirements else []:
        if requirement.check is None:
            shown = {path: readable(path, gold[path]) for path in requirement.gold}
            material = code_of(task, submission, requirement.gold, trace)
            yield about_requirement(requirement, shown, material)


def _decided(before: Verdict, decision: Decision | None) -> Verdict:
    if decision is None:
        return before
    owners: dict[Status, Owner | None] = {
        "met": None,
        "unmet": "agent",
        "unknown": "agent" if decision.unread else "grader",
    }
    return Verdict(
        item=before.item,
        status=decision.status,
        owner=owners[decision.status],
        evidence=decision.evidence,
        by="judge",
    )


def _equivalent(verdicts: Sequence[Verdict], found: dict[str, Decision]) -> list[Notice]:
    """Designs that differ from the truth in words and were taken for the same, each with the reason."""
    return [
        Notice(flag=EQUIVALENT, evidence=f"{each.item.partition('.')[2]}: {each.evidence}")
        for each in verdicts
        if each.item in found and each.phase == "design" and each.status == "met"
    ]
