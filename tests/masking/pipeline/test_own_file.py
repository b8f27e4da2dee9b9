"""A masked body is also found in its own file: outside functions, in a class, inside a longer function."""

from __future__ import annotations

import textwrap

import pytest

from assay.masking.leaks.sources import FunctionPlace
from assay.masking.leaks.twins import find_twins

BODY = """\
total = np.zeros(len(values))
carried = values[0] * (1.0 - weight)
for place, value in enumerate(values):
    carried = weight * carried + (1.0 - weight) * value
    total[place] = carried / (1.0 - weight ** (place + 1.5))
spread = np.sqrt(np.mean((values - total) ** 2) + ridge)
"""
LAST = "total / spread + 0.25 * np.tanh(carried)"
PADDING = "".join(f"step_{number} = prepare(values, {number})\n" for number in range(40))


def source(rest: str) -> dict[str, bytes]:
    body = textwrap.indent(f"{BODY}return {LAST}\n", "    ")
    return {"core.py": f"def smooth(values, weight, ridge):\n{body}\n\n{rest}".encode()}


def reveals(rest: str) -> bool:
    return find_twins([FunctionPlace("core.py", "smooth")], source(rest)) != []


@pytest.mark.parametrize(
    "rest",
    [
        "if __name__ == '__main__':\n" + textwrap.indent(f"{BODY}print({LAST})\n", "    "),
        "class Smoothed:\n" + textwrap.indent(f"{BODY}result = {LAST}\n", "    "),
        "def everything(values):\n" + textwrap.indent(f"{PADDING}{BODY}return {LAST}\n", "    "),
    ],
)
def test_a_copy_in_another_part_of_the_file_is_found(rest: str) -> None:
    assert reveals(rest)


def test_functions_that_share_a_few_lines_are_no_copies() -> None:
    shared = "".join(BODY.splitlines(keepends=True)[:2])
    assert not reveals("def start(values):\n" + textwrap.indent(f"{PADDING}{shared}return total\n", "    "))
