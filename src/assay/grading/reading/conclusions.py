"""What a conclusion says, read blind part by part, and compared with the truth by code."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass

from assay.grading.judge.asking import Judge
from assay.grading.judge.guard import Page, flatten
from assay.grading.reading.blind_reader import (
    FORMS,
    BlindAnswer,
    BlindFinding,
    ChosenOrder,
    StatedNumbers,
    ask_once,
    checked,
    page_of,
    settle,
    write_prompt,
)
from assay.grading.reading.part_questions import (
    CONTRADICTORY,
    NOT_STATED,
    PartQuestion,
    ask_part,
    order_text,
    right_answer,
    value_answer,
)
from assay.grading.reading.reports import is_reported
from assay.grading.reading.stated_values import in_unit
from assay.grading.verdict import Status, Vote
from assay.tasks.claim_parts import ClaimPart, ValuePart

NO_OPTION = "the reader names no option"


@dataclass(frozen=True)
class ReadDecision:
    """What reading amounts to for one item of a grade."""

    status: Status
    evidence: str
    votes: tuple[Vote, ...]
    unread: tuple[str, ...] = ()
    """What should have been read and was not, each with the reason."""


@dataclass(frozen=True)
class ReadPart:
    """One part of a claim, and what the text says about it."""

    part: ClaimPart
    finding: BlindFinding
    is_report: bool | None = True
    """Whether the text reports this, and does not only expect it; None where the reader is not sure."""

    @property
    def status(self) -> Status:
        """Whether the text reports what is true."""
        if self.finding.answer is None or self.is_report is None:
            return "unknown"
        if not self.is_report:
            return "unmet"
        return "met" if self.finding.answer == right_answer(self.part) else "unmet"

    @property
    def words(self) -> str:
        """What was found, for a person who reads the verdict."""
        if self.finding.answer is None:
            return f"{self.part.id}: the reader is not sure ({self.finding.why_unsure})"
        if self.finding.answer == NOT_STATED:
            return f"{self.part.id}: the conclusion does not say"
        if self.finding.answer == CONTRADICTORY:
            return f"{self.part.id}: the conclusion contradicts itself or leaves it open"
        quote = f", “{self.finding.quote}”" if self.finding.quote else ""
        if self.is_report is None:
            return f"{self.part.id}: the reader is not sure whether the conclusion reports it{quote}"
        if not self.is_report:
            return f"{self.part.id}: the conclusion only expects it{quote}"
        return f"{self.part.id}: says {self.finding.answer}{quote}"


async def read_parts(judge: Judge, parts: Sequence[ClaimPart], text: str) -> list[ReadPart]:
    """What the text says about each part that a complete answer must state."""
    return list(await asyncio.gather(*[read_reported_part(judge, part, text) for part in parts if part.core]))


async def read_reported_part(judge: Judge, part: ClaimPart, text: str) -> ReadPart:
    """What the text says about one part, and whether it reports this as found."""
    finding = await read_part(judge, part, text)
    if finding.answer in (None, NOT_STATED, CONTRADICTORY):
        return ReadPart(part, finding)
    return ReadPart(part, finding, await is_reported(judge, text, finding.quote))


async def read_part(judge: Judge, part: ClaimPart, text: str) -> BlindFinding:
    """What the text says about one part."""
    page = page_of("conclusion", text)

    async def ask(wording: int, turn: int) -> BlindAnswer:
        question = ask_part(part, wording, turn)
        if question.form == "choice":
            return await _choose(judge, question, page)
        if question.form == "order":
            return await _order(judge, question, page, is_reversed=wording == 1)
        assert isinstance(part, ValuePart)
        return await _numbers(judge, question, page, part)

    return await settle(ask)


def decide(parts: Sequence[ReadPart]) -> ReadDecision:
    """Unmet where one part is wrong or missing; unknown where the reader is not sure; else met."""
    statuses = [part.status for part in parts]
    status: Status = "unmet" if "unmet" in statuses else "unknown" if "unknown" in statuses else "met"
    deciding = [part.words for part in parts if part.status == status]
    votes = [vote for part in parts for vote in part.finding.votes(right_answer(part.part))]
    return ReadDecision(status, f"read blind: {'; '.join(deciding)}", tuple(votes))


async def _choose(judge: Judge, question: PartQuestion, page: Page) -> BlindAnswer:
    reply = await ask_once(judge, question.text, question.options, page, FORMS["choice"])
    if isinstance(reply, str):
        return BlindAnswer(None, void=reply)
    letter, quote = reply
    if letter is None:
        return BlindAnswer(None, void=NO_OPTION)
    return checked(question.meanings[letter], quote, page)


async def _order(judge: Judge, question: PartQuestion, page: Page, *, is_reversed: bool) -> BlindAnswer:
    reply = await judge.ask(
        lambda: write_prompt(question.text, question.options, page, FORMS["order"]), ChosenOrder
    )
    if isinstance(reply, str):
        return BlindAnswer(None, void=reply)
    if not reply.order:
        return BlindAnswer(NOT_STATED)
    letters = [letter.strip().rstrip(".").upper() for letter in reply.order]
    if sorted(letters) != sorted(question.options):
        return BlindAnswer(None, void=NO_OPTION)
    items = [question.meanings[letter] for letter in letters]
    return checked(order_text(items[::-1] if is_reversed else items), reply.quote, page)


async def _numbers(judge: Judge, question: PartQuestion, page: Page, part: ValuePart) -> BlindAnswer:
    reply = await judge.ask(lambda: write_prompt(question.text, {}, page, FORMS["numbers"]), StatedNumbers)
    if isinstance(reply, str):
        return BlindAnswer(None, void=reply)
    if not reply.numbers:
        return BlindAnswer(NOT_STATED)
    quote = flatten(reply.quote)
    numbers = [in_unit(part, text, quote) for text in reply.numbers if _digits(text) in quote]
    if not numbers or None in numbers:
        return BlindAnswer(None, void="the reader names a number that its quote does not have")
    answer = value_answer(part, [number for number in numbers if number is not None])
    return checked(answer, reply.quote, page)


_NUMBER = re.compile(r"[-+−]?(?:\d[\d.,]*|\.\d+)(?:[eE][-+−]?\d+)?")


def _digits(text: str) -> str:
    """The number in a text as it is written, without its unit."""
    number = _NUMBER.search(text)
    return number.group().strip(".,") if number else text.strip()
