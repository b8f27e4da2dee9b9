"""What of a submission a judge reads about its code: new files whole, changed ones as differences."""

from __future__ import annotations

import difflib
import io
import tokenize
from collections.abc import Sequence
from dataclasses import dataclass

from assay.grading.judge.guard import Part
from assay.tasks import Task
from assay.tasks.documents import read_json
from assay.workspace import Submission

WORDS = (".md", ".rst", ".txt", ".log", ".html", ".tex")
"""Files that talk of code: they prove nothing about it, and are not read."""
CODE = (
    ".py",
    ".ipynb",
    ".sh",
    ".bash",
    ".yaml",
    ".yml",
    ".toml",
    ".cfg",
    ".r",
    ".jl",
    ".c",
    ".cc",
    ".cpp",
    ".cu",
)
"""Files in which the missing thing may stand: a long one that is not read leaves the item unknown."""
STATED = ("design.json", "conclusion.json")
LONGEST_FILE = 200_000
"""Bytes of one file that are read; what is longer is data and not code, and is named as unread."""
LONGEST_DIFF = 3_000
"""Lines of a file that are compared; a longer one is shown whole, since comparing takes the square of it."""
CONTEXT = 30


@dataclass(frozen=True)
class Material:
    """The changed files that are read, and those that are not, each with the reason."""

    parts: tuple[Part, ...]
    unread: tuple[str, ...] = ()
    """Code that is too long or no text."""
    aside: tuple[str, ...] = ()
    """Data: it is named, and not missed."""


def code_of(task: Task, submission: Submission, first: Sequence[str] = ()) -> Material:
    """What was changed, the files named `first` at the front."""
    remade = set(task.assay.run.written) if task.assay.run else set()
    parts: list[Part] = []
    left: dict[bool, list[str]] = {True: [], False: []}
    for path in sorted(submission.files, key=lambda path: (path not in first, path)):
        data = submission.files[path]
        if path in STATED or path in remade or task.workspace.get(path) == data:
            continue
        kind = _unreadable(path, data)
        if kind is not None:
            left[path.lower().endswith(CODE)].append(f"{path} ({kind}, {len(data):,} bytes)")
            continue
        text = readable(path, data)
        given = task.workspace.get(path)
        shown = text if given is None else difference(readable(path, given), text)
        parts.append(Part(path, shown, text, without_comments(path, text)))
    return Material(tuple(parts), tuple(left[True]), tuple(left[False]))


def _unreadable(path: str, data: bytes) -> str | None:
    """Why a file is not read, in a word."""
    if path.lower().endswith(WORDS):
        return "prose"
    if len(data) > LONGEST_FILE:
        return "long"
    return "binary" if b"\0" in data else None


def readable(path: str, data: bytes) -> str:
    """A file as text; of a notebook the code of its cells."""
    text = data.decode(errors="replace")
    if not path.endswith(".ipynb"):
        return text
    try:
        cells = read_json(text)["cells"]
        sources = [cell["source"] for cell in cells if cell.get("cell_type") == "code"]
        return "\n\n".join(each if isinstance(each, str) else "".join(each) for each in sources)
    except (ValueError, KeyError, TypeError, AttributeError):
        return text


def difference(given: str, left: str) -> str:
    """What was changed, with the lines around it; the whole text where it is long."""
    before, after = given.splitlines(), left.splitlines()
    if max(len(before), len(after)) > LONGEST_DIFF:
        return left
    return "\n".join(list(difflib.unified_diff(before, after, lineterm="", n=CONTEXT))[2:])


def without_comments(path: str, text: str) -> str:
    """Code without comments and docstrings; where it is not Python, without lines that begin with `#`."""
    if path.endswith((".py", ".ipynb")):
        try:
            return _without_python_comments(text)
        except (tokenize.TokenError, SyntaxError, ValueError):
            pass
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith(("#", "//")))


def _without_python_comments(text: str) -> str:
    """Comments and strings that stand alone are blanked; all else keeps its place."""
    lines = text.splitlines(keepends=True)
    before = tokenize.NEWLINE
    starts = (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING)
    dropped = []
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    for token, after in zip(tokens, [*tokens[1:], None], strict=True):
        alone = token.type == tokenize.STRING and before in starts
        alone = alone and after is not None and after.type in (tokenize.NEWLINE, tokenize.COMMENT)
        if token.type == tokenize.COMMENT or alone:
            dropped.append(token)
        if token.type not in (tokenize.NL, tokenize.COMMENT):
            before = token.type
    for token in reversed(dropped):
        (row, start), (last, end) = token.start, token.end
        lines[row - 1 : last] = [lines[row - 1][:start] + lines[last - 1][end:]]
    return "".join(lines)
