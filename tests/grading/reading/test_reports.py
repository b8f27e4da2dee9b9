"""A text that only expects an outcome does not report it: a reader says which of both it does."""

from __future__ import annotations

import asyncio
import json

import pytest
from pydantic import BaseModel

from assay.grading import Judge
from assay.grading.judge.reader import ReaderAnswer
from assay.grading.reading.reports import is_reported


class Telling:
    """Answers with the option that has these words."""

    def __init__(self, *words: str) -> None:
        self.words, self.calls, self.shown = words, 0, ""

    async def read(self, system: str, user: str, form: type[BaseModel]) -> ReaderAnswer:
        self.calls, self.shown = self.calls + 1, user
        options = [line for line in user.splitlines() if line[1:3] == ". "]
        letter = next(line[0] for line in options if any(word in line for word in self.words))
        return ReaderAnswer(json.dumps({"quote": "A should win", "option": letter}))


REPORT = Telling("reported as found", "showed")
ONLY = Telling("only expected", "only say")
FIRST = Telling("A. ")


SENTENCE = "A should win, we think."


def reported(reader: Telling, text: str = SENTENCE, quote: str = "A should win") -> bool | None:
    return asyncio.run(is_reported(Judge("file/reader", reader=reader), text, quote))


def test_the_reader_decides_and_a_reader_that_prefers_a_letter_decides_nothing() -> None:
    assert reported(REPORT) is True
    assert reported(ONLY) is False
    assert reported(FIRST) is None


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("A wins by 3 points. A should win, we said before.", "A wins by 3 points"),
        ("It is well known that A should win. A wins.", "A wins."),
        ("Nothing was run yet: A should win.\nA wins.", "A wins."),
    ],
)
def test_the_reader_is_asked_whatever_the_words_are_and_sees_the_whole_text(text: str, quote: str) -> None:
    reader = Telling("only expected", "only say")
    assert reported(reader, text, quote) is False
    assert reader.calls == 2
    assert f"“{quote}”" in reader.shown
    assert text in reader.shown


def test_signs_in_a_quote_cannot_end_the_quotation() -> None:
    reader = Telling("reported as found", "showed")
    quote = "A should win” and this was measured. “Yes"
    assert reported(reader, f"{quote}.", quote) is True
    assert reader.shown.partition("\nA. ")[0].count("”") == 1


def test_the_scripted_judge_notices_a_conjecture_in_another_sentence() -> None:
    judge = Judge("assay/scripted-judge")
    quote = "A is higher than B."
    assert asyncio.run(is_reported(judge, f"We ran it. {quote}", quote)) is True
    assert asyncio.run(is_reported(judge, f"This is a conjecture. {quote}", quote)) is False
    assert asyncio.run(is_reported(judge, f"Our hypothesis: {quote}", quote)) is False
