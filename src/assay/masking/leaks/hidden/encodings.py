"""Decodes texts in other encodings: base64, hex, dumps, numbers, escapes of addresses and mails."""

from __future__ import annotations

import base64
import binascii
import re
import urllib.parse
from collections.abc import Callable, Iterator

from assay.masking.leaks.hidden.dumps import undump

Part = tuple[str, bytes]

_MIN_LENGTH = 48
"""Shortest encoded text, in characters; a shorter one cannot contain a function."""
_MIN_DUMP = 24
"""Fewest bytes of a dump; fewer cannot contain a function."""
_BASE64_RUN = re.compile(rb"[A-Za-z0-9+/_-]{16,}={0,2}")
_DENSE_BASE64 = re.compile(rb"[A-Za-z0-9+/_=-]{48,}")
_DENSE_HEX = re.compile(rb"[0-9a-fA-F]{48,}")
_BASE32_RUN = re.compile(rb"[A-Z2-7]{8,}={0,6}")
_SOLID_RUN = re.compile(rb"[!-~]{48,}")
_SOLID_LINES = re.compile(rb"^[ \t]*+(?:[!-~]{5,}+[ \t]*+\r?\n[ \t]*+){2,}+[!-~]*+", re.MULTILINE)
"""Lines of one word each, as tools wrap ascii85."""
_MAX_SHIFTED = 1 << 18
"""A longer text is decoded from its beginning only: the decoder of base85 is slow."""
_NUMBER = re.compile(rb"0[xX][0-9a-fA-F]{1,4}\b|\b[0-9]{1,3}(?:\.0*)?(?![0-9.xX])")
_MIN_NUMBERS = 40
_BETWEEN_NUMBERS = re.compile(rb"[\s,;:|()\[\]{}+L]*")
_SEPARATORS = re.compile(rb"[\s\"'`,+\\()\[\]bru#>*:.|;]*")
"""Characters between the pieces of one encoded text over several lines or strings."""
_SPACING = b" \t\r\n\v\f\"'`,.:;|\\()[]{}<>#*"
_STRING_PREFIX = re.compile(rb"(?<![A-Za-z0-9+/_-])[bBrRuU]{1,2}(?=[\"'])")
_UU_BEGIN = re.compile(rb"^begin [0-7]{3} [^\n]*\n", re.MULTILINE)
_PERCENT = re.compile(rb"%(?:0[aAdD]|2[0789cC]|3[dD]|5[bBdD])")
_ESCAPED = re.compile(rb"%u([0-9a-fA-F]{4})")
"""Characters as JavaScript's `escape` writes them."""
_QUOTED_PRINTABLE = re.compile(rb"=3[dD]|(?<!=)(?:=20|=)\r?\n|(?:=[0-9a-fA-F]{2}){4}")
_QUOTED_CHARACTER = re.compile(rb"(?<!=)=(?:([0-9a-fA-F]{2})|[ \t]*\r?\n)")
"""An escaped character, or the escaped end of a line. The border of a table, `====`, is neither."""
_WIDE = re.compile(rb"(?:[\t\r\n -~]\x00{1,7}){16}")
"""Characters of several bytes each, at any place of a file."""


def decode_texts(data: bytes) -> Iterator[Part]:
    """Yield the decoded texts of a file; other texts decode to noise, which is harmless."""
    yield from _joined(data)
    yield from _dense(data)
    yield from _base85(data)
    for run in _number_runs(data):
        yield from _attempt("numbers", _from_numbers, run)
    yield from (("dump", plain) for plain in undump(data) if len(plain) >= _MIN_DUMP)
    yield from (("uuencode", plain) for plain in _uuencoded(data))
    if _QUOTED_PRINTABLE.search(data):
        yield "quoted-printable", _QUOTED_CHARACTER.sub(_quoted_character, data)
    if _PERCENT.search(data):
        yield "percent", urllib.parse.unquote_to_bytes(data)
        if b"+" in data:
            yield "percent", urllib.parse.unquote_to_bytes(data.replace(b"+", b" "))
    if _ESCAPED.search(data):
        yield "escaped", _ESCAPED.sub(lambda match: chr(int(match[1], 16)).encode(errors="replace"), data)
    if _WIDE.search(data):
        yield "wide characters", data.replace(b"\0", b"")


