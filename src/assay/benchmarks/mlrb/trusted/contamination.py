"""Evaluation text where it must not be: runs of thirteen words, or a whole shorter item."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from .verdicts import Rule, met, unmet

RUN = 13
SHORTEST = 6
"""Items of fewer words say too little: they are not looked for."""
WORD = re.compile(r"[a-z0-9]+")
FACTOR = np.uint64(0x9E3779B97F4A7C15)
Hashes = NDArray[np.uint64]


def _words(text: str) -> list[str]:
    return WORD.findall(text.lower())


def _runs(words: list[str], size: int) -> Hashes:
    """The hash of every run of that many words; arithmetic wraps around at 2⁶⁴."""
    encoded = [word.encode() for word in words]
    numbers = np.array(
        [zlib.crc32(each) << 32 | zlib.crc32(each, 0xA5A5A5A5) for each in encoded], dtype=np.uint64
    )
    number = len(words) - size + 1
    if number <= 0:
        return np.empty(0, dtype=np.uint64)
    runs = np.zeros(number, dtype=np.uint64)
    for at in range(size):
        mixed = numbers[at : at + number] ^ (numbers[at : at + number] >> np.uint64(29))
        runs = runs * FACTOR + mixed
    return runs


@dataclass
class Index:
    """The runs of evaluation items, by their length."""

    items: int = 0
    runs: dict[int, Hashes] = field(default_factory=dict)
    owners: dict[int, list[int]] = field(default_factory=dict)


def index(items: Iterable[str]) -> Index:
    """Evaluation items made ready to be looked for."""
    found = Index()
    collected: dict[int, list[tuple[int, int]]] = {}
    for number, item in enumerate(items):
        found.items = number + 1
        words = _words(item)
        if len(words) >= SHORTEST:
            size = min(RUN, len(words))
            collected.setdefault(size, []).extend((int(each), number) for each in _runs(words, size))
    for size, pairs in collected.items():
        pairs.sort()
        found.runs[size] = np.array([each for each, _ in pairs], dtype=np.uint64)
        found.owners[size] = [number for _, number in pairs]
    return found


def hits(text: str, wanted: Index) -> dict[int, str]:
    """The items whose runs stand in a text, each with the words that were found."""
    words = _words(text)
    found: dict[int, str] = {}
    for size, known in wanted.runs.items():
        runs = _runs(words, size)
        places = np.searchsorted(known, runs)
        places[places == len(known)] = 0
        for at in np.flatnonzero(known[places] == runs) if len(known) else []:
            found.setdefault(wanted.owners[size][int(places[at])], " ".join(words[at : at + size]))
    return found


def check(texts: Mapping[str, str], wanted: Index, allowed: int = 0) -> Rule:
    """Whether at most so many evaluation items stand in the texts; `texts` are by the name of their file."""
    where = {name: hits(text, wanted) for name, text in texts.items()}
    items = {item for found in where.values() for item in found}
    if len(items) <= allowed:
        return met(f"{len(items)} of {wanted.items} evaluation items found in {len(texts)} texts")
    shown = [f"{name}: {len(found)}, such as {next(iter(found.values()))[:80]!r}"
             for name, found in where.items() if found]  # fmt: skip
    return unmet(f"{len(items)} of {wanted.items} evaluation items stand in {'; '.join(shown[:3])}")
