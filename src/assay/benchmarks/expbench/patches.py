"""Reads the patches that EXP-Bench keeps of an agent's work: `git diff` without its `diff --git` lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@")


@dataclass
class FilePatch:
    """The changes of one file."""

    path: str
    is_new: bool
    is_deleted: bool
    hunks: list[tuple[int, list[str]]] = field(default_factory=list)
    """First line in the old file, and the lines of the hunk with their signs."""


def read_patch(text: str) -> list[FilePatch]:
    """Return the changes of each file; binary files have no content in a patch and are left out."""
    patches: list[FilePatch] = []
    lines = iter(text.split("\n"))
    old = ""
    for line in lines:
        if line.startswith("--- "):
            old = line[4:]
        elif line.startswith("+++ "):
            new = line[4:]
            path = _path(old if new == "/dev/null" else new)
            patches.append(FilePatch(path, old == "/dev/null", new == "/dev/null"))
        elif patches and (header := _HUNK.match(line)):
            counts = [int(count) if count else 1 for count in header.groups()[1:]]
            patches[-1].hunks.append((int(header[1]), list(_hunk(lines, counts))))
    return patches


def apply_patch(patch: FilePatch, original: str | None) -> str | None:
    """Return the new content of a file; None if the patch does not fit the original."""
    if patch.is_new or original is None:
        if not patch.is_new:
            return None
        return _join([line for _, hunk in patch.hunks for line in hunk if line[:1] in ("+", "\\")])
    lines = original.splitlines(keepends=True)
    result: list[str] = []
    position = 0
    for first, hunk in patch.hunks:
        before = _join([line for line in hunk if line[:1] != "+"]).splitlines(keepends=True)
        at = _find(lines, before, max(first - 1, 0), position)
        if at is None:
            return None
        result += lines[position:at]
        result.append(_join([line for line in hunk if line[:1] != "-"]))
        position = at + len(before)
    return "".join(result) + "".join(lines[position:])


def changed_files(text: str, workspace: Mapping[str, bytes]) -> tuple[dict[str, bytes], list[str]]:
    """Return the files that a patch makes of a workspace, and a note for each change that is left out."""
    files: dict[str, bytes] = {}
    notes = []
    for patch in read_patch(text):
        if not _is_safe(patch.path):
            notes.append(f"{patch.path}: left out, its path is not inside the workspace")
        elif patch.is_deleted:
            notes.append(f"{patch.path}: was deleted; a folder cannot delete files, so it stays")
        else:
            original = workspace.get(patch.path)
            content = apply_patch(patch, original.decode(errors="replace") if original is not None else None)
            if content is None:
                notes.append(f"{patch.path}: the patch does not fit the file at the pinned commit")
            else:
                files[patch.path] = content.encode()
    notes += [f"{path}: a binary file, which the patch does not contain" for path in _binary(text)]
    return files, notes


def _hunk(lines: Iterator[str], counts: list[int]) -> Iterator[str]:
    """Yield as many lines as a hunk's header states, so that no line of content is taken for a header."""
    old, new = counts
    while old > 0 or new > 0:
        line = next(lines, None)
        if line is None:
            return
        yield line or " "
        if not line.startswith("\\"):
            old -= line[:1] in ("-", " ", "")
            new -= line[:1] in ("+", " ", "")


def _join(lines: list[str]) -> str:
    """Join a hunk's lines without their signs; a `\\` line says that the one before has no line end."""
    text = ""
    for line in lines:
        text = text[:-1] if line.startswith("\\") else f"{text}{line[1:]}\n"
    return text


def _find(lines: list[str], before: list[str], stated: int, least: int) -> int | None:
    """Return where a hunk fits: at its stated line, or else at the nearest place after the last hunk."""
    places = [
        at for at in range(least, len(lines) - len(before) + 1) if lines[at : at + len(before)] == before
    ]
    return min(places, key=lambda at: abs(at - stated), default=None)


def _path(name: str) -> str:
    return name.split("\t")[0].removeprefix("a/").removeprefix("b/")


def _is_safe(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return bool(parts) and not path.startswith("/") and ".." not in parts and ".git" not in parts


def _binary(text: str) -> list[str]:
    return re.findall(r"^Binary files .* and b/(.*) differ$", text, re.MULTILINE)
