"""The guard between a submission and the judge: boundaries, pages, and quotes that must be there.

What it does not cover: a model that believes what it reads. It makes sure that nothing in a submission can
end its own quotation, and that nobody is said to have met an item on words that are not in the submission.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from assay.grading.verdict import showable

MOST_PAGES = 40
OVERLAP = 10
"""Lines that a page repeats from the one before, so that nothing is only seen cut in two."""
LONGEST_NAME = 200
LEAST_QUOTED = 3
"""Letters and digits below which a quote says nothing."""


@dataclass(frozen=True)
class Part:
    """One file, or one piece of text, as the judge reads it."""

    name: str
    shown: str
    """What is read: the text, or the difference from what was given."""
    text: str
    """What was handed in; a quote must stand in it."""
    proof: str
    """Those of its words that can prove something: of code, no comments."""

    @cached_property
    def flat(self) -> str:
        """The text with every run of blanks as one."""
        return flatten(self.text)

    @cached_property
    def flat_proof(self) -> str:
        """The same of what can prove something."""
        return flatten(self.proof)


@dataclass(frozen=True)
class Page:
    """As much as is read in one call."""

    text: str
    parts: tuple[Part, ...]


def plain_part(name: str, text: str) -> Part:
    """A piece of text all of whose words count."""
    return Part(name, text, text, text)


def draw_boundary(text: str) -> str:
    """A line that nobody could know before this call, and that the text does not hold."""
    while (boundary := f"=====[{secrets.token_hex(8)}]=====") in text:
        pass
    return boundary


def flatten(text: str) -> str:
    """Text with every run of blanks as one blank."""
    return " ".join(text.split())


def paginate(parts: Iterable[Part], size: int) -> list[Page]:
    """All parts on as many pages as they need, or one page more than are read.

    Every line is on a page, some lines at the seams on two.
    """
    pages: list[Page] = []
    texts: list[str] = []
    held: list[Part] = []
    for part, piece in ((each, piece) for each in parts for piece in _pieces(each, size)):
        if texts and sum(map(len, texts)) + len(piece) > size:
            pages.append(Page("\n".join(texts), tuple(held)))
            texts, held = [], []
            if len(pages) > MOST_PAGES:
                return pages
        texts.append(piece)
        held.append(part)
    return [*pages, Page("\n".join(texts), tuple(held))] if texts or not pages else pages


def _pieces(part: Part, size: int) -> Iterator[str]:
    """A part in pieces of whole lines; a line longer than half a page is broken."""
    longest = max(size // 2, 1)
    lines = [
        line[start : start + longest]
        for line in part.shown.splitlines() or [""]
        for start in range(0, len(line) or 1, longest)
    ]
    name = " ".join(showable(part.name).split())[:LONGEST_NAME]
    begin = end = 0
    while end < len(lines):
        end, used = begin + 1, len(lines[begin])
        while end < len(lines) and used + len(lines[end]) < size:
            used += len(lines[end]) + 1
            end += 1
        yield "\n".join([f"--- {name}{' (goes on)' if begin else ''} ---", *lines[begin:end]])
        begin = end
        while begin > end - OVERLAP and sum(map(len, lines[begin - 1 : end])) < size // 8:
            begin -= 1


def why_void(quote: str, parts: Sequence[Part], question: str | None = None) -> str | None:
    """Why a quote proves nothing, or None; with `question` it must be more than the question's own words."""
    lines = [re.sub(r"^\s*\+", "", line) for line in quote.splitlines()]
    wanted = [flatten(quote), flatten("\n".join(lines))]
    if sum(each.isalnum() for each in wanted[0]) < LEAST_QUOTED:
        return "the quote is empty"
    if not any(each in part.flat for part in parts for each in wanted):
        return "the quote is not in the submission"
    if question is None:
        return None
    if wanted[0] in flatten(question):
        return "the quote only repeats the question"
    proving = [flatten(re.sub(r"(^|\s)#.*", "", line)) for line in lines]
    proving = [each for each in proving if sum(letter.isalnum() for letter in each) >= LEAST_QUOTED]
    if not any(each in part.flat_proof for part in parts for each in proving):
        return "the quote is of comments or prose, not of code"
    return None
