"""Splits a text into sentences and clauses, as positions in it, so that a cut changes nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_SENTENCE_END = re.compile(
    r"(?<![A-Z]\.)(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bvs\.)(?<!\bFig\.)(?<!\betc\.)(?<!\bal\.)(?<!\bEq\.)(?<!\bw\.r\.t\.)"
    r"(?<=[.!?])(?:\*\*|[\"”’)])*[ \t]+(?=[*\"“(•]*\s*[A-Z0-9])|[ \t]+(?=•)"
)
_CONNECTIVE = (
    "and|but|while|whereas|with|where|which|so|because|since|as|rather|compared|thereby|thus|noting|expecting"
    "|anticipating|suggesting|leading|resulting|reflecting|outperforming|surpassing|achieving|demonstrating"
    "|showing|indicating|confirming|verifying|validating|illustrating|highlighting|proving|particularly"
    "|especially|producing|allowing|making|including|targeting"
)
_CLAUSE_END = re.compile(
    rf"(?:;|—|:(?=\s)|\s–(?=\s)|,(?=\s+(?:{_CONNECTIVE})\b)|(?=\([^()]{{15,}}\))|(?<=[^()]{{15}}\)))\s*"
    r"|\s+(?=(?:whereas|thereby|demonstrating|showing|indicating|confirming|illustrating)\b)"
)
_BULLET = re.compile(r"\s*(?:[-*•]|\d+[.)]|\([a-z0-9]\)|#+)\s+|\s+")


class Span(NamedTuple):
    """A part of a text by its positions."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """Return the part itself."""
        return text[self.start : self.end]


class TextLine(NamedTuple):
    """A line of a text, without its bullet and the spaces around it."""

    span: Span
    has_bullet: bool
    is_first: bool
    """Whether the line begins a paragraph."""


def split_lines(text: str) -> Iterator[TextLine]:
    """Yield each line that is not empty."""
    end = 0
    for match in re.finditer(r"[^\n]*\S[^\n]*", text):
        bullet = _BULLET.match(text, match.start(), match.end())
        span = _stripped(text, bullet.end() if bullet else match.start(), match.end())
        is_first = text.count("\n", end, match.start()) > 1
        yield TextLine(span, bool(bullet and bullet.group().strip()), is_first)
        end = match.end()


def split_sentences(text: str, line: Span) -> Iterator[Span]:
    """Yield the sentences of a line."""
    start = line.start
    for match in _SENTENCE_END.finditer(text, line.start, line.end):
        yield Span(start, match.start())
        start = match.end()
    if start < line.end:
        yield Span(start, line.end)


def split_clauses(text: str, sentence: Span) -> list[Span]:
    """Return the clauses of a sentence; what stands in brackets is a clause of its own."""
    clauses = []
    start = sentence.start
    for match in _CLAUSE_END.finditer(text, sentence.start, sentence.end):
        if match.start() > start and re.search(r"\w", text[start : match.start()]):
            clauses.append(_stripped(text, start, match.start()))
            start = match.end()
    clauses.append(_stripped(text, start, sentence.end))
    return [clause for clause in clauses if clause.start < clause.end]


def _stripped(text: str, start: int, end: int) -> Span:
    part = text[start:end]
    return Span(start + len(part) - len(part.lstrip()), end - len(part) + len(part.rstrip()))
