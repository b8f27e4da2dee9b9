"""Reads the fenced blocks and the inline commands of a Markdown page, with the marker before each block.

A marker is an HTML comment directly above a block:

- `<!-- not run: REASON -->`: it needs a key, the network, a GPU or much time; only its form is checked;
- `<!-- long -->`: the block takes long, so that only `make test-long` runs it;
- `<!-- scripted model -->`: the same, and a scripted model answers on this machine in place of OpenAI's;
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
        """Whether its commands are run as they are written, by `make test` or by `make test-long`."""
        return self.is_shell and not self.marker.startswith("not run:")

    @property
    def is_long(self) -> bool:
        """Whether only `make test-long` runs it."""
        return self.marker == "long" or self.needs_model

    @property
    def needs_model(self) -> bool:
        """Whether its commands ask a model of OpenAI."""
        return self.marker == "scripted model"

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
