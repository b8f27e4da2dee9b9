"""The questions for hidden numbers: which results belong into each blank, and how they make its number.

A long text is asked about in parts. Every blank stays hidden in each of them; a part asks for some blanks.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from pydantic import BaseModel, Field

from assay.grading.judge.asking import Judge
from assay.grading.judge.guard import Page
from assay.grading.reading.blind_reader import write_prompt
from assay.grading.reading.counted_results import COUNT, RANK, CountedResults

MOST_IN_PART = 40
"""Blanks of one question."""
MOST_BLANKS = 5 * MOST_IN_PART
"""Numbers that are hidden; where there are more, nothing is decided."""
OF_RESTS = " of rests"
KINDS = (
    *(
        "value",
        "rest",
        "difference",
        "ratio",
        "change",
        "mean",
        "sum",
        "standard deviation",
        "standard error",
    ),
    *(f"ratio{OF_RESTS}", f"change{OF_RESTS}"),
)
"""How a number follows from entries. A rest is what is missing to 1 or to 100%."""
LEVEL = "level"
"""The kind of a setting that belongs to an interval or a test, such as the 95 of a 95% interval."""
FORM = (
    '{"blanks": [{"blank": 1, "paths": ["the path of the result that belongs there, copied exactly; two or '
    'more where the number follows from them; an empty list if no result belongs there"], "kind": "how the '
    "number follows from these paths: value (of one path), rest (what is missing from it to 1 or 100%, as an "
    "error rate follows from an accuracy), difference, ratio (times as high), change (percent higher or "
    "lower), mean, sum, standard deviation or standard error (of several), ratio of rests or change of rests "
    "(of the error rates that follow from two accuracies), count (of the paths that fulfil the condition), "
    "rank (the place of the first path among all named ones, of which the condition says which come first); "
    'level for a setting that is the level of an interval or a test", "condition": "only for a count or a '
    'rank: greater, less or equal", "compared_with": ["only for a count: a number of the text or a path to '
    'compare all paths with, or a path for each of them in the same order"], "setting": "true if the '
    "blank is something that was chosen before the run, such as a size, a threshold or a rate, or a part of "
    'a name; false if it is something that was measured"}]}'
)
QUESTIONS = (
    "Numbers of the text were replaced by blanks such as [1]. Which of the results below the text belongs "
    "into each blank?",
    "For each blank such as [1] in the text: at which path of the results is the number that was there?",
)
ONLY_SOME = " Answer only for the blanks [{first}] to [{last}]."


class FilledBlank(BaseModel):
    """The entries that belong into one blank."""

    blank: int
    paths: list[str] = Field(max_length=50)
    kind: str = Field("", max_length=50)
    condition: str = Field("", max_length=50)
    compared_with: list[str] = Field(default=[], max_length=50)
    setting: bool = False


class FilledBlanks(BaseModel):
    """The answer to a question for blanks."""

    blanks: list[FilledBlank] = Field(max_length=2 * MOST_IN_PART)


@dataclass(frozen=True)
class BlankReading:
    """What one reading says about one blank."""

    paths: tuple[str, ...] = ()
    kind: str = ""
    is_setting: bool = False
    counted: CountedResults | None = None
    """The results that the number counts or ranks, if it does."""


Readings = Mapping[int, BlankReading | str]
"""The number of a blank → what a reading says about it, or why it does not count."""


async def read_blanks(judge: Judge, page: Page, paths: Collection[str], count: int) -> list[Readings]:
    """What each wording of the question found for each of so many blanks of a page."""
    return list(await asyncio.gather(*[_ask(judge, question, page, paths, count) for question in QUESTIONS]))


async def _ask(judge: Judge, question: str, page: Page, paths: Collection[str], count: int) -> Readings:
    parts = [(first, min(first + MOST_IN_PART - 1, count)) for first in range(1, count + 1, MOST_IN_PART)]
    readings = await asyncio.gather(*[_ask_part(judge, question, page, paths, part, count) for part in parts])
    return {blank: reading for part in readings for blank, reading in part.items()}


async def _ask_part(
    judge: Judge, question: str, page: Page, paths: Collection[str], part: tuple[int, int], count: int
) -> Readings:
    first, last = part
    question += ONLY_SOME.format(first=first, last=last) if last - first + 1 < count else ""
    reply = await judge.ask(lambda: write_prompt(question, {}, page, FORM), FilledBlanks)
    if isinstance(reply, str):
        return dict.fromkeys(range(first, last + 1), reply)
    return {filled.blank: _reading(filled, paths) for filled in reply.blanks if first <= filled.blank <= last}


def _reading(filled: FilledBlank, known_paths: Collection[str]) -> BlankReading:
    named = tuple(dict.fromkeys(path for path in filled.paths if path in known_paths))
    kind = filled.kind.strip().casefold()
    counted = None
    if kind in (COUNT, RANK):
        counted = CountedResults(
            kind, named, filled.condition.strip().casefold(), tuple(filled.compared_with)
        )
    return BlankReading(tuple(sorted(named)), kind, filled.setting, counted)
