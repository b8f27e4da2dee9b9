"""Reads dumps of xxd, hexdump and od: lines with a position and the bytes as numbers or characters.

What it does not cover: floating point numbers (`od -f`), and lines that od replaces by `*`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_POSITION = rb"^[ \t]{0,16}(?:[0-9a-fA-F]{4,16}[:h]?)?"
"""Each number of spaces is limited, so that a long line takes linear time."""
_END = rb"[ \t]{0,80}\r?$"
_HEX_LINE = re.compile(
    rb"^[ \t]*[0-9a-fA-F]{4,16}[:h]?[ \t]+((?:[0-9a-fA-F]{2,16}(?:[ \t]{1,3}|-|$|\r)){1,32}).*$",
    re.MULTILINE,
)
"""The position, the bytes, and often the same bytes as text."""
_NUMBER_LINE = re.compile(_POSITION + rb"((?:[ \t]{1,12}[0-9]{1,11}){1,32})" + _END, re.MULTILINE)
"""A line of `od`, `od -b`, `od -d`, `od -t u1` or `od -t u4`."""
_CHARACTER_LINE = re.compile(
    _POSITION + rb"((?: {3}[ -~]| {2}\\[0abtnvfr\\]| [0-7]{3}){2,32})" + _END, re.MULTILINE
)
"""A line of `od -c` or `hexdump -c`: each character has four columns."""
_NAMES = (
    b"nul soh stx etx eot enq ack bel bs ht nl vt ff cr so si dle dc1 dc2 dc3 dc4 nak syn etb can em sub esc"
    b" fs gs rs us sp"
).split()
_NAME_LINE = re.compile(
    _POSITION + rb"((?: {3}[!-~]| {1,2}(?:" + b"|".join([*_NAMES, b"del"]) + rb")){2,32})" + _END,
    re.MULTILINE,
)
"""A line of `od -a`."""
_CODES = {name: code for code, name in enumerate(_NAMES)} | {b"del": 127}
_ESCAPES = dict(zip(b"0abtnvfr\\", b"\0\a\b\t\n\v\f\r\\", strict=True))
_WORD_SIZES = {(8, 3): 1, (8, 6): 2, (8, 11): 4, (10, 3): 1, (10, 5): 2, (10, 10): 4}
"""Bytes of a number, by its base and most digits."""


def undump(data: bytes) -> Iterator[bytes]:
    """Yield the bytes that dumps of a file show, once for each way in which they can be read."""
    yield from _from_hex_lines(data)
    number_lines = list(_NUMBER_LINE.finditer(data))
    words = [word for match in number_lines for word in match.group(1).split()]
    # Without a position, each line begins with a space, and its first number is one of the bytes.
    all_words = [word for match in number_lines for word in match.group().split()]
    has_no_position = any(match.group()[:1].isspace() for match in number_lines)
    for (base, digits), size in _WORD_SIZES.items():
        yield _from_words(words, base, digits, size)
        if has_no_position:
            yield _from_words(all_words, base, digits, size)
    yield b"".join(
        _character(cells[at : at + 4])
        for match in _CHARACTER_LINE.finditer(data)
        for cells in [match.group(1)]
        for at in range(0, len(cells), 4)
    )
    named = [word for match in _NAME_LINE.finditer(data) for word in match.group(1).split()]
    yield bytes(_CODES.get(word, word[0]) for word in named)


def _from_hex_lines(data: bytes) -> Iterator[bytes]:
    groups = [
        group for match in _HEX_LINE.finditer(data) for group in re.split(rb"[\s-]+", match.group(1)) if group
    ]
    digits = b"".join(group for group in groups if len(group) % 2 == 0)
    plain = bytes.fromhex(digits.decode())
    yield plain
    # hexdump and od write several bytes as one number, the last byte first.
    for size in (2, 4, 8):
        if any(len(group) == 2 * size for group in groups):
            yield b"".join(plain[at : at + size][::-1] for at in range(0, len(plain), size))


def _from_words(words: list[bytes], base: int, digits: int, size: int) -> bytes:
    """Return the bytes of numbers; od pads octal numbers with zeros, and decimal ones with spaces."""
    pattern = re.compile(rb"[0-7]{%d}" % digits if base == 8 else rb"0|[1-9][0-9]{0,%d}" % (digits - 1))
    numbers = [int(word, base) for word in words if pattern.fullmatch(word)]
    return b"".join(number.to_bytes(size, "little") for number in numbers if number < 256**size)


def _character(cell: bytes) -> bytes:
    """Return the byte that one cell of `od -c` shows."""
    if cell.startswith(b"   "):
        return cell[3:]
    if cell.startswith(b"  "):
        return bytes([_ESCAPES[cell[3]]])
    return bytes([int(cell, 8) & 255])
