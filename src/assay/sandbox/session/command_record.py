"""Records an agent's commands, written files and output: Inspect keeps 20 lines of each, this keeps all.

The record has a size limit: it omits the middle of a long text and notes that in the text. Commands, written
files and outputs have separate limits, so that long output hides no command; above such a limit, the record
keeps only the two ends of each text.

What it does not cover: the work of a program inside, of which it sees only the output; the program watch and
the archived submission show more.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

Kind = Literal["command", "written", "output"]

MAX_TEXT_BYTES: dict[Kind, int] = {"command": 4 * 2**20, "written": 2 * 2**20, "output": 2**18}
"""Largest size of one text."""
MAX_TOTAL_BYTES: dict[Kind, int] = {"command": 16 * 2**20, "written": 32 * 2**20, "output": 16 * 2**20}
"""Largest size of all texts of a kind."""
SHORT_TEXT_BYTES = 512
"""Size to which a text is shortened when its kind has reached its limit."""
MAX_ENTRIES = 20_000


@dataclass(frozen=True, slots=True)
class CommandEntry:
    """One command with its input and output, or one written file."""

    do: Literal["exec", "write"]
    words: bytes
    """The command in shell syntax, or the path of the file."""
    input: bytes = b""
    """The command's input, or the content of the file."""
    output: bytes = b""
    """Both output streams, or the error message."""
    returncode: int | None = None
    """None if the command was interrupted or could not start."""


class CommandRecord:
    """All commands and written files of one sandbox until the attempt ends."""

    def __init__(self) -> None:
        self.entries: list[CommandEntry] = []
        self.left_out_count = 0
        """Number of shortened commands, texts above the limit of their kind, and omitted entries."""
        self._used: dict[Kind, int] = {"command": 0, "written": 0, "output": 0}
        self._ended = False

    def add_command(self, words: Sequence[str], input: str | bytes | None) -> int | None:
        """Record a command before it runs; return its index for `add_output`."""
        text = shlex.join([str(word) for word in words])
        return self._add(
            CommandEntry("exec", self._shortened("command", text), self._shortened("command", input or b""))
        )

    def add_written_file(self, path: str, content: str | bytes) -> None:
        """Record a file before it is written."""
        self._add(
            CommandEntry("write", self._shortened("written", path), self._shortened("written", content))
        )

    def add_output(self, index: int | None, output: str | bytes, returncode: int | None) -> None:
        """Record the output of a command."""
        if index is not None and not self._ended:
            shortened = self._shortened("output", output)
            self.entries[index] = replace(self.entries[index], output=shortened, returncode=returncode)

    def end(self) -> list[CommandEntry]:
        """Stop recording and return the entries; later commands come from the harness itself."""
        self._ended = True
        return list(self.entries)

    def _add(self, entry: CommandEntry) -> int | None:
        if self._ended:
            return None
        if len(self.entries) >= MAX_ENTRIES:
            self.left_out_count += 1
            return None
        self.entries.append(entry)
        return len(self.entries) - 1

    def _shortened(self, kind: Kind, text: str | bytes) -> bytes:
        data = text.encode(errors="backslashreplace") if isinstance(text, str) else text
        fits = self._used[kind] < MAX_TOTAL_BYTES[kind]
        max_bytes = MAX_TEXT_BYTES[kind] if fits else SHORT_TEXT_BYTES
        if len(data) > max_bytes:
            self.left_out_count += kind == "command" or not fits
            half = max_bytes // 2
            note = f"\n[{len(data) - 2 * half:,} bytes are left out here]\n".encode()
            data = data[:half] + note + data[len(data) - half :]
        self._used[kind] += len(data)
        return data
