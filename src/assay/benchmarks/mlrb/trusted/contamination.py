"""Finds evaluation text where it must not be: runs of thirteen words, or all of a shorter item."""

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
"""Items with fewer words are too common: the search ignores them."""
WORD = re.compile(r"[a-z0-9]+")
FACTOR = np.uint64(0x9E3779B97F4A7C15)
Hashes = NDArray[np.uint64]


def _words(text: str) -> list[str]:
    return WORD.findall(text.lower())


def _runs(words: list[str], size: int) -> Hashes:
    """Return the hash of every run of `size` words; the arithmetic wraps around at 2⁶⁴."""
    encoded = [word.encode() for word in words]
    numbers = np.array(
        [zlib.crc32(word) << 32 | zlib.crc32(word, 0xA5A5A5A5) for word in encoded], dtype=np.uint64
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
    """The runs of words of all evaluation items, by their length."""

    items: int = 0
    runs: dict[int, Hashes] = field(default_factory=dict)
    owners: dict[int, list[int]] = field(default_factory=dict)


def index(items: Iterable[str]) -> Index:
    """Build the index in which texts are looked up."""
    item_index = Index()
    collected: dict[int, list[tuple[int, int]]] = {}
    for number, item in enumerate(items):
        item_index.items = number + 1
        words = _words(item)
        if len(words) >= SHORTEST:
            size = min(RUN, len(words))
            collected.setdefault(size, []).extend((int(run_hash), number) for run_hash in _runs(words, size))
    for size, pairs in collected.items():
        pairs.sort()
        item_index.runs[size] = np.array([run_hash for run_hash, _ in pairs], dtype=np.uint64)
        item_index.owners[size] = [number for _, number in pairs]
    return item_index


def hits(text: str, item_index: Index) -> dict[int, str]:
    """Return the items that occur in a text, each with the words that match."""
    words = _words(text)
    matches: dict[int, str] = {}
    for size, hashes in item_index.runs.items():
        runs = _runs(words, size)
        places = np.searchsorted(hashes, runs)
        places[places == len(hashes)] = 0
        for at in np.flatnonzero(hashes[places] == runs) if len(hashes) else []:
            matches.setdefault(item_index.owners[size][int(places[at])], " ".join(words[at : at + size]))
    return matches


def check(texts: Mapping[str, str], item_index: Index, allowed: int = 0) -> Rule:
    """Check that at most `allowed` evaluation items occur in the texts; `texts` maps file names to texts."""
    matches_by_name = {name: hits(text, item_index) for name, text in texts.items()}
    items = {item for matches in matches_by_name.values() for item in matches}
    if len(items) <= allowed:
        return met(f"{len(items)} of {item_index.items} evaluation items found in {len(texts)} texts")
    examples = [
        f"{name}: {len(matches)}, such as {next(iter(matches.values()))[:80]!r}"
        for name, matches in matches_by_name.items()
        if matches
    ]
    return unmet(f"{len(items)} of {item_index.items} evaluation items stand in {'; '.join(examples[:3])}")
