"""A text that only expects an outcome does not report it: a reader says which of both it does."""

from __future__ import annotations

import asyncio
import json
import time

import pytest
from pydantic import BaseModel

from assay.grading import Judge
from assay.grading.judge.reader import ReaderAnswer
from assay.grading.reading.reports import is_reported, may_expect


class Telling:
    """Answers with the option that has these words."""

    def __init__(self, *words: str) -> None:
        self.words, self.calls = words, 0

    async def read(self, system: str, user: str, form: type[BaseModel]) -> ReaderAnswer:
        self.calls += 1
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


def test_a_sentence_without_a_word_that_may_expect_is_a_report() -> None:
    reader = Telling("only expected")
    text = "B should lose. A wins by 3 points. B may follow."
    assert reported(reader, text, "A wins by 3 points") is True
    assert reader.calls == 0


@pytest.mark.parametrize(
    "text",
    [
        "The smooth curve should have a lower error than the binned one.",
        "The smooth curve is expected to follow the pattern.",
        "It is expected that A is higher than B.",
        "It was to be expected that A is higher than B.",
        "We hypothesize that A is higher than B.",
        "Since A has more parameters, it should outperform B.",
        "We found no time to run it, but A should outperform B.",
        "Is A higher than B?",
        "A would be higher than B if it were run.",
        "A is likely higher than B.",
    ],
)
def test_words_that_may_expect_are_noticed(text: str) -> None:
    assert may_expect(f"We ran it. {text}", text[:20])
    assert not may_expect("A is higher than B.", "A is higher than B")
    assert not may_expect(text, "")


@pytest.mark.parametrize("part", ["should ", "a. ", "? ", "that a finds ", " "])
def test_a_long_text_is_read_in_time(part: str) -> None:
    began = time.process_time()
    may_expect(part * (150_000 // len(part)), "A is higher")
    assert time.process_time() - began < 5
