"""Applies a diff that a model wrote: each hunk at the one place of the file that has its lines.

Models often write wrong line numbers, so these only decide between several places with the same lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

NO_FILE = "/dev/null"
MAX_HUNKS = 500
"""Largest number in an answer, because each hunk is searched for in its file."""
MAX_SEARCHED = 50_000_000
"""Characters of a file, times the hunks that are searched for in it."""
_HUNK = re.compile(r"@@(?: -(\d{1,9})\b[^@]{0,40}@@)?")
_PREAMBLE = ("diff --git ", "index ", "new file mode ", "old mode ", "new mode ", "similarity index ")
_PREFIXES = ("a/", "b/")


class BlockRefused(ValueError):
    """Why a block of an answer cannot be read, in words for the model."""


@dataclass
class _Hunk:
    line: int | None
    """Where the header says that it begins."""
    old: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)


@dataclass
class _FileDiff:
    path: str
    hunks: list[_Hunk] = field(default_factory=list)


def apply_diff(lines: Sequence[str], workspace: Mapping[str, bytes], path: str = "") -> dict[str, str]:
    """Return the files that a diff changes, as they are after it; `path` is for a diff that names no file."""
    files: dict[str, str] = {}
    for diff in _file_diffs(lines, workspace, path):
        if diff.path in files:
            raise BlockRefused(f"the diff names `{diff.path}` twice")
        if not diff.hunks:
            raise BlockRefused(f"the diff of `{diff.path}` has no hunk: a line `@@` before the changed lines")
        if diff.path not in workspace and any(hunk.old for hunk in diff.hunks):
            raise BlockRefused(f"the diff changes `{diff.path}`, which does not exist")
        files[diff.path] = _after_hunks(diff, workspace.get(diff.path, b"").decode(errors="replace"))
    if not files:
        raise BlockRefused("the diff names no file: lines `--- a/path` and `+++ b/path` are missing")
    return files


def _file_diffs(lines: Sequence[str], workspace: Mapping[str, bytes], path: str) -> Iterator[_FileDiff]:
    diff = _FileDiff(path) if path else None
    place = 0
    while place < len(lines):
        line = lines[place]
        following = lines[place + 1] if place + 1 < len(lines) else ""
        if line.startswith("--- ") and following.startswith("+++ "):
            if diff is not None and diff.hunks:
                yield diff
            diff = _FileDiff(_target(line, following, workspace))
            place += 2
            continue
        place += 1
        if line.startswith("@@") and diff is not None:
            header = _HUNK.match(line)
            diff.hunks.append(_Hunk(int(header[1]) if header and header[1] else None))
        elif diff is not None and diff.hunks:
            _add(diff.hunks[-1], line)
        elif line.strip() and not line.startswith(_PREAMBLE):
            raise BlockRefused(f"the diff has {line[:60]!r} before its first hunk")
    if diff is not None and (diff.hunks or diff.path != path):
        yield diff


def _target(old_line: str, new_line: str, workspace: Mapping[str, bytes]) -> str:
    old, new = (line[4:].partition("\t")[0].strip() for line in (old_line, new_line))
    if new == NO_FILE:
        raise BlockRefused(f"the diff deletes `{old}`: files cannot be deleted")
    name = new
    if name not in workspace and name.startswith(_PREFIXES):
        name = name[2:]
    return name


def _add(hunk: _Hunk, line: str) -> None:
    if line.startswith(_PREAMBLE) or line.startswith("\\"):
        return
    if line[:1] not in ("", " ", "+", "-"):
        raise BlockRefused(f"a line of a hunk begins with ' ', '-' or '+': {line[:60]!r}")
    if line[:1] != "+":
        hunk.old.append(line[1:])
    if line[:1] != "-":
        hunk.new.append(line[1:])


def _after_hunks(diff: _FileDiff, text: str) -> str:
    """Apply the hunks one after another; an empty line at a hunk's end may belong to the block."""
    if len(diff.hunks) * len(text) > MAX_SEARCHED:
        raise BlockRefused(f"`{diff.path}` is too long for {len(diff.hunks)} hunks: write the whole file")
    lines = text.split("\n")
    for hunk in diff.hunks:
        while hunk.old and hunk.new and hunk.old[-1] == hunk.new[-1] == "" and len(hunk.old) > 1:
            hunk.old.pop()
            hunk.new.pop()
        place = _place_of(hunk, lines, diff.path)
        lines[place : place + len(hunk.old)] = hunk.new
    return "\n".join(lines)


def _place_of(hunk: _Hunk, lines: Sequence[str], path: str) -> int:
    if not hunk.old:
        if lines == [""]:
            return 0
        raise BlockRefused(f"a hunk of `{path}` only adds lines: show a line before or after them")
    stated = hunk.line - 1 if hunk.line else -1
    if stated >= 0 and lines[stated : stated + len(hunk.old)] == hunk.old:
        return stated
    text, wanted = "\n".join(["", *lines, ""]), "\n".join(["", *hunk.old, ""])
    begin = text.find(wanted)
    if begin < 0:
        raise BlockRefused(
            f"a hunk of `{path}` does not fit: the file does not have its lines, from {hunk.old[0][:60]!r} on"
        )
    if text.find(wanted, begin + 1) >= 0:
        raise BlockRefused(f"a hunk of `{path}` fits at several places: show more lines around the change")
    return text.count("\n", 0, begin)
