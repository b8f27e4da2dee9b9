"""Collects the sentences of a paper that state numbers, each with the line of its first number."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from assay.curation.evidence import EvidencePlace, quoted
from assay.curation.labels import label_words
from assay.curation.paper.model import PaperSection, PaperSentence
from assay.curation.paper.sentence_numbers import read_sentence_numbers, split_sentences

_NOT_TEXT = re.compile(r"references|bibliography|acknowledg|changelog|citation|licen[cs]e", re.IGNORECASE)
MOST_SENTENCES = 2_000
LEAST_WORDS = 2


class SourceLine(NamedTuple):
    """A line of the paper's source, and where it is."""

    place: EvidencePlace
    text: str


def stated_sentences(sections: Sequence[PaperSection], lines: Sequence[SourceLine]) -> list[PaperSentence]:
    """Return the sentences with numbers of all sections, in order; without references and licences."""
    starts = _starts(sections, lines)
    sentences: list[PaperSentence] = []
    for position, section in enumerate(sections):
        if _NOT_TEXT.search(section.title):
            continue
        end = starts[position + 1] if position + 1 < len(sections) else len(lines)
        own_lines = lines[starts[position] : max(end, starts[position] + 1)]
        sentences += _of_section(section, own_lines)
    return sentences[:MOST_SENTENCES]


def _of_section(section: PaperSection, lines: Sequence[SourceLine]) -> Iterator[PaperSentence]:
    for paragraph in section.text.split("\n\n"):
        for sentence in split_sentences(paragraph):
            numbers = read_sentence_numbers(sentence)
            if not numbers or len(label_words(re.sub(r"\d", "", sentence))) < LEAST_WORDS:
                continue
            place = _place(sentence, numbers[0].number.text, lines) or section.place
            yield PaperSentence(
                text=sentence,
                section=section.title,
                place=place.model_copy(update={"text": quoted(sentence)}),
                numbers=numbers,
            )


def _starts(sections: Sequence[PaperSection], lines: Sequence[SourceLine]) -> list[int]:
    """The index of the line with which each section begins; one that is not found begins with the last."""
    by_place: dict[tuple[str, int | None, int | None], int] = {}
    for index, line in enumerate(lines):
        by_place.setdefault((line.place.file, line.place.line, line.place.page), index)
    starts: list[int] = []
    for section in sections:
        key = (section.place.file, section.place.line, section.place.page)
        starts.append(max(by_place.get(key, 0), starts[-1] if starts else 0))
    return starts


def _place(sentence: str, number: str, lines: Sequence[SourceLine]) -> EvidencePlace | None:
    """The line that has the number and most words of the sentence; None if the number is in no line."""
    words = label_words(sentence)
    # A power is spelled in another way in the source: 3 \times 10^{-2}.
    digits = re.match(r"[-+−]?[\d.,]+", number)
    spelling = re.compile(rf"(?<![\d.]){re.escape(digits.group() if digits else number)}(?!\d)")
    best: tuple[int, SourceLine] | None = None
    for line in lines:
        if spelling.search(line.text.replace("{,}", ",").replace("\\,", "")):
            hits = len(words & label_words(line.text))
            if best is None or hits > best[0]:
                best = (hits, line)
    return None if best is None else best[1].place
