"""Reads the fenced blocks and the inline commands of a Markdown page, with the marker before each block.

A marker is an HTML comment directly above a block, with parts that commas separate:

- `<!-- not run: REASON -->`: it cannot run in CI; its form is checked, and not_run.txt lists it;
- `<!-- scripted model -->`: a scripted model answers on this machine in place of OpenAI's;
- `<!-- model server -->`: the same, at the address http://localhost:8000/v1;
- `<!-- exit 3 -->`: the last command ends with this exit code;
- `<!-- serves -->`: each command serves a page until an interrupt;
- `<!-- file: NAME -->`: what the block shows is a file of the reader, which later commands use;
- no marker: the block is run as it is written.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

SHELL = ("console", "bash", "sh")
LANGUAGES = (*SHELL, "python", "toml", "json", "yaml", "text", "markdown", "make", "diff")

_FENCE = re.compile(
    r"(?:^[ ]*<!-- (?P<marker>[^>]*?) -->\n+)?"
    r"^(?P<indent>[ ]*)```(?P<language>[a-z]*)[^\n]*\n(?P<body>.*?)^(?P=indent)```[ ]*$",
    re.MULTILINE | re.DOTALL,
)
_INLINE = re.compile(r"(?<!`)`(?P<command>assay [^`]+)`(?!`)")


@dataclass(frozen=True)
class Block:
    """One fenced block of a page."""

    page: Path
    line: int
    language: str
    marker: str
    body: str

    @property
    def place(self) -> str:
        """Where it stands, for messages."""
        return f"{self.page.name}:{self.line}"

    @property
    def is_shell(self) -> bool:
        """Whether it holds commands."""
        return self.language in SHELL

    @property
    def is_run(self) -> bool:
        """Whether its commands are run as they are written."""
        return self.is_shell and not self.marker.startswith("not run")

    @property
    def needs_model(self) -> bool:
        """Whether its commands ask a model of OpenAI."""
        return "scripted model" in self._marks

    @property
    def needs_server(self) -> bool:
        """Whether its commands ask a model on port 8000 of this machine."""
        return "model server" in self._marks

    @property
    def serves(self) -> bool:
        """Whether its commands serve a page until an interrupt."""
        return "serves" in self._marks

    @property
    def exit_code(self) -> int:
        """The exit code that the marker states, 0 without one."""
        return next((int(mark.removeprefix("exit ")) for mark in self._marks if mark.startswith("exit ")), 0)

    @property
    def file(self) -> str | None:
        """The file of the reader that the block shows."""
        return next((mark.removeprefix("file: ") for mark in self._marks if mark.startswith("file: ")), None)

    @property
    def _marks(self) -> list[str]:
        return self.marker.split(", ")

    @property
    def commands(self) -> list[str]:
        """Its commands; in a console block they begin with a dollar sign, and the rest is output."""
        lines = self.body.replace("\\\n", " ").splitlines()
        if self.language == "console":
            return [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
        return [line for line in lines if line.strip()]

    @property
    def script(self) -> str:
        """What a shell runs: here-documents stay whole."""
        return "\n".join(self.commands) if self.language == "console" else self.body

    @property
    def output(self) -> list[str]:
        """The lines of output that a console block shows; `…` stands for lines left out."""
        if self.language != "console":
            return []
        lines = self.body.replace("\\\n", " ").splitlines()
        return [line for line in lines if line.strip() and not line.startswith("$ ") and line.strip() != "…"]


def read_blocks(page: Path) -> list[Block]:
    """Every fenced block of a page, in order."""
    text = page.read_text()
    blocks = []
    for match in _FENCE.finditer(text):
        indent = match["indent"]
        body = "\n".join(line.removeprefix(indent) for line in match["body"].splitlines()) + "\n"
        line = text.count("\n", 0, match.start("language")) + 1
        blocks.append(Block(page, line, match["language"], match["marker"] or "", body))
    return blocks


def inline_commands(page: Path) -> list[str]:
    """Every `assay …` in running text and tables."""
    text = _FENCE.sub("", page.read_text())
    return [" ".join(match["command"].replace("\\|", "|").split()) for match in _INLINE.finditer(text)]
