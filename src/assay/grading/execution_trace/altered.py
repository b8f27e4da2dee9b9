"""Files with other numbers: a run that only copies them follows the change, one that computes does not."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from assay.rules.literals import LITERAL, literal_value
from assay.rules.remade import leaves


def altered(files: Mapping[str, bytes], numbers: Collection[float]) -> dict[str, bytes]:
    """The files with each of these numbers replaced by another of the same length."""
    wanted = frozenset(numbers)

    def change(match: re.Match[bytes]) -> bytes:
        return _other(match.group()) if literal_value(match.group()) in wanted else match.group()

    return {path: LITERAL.sub(change, data) for path, data in files.items()}


def same_results(first: object, second: object) -> bool:
    """Whether two runs wrote the same numbers."""
    return leaves(first) == leaves(second)


def _other(literal: bytes) -> bytes:
    """A number with another second significant digit."""
    digits = [place for place, sign in enumerate(literal) if chr(sign).isdigit()]
    significant = [place for place in digits if literal[:place].strip(b"0._") or literal[place] != ord("0")]
    exponent = re.search(rb"[eE]", literal)
    end = exponent.start() if exponent else len(literal)
    places = [place for place in significant if place < end]
    if not places:
        return literal
    place = places[min(1, len(places) - 1)]
    digit = (literal[place] - ord("0") + 3) % 10
    return literal[:place] + str(digit).encode() + literal[place + 1 :]
