"""Notebooks that ran: a kernel, `exec` or a script executed the lines of their cells.

A run that only opens a notebook executes none of its lines. What it does not cover: a notebook of which the
greater part of the lines also stands in other code that ran.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Container, Iterable, Iterator, Mapping

from assay.grading.execution_trace.statements import never_run, parse
from assay.rules.documents import read_json

MOST_CELLS = 0.5
"""Share of a notebook's lines that must have been executed."""
MOST_LINES = 5_000
"""Lines of a notebook or a script that are compared, and of all notebooks together that a hook looks for."""
MOST_TEXT = 300_000
"""Characters of the cells of all notebooks that are compared, and of all scripts that are parsed. Of a longer
script, only the lines that a trace names count as executed."""

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
    most = _share(MOST_LINES, len(notebooks))
    lines = [
        line
        for notebook in notebooks[:MOST_LINES]
        for line in list(filter(_is_telling, _code_lines(notebook, len(notebooks))))[:most]
    ]
    return list(dict.fromkeys(map(_digest, lines)))


def ran_by_lines(notebook: bytes, digests: Collection[str], notebooks: int = 1) -> bool:
    """Whether the greater part of a notebook's first lines was executed, by the digests of executed lines.

    It is one of so many `notebooks`, which share the lines and the characters that are compared.
    """
    most = _share(MOST_LINES, notebooks)
    found = count = 0
    for cell in _cells(notebook, notebooks):
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


def script_lines(scripts: Iterable[tuple[bytes, Iterable[int]]]) -> frozenset[str]:
    """The lines that scripts executed, as a notebook may have them; each script with their numbers."""
    shown: set[str] = set()
    remaining = MOST_TEXT
    for script, numbers in scripts:
        text = script.decode(errors="replace")
        tree = parse(text) if len(text) <= remaining else None
        lines = text.splitlines()[:MOST_LINES]
        executed = frozenset(numbers)
        if tree is not None:
            remaining -= len(text)
            executed = frozenset(range(1, len(lines) + 1)) - never_run(tree, executed)
        for number, line in enumerate(lines, 1):
            if number in executed:
                shown.update(_as_shown(_flat(line)))
    return frozenset(shown)


def ran_as_script(notebook: bytes, executed: Container[str], notebooks: int = 1) -> bool:
    """Whether the greater part of the lines of a notebook is among those that scripts executed.

    It is one of so many `notebooks`, which share the characters that are compared.
    """
    cells = _code_lines(notebook, notebooks)
    return bool(cells) and sum(line in executed for line in cells) / len(cells) > MOST_CELLS


def _as_shown(line: str) -> Iterator[str]:
    """The line of a script as a notebook may have it: without its comment, or what it prints or keeps."""
    code = line.partition("#")[0]
    yield from (line, code)
    yield code.partition("=")[2]
    yield code.partition("(")[2].rpartition(")")[0]


def _share(limit: int, notebooks: int) -> int:
    """How much of a limit for all notebooks is for each of so many."""
    return max(1, limit // max(1, notebooks))


def _code_lines(notebook: bytes, notebooks: int) -> list[str]:
    """The lines of the code cells, without blanks, comments, magics and shell lines."""
    lines = [_flat(line) for text in _cells(notebook, notebooks) for line in text.splitlines()]
    return [line for line in lines if _is_code(line)][:MOST_LINES]


def _cells(notebook: bytes, notebooks: int) -> list[str]:
    """The first code cells of one of so many notebooks; a cell beyond its share ends with a whole line."""
    try:
        cells = read_json(notebook.decode(errors="replace"))["cells"]
        sources = [cell["source"] for cell in cells if cell["cell_type"] == "code"]
        texts = [source if isinstance(source, str) else "".join(source) for source in sources]
    except (ValueError, KeyError, TypeError):
        return []
    remaining = _share(MOST_TEXT, notebooks)
    whole_cells: list[str] = []
    for text in texts:
        if len(text) > remaining:
            return [*whole_cells, text[:remaining].rpartition("\n")[0]]
        remaining -= len(text)
        whole_cells.append(text)
    return whole_cells


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
