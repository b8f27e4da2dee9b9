"""One labelled item: a truth, a submission, and what a judge must say of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal, TypeVar

from assay.errors import UsageError
from assay.grading.judge.guard import Part
from assay.grading.judge.item_questions import about_claim, about_requirement, about_variable
from assay.grading.judge.material import Material
from assay.grading.judge.prompt import Question
from assay.grading.judge.proof import proof_of
from assay.tasks import Claim, Requirement, Variable
from assay.tasks.metric import Strict

FILE = Path(__file__).with_name("labelled.jsonl")
CODE = "experiment.py"

Label = Literal["met", "unmet"]
Fault = Literal[
    "none",
    "requirement-removed",
    "wrong-role",
    "wrong-values",
    "variable-removed",
    "wrong-direction",
    "fabricated-number",
    "instruction-to-judge",
]


class Labelled(Strict):
    """An item in words, made from a demo experiment."""

    id: str
    phase: Literal["design", "implementation", "conclusion"]
    fault: Fault
    label: Label
    because: str = ""
    """What makes the label true, where the fault is one of code."""
    truth: Variable | Requirement | Claim
    gold: str = ""
    """The lines of the solution that do what is required."""
    submission: str | dict[str, dict[str, list[str]]]

    def question(self) -> Question:
        """What the judge is asked, made as grading makes it."""
        if isinstance(self.truth, Variable):
            assert not isinstance(self.submission, str)
            return about_variable(self.truth, self.submission)
        assert isinstance(self.submission, str)
        if isinstance(self.truth, Claim):
            return about_claim(self.truth, self.submission)
        code = self.submission
        proof = proof_of(CODE, code)
        part = Part(CODE, code, code, proof.text, proof.mask)
        return about_requirement(self.truth, {CODE: self.gold}, Material((part,)))


def load_labelled(path: Path = FILE) -> list[Labelled]:
    """The items of a file, one JSON object a line."""
    try:
        lines = path.read_text("utf-8").splitlines()
        return [Labelled.model_validate_json(line) for line in lines if line.strip()]
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} is no set of labelled items: {str(error).splitlines()[0]}") from None


Item = TypeVar("Item")


def spread_out(items: list[Item], limit: int | None) -> list[Item]:
    """At most so many items, evenly from the whole set."""
    if limit is None or limit >= len(items):
        return items
    return [items[place * len(items) // limit] for place in range(limit)]


def write_labelled(items: list[Labelled]) -> str:
    """The text of such a file."""
    rows = [item.model_dump(mode="json", exclude_defaults=True) for item in items]
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
