"""Numbers of a conclusion that no rule can find, or only by chance: hidden, and found by a reader.

The reader sees the conclusion with these numbers replaced by blanks, and the results. It names the entries
that belong into each blank, without seeing what stood there. Code compares.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean

from pydantic import BaseModel, Field

from assay.grading.judge.asking import Judge
from assay.grading.reading.blind_reader import BlindAnswer, BlindFinding, page_of, write_prompt
from assay.grading.reading.conclusions import ReadDecision
from assay.grading.reading.listed_results import list_results
from assay.grading.verdict import Status
from assay.rules.cited import Cited, numbers_in
from assay.rules.plain_text import plain_text
from assay.rules.remade import Numbers

MOST_BLANKS = 40
"""Numbers that are hidden; where there are more, nothing is decided."""
MOST_PATHS = 4
"""Entries that one number may be made of: itself, or a difference or ratio of a few."""
FORM = (
    '{"blanks": [{"blank": 1, "paths": ["the path of the result that belongs there, copied exactly; two '
    'paths where it is their difference or ratio; an empty list if no result belongs there"]}]}'
)
QUESTIONS = (
    "Numbers of the text were replaced by blanks such as [1]. Which of the results below the text belongs "
    "into each blank?",
    "For each blank such as [1] in the text: at which path of the results is the number that was there?",
)
NOT_FOUND = "no result belongs there"
AS_CITED = "as cited"
ROUNDED_TWICE = 1.1
"""How much further a number may be from its result if it was rounded in two steps."""


class FilledBlank(BaseModel):
    """The entries that belong into one blank."""

    blank: int
    paths: list[str] = Field(max_length=50)


class FilledBlanks(BaseModel):
    """The answer to a question for blanks."""

    blanks: list[FilledBlank] = Field(max_length=2 * MOST_BLANKS)


async def find_hidden(
    judge: Judge, text: str, missing: Sequence[Cited], by_chance: Sequence[Cited], results: object
) -> ReadDecision | None:
    """Whether each number stands at the place where the text cites it; None where that cannot be asked.

    `missing` are numbers that the rules did not find, `by_chance` those that almost any results would have.
    Numbers in the names of results, such as `error_at_0.25`, are no results.
    """
    listed = list_results(results)
    cited = [*missing, *by_chance]
    names = numbers_in(listed.labels)
    cited = [number for number in cited if not names & set(number.values)]
    if not listed.can_be_shown or len(cited) > MOST_BLANKS:
        return None
    if not cited:
        return ReadDecision("met", "the cited numbers are names of results", ())
    page = page_of("conclusion", f"{hide(text, cited)}\n\nResults:\n{listed.text}")

    async def ask(question: str) -> Mapping[int, tuple[str, ...]] | str:
        reply = await judge.ask(lambda: write_prompt(question, {}, page, FORM), FilledBlanks)
        if isinstance(reply, str):
            return reply
        return {
            blank.blank: tuple(sorted({path for path in blank.paths if path in listed.numbers}))
            for blank in reply.blanks
        }

    readings = await asyncio.gather(*map(ask, QUESTIONS))
    findings = []
    for place, number in enumerate(cited, 1):
        named = [reading if isinstance(reading, str) else reading.get(place, ()) for reading in readings]
        findings.append(_finding(number, named, listed.numbers))
    # What is not shown may be the number that no rule found.
    return _decide(cited, findings, frozenset(() if listed.is_partial else missing))


def hide(text: str, cited: Sequence[Cited]) -> str:
    """The text with each cited number as a blank, wherever it stands."""
    places = {number.text: place for place, number in enumerate(cited, 1)}
    listing = "|".join(map(re.escape, sorted(places, key=len, reverse=True)))
    if not listing:
        return plain_text(text)
    pattern = rf"(?<![\w.,])(?:{listing})(?!\w|[.,]\d)"
    return re.sub(pattern, lambda match: f"[{places[match.group()]}]", plain_text(text))


def _finding(
    number: Cited, readings: Sequence[tuple[str, ...] | str], numbers: Mapping[str, float]
) -> BlindFinding:
    """What both readings say about one blank: the same in substance, or nothing."""
    answers = [_answer(number, reading, numbers) for reading in readings]
    first = answers[0].answer
    agreed = first if first is not None and all(answer.answer == first for answer in answers) else None
    return BlindFinding(agreed, tuple(answers))


def _answer(number: Cited, paths: tuple[str, ...] | str, numbers: Mapping[str, float]) -> BlindAnswer:
    if isinstance(paths, str):
        return BlindAnswer(None, void=paths)
    if not paths:
        return BlindAnswer(NOT_FOUND)
    rounded = replace(number, half=tuple(ROUNDED_TWICE * half for half in number.half))
    found = {f"{place}_{'_'.join(path.split('.')[-2:])}": numbers[path] for place, path in enumerate(paths)}
    if len(paths) > MOST_PATHS:
        # Of many results a text states their mean; a difference or a ratio of some of them could be chance.
        found = {"mean": fmean(found.values())}
        if not Numbers(found).has(rounded):
            return BlindAnswer(None, void="the reader names many results, and the number is not their mean")
    check = Numbers(found).find(rounded)
    if check.cannot_compare:
        return BlindAnswer(None, void="no result has its unit, or it is a ratio of times")
    if check.was_remade:
        return BlindAnswer(AS_CITED)
    return BlindAnswer(", ".join(f"{path} = {numbers[path]:.6g}" for path in paths))


def _decide(
    cited: Sequence[Cited], findings: Sequence[BlindFinding], missing: frozenset[Cited]
) -> ReadDecision:
    """Unmet where a number differs from its result, or has none by rule and by reading."""
    votes = tuple(vote for finding in findings for vote in finding.votes(AS_CITED))
    wrong, unsure = [], []
    for number, finding in zip(cited, findings, strict=True):
        if finding.answer in (None, NOT_FOUND) and number in missing:
            wrong.append(f"cites {number.text}, which is not among the re-made numbers")
        elif finding.answer in (None, NOT_FOUND):
            unsure.append(number.text)
        elif finding.answer != AS_CITED:
            wrong.append(f"cites {number.text} for {finding.answer}")
    if wrong:
        return ReadDecision("unmet", "; ".join(wrong[:5]), votes)
    status: Status = "unknown" if unsure else "met"
    evidence = f"{len(cited) - len(unsure)} of {len(cited)} hidden numbers found where the text cites them"
    evidence += f"; not found: {', '.join(unsure[:10])}" if unsure else ""
    return ReadDecision(status, evidence, votes)
