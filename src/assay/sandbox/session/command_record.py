"""What an agent ran and wrote in its sandbox, and what came back: Inspect keeps 20 lines of each, this all.

The record is bounded: the middle of a long text is left out, and the text says so. Commands, written files
and outputs each have room of their own, so that much output leaves no command unseen; once that room is used
up, the two ends of every further text are kept.

What it does not cover: what a program inside does by itself, of which only its output is seen here; the watch
and the archived submission show more.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

Kind = Literal["command", "written", "output"]

LONGEST: dict[Kind, int] = {"command": 4 * 2**20, "written": 2 * 2**20, "output": 2**18}
"""Bytes of one text."""
ROOM: dict[Kind, int] = {"command": 16 * 2**20, "written": 32 * 2**20, "output": 16 * 2**20}
"""Bytes of all texts of a kind."""
SHORT = 512
"""Bytes that are still kept of a text when there is no room left."""
MOST_ENTRIES = 20_000


@dataclass(frozen=True, slots=True)
class Entry:
    """One command with its input and output, or one file that was written."""

    do: Literal["exec", "write"]
    words: bytes
    """The command as a shell would read it, or the path of the file."""
    given: bytes = b""
    """The command's input, or the contents of the file."""
    output: bytes = b""
    """Both output streams, or the error that came back."""
    returncode: int | None = None
    """None where the command was cut off, or could not be run at all."""


class Record:
    """Everything that is asked of one sandbox until the attempt ends."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.left_out = 0
        """Commands that were not kept whole, texts without room, and entries beyond the most."""
        self._used: dict[Kind, int] = {"command": 0, "written": 0, "output": 0}
        self._ended = False

    def command(self, words: Sequence[str], given: str | bytes | None) -> int | None:
        """Note a command that is about to run; its place, for what comes back."""
        text = shlex.join([str(word) for word in words])
        return self._add(Entry("exec", self._kept("command", text), self._kept("command", given or b"")))

    def written(self, path: str, content: str | bytes) -> None:
        """Note a file that is about to be written."""
        self._add(Entry("write", self._kept("written", path), self._kept("written", content)))

    def came_back(self, place: int | None, output: str | bytes, returncode: int | None) -> None:
        """Note what a command gave."""
        if place is not None and not self._ended:
            kept = self._kept("output", output)
            self.entries[place] = replace(self.entries[place], output=kept, returncode=returncode)

    def end(self) -> list[Entry]:
        """What was recorded; what the harness itself does from now on is no part of it."""
        self._ended = True
        return list(self.entries)

    def _add(self, entry: Entry) -> int | None:
        if self._ended:
            return None
        if len(self.entries) >= MOST_ENTRIES:
            self.left_out += 1
            return None
        self.entries.append(entry)
        return len(self.entries) - 1

    def _kept(self, kind: Kind, text: str | bytes) -> bytes:
        data = text.encode(errors="backslashreplace") if isinstance(text, str) else text
        has_room = self._used[kind] < ROOM[kind]
        most = LONGEST[kind] if has_room else SHORT
        if len(data) > most:
            self.left_out += kind == "command" or not has_room
            half = most // 2
            note = f"\n[{len(data) - 2 * half:,} bytes are left out here]\n".encode()
            data = data[:half] + note + data[len(data) - half :]
        self._used[kind] += len(data)
        return data
