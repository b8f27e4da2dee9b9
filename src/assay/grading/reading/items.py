"""Which items of a grade are read blind, and what reading decides about each."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import replace

from assay.apart import apart
from assay.errors import GradingError
from assay.grading.conclusion_numbers import look_up
from assay.grading.judge.answer import BrokenReading, unless_broken
from assay.grading.judge.asking import Judge
from assay.grading.judge.material import Material
from assay.grading.own_code import ITEM as METHOD
from assay.grading.reading.blank_questions import MOST_BLANKS
from assay.grading.reading.conclusions import ReadDecision, ReadPart, decide, read_parts
from assay.grading.reading.constant_entries import without_constants
from assay.grading.reading.designs import read_variable
from assay.grading.reading.fixed_outcomes import read_method
from assay.grading.reading.grounding import ground
from assay.grading.reading.hidden_numbers import find_hidden
from assay.grading.reading.programs import can_be_read_blind, read_requirement
from assay.grading.reading.shown_statements import compare_statements
from assay.grading.verdict import Grade, Status, Verdict
from assay.rules.cited_lookup import read_claims, said_of
from assay.rules.conclusion import ITEM as FAITHFUL
from assay.rules.design import read_design
from assay.rules.process_limits import CPU_SECONDS
from assay.rules.stated_times import NO_TIME_SHOWN
from assay.tasks import Claim, Requirement, Task, Variable
from assay.workspace import Submission

UNREAD_PROGRAMS = (
    f"the programs and the results (more than {CPU_SECONDS} s of processor time, or too much memory, "
    "to look for constants)"
)
TOO_MUCH = f"more than {MOST_BLANKS} such numbers, or results that are too long to be shown to a reader"
Decisions = dict[str, ReadDecision | BrokenReading]


async def read_items(
    judge: Judge,
    task: Task,
    submission: Submission,
    grade: Grade,
    waiting: Collection[str],
    code: Material,
) -> Decisions:
    """A decision for each waiting item that can be read blind, and whether the conclusion is faithful."""
    decisions = await asyncio.gather(
        _read_design(judge, task, submission, waiting),
        _read_code(judge, task, waiting, code),
        _read_conclusion(judge, task, submission, grade, waiting),
        _read_method(judge, task, submission, waiting),
    )
    merged = {item: decision for part in decisions for item, decision in part.items()}
    judge.votes.update(
        {
            item: list(decision.votes)
            for item, decision in merged.items()
            if isinstance(decision, ReadDecision) and decision.votes
        }
    )
    return merged


async def _read_design(
    judge: Judge, task: Task, submission: Submission, waiting: Collection[str]
) -> Decisions:
    variables = [
        variable
        for variable in (task.design.variable if task.design else [])
        if variable.match is not None and f"design.{variable.name}" in waiting
    ]
    stated, _ = read_design(submission.files.get("design.json"))

    async def read(variable: Variable) -> ReadDecision | BrokenReading:
        return await unless_broken(read_variable(judge, variable, stated))

    readings = await asyncio.gather(*map(read, variables))
    return {
        f"design.{variable.name}": decision for variable, decision in zip(variables, readings, strict=True)
    }


async def _read_code(judge: Judge, task: Task, waiting: Collection[str], code: Material) -> Decisions:
    requirements = list(task.requirements.requirement) if task.requirements else []
    if not can_be_read_blind(requirements):
        return {}
    asked = [
        requirement
        for requirement in requirements
        if requirement.check is None and f"requirement.{requirement.id}" in waiting
    ]

    async def read(requirement: Requirement) -> ReadDecision | BrokenReading:
        material = code.with_first(requirement.gold)
        return await unless_broken(read_requirement(judge, requirement, requirements, material))

    found = await asyncio.gather(*map(read, asked))
    return {
        f"requirement.{requirement.id}": decision for requirement, decision in zip(asked, found, strict=True)
    }


async def _read_method(
    judge: Judge, task: Task, submission: Submission, waiting: Collection[str]
) -> Decisions:
    return {METHOD: await unless_broken(read_method(judge, task, submission))} if METHOD in waiting else {}


async def _read_conclusion(
    judge: Judge,
    task: Task,
    submission: Submission,
    grade: Grade,
    waiting: Collection[str],
) -> Decisions:
    truths = task.conclusion.claim if task.conclusion else []
    claims = [claim for claim in truths if claim.parts]
    stated, summary, problem = read_claims(submission.files.get("conclusion.json"), truths)
    if problem is not None or not any(claim.kind == "statement" for claim in truths):
        return {}

    async def read(claim: Claim) -> list[ReadPart] | BrokenReading:
        said = said_of(claim, stated, summary)
        text = said if summary in said else f"{said}\n{summary}"
        return await unless_broken(read_parts(judge, claim.parts, text))

    parts = await asyncio.gather(*map(read, claims))
    decisions: Decisions = {
        f"conclusion.{claim.id}": found if isinstance(found, BrokenReading) else decide(found)
        for claim, found in zip(claims, parts, strict=True)
        if f"conclusion.{claim.id}" in waiting
    }
    by_rule = next((verdict for verdict in grade.verdicts if verdict.item == FAITHFUL), None)
    if by_rule is not None and grade.results is not None and by_rule.status != "unmet":
        faithful: ReadDecision | BrokenReading | None = next(
            (found for found in parts if isinstance(found, BrokenReading)), None
        )
        if faithful is None:
            all_parts = [part for found in parts if not isinstance(found, BrokenReading) for part in found]
            faithful = await unless_broken(_read_faithful(judge, task, submission, grade, by_rule, all_parts))
        if faithful is not None:
            decisions[FAITHFUL] = faithful
    return decisions


async def _read_faithful(
    judge: Judge,
    task: Task,
    submission: Submission,
    grade: Grade,
    by_rule: Verdict,
    parts: Sequence[ReadPart],
) -> ReadDecision | None:
    """Whether what the conclusion states holds in the re-made numbers; None where reading adds nothing."""
    results = grade.results
    try:
        measured, constants = await apart(without_constants, results, _programs(submission, grade))
    except GradingError:
        return ReadDecision("unknown", f"not all was read: {UNREAD_PROGRAMS}", (), (UNREAD_PROGRAMS,))
    is_doubtful = by_rule.status != "met" and by_rule.owner != "task"
    hidden = None
    if is_doubtful or constants:
        hidden = await _find_numbers(judge, task, submission, grade, (measured, constants), is_doubtful)
    grounded = await ground(judge, parts, measured)
    statements = await compare_statements(judge, parts, measured)
    if grounded is not None and statements is not None and statements.status == "unknown":
        statements = None
    if grounded is None and hidden is None and statements is None:
        return None
    rule = ReadDecision(by_rule.status, by_rule.evidence, ())
    times = ReadDecision("unknown", "a stated time is not shown", ()) if _doubts_times(by_rule) else None
    decisions = (hidden or rule, times if hidden else None, grounded, statements)
    together = _together([decision for decision in decisions if decision is not None])
    if together.status != "unknown" or not constants:
        return together
    names = ", ".join(constants[:3])
    return replace(
        together,
        evidence=f"{together.evidence}; not counted, because the program writes it as a constant: {names}",
    )


async def _find_numbers(
    judge: Judge,
    task: Task,
    submission: Submission,
    grade: Grade,
    split_results: tuple[object, Sequence[str]],
    is_doubtful: bool,
) -> ReadDecision | None:
    """Whether numbers that no rule placed, or only among constants, stand where the conclusion cites them.

    `split_results` are the measured results and the paths of constants. Where the rules have no doubt, only
    numbers that the measured results lack are asked for.
    """
    measured, constants = split_results
    lookup = await look_up(task, submission, grade.trace, grade.results)
    numbers = list(lookup.open) if is_doubtful else []
    if constants:
        measured_lookup = await look_up(task, submission, grade.trace, measured)
        numbers += [number for number in measured_lookup.open if number not in lookup.open]
    if not numbers:
        return None
    hidden = await find_hidden(
        judge,
        lookup.text,
        numbers,
        grade.results,
        settings=lookup.settings,
        levels=lookup.levels,
        constants=constants,
    )
    if hidden is None and is_doubtful:
        return ReadDecision("unknown", f"not all was read: {TOO_MUCH}", (), (TOO_MUCH,))
    return hidden


def _programs(submission: Submission, grade: Grade) -> dict[str, bytes]:
    """The Python programs of the submission that ran."""
    ran = grade.trace.ran if grade.trace is not None else ()
    return {path: submission.files[path] for path in ran if path.endswith(".py") and path in submission.files}


def _doubts_times(verdict: Verdict) -> bool:
    """Whether the rules found nothing that shows a time which the conclusion states."""
    return NO_TIME_SHOWN in verdict.evidence


def _together(decisions: Sequence[ReadDecision]) -> ReadDecision:
    """Faithful where the cited numbers were re-made and what is stated holds in them."""
    statuses = [decision.status for decision in decisions]
    status: Status = "unmet" if "unmet" in statuses else "unknown" if "unknown" in statuses else "met"
    evidence = "; ".join(decision.evidence for decision in decisions)
    votes = tuple(vote for decision in decisions for vote in decision.votes)
    unread = tuple(reason for decision in decisions for reason in decision.unread)
    return ReadDecision(status, evidence, votes, unread)
