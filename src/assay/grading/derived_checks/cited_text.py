"""The text of those lines of a file that a requirement cites."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

Parts = list[tuple[int, int]]
_CELL_LINE = re.compile(r'^\s*("(?:[^"\\]|\\.)*"),?\s*$')


def cited_text(path: str, data: bytes, parts: Sequence[tuple[int, int]], context: int = 0) -> str:
    """The cited lines of a file, with some lines around them; of a notebook its code."""
    lines = data.decode(errors="replace").splitlines()
    numbers = {
        number
        for first, last in parts
        for number in range(max(1, first - context), min(len(lines), last + context) + 1)
    }
    chosen = [lines[number - 1] for number in sorted(numbers)]
    if path.endswith(".ipynb"):
        chosen = [code for line in chosen for code in _cell_code(line)]
    return "\n".join(chosen)


def _cell_code(line: str) -> list[str]:
    """The line of code that a line of a notebook's JSON holds."""
    match = _CELL_LINE.match(line)
    if match is None:
        return []
    try:
        return [str(json.loads(match[1])).rstrip("\n")]
    except ValueError:
        return []
