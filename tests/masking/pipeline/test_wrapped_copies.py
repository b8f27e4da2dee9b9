"""Copies of a body whose lines are wrapped: signs between the pieces hide it from no reader."""

from __future__ import annotations

import textwrap

import pytest

from assay.masking.leaks.body_text import SearchedText
from assay.masking.leaks.sources import definitions
from assay.masking.leaks.twins import find_twins

MODEL = b"""def penalised_average(values, weights, penalty):
    total = sum(weight * value for weight, value in zip(weights, values, strict=True))
    scale = sum(abs(weight) for weight in weights) + penalty
    centred = [value - total / scale for value in values]
    spread = max(centred) - min(centred)
    return total / scale - penalty * spread
"""
LINES = textwrap.wrap(" ".join(line.strip() for line in MODEL.decode().splitlines()[1:]), 36)
WRAPPED = {
    "comment": "\n".join(f"# {line}" for line in LINES),
    "quote": "\n".join(f"> {line}" for line in LINES),
    "star": "\n".join(f" * {line}" for line in LINES),
    "strings": "SOURCE = (\n" + "\n".join(f'    "{line} "' for line in LINES) + "\n)",
    "added": "var s = " + " +\n".join(f'"{line} "' for line in LINES) + ";",
    "line numbers": "\n".join(f"{number:4d} | {line}" for number, line in enumerate(LINES)),
    "table": "\n".join(f"| {line} |" for line in LINES),
    "box": "\n".join(f"│ {line:<38} │" for line in LINES),
    "continued": "\n".join(f"{line} \\" for line in LINES),
    "prompt": "\n".join(f"... {line}" for line in LINES),
}
OTHER = """def other(values, weights, penalty):
    total = sum(values) / len(values)
    return total - penalty * max(weights)
"""


@pytest.mark.parametrize("form", WRAPPED)
def test_a_wrapped_copy_is_found(form: str) -> None:
    files = {"model.py": MODEL}
    [defined] = definitions(files)
    found = find_twins([defined.place], {**files, "notes.txt": WRAPPED[form].encode()})
    assert found


def test_a_text_with_the_same_words_in_another_order_is_no_copy() -> None:
    files = {"model.py": MODEL, "other.py": OTHER.encode()}
    places = [defined.place for defined in definitions({"model.py": MODEL})]
    notes = "The total of weights and values is centred, and a penalty on the spread is taken from its scale."
    assert not find_twins(places, {**files, "notes.txt": notes.encode()})


def test_numbers_of_lines_are_left_out_and_blank_lines_take_no_long_time() -> None:
    numbered = SearchedText("  1. total = a\n# 12 | total += b\n")
    assert numbered.bare_forms == ("1totala12totalb", "totalatotalb")
    blank = SearchedText("weight_sum\n" + "\n" * 1_000_000)
    assert blank.bare_forms == ("weightsum",)
