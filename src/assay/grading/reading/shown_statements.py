"""Whether the re-made results support or contradict a statement of the conclusion that is true or false.

The reader sees the results and the statement, and neither the truth nor what the conclusion says about it. A
conclusion whose own results show the opposite is not faithful. Results may leave a statement out; but if they
show none of the statements, nothing in the run supports the conclusion.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from assay.grading.judge.asking import Judge
from assay.grading.judge.guard import Page
from assay.grading.reading.blind_reader import (
    FORMS,
    BlindAnswer,
    BlindFinding,
    ask_once,
    checked,
    settle,
)
from assay.grading.reading.conclusions import NO_OPTION, ReadDecision, ReadPart
from assay.grading.reading.listed_results import MOST_LISTED, list_results
from assay.grading.reading.part_questions import NOT_STATED, Options, arrange
from assay.tasks.claim_parts import ExistencePart

NOT_SHOWN: Options = {NOT_STATED: "these results do not show it"}


NOTHING_SHOWN = "the re-made results show nothing of what the conclusion states"


async def compare_statements(judge: Judge, read: Sequence[ReadPart], results: object) -> ReadDecision | None:
    """What the results show of the statements that the conclusion makes; None if it makes none."""
    stated = [
        (part.part, part.finding.answer)
        for part in read
        if isinstance(part.part, ExistencePart) and part.finding.answer in ("yes", "no") and part.is_report
    ]
    if not stated:
        return None
    listed = list_results(results)
    if listed.is_partial or not listed.text or len(listed.numbers) > MOST_LISTED:
        return ReadDecision("unknown", NOTHING_SHOWN, (), (NOTHING_SHOWN,))
    findings = await asyncio.gather(*[_read_statement(judge, part, listed.page) for part, _ in stated])
    shown = [
        (part.id, answer, finding)
        for (part, answer), finding in zip(stated, findings, strict=True)
        if finding.answer in ("yes", "no")
    ]
    if not shown:
        votes = tuple(vote for finding in findings for vote in finding.votes(None))
        return ReadDecision("unknown", NOTHING_SHOWN, votes, (NOTHING_SHOWN,))
    wrong = [case for case in shown if case[1] != case[2].answer]
    words = [
        f"{name}: the conclusion says {answer}, the re-made results say {finding.answer} (“{finding.quote}”)"
        for name, answer, finding in wrong or shown
    ]
    votes = tuple(vote for _, answer, finding in shown for vote in finding.votes(answer))
    return ReadDecision("unmet" if wrong else "met", "; ".join(words), votes)


async def _read_statement(judge: Judge, part: ExistencePart, page: Page) -> BlindFinding:
    async def ask(wording: int, turn: int) -> BlindAnswer:
        text, options = _question(part, wording)
        shown, meanings = arrange(options, NOT_SHOWN, wording, turn)
        reply = await ask_once(judge, text, shown, page, FORMS["choice"])
        if isinstance(reply, str):
            return BlindAnswer(None, void=reply)
        letter, quote = reply
        if letter is None:
            return BlindAnswer(None, void=NO_OPTION)
        return checked(meanings[letter], quote, page)

    return await settle(ask)


def _question(part: ExistencePart, wording: int) -> tuple[str, Options]:
    statement = part.statement.rstrip(". ")
    if wording == 0:
        return f"Do these results show whether the following is the case? “{statement}.”", {
            "yes": "they show that it is the case",
            "no": "they show that it is not the case",
        }
    return f"What follows from these results about “{statement}”?", {
        "no": "that it does not hold",
        "yes": "that it holds",
    }
