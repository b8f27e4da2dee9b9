"""Decodes texts in other encodings: base64, hex, escapes, markup."""

from __future__ import annotations

import base64
import binascii
import html
import quopri
import re
import urllib.parse
from collections.abc import Callable, Iterator

Part = tuple[str, bytes]

_MIN_LENGTH = 48
"""Shortest encoded text, in characters; a shorter one cannot contain a function."""
_LINE_RUN = re.compile(rb"[A-Za-z0-9+/_-]{16,}={0,2}")
_HEX_RUN = re.compile(rb"[0-9a-fA-F]{16,}")
_BASE32_RUN = re.compile(rb"[A-Z2-7]{16,}={0,6}")
_SOLID_RUN = re.compile(rb"[!-~]{48,}")
_NUMBERS = re.compile(rb"(?:\b[0-9]{1,3}[\s,]{1,8}){40,}")
"""A row of bytes written as numbers."""
_SEPARATORS = re.compile(rb"[\s\"'`,+\\()\[\]bru#>*:]*")
"""Characters between the pieces of one encoded text over several lines or strings."""
_UU_BLOCK = re.compile(rb"^begin [0-7]{3} [^\n]*\n(.*?)^end", re.MULTILINE | re.DOTALL)
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|([0-7]{3})|([abfnrtv0!-/:-@\[-`{-~]))")
"""Escapes of strings, and characters of punctuation after a backslash, as in Markdown and LaTeX."""
_SIMPLE = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}
_TAG = re.compile(r"<[^<>]*>")
_BLOCK_TAG = re.compile(r"</?(?:td|th|tr|li|p|div|br|pre|h[1-6]|w:p|text:p)\b[^<>]*>", re.IGNORECASE)
"""A tag that begins or ends a line."""
_COLOUR = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][0-9A-B])")
"""A control sequence of a terminal."""
_KERNING = re.compile(r"\)\s*-?[0-9.]+\s*\(")
"""A shift between two pieces of one text of a PDF."""


def decode_texts(data: bytes) -> Iterator[Part]:
    """Yield the decoded texts of a file; other texts decode to noise, which is harmless."""
    for kind, pattern, decode in (
        ("base64", _LINE_RUN, _from_base64),
        ("hex", _HEX_RUN, _from_hex),
        ("base32", _BASE32_RUN, _from_base32),
    ):
        for run in _join_runs(pattern, data):
            yield from _attempt(kind, decode, run)
    for match in _SOLID_RUN.finditer(data):
        run = match.group().strip(b"\"'`,()[]b")
        yield from _attempt("base85", base64.b85decode, run)
        yield from _attempt("ascii85", _from_ascii85, run)
    for match in _NUMBERS.finditer(data):
        yield from _attempt("numbers", _from_numbers, match.group())
    for block in _UU_BLOCK.finditer(data):
        yield from _attempt("uuencode", _from_uu, block.group(1))
    if b"=3D" in data or b"=20" in data:
        yield "quoted-printable", quopri.decodestring(data)
    if b"%20" in data or b"%0A" in data.upper():
        yield "percent", urllib.parse.unquote_to_bytes(data)


def _attempt(kind: str, decode: Callable[[bytes], bytes], run: bytes) -> Iterator[Part]:
    if len(run) >= _MIN_LENGTH:
        try:
            yield kind, decode(run)
        except (ValueError, binascii.Error, OverflowError):
            return


def _join_runs(pattern: re.Pattern[bytes], data: bytes) -> Iterator[bytes]:
    """Yield runs of an alphabet, joined if only quotes, commas and spaces separate them."""
    pieces: list[bytes] = []
    end = -1
    for match in pattern.finditer(data):
        if pieces and not _SEPARATORS.fullmatch(data, end, match.start()):
            yield b"".join(pieces)
            pieces = []
        pieces.append(match.group())
        end = match.end()
    if pieces:
        yield b"".join(pieces)
        if len(pieces) > 1:
            yield from pieces


def _from_base64(run: bytes) -> bytes:
    """Decode a run; where padding is inside it, its lines are encoded one by one."""
    return b"\n".join(_from_base64_piece(piece) for piece in re.split(rb"=+", run) if piece)


def _from_base64_piece(piece: bytes) -> bytes:
    plain = piece.translate(bytes.maketrans(b"-_", b"+/"))
    length = len(plain) - (len(plain) % 4 == 1)
    return base64.b64decode(plain[:length] + b"==")


def _from_hex(run: bytes) -> bytes:
    return bytes.fromhex(run[: len(run) // 2 * 2].decode())


def _from_base32(run: bytes) -> bytes:
    plain = run.rstrip(b"=")
    return base64.b32decode(plain[: len(plain) // 8 * 8])


def _from_ascii85(run: bytes) -> bytes:
    return base64.a85decode(run.removeprefix(b"<~").removesuffix(b"~>"))


def _from_numbers(run: bytes) -> bytes:
    return bytes(int(number) for number in re.findall(rb"[0-9]+", run))


def _from_uu(block: bytes) -> bytes:
    return b"".join(binascii.a2b_uu(line) for line in block.splitlines() if line.strip())


def spellings(text: str) -> Iterator[str]:
    """Yield a text unchanged, with escapes resolved, and each without colours, markup and kerning."""
    yield text
    yield from _plain_forms(text)
    if "\\" in text:
        unescaped = _ESCAPE.sub(_unescape, text)
        yield unescaped
        yield from _plain_forms(unescaped)


def _plain_forms(text: str) -> Iterator[str]:
    if "\x1b" in text:
        yield _COLOUR.sub("", text)
    if "&" in text or ("<" in text and ">" in text):
        yield html.unescape(_TAG.sub("", _BLOCK_TAG.sub("\n", text)))
    if "] TJ" in text or "]TJ" in text:
        yield _KERNING.sub("", text)


def _unescape(match: re.Match[str]) -> str:
    hex_two, hex_four, octal, simple = match.groups()
    if hex_two or hex_four:
        return chr(int(hex_two or hex_four, 16))
    return chr(int(octal, 8)) if octal else _SIMPLE.get(simple, simple)
