"""Whether a second passage states what a sentence states: then two answers to one claim would be right.

What it does not cover: a passage that says the same with other words or with a number as a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from assay.curation.labels import label_words
from assay.curation.literature.corpus import Passage

SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
SHARED_WORDS = 0.5
"""Share of a sentence's words from which on a place with the same number may state the same."""
_NUMBER = re.compile(r"\d+(?:\.\d+)?|\.\d+")


class StatedPlaces:
    """The sentences and tables of a paper, by the numbers that they state."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._places: dict[float, list[tuple[str, frozenset[str]]]] = {}
        for passage in passages:
            for text in _texts(passage):
                place = (passage.id, label_words(text))
                for value in {float(number) for number in _NUMBER.findall(text)}:
                    self._places.setdefault(value, []).append(place)

    def stated_in(self, sentence: str, number: str) -> set[str]:
        """The passages that may state a sentence with this number in place of its own."""
        words = {word for word in label_words(sentence) if not word[0].isdigit()}
        value = float(number)
        return {
            passage
            for scaled in (value, round(value * 100, 9), round(value / 100, 9))
            for passage, place_words in self._places.get(scaled, ())
            if len(words & place_words) >= SHARED_WORDS * len(words)
        }


def _texts(passage: Passage) -> Iterator[str]:
    """The parts of a passage that can state something each: its sentences, or a table with its caption."""
    if passage.table is not None:
        yield f"{passage.title} {passage.text}"
    else:
        yield from SENTENCE_END.split(passage.text)
