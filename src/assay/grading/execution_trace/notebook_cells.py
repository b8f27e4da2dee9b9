"""Notebooks that ran as a script: the code of their cells is in a Python file of which these lines ran."""

from __future__ import annotations

from collections.abc import Iterable

from assay.grading.execution_trace.statements import never_run, parse
from assay.rules.documents import read_json

MOST_CELLS = 0.5
"""Share of a notebook's lines that a script must have executed."""
MOST_LINES = 5_000
"""Lines of a notebook or a script that are compared."""


def ran_as_script(notebook: bytes, scripts: Iterable[tuple[bytes, Iterable[int]]]) -> bool:
    """Whether one of the scripts, each with the lines that were executed, is this notebook and ran."""
    cells = _code_lines(notebook)
    return bool(cells) and any(
        _share(cells, _executed_lines(script.decode(errors="replace"), lines)) > MOST_CELLS
        for script, lines in scripts
    )


def _share(cells: list[str], executed: list[str]) -> float:
    """The share of the lines of cells that were executed; a script may print a line that a notebook shows."""
    exact = set(executed)
    found = sum(line in exact or any(line in other for other in executed) for line in cells)
    return found / len(cells)


def _executed_lines(script: str, lines: Iterable[int]) -> list[str]:
    tree = parse(script)
    if tree is None:
        return []
    idle = never_run(tree, frozenset(lines))
    texts = [text for number, text in enumerate(script.splitlines()[:MOST_LINES], 1) if number not in idle]
    return [flat for text in texts if (flat := "".join(text.split()))]


def _code_lines(notebook: bytes) -> list[str]:
    """The lines of the code cells, without blanks, comments, magics and shell lines."""
    try:
        cells = read_json(notebook.decode(errors="replace"))["cells"]
        sources = [cell["source"] for cell in cells if cell["cell_type"] == "code"]
        texts = [source if isinstance(source, str) else "".join(source) for source in sources]
    except (ValueError, KeyError, TypeError):
        return []
    lines = ["".join(line.split()) for text in texts for line in text.splitlines()]
    return [line for line in lines if line and line[0] not in "#%!"][:MOST_LINES]
