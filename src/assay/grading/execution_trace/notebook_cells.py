"""Notebooks that ran: a kernel, `exec` or a script executed the lines of their cells.

A run that only opens a notebook executes none of its lines. What it does not cover: a notebook of which the
greater part of the lines also stands in other code that ran.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping

from assay.grading.execution_trace.statements import never_run, parse
from assay.rules.documents import read_json

MOST_CELLS = 0.5
"""Share of a notebook's lines that must have been executed."""
MOST_LINES = 5_000
"""Lines of a notebook or a script that are compared, and of all notebooks together that a hook looks for."""

LEAST_LETTERS = 3
"""Letters from which on a line is looked for."""


def is_python_notebook(path: str, notebook: bytes) -> bool:
    """Whether a file is a notebook whose cells Python runs; one that names no language is."""
    if not path.endswith(".ipynb"):
        return False
    try:
        metadata = read_json(notebook.decode(errors="replace")).get("metadata", {})
        language = metadata.get("kernelspec", {}).get("language") or metadata.get("language_info", {}).get(
            "name"
        )
    except (ValueError, AttributeError):
        return True
    return not isinstance(language, str) or language.lower() in ("", "python", "python3", "ipython")


def digests_of(submitted: Mapping[str, bytes]) -> list[str]:
    """Digests of the lines of all notebooks: of each so many that none takes the place of another."""
    notebooks = [data for path, data in sorted(submitted.items()) if is_python_notebook(path, data)]
    most = most_lines(len(notebooks))
    lines = [
        line
        for notebook in notebooks[:MOST_LINES]
        for line in list(filter(_is_telling, _code_lines(notebook)))[:most]
    ]
    return list(dict.fromkeys(map(_digest, lines)))


def most_lines(notebooks: int) -> int:
    """How many lines of each of so many notebooks a hook looks for."""
    return max(1, MOST_LINES // max(1, notebooks))


def ran_by_lines(notebook: bytes, digests: Collection[str], most: int = MOST_LINES) -> bool:
    """Whether the greater part of a notebook's first lines was executed, by the digests of executed lines."""
    found = count = 0
    for cell in _cells(notebook):
        lines = cell.splitlines()
        flat = [_flat(line) for line in lines]
        executed = {
            number for number, line in enumerate(flat, 1) if _is_telling(line) and _digest(line) in digests
        }
        tree = parse("\n".join(map(_without_magic, lines)))
        if tree is not None:
            executed = set(range(1, len(lines) + 1)) - never_run(tree, frozenset(executed))
        code = [number for number, line in enumerate(flat, 1) if _is_telling(line)][: most - count]
        count += len(code)
        found += sum(number in executed for number in code)
        if count >= most:
            break
    return count > 0 and found / count > MOST_CELLS


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
    return [flat for text in texts if (flat := _flat(text))]


def _code_lines(notebook: bytes) -> list[str]:
    """The lines of the code cells, without blanks, comments, magics and shell lines."""
    lines = [_flat(line) for text in _cells(notebook) for line in text.splitlines()]
    return [line for line in lines if _is_code(line)][:MOST_LINES]


def _cells(notebook: bytes) -> list[str]:
    try:
        cells = read_json(notebook.decode(errors="replace"))["cells"]
        sources = [cell["source"] for cell in cells if cell["cell_type"] == "code"]
        return [source if isinstance(source, str) else "".join(source) for source in sources]
    except (ValueError, KeyError, TypeError):
        return []


def _flat(line: str) -> str:
    return "".join(line.split())


def _is_code(flat: str) -> bool:
    return bool(flat) and flat[0] not in "#%!"


def _is_telling(flat: str) -> bool:
    """Whether a line of code says something: a bracket or a number stands in many programs."""
    return _is_code(flat) and sum(map(str.isalpha, flat)) >= LEAST_LETTERS


def _without_magic(line: str) -> str:
    """The line as Python reads it: a magic or a shell line does nothing that Python could parse."""
    code = line.lstrip()
    return f"{line[: len(line) - len(code)]}pass" if code.startswith(("%", "!")) else line


def _digest(flat: str) -> str:
    return hashlib.sha256(flat.encode(errors="replace")).hexdigest()[:12]
