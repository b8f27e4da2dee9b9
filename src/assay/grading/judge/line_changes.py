"""The changed lines of a text, with the lines around them; long texts are compared too."""

from __future__ import annotations

import difflib
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence

SHORT = 3_000
"""Lines of a text up to which all lines are compared with all others."""
MOST_COMPARISONS = SHORT * SHORT
CONTEXT = 30

Change = tuple[str, str]
"""A sign (- for a line that is gone, + for a new one, a space for a kept one) and the line."""


def changed_lines(original: str, left: str) -> str | None:
    """What was changed, with the lines around it; None where comparing would take too long.

    Long texts are compared between the lines that both have once, so a few changes in a long file are found.
    """
    before, after = original.splitlines(), left.splitlines()
    if max(len(before), len(after)) <= SHORT:
        return "\n".join(list(difflib.unified_diff(before, after, lineterm="", n=CONTEXT))[2:])
    changes = _compared(before, after)
    return None if changes is None else "\n".join(_with_context(changes))


def _compared(before: Sequence[str], after: Sequence[str]) -> list[Change] | None:
    changes: list[Change] = []
    comparisons = 0
    for old, new, anchor_lines in _between_anchors(before, after):
        start, end = _same_ends(old, new)
        changed_old, changed_new = old[start : len(old) - end], new[start : len(new) - end]
        comparisons += len(changed_old) * len(changed_new)
        if comparisons > MOST_COMPARISONS:
            return None
        changes += [(" ", line) for line in old[:start]]
        matcher = difflib.SequenceMatcher(None, changed_old, changed_new, autojunk=False)
        for tag, old_start, old_end, new_start, new_end in matcher.get_opcodes():
            if tag == "equal":
                changes += [(" ", line) for line in changed_old[old_start:old_end]]
            else:
                changes += [("-", line) for line in changed_old[old_start:old_end]]
                changes += [("+", line) for line in changed_new[new_start:new_end]]
        changes += [(" ", line) for line in (*old[len(old) - end :], *anchor_lines)]
    return changes


def _between_anchors(
    before: Sequence[str], after: Sequence[str]
) -> Iterator[tuple[Sequence[str], Sequence[str], list[str]]]:
    """The stretches of both texts between lines that both have once, each with the line that ends it."""
    old_start = new_start = 0
    for old, new in _anchors(before, after):
        yield before[old_start:old], after[new_start:new], [before[old]]
        old_start, new_start = old + 1, new + 1
    yield before[old_start:], after[new_start:], []


def _anchors(before: Sequence[str], after: Sequence[str]) -> list[tuple[int, int]]:
    """The longest rising sequence of places (before, after) of lines that both texts have exactly once."""
    old_count, new_count = Counter(before), Counter(after)
    places = {line: number for number, line in enumerate(after) if new_count[line] == 1}
    pairs = [
        (number, places[line])
        for number, line in enumerate(before)
        if old_count[line] == 1 and line in places
    ]
    ends: list[int] = []
    last: list[int] = []
    previous: list[int | None] = []
    for position, (_, new) in enumerate(pairs):
        length = bisect_left(ends, new)
        previous.append(last[length - 1] if length else None)
        ends[length : length + 1] = [new]
        last[length : length + 1] = [position]
    longest: list[tuple[int, int]] = []
    at = last[-1] if last else None
    while at is not None:
        longest.append(pairs[at])
        at = previous[at]
    return longest[::-1]


def _same_ends(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """How many lines at the start and at the end of two stretches are the same."""
    most = min(len(old), len(new))
    start = next((number for number in range(most) if old[number] != new[number]), most)
    end = next(
        (number for number in range(most - start) if old[-1 - number] != new[-1 - number]), most - start
    )
    return start, end


def _with_context(changes: Sequence[Change]) -> Iterator[str]:
    """The changes with the lines around them, and a header with line numbers before each stretch."""
    shown_numbers: set[int] = set()
    for number, (sign, _) in enumerate(changes):
        if sign != " ":
            shown_numbers.update(range(max(0, number - CONTEXT), min(len(changes), number + CONTEXT + 1)))
    old_line = new_line = 1
    for number, (sign, line) in enumerate(changes):
        if number in shown_numbers:
            if number - 1 not in shown_numbers:
                yield f"@@ from line {old_line} of the given file, line {new_line} now @@"
            yield sign + line
        old_line += sign != "+"
        new_line += sign != "-"