def _quoted_character(match: re.Match[bytes]) -> bytes:
    return bytes([int(match[1], 16)]) if match[1] else b""


def _joined(data: bytes) -> Iterator[Part]:
    """Decode runs of an alphabet, joined if only quotes, commas and spaces separate them."""
    for pieces in _join_runs(_BASE64_RUN, _SEPARATORS, data):
        yield from _attempt("base64", _from_base64, b"".join(pieces))
        if len(pieces) > 1:
            for piece in pieces:
                yield from _attempt("base64", _from_base64, piece)
    for pieces in _join_runs(_BASE32_RUN, _SEPARATORS, data):
        yield from _attempt("base32", _from_base32, b"".join(pieces))


def _dense(data: bytes) -> Iterator[Part]:
    """Decode base64 and hex of any line length: without spaces and quotes, from each possible beginning."""
    dense = _STRING_PREFIX.sub(b"", data).translate(None, _SPACING)
    for match in _DENSE_BASE64.finditer(dense):
        for shift in range(4):
            yield from _attempt("base64", _from_base64, match.group()[shift:])
    for match in _DENSE_HEX.finditer(dense.replace(b"-", b"")):
        for shift in range(2):
            yield from _attempt("hex", _from_hex, match.group()[shift:])


def _base85(data: bytes) -> Iterator[Part]:
    for match in _SOLID_RUN.finditer(data):
        run = match.group().strip(b"\"'`,()[]b")
        yield from _attempt("base85", base64.b85decode, run)
        yield from _attempt("ascii85", _from_ascii85, run)
    for match in _SOLID_LINES.finditer(data):
        run = b"".join(match.group().split())
        for shift in range(5) if len(run) <= _MAX_SHIFTED else (0,):
            yield from _attempt("base85", base64.b85decode, run[shift:])
            yield from _attempt("ascii85", _from_ascii85, run[shift:])


def _attempt(kind: str, decode: Callable[[bytes], bytes], run: bytes) -> Iterator[Part]:
    if len(run) >= _MIN_LENGTH:
        try:
            yield kind, decode(run)
        except (ValueError, binascii.Error, OverflowError):
            return


def _join_runs(pattern: re.Pattern[bytes], between: re.Pattern[bytes], data: bytes) -> Iterator[list[bytes]]:
    """Yield the matches of a pattern, together if only separators are between them."""
    pieces: list[bytes] = []
    end = -1
    for match in pattern.finditer(data):
        if pieces and not between.fullmatch(data, end, match.start()):
            yield pieces
            pieces = []
        pieces.append(match.group())
        end = match.end()
    if pieces:
        yield pieces


def _number_runs(data: bytes) -> Iterator[bytes]:
    """Yield rows of bytes that are written as numbers."""
    for pieces in _join_runs(_NUMBER, _BETWEEN_NUMBERS, data):
        if len(pieces) >= _MIN_NUMBERS:
            yield b" ".join(pieces)


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
    return bytes(_number(word) for word in run.lower().split())


def _number(word: bytes) -> int:
    return int(word, 16) if word.startswith(b"0x") else int(word.partition(b".")[0])


def _uuencoded(data: bytes) -> Iterator[bytes]:
    """Yield the contents of each block, up to the first line that is none; no line can begin a block too."""
    for begin in _UU_BEGIN.finditer(data):
        pieces: list[bytes] = []
        position = begin.end()
        while position < len(data):
            end = data.find(b"\n", position)
            end = len(data) if end < 0 else end
            line = data[position:end].strip(b"\r")
            try:
                pieces.append(binascii.a2b_uu(line) if line else b"")
            except binascii.Error:
                break
            position = end + 1
        yield b"".join(pieces)
