"""Tools that write code: whole files, inserted, replaced and deleted lines; what does not fit is an error."""

from __future__ import annotations

from inspect_ai.tool import ToolDef, ToolError
from inspect_ai.util import sandbox

from assay.agents.supervisor.offering import offered

WORKSPACE = "/workspace"
MOST_CHARACTERS = 4_000_000
"""Of a file that can be edited: one of many short lines needs thirty times its size in memory as a list."""


def editing_tools() -> list[ToolDef]:
    """Write, insert, replace and delete."""
    return [
        offered(write_code, "write_code"),
        offered(insert_code, "insert_code"),
        offered(replace_code, "replace_code"),
        offered(delete_code, "delete_code"),
    ]


async def write_code(path: str, content: str) -> str:
    """Write a whole file; what was in it before is gone.

    Args:
        path: The file, within /workspace or absolute.
        content: Its whole new content.
    """
    await sandbox().write_file(_place(path), content)
    return f"{path}: {len(content.splitlines()):,} lines written."


async def insert_code(path: str, line: int, content: str) -> str:
    """Insert lines into a file.

    Args:
        path: The file, within /workspace or absolute.
        line: After which line, counted from 1; 0 inserts at the beginning.
        content: The lines to insert.
    """
    lines = await _lines(path)
    if not 0 <= line <= len(lines):
        raise ToolError(f"{path} has no line {line}: expected one from 0 to {len(lines)}")
    added = _whole(content)
    before = [*lines[:line]]
    if before and not before[-1].endswith("\n"):
        before[-1] += "\n"
    await sandbox().write_file(_place(path), "".join([*before, *added, *lines[line:]]))
    return f"{path}: {len(added):,} lines inserted after line {line}."


async def replace_code(path: str, old: str, new: str) -> str:
    """Replace one piece of a file's text, which must be there exactly once.

    Args:
        path: The file, within /workspace or absolute.
        old: The text to replace, exactly as it stands in the file.
        new: What takes its place.
    """
    text = await _text(path)
    occurrences = text.count(old) if old else 0
    if occurrences == 0:
        raise ToolError(f"nothing was replaced: {path} does not hold this text; read the file first")
    if occurrences > 1:
        raise ToolError(f"nothing was replaced: {path} holds this text {occurrences} times; give more of it")
    await sandbox().write_file(_place(path), text.replace(old, new))
    return f"{path}: replaced at line {text[: text.index(old)].count(chr(10)) + 1}."


async def delete_code(path: str, first: int, last: int) -> str:
    """Delete lines of a file.

    Args:
        path: The file, within /workspace or absolute.
        first: The first line to delete, counted from 1.
        last: The last line to delete.
    """
    lines = await _lines(path)
    if not 1 <= first <= last <= len(lines):
        raise ToolError(f"{path} has {len(lines):,} lines: lines {first} to {last} are not there")
    await sandbox().write_file(_place(path), "".join(lines[: first - 1] + lines[last:]))
    return f"{path}: {last - first + 1:,} lines deleted."


def _place(path: str) -> str:
    return path if path.startswith("/") else f"{WORKSPACE}/{path}"


async def _lines(path: str) -> list[str]:
    return (await _text(path)).splitlines(keepends=True)


async def _text(path: str) -> str:
    text = await sandbox().read_file(_place(path))
    if len(text) > MOST_CHARACTERS:
        raise ToolError(
            f"{path} has {len(text):,} characters, at most {MOST_CHARACTERS:,} can be edited: "
            "change it with a program"
        )
    return text


def _whole(content: str) -> list[str]:
    return (content if content.endswith("\n") else f"{content}\n").splitlines(keepends=True)
