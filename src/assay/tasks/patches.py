"""Applies unified diffs to files in memory, strictly: every line must be where the patch says it is.

Nothing is searched for and nothing is guessed, so a patch means the same wherever it is applied. A patch may
change and add files; it cannot delete, rename or leave the folder.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from assay.errors import TaskError
from assay.tasks.files import check_path

NEW_FILE = b"/dev/null"
NO_NEWLINE = b"\\ No newline at end of file"
_GIT_LINES = (b"diff --git ", b"index ", b"new file mode ")
_HUNK = re.compile(rb"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
HINT = "make it again with `diff -u` or `git diff` against the file of the solution"


def apply_patch(patch: bytes, base: Mapping[str, bytes], place: str) -> dict[str, bytes]:
    """Return the files that a patch names, as they are after it; TaskError says which line does not fit."""
    reader = _Reader(split_lines(patch), place)
    files: dict[str, bytes] = {}
    while not reader.at_end:
        if reader.peek().startswith(_GIT_LINES):
            reader.take()
            continue
        path, old = _read_header(reader, base)
        if path in files:
            raise reader.error(f"names {path!r} twice")
        files[path] = _read_hunks(reader, old)
    if not files:
        raise TaskError(place, "is no patch: it names no file", hint=HINT)
    return files


def split_lines(data: bytes) -> list[bytes]:
    """Split at line feeds alone, each line with its line feed."""
    *lines, tail = data.split(b"\n")
    return [line + b"\n" for line in lines] + ([tail] if tail else [])


@dataclass
class _Reader:
    """The lines of a patch, and the next one to read."""

    lines: list[bytes]
    place: str
    next: int = 0

    @property
    def at_end(self) -> bool:
        return self.next >= len(self.lines)

    def peek(self) -> bytes:
        return b"" if self.at_end else self.lines[self.next]

    def take(self) -> bytes:
        line = self.peek()
        self.next += 1
        return line

    def error(self, message: str) -> TaskError:
        return TaskError(f"{self.place}:{self.next}", message, hint=HINT)


def _read_header(reader: _Reader, base: Mapping[str, bytes]) -> tuple[str, list[bytes]]:
    """The path of the next file, and its lines before the patch."""
    source = _read_path(reader, b"--- ", b"a/")
    target = _read_path(reader, b"+++ ", b"b/")
    if target is None:
        raise reader.error("deletes a file; a patch may only change and add files")
    if source is None:
        if target in base:
            raise reader.error(f"adds {target!r}, which the solution has already")
        return target, []
    if source != target:
        raise reader.error(f"renames {source!r} to {target!r}; a patch may only change and add files")
    if source not in base:
        raise reader.error(f"changes {source!r}, which the solution does not have")
    return source, split_lines(base[source])


def _read_path(reader: _Reader, mark: bytes, prefix: bytes) -> str | None:
    """The path behind `---` or `+++`; None for no file."""
    line = reader.take().rstrip(b"\n")
    if not line.startswith(mark):
        raise reader.error(f"expected a line '{mark.decode()}PATH', found {_shown(line)}")
    name = line.removeprefix(mark).partition(b"\t")[0]
    if name == NEW_FILE:
        return None
    try:
        return check_path(name.removeprefix(prefix).decode())
    except ValueError as error:
        raise reader.error(str(error)) from None


def _read_hunks(reader: _Reader, old: list[bytes]) -> bytes:
    """The file after all its hunks; a file without hunks stays as it is."""
    new: list[bytes] = []
    position = 0
    while (header := _HUNK.match(reader.peek())) is not None:
        reader.take()
        start, old_count, _, new_count = (1 if part is None else int(part) for part in header.groups())
        first = start - 1 if old_count else start
        if not position <= first <= len(old):
            raise reader.error(f"this hunk begins at line {start}, which is before or behind its place")
        removed, added = _read_hunk(reader, old_count, new_count)
        new += old[position:first]
        position = first + len(removed)
        for number, (expected, present) in enumerate(zip(removed, old[first:position], strict=False), start):
            if expected != present:
                raise reader.error(
                    f"does not fit: line {number} is {_shown(present)}, the patch expects {_shown(expected)}"
                )
        if position > len(old):
            raise reader.error(f"does not fit: the file ends at line {len(old)}")
        new += added
    return b"".join([*new, *old[position:]])


def _read_hunk(reader: _Reader, old_count: int, new_count: int) -> tuple[list[bytes], list[bytes]]:
    """The lines that a hunk expects, and those that replace them."""
    removed: list[bytes] = []
    added: list[bytes] = []
    while len(removed) < old_count or len(added) < new_count:
        line = reader.take()
        sides = {b" ": (removed, added), b"-": (removed,), b"+": (added,)}.get(line[:1])
        if sides is None:
            raise reader.error(f"a line of a hunk begins with ' ', '-' or '+', found {_shown(line)}")
        text = line[1:]
        if reader.peek().startswith(NO_NEWLINE):
            text = text.removesuffix(b"\n")
            reader.take()
        for side in sides:
            side.append(text)
    if (len(removed), len(added)) != (old_count, new_count):
        raise reader.error("this hunk has other numbers of lines than its header says")
    return removed, added


def _shown(line: bytes) -> str:
    text = line.decode(errors="replace").rstrip("\n")
    return repr(text[:80]) if line else "the end"
