"""The passages of a text that speak of a question: Okapi BM25 over its paragraphs."""

from __future__ import annotations

import re
from collections import Counter
from math import log

WORD = re.compile(r"[a-z][a-z0-9]+")
SATURATION, LENGTH = 1.5, 0.75
"""BM25's k1 and b, at their usual values."""
PASSAGE = 1_200
"""Characters of a passage, about."""


def best_passages(text: str, question: str, count: int) -> list[str]:
    """The passages that answer best, in the order of the text."""
    passages = split(text)
    bags = [Counter(words(passage)) for passage in passages]
    lengths = [sum(bag.values()) for bag in bags]
    mean = sum(lengths) / len(lengths) if lengths else 1.0
    spread = Counter(word for bag in bags for word in bag)
    question_words = set(words(question))

    def score(number: int) -> float:
        bag = bags[number]
        damped = SATURATION * (1 - LENGTH + LENGTH * lengths[number] / (mean or 1.0))
        return sum(
            log(1 + (len(bags) - spread[word] + 0.5) / (spread[word] + 0.5))
            * bag[word]
            * (SATURATION + 1)
            / (bag[word] + damped)
            for word in question_words & bag.keys()
        )

    ranked = sorted(range(len(passages)), key=lambda number: (-score(number), number))
    return [passages[number] for number in sorted(ranked[:count])]


def split(text: str) -> list[str]:
    """A text in passages: paragraphs joined until they are long enough."""
    passages: list[str] = []
    for paragraph in re.split(r"\n\s*\n", text):
        stripped = paragraph.strip()
        if stripped and passages and len(passages[-1]) + len(stripped) < PASSAGE:
            passages[-1] += "\n\n" + stripped
        elif stripped:
            passages.append(stripped)
    return passages


def words(text: str) -> list[str]:
    """The words of a text in lower case, names split at underscores and capitals."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|_", " ", text)
    return WORD.findall(spaced.lower())
