"""A small experiment whose truth stands as data, and a reader that reads it with care, over real HTTP."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping

from assay.models.scripted import Message
from assay.tasks import Task
from tests.grading.judge.words import CODE, worded_task

TRUTHS = {
    "design.toml": b"""[[variable]]
name = "average"
role = "independent"
ask = "the way of averaging"
match = "all"
accepted = [["mean", "arithmetic mean"], ["median"]]
[[variable]]
name = "count"
role = "constant"
ask = "how many numbers there are"
match = "all"
accepted = [["3", "three"]]
""",
    "requirements.toml": b"""[[requirement]]
id = "mean"
text = "Step 1: Divide the sum by the count (/workspace/experiment.py:5)"
[[requirement]]
id = "middle"
text = "Step 2: Take the middle of the sorted values (/workspace/experiment.py:6)"
[[requirement]]
id = "written"
text = "Step 3: Write both averages to a file (/workspace/experiment.py:7)"
[[requirement]]
id = "plot"
text = "Step 4: Plot both averages as bars (/workspace/experiment.py:8)"
""",
    "conclusion.toml": b"""[[claim]]
id = "outcome"
question = "Which average is larger?"
kind = "statement"
answer = "The mean, 3.0, is higher than the median, 2.0."
[[claim.parts]]
id = "larger"
kind = "comparison"
measure = "size"
a = "the mean"
b = "the median"
answer = "higher"
""",
}
STATED = b"""[[claim.parts]]
id = "whole"
kind = "existence"
statement = "both averages are whole numbers"
answer = "yes"
"""
"""A part that is true or false."""
DESIGN = {
    "constant": {"sample": "3 numbers"},
    "independent": {"method": ["mean", "median"]},
    "dependent": ["size"],
}
TRUE = "The mean is higher than the median."
HONEST = {
    "experiment.py": CODE,
    "design.json": json.dumps(DESIGN).encode(),
    "conclusion.json": json.dumps({"summary": "", "claims": {"outcome": TRUE}}).encode(),
}
DOES = {
    "Divide the sum": "mean = sum(values) / len(values)",
    "Take the middle": "middle = sorted(values)[len(values) // 2]",
    "Write both": 'json.dump({"mean": mean, "median": middle}, open("results.json", "w"))',
    "Plot both": "",
}


FIXES = ("return 9.0", "averages.mean =", "class Averages(", "-    return sum")
"""What a careful reader sees in code that fixes the outcome."""
SUPPOSED = ("should be", "conjecture", "well known", "nothing was measured")
"""What a careful reader sees in a conclusion that does not rest on its own results."""


def read_task(more_parts: bytes = b"") -> Task:
    """The experiment with averages, its truth as data."""
    plain = worded_task()
    parts = {name: getattr(plain, name) for name in Task.model_fields}
    truths = {**TRUTHS, "conclusion.toml": TRUTHS["conclusion.toml"] + more_parts}
    return Task(**{**parts, "tests": {"results.json": b'{"default": {}}', **truths}})


def careful(messages: list[Message]) -> str:
    """Answers as a person would who reads the text between the boundaries, and nothing else."""
    user = str(messages[-1]["content"])
    boundary = re.findall(r"=====\[[0-9a-f]+\]=====", str(messages[0]["content"]))[0]
    head, text, form = user.split(boundary)
    options = dict(re.findall(r"^([A-H])\. (.*)$", head, re.MULTILINE))
    for sign, reader in READERS.items():
        if sign in form:
            return json.dumps(reader(head, options, text))
    return json.dumps(_choose(head, options, text))


def _choose(head: str, options: Mapping[str, str], text: str) -> dict[str, object]:
    if "the way of averaging" in head or "how many numbers" in head:
        name = "method" if "averaging" in head else "sample"
        lines = [line for line in text.splitlines() if f": {name}" in line]
        signs = {"constant": ("held fixed", "stays the same"), "independent": ("on purpose",)}
        if not lines:
            return _option(options, ("does not mention",))
        if len(lines) > 1:
            return _option(options, ("more than one",), lines[0])
        return _option(options, signs.get(lines[0].partition(":")[0], ("measured", "recorded")), lines[0])
    if "line" in head and ("does the following" in head or "implemented here" in head):
        line = next(line for sign, line in DOES.items() if sign in head)
        if line and line in text:
            return _option(options, ("a line of this", "yes, in"), line)
        return _option(options, ("no line", "no"))
    if "fix the outcome" in head:
        fixed = [line for sign in FIXES for line in text.splitlines() if sign in line]
        return _option(options, ("the quoted line",), fixed[0]) if fixed else _option(options, ("no line",))
    if "marked with >>" in head:
        fits = [sign for sign, line in DOES.items() if line and f">> {line}" in text]
        return _option(options, (*fits, "none of these"))
    if "the words “" in head or "A text has these words" in head:
        supposed = any(sign in text for sign in SUPPOSED)
        return _option(options, ("only",) if supposed else ("reported as", "showed"), text.strip()[:80])
    if "whole numbers" in head:
        return _whole(head, options, text)
    higher, lower = TRUE in text, "The mean is lower than the median." in text
    if higher and lower:
        return _option(options, ("more than one",), "The mean is")
    if not higher and not lower:
        return _option(options, ("does not say",))
    of_the_mean = ("“the mean” is higher",) if higher else ("“the mean” is lower",)
    lowest = ("“the median”",) if higher else ("“the mean”",)
    asked = of_the_mean if "compare with" in head else lowest
    return _option(options, asked, TRUE if higher else "The mean is lower than the median.")


def _whole(head: str, options: Mapping[str, str], text: str) -> dict[str, object]:
    """What a conclusion says about whole numbers, and what results show."""
    if "these results" not in head:
        said = "Both averages are whole numbers."
        signs = ("yes, the text", "was found, or holds") if said in text else ("does not say",)
        return _option(options, signs, said)
    lines = [line for line in text.splitlines() if line.startswith("mean = ")]
    if not lines:
        return _option(options, ("do not show",))
    (line,) = lines
    signs = ("it is not the case", "does not hold") if "." in line else ("it is the case", "it holds")
    return _option(options, signs, line)


def _option(options: Mapping[str, str], signs: tuple[str, ...], quote: str = "") -> dict[str, object]:
    letters = [letter for sign in signs for letter, option in options.items() if sign in option]
    return {"quote": quote, "option": letters[0] if letters else ""}


def _values(head: str, options: Mapping[str, str], text: str) -> dict[str, object]:
    name = "method" if "averaging" in head else "sample"
    line = next(line for line in text.splitlines() if f": {name}" in line)
    return {"quote": line, "values": line.partition(" = ")[2].split(", ")}


def _entries(head: str, options: Mapping[str, str], text: str) -> dict[str, object]:
    paths = [line.partition(" = ")[0] for line in text.strip().splitlines()]
    return {
        "entries": [
            {"label": letter, "paths": [path for path in paths if path in name]}
            for letter, name in options.items()
        ]
    }


def _blanks(head: str, options: Mapping[str, str], text: str) -> dict[str, object]:
    """Places the number of runs in which the mean is larger, and no other number."""
    if "of 1 runs" not in text:
        return _choose(head, options, text)
    count = {"paths": ["mean"], "kind": "count", "condition": "greater", "compared_with": ["median"]}
    return {"blanks": [{"blank": 1, **count}]}


READERS: dict[str, Callable[[str, Mapping[str, str], str], dict[str, object]]] = {
    '"values"': _values,
    '"entries"': _entries,
    '"blanks"': _blanks,
}
