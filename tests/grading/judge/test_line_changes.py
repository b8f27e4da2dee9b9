"""Changes of long texts: all are shown, each as a change."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.grading.judge.line_changes import CONTEXT, SHORT, changed_lines

HEADER = re.compile(r"@@ from line (\d+) of the given file, line \d+ now @@")


def applied(original: str, changes: str) -> str:
    """The original text with the changes made."""
    lines, result, at = original.splitlines(), [], 0
    for line in changes.splitlines():
        if header := HEADER.fullmatch(line):
            start = int(header[1]) - 1
            result += lines[at:start]
            at = start
            continue
        sign, text = line[0], line[1:]
        if sign != "+":
            assert lines[at] == text
            at += 1
        if sign != "-":
            result.append(text)
    return "\n".join([*result, *lines[at:]])


EDITS = st.lists(
    st.tuples(st.integers(0, SHORT), st.integers(0, 40), st.lists(st.sampled_from("abx"), max_size=40)),
    max_size=6,
)


@given(EDITS, st.integers(2, SHORT))
def test_the_changes_of_a_long_text_lead_to_the_changed_one(
    edits: list[tuple[int, int, list[str]]], different_lines: int
) -> None:
    lines = [f"line {number % different_lines}" for number in range(SHORT + 100)]
    changed = list(lines)
    for start, removed, added in edits:
        changed[start : start + removed] = added
    original, left = "\n".join(lines), "\n".join(changed)
    changes = changed_lines(original, left)
    if changes is not None:
        assert applied(original, changes) == left


def test_one_change_in_a_long_text_is_shown_with_the_lines_around_it() -> None:
    lines = [f"line {number}" for number in range(50_000)]
    changed = [*lines[:40_000], "other", *lines[40_001:]]
    changes = changed_lines("\n".join(lines), "\n".join(changed))
    assert changes is not None
    shown = changes.splitlines()
    assert len(shown) == 2 * CONTEXT + 3
    assert [line for line in shown if line[0] in "+-"] == ["-line 40000", "+other"]


@pytest.mark.parametrize("count", [SHORT + 1, 60_000])
def test_long_texts_without_lines_that_occur_once_are_not_compared(count: int) -> None:
    assert changed_lines("a\nb\n" * count, "b\na\nc\n" * count) is None
