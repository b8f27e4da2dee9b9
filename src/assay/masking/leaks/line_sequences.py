"""Recognizes a body by the sequence of its lines; each line may have a prefix (`+`, `>>>`, a line number)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from assay.masking.leaks.information import information

MIN_SEQUENCE_BITS = 40.0
"""A sequence of lines with less information may occur elsewhere by chance."""
MIN_SEQUENCE_SHARE = 0.8
"""Share of the information that must occur, in order."""
_MIN_LINE_BITS = 6.0
"""A line with less information (`else:`, `x`) occurs everywhere and does not count."""
_LEAST_GAP = 120
"""Mean number of characters that may be between two lines."""
_MOST_GAP = 2_000
_BITS_PER_DOUBLE_GAP = 1.5
"""A line with this many bits more may be twice as far from the one before it."""
_SPACES = re.compile(r"[^\S\n]+")
_NEEDLESS_SPACE = re.compile(r"(?<!\w) | (?!\w)")
_AFTER_VALUE = re.compile(r"[^\W\d]\.|[)\]]\.")
"""A point after a value; another point is a part of a prefix, as in `...` and `3.`"""
_CONTINUED = frozenset(".([*/%@+-=")
"""Characters after a line with which its expression continues."""


@dataclass(frozen=True)
class LineSequence:
    """The lines of a body that have information."""

    lines: tuple[str, ...]
    """Each line without needless spaces, with equal quotes."""
    bits: tuple[float, ...]

    @classmethod
    def of(cls, body_lines: Sequence[str]) -> LineSequence | None:
        """Return the sequence of these lines; None if it may occur by chance."""
        lines = [_tighten(line).strip() for line in body_lines]
        measured = [
            (line, bits)
            for line, bits in zip(lines, information(body_lines), strict=True)
            if bits >= _MIN_LINE_BITS
        ]
        if len(measured) < 2 or sum(bits for _, bits in measured) < MIN_SEQUENCE_BITS:
            return None
        return cls(tuple(line for line, _ in measured), tuple(bits for _, bits in measured))

    @cached_property
    def max_span(self) -> int:
        """The longest text that is one copy, in characters."""
        mean_bits = sum(self.bits) / len(self.bits)
        gap = int(min(max(2 ** (mean_bits / _BITS_PER_DOUBLE_GAP), _LEAST_GAP), _MOST_GAP))
        return sum(map(len, self.lines)) + gap * len(self.lines)

    def share_in(self, text: str, squeezed_text: str) -> float:
        """Return the share of the information that a text has in order and in one place; 0 if it is small."""
        if not self._can_be_in(squeezed_text):
            return 0.0
        share = self._longest_chain(_tighten(text)) / sum(self.bits)
        return share if share >= MIN_SEQUENCE_SHARE else 0.0

    def _can_be_in(self, squeezed_text: str) -> bool:
        """True if enough lines occur in any order; this test is cheap."""
        missing_bits = (1 - MIN_SEQUENCE_SHARE) * sum(self.bits) + 1e-9
        for bits, line in sorted(zip(self.bits, self.lines, strict=True), reverse=True):
            if line.replace(" ", "") not in squeezed_text:
                missing_bits -= bits
                if missing_bits < 0:
                    return False
        return True

    def _longest_chain(self, text: str) -> float:
        """Return the largest information of lines that occur in order, in one place."""
        positions: dict[str, list[int]] = {}
        for position, line in enumerate(self.lines):
            positions.setdefault(line, []).insert(0, position)
        occurrences = sorted((start, -len(line), line) for line in positions for start in _starts(line, text))
        longest = 0.0
        # For each line: the information of the best chain that ends there, and where this chain begins.
        chains = [(0.0, 0)] * len(self.lines)
        for start, _, line in occurrences:
            for position in positions[line]:
                before, first = max(
                    (chain for chain in chains[:position] if start - chain[1] <= self.max_span),
                    default=(0.0, start),
                )
                bits = before + self.bits[position]
                if bits >= chains[position][0] or start - chains[position][1] > self.max_span:
                    chains[position] = (bits, first if before else start)
                    longest = max(longest, bits)
        return longest


def _starts(line: str, text: str) -> Iterator[int]:
    start = text.find(line)
    while start >= 0:
        end = start + len(line)
        if _is_whole(line, text[max(start - 2, 0) : start], text[end : end + 1]):
            yield start
        start = text.find(line, start + 1)


def _is_whole(line: str, before: str, after: str) -> bool:
    """True if a line is no part of a longer word or expression."""
    is_attribute = _AFTER_VALUE.fullmatch(before) is not None
    if _is_word(line[0]) and (_is_word(before[-1:]) or is_attribute):
        return False
    return after not in _CONTINUED and not (_is_word(line[-1]) and _is_word(after))


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _tighten(text: str) -> str:
    """Return a text with spaces only between two words, with equal quotes; its lines stay."""
    return _NEEDLESS_SPACE.sub("", _SPACES.sub(" ", text)).replace('"', "'")
