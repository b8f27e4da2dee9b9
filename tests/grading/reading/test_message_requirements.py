"""A requirement that asks for a message is met by a print that ran, and no other requirement is."""

from __future__ import annotations

import asyncio
import json
import re

import pytest
from pydantic import BaseModel

from assay.grading import Judge
from assay.grading.judge.guard import Part
from assay.grading.judge.material import Material
from assay.grading.judge.reader import ReaderAnswer
from assay.grading.reading import read_requirement
from assay.tasks import Requirement

SAVED = "Print a message confirming that the report has been saved"
OTHERS = ("Take the mean of the draws", "Plot the draws as bars", "Write the mean to a file")
CODE = 'mean = np.mean(draws)\nprint("All of it is on disk now")\n'


class QuotingReader:
    """Finds everything in one line, and takes that line for what was asked."""

    def __init__(self, asked: str, quote: str) -> None:
        self.asked, self.quote = asked, quote

    async def read(self, system: str, user: str, form: type[BaseModel]) -> ReaderAnswer:
        options = dict(re.findall(r"^([A-H])\. (.*)$", user, re.MULTILINE))
        right = ("a line of this code does it", "yes, in the quoted line", self.asked)
        letter = next(letter for letter, option in options.items() if option in right)
        return ReaderAnswer(json.dumps({"quote": self.quote, "option": letter}))


def status(asked: str, quote: str, code: str = CODE, ran: str | None = None) -> str:
    """The verdict on one requirement; `ran` is the code that ran."""
    requirements = [Requirement(id=str(place), text=text) for place, text in enumerate((asked, *OTHERS))]
    proof = code if ran is None else ran
    mask = re.sub(r'"[^"]*"', lambda text: "\0" * len(text.group()), proof)
    material = Material((Part("run.py", code, code, proof, mask),))
    judge = Judge("file/reader", reader=QuotingReader(asked, quote))
    return asyncio.run(read_requirement(judge, requirements[0], requirements, material)).status


def test_a_message_that_was_printed_meets_a_requirement_for_a_message() -> None:
    assert status(SAVED, 'print("All of it is on disk now")') == "met"


def test_a_message_that_was_never_printed_meets_nothing() -> None:
    assert status(SAVED, 'print("All of it is on disk now")', ran="mean = np.mean(draws)\n") == "unknown"


@pytest.mark.parametrize(
    "asked",
    [
        "Save the report to the folder of results",
        "Print the final accuracy of both methods",
        "Print a message with the values of both errors",
        "Display a message and the mean of the draws",
        "Compute the mean and print a message",
    ],
)
def test_a_printed_text_meets_no_requirement_that_asks_for_more(asked: str) -> None:
    assert status(asked, 'print("All of it is on disk now")') == "unknown"


@pytest.mark.parametrize("quote", ['"All of it is on disk now"', 'note = "All of it is on disk now"'])
def test_a_text_that_nobody_prints_is_no_message(quote: str) -> None:
    assert status(SAVED, quote, f"{quote}\n") == "unknown"


def test_a_message_that_repeats_the_requirement_proves_nothing() -> None:
    quote = f'print("{SAVED}")'
    assert status(SAVED, quote, f"{quote}\n") == "unknown"
