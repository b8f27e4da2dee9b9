"""A requirement that asks for imports is met by imports that ran, and no other requirement is."""

from __future__ import annotations

import asyncio
import json
import re

from pydantic import BaseModel

from assay.grading import Judge
from assay.grading.judge.guard import Part
from assay.grading.judge.material import Material
from assay.grading.judge.reader import ReaderAnswer
from assay.grading.reading import read_requirement
from assay.tasks import Requirement

TEXTS = (
    "Import the necessary libraries, numpy among them",
    "Take the mean of the draws",
    "Plot the draws as bars",
    "Write the mean to a file",
)
REQUIREMENTS = [Requirement(id=str(place), text=text) for place, text in enumerate(TEXTS)]
CODE = "import numpy as np\nprint(np.mean([1, 2]))\n"
SHOWN = Part("run.py", CODE, CODE, "print(np.mean([1, 2]))\n")


class ImportReader:
    """Finds everything in the line of the import, and takes that line for what was asked."""

    def __init__(self, asked: str) -> None:
        self.asked = asked

    async def read(self, system: str, user: str, form: type[BaseModel]) -> ReaderAnswer:
        options = dict(re.findall(r"^([A-H])\. (.*)$", user, re.MULTILINE))
        right = ("a line of this code does it", "yes, in the quoted line", self.asked)
        letter = next(letter for letter, option in options.items() if option in right)
        return ReaderAnswer(json.dumps({"quote": "import numpy as np", "option": letter}))


def status(place: int, part: Part = SHOWN) -> str:
    judge = Judge("file/reader", reader=ImportReader(TEXTS[place]))
    material = Material((part,))
    return asyncio.run(read_requirement(judge, REQUIREMENTS[place], REQUIREMENTS, material)).status


def test_an_import_that_ran_meets_a_requirement_to_import() -> None:
    assert status(0) == "met"


def test_an_import_meets_no_other_requirement() -> None:
    assert status(1) == "unknown"


def test_an_import_that_never_ran_meets_nothing() -> None:
    unused = Part("run.py", "print(1 + 2)\n", CODE, "print(1 + 2)\n")
    assert status(0, unused) == "unknown"
