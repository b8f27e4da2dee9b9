"""A masked body is found in containers that are unusual, damaged, or two formats in one file."""

from __future__ import annotations

import base64
import binascii
import bz2
import gzip
import io
import json
import lzma
import os
import quopri
import random
import re
import struct
import sys
import tarfile
import urllib.parse
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.masking.leaks.hidden import Layer, UnreadPart, layers
from assay.masking.leaks.sources import FunctionPlace
from assay.masking.leaks.twins import find_twins
from assay.masking.pipeline.repository import read_repository
from tests.cli.conftest import Command, assay
from tests.masking.pipeline.stand_in import METHOD, RUN, write

__all__ = ["assay"]

LOG = b"".join(b"%d some words of a log that is long\n" % number for number in range(400))
TABLES = b"".join(b"==== " + b"=" * 2**power + b"\na    b\n" for power in range(2, 12))
"""Tables with borders of all lengths, as in reStructuredText."""


def zipped(data: bytes, name: str = "method.py", method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip archive with one entry, which may be a folder with contents."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        info = zipfile.ZipInfo(name)
        info.compress_type = method
        archive.writestr(info, data)
    return target.getvalue()


def tarred(data: bytes, name: str = "a.txt") -> bytes:
    """A tar archive with one file."""
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w") as archive:
        info = tarfile.TarInfo(name)
        info.size = len(data)
        archive.addfile(info, io.BytesIO(data))
    return target.getvalue()


def unlisted(data: bytes, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip archive with an entry that its directory does not list."""
    first = zipped(data, method=method)
    target = io.BytesIO(first[: first.rindex(b"PK\x01\x02")])
    target.seek(0, io.SEEK_END)
    with zipfile.ZipFile(target, "a") as archive:
        archive.writestr("readme.txt", "hello")
    return target.getvalue()


def gzip_with(data: bytes, flag: int, header: bytes) -> bytes:
    """A gzip stream with an optional part of the header."""
    plain = gzip.compress(data)
    return plain[:3] + bytes([flag]) + plain[4:10] + header + plain[10:]


def small_window(data: bytes, bits: int) -> bytes:
    """Zlib data with another window than 32 KiB; a negative size has no header."""
    compressor = zlib.compressobj(9, zlib.DEFLATED, bits)
    return compressor.compress(data) + compressor.flush()


def damaged(stream: bytes, position: int) -> bytes:
    """A stream with some wrong bytes."""
    end = position + 4 if position + 4 else len(stream)
    return stream[:position] + bytes(byte ^ 0x55 for byte in stream[position:end]) + stream[end:]


def wrapped(text: bytes, width: int, between: bytes = b"\n") -> bytes:
    """A text in short lines."""
    return between.join(text[at : at + width] for at in range(0, len(text), width))


def dump(data: bytes, line: str = "{at:08x}: {pairs}  {text}", size: int = 2, swap: bool = False) -> bytes:
    """What xxd, hexdump and od print."""
    lines = []
    for at in range(0, len(data), 16):
        row = data[at : at + 16]
        groups = [row[start : start + size] for start in range(0, len(row), size)]
        pairs = " ".join((group[::-1] if swap else group).hex() for group in groups)
        text = re.sub(rb"[^ -~]", b".", row).decode()
        lines.append(line.format(at=at, pairs=pairs, text=text))
    return "\n".join(lines).encode()


def each_byte(line: str, between: str = "") -> Callable[[bytes], bytes]:
    """Write every byte in a format."""
    return lambda data: between.join(line.format(byte) for byte in data).encode()


def rich_text(data: bytes) -> bytes:
    """A document of a word processor."""
    text = data.replace(b"\n", b"\\par\n").replace(b"_", b"\\'5f").replace(b"(", b"\\'28")
    return b"{\\rtf1 " + text + b"}"


def octal_words(data: bytes) -> bytes:
    """What od prints on a machine that stores the low byte first."""
    words = struct.unpack(f"<{len(data) // 2}H", data[: len(data) // 2 * 2])
    rows = [words[at : at + 8] for at in range(0, len(words), 8)]
    return b"\n".join(
        b"%07o " % (16 * number) + b" ".join(b"%06o" % word for word in row)
        for number, row in enumerate(rows)
    )


def characters(data: bytes) -> bytes:
    """What od -c prints."""
    cells = [{"\n": r"  \n", "\\": r"  \\"}.get(character, f"   {character}") for character in data.decode()]
    rows = ["".join(cells[at : at + 16]) for at in range(0, len(cells), 16)]
    return "\n".join(f"{16 * number:07o}{row}" for number, row in enumerate(rows)).encode()


def each_token(data: bytes, word: str, sign: str, line_end: str, escapes: dict[str, str]) -> str:
    """A highlighted source: every word and every sign has its own markup."""
    lines = []
    for line in data.decode().splitlines():
        pieces = re.findall(r"\w+|\s+|[^\w\s]", line)
        marked = [
            piece
            if piece.isspace()
            else (word if piece[0].isalnum() else sign).format(_escaped(piece, escapes))
            for piece in pieces
        ]
        lines.append("".join(marked))
    return line_end.join(lines)


def _escaped(piece: str, escapes: dict[str, str]) -> str:
    return "".join(escapes.get(character, character) for character in piece)


PYGMENTS = {"_": r"\PYZus{}", "-": r"\PYZhy{}", "{": r"\PYZob{}", "}": r"\PYZcb{}", '"': r"\PYZdq{}"}
NOISE = random.Random(1).randbytes(9000)
FORMS: dict[str, Callable[[bytes], bytes]] = {
    "gzip before zip": lambda data: gzip.compress(data) + zipped(b"hello"),
    "gzip after zip": lambda data: zipped(b"hello") + b"zz" + gzip.compress(data),
    "zip before zip": lambda data: zipped(data) + zipped(b"hello"),
    "tar before gzip": lambda data: tarred(b"hello") + gzip.compress(data),
    "tar before packed tar": lambda data: tarred(b"hello") + gzip.compress(tarred(data)),
    "folder of a zip with contents": lambda data: zipped(data, "core/"),
    "unlisted entry of a zip": unlisted,
    "unlisted entry of a zip with lzma": lambda data: unlisted(data, zipfile.ZIP_LZMA),
    "unlisted entry of a zip with bzip2": lambda data: unlisted(data, zipfile.ZIP_BZIP2),
    "gzip with a long field": lambda data: gzip_with(data, 4, struct.pack("<H", 8192) + NOISE[:8192]),
    "gzip with a long name": lambda data: gzip_with(data, 8, b"n" * 70_000 + b"\0"),
    "gzip with name and comment": lambda data: gzip_with(data, 24, b"n" * 6000 + b"\0" + b"c" * 6000 + b"\0"),
    "gzip in the header of gzip": lambda data: gzip_with(
        b"hello" * 20, 4, struct.pack("<H", len(gzip.compress(data))) + gzip.compress(data)
    ),
    "gzip with a wrong checksum": lambda data: damaged(gzip.compress(data), -8),
    "zlib with a wrong checksum": lambda data: damaged(zlib.compress(data), -4),
    "bzip2 with a wrong checksum": lambda data: damaged(bz2.compress(data), -4),
    "bzip2 with a wrong checksum of a block": lambda data: damaged(bz2.compress(data), 10),
    "xz with a wrong end": lambda data: damaged(lzma.compress(data), -12),
    "xz with a wrong checksum": lambda data: damaged(lzma.compress(data), -36),
    "gzip without its end": lambda data: gzip.compress(data + NOISE)[:-7000],
    "gzip that breaks": lambda data: gzip.compress(data)[:-8] + NOISE[:100],
    "gzip of noise and text, broken": lambda data: damaged(gzip.compress(NOISE + data), -8),
    "zlib with a window of 512 bytes": lambda data: small_window(data, 9),
    "zlib with a window of 4 KiB": lambda data: small_window(data, 12),
    "zlib with a window of 16 KiB": lambda data: NOISE + small_window(data, 14),
    "deflate without header": lambda data: small_window(data, -15),
    "marker before a marker": lambda data: b"(S" + gzip.compress(data),
    "base64 of noise and gzip": lambda data: base64.b64encode(NOISE[:700] + gzip.compress(data)),
    "hex with spaces": lambda data: data.hex(" ").encode(),
    "hex with colons": lambda data: data.hex(":").encode(),
    "hex in short lines": lambda data: wrapped(data.hex().encode(), 11),
    "xxd": dump,
    "xxd -i": lambda data: b"unsigned char core[] = {\n" + each_byte("0x{:02x}", ", ")(data) + b"};",
    "xxd -p": lambda data: wrapped(data.hex().encode(), 60),
    "hexdump": lambda data: dump(data, "{at:07x} {pairs}", 2, swap=True),
    "hexdump -C": lambda data: dump(data, "{at:08x}  {pairs}  |{text}|", 1),
    "od -t x1": lambda data: dump(data, "{at:07o} {pairs}", 1),
    "od": octal_words,
    "od -b": lambda data: b"\n".join(
        b"%07o " % at + b" ".join(b"%03o" % byte for byte in data[at : at + 16])
        for at in range(0, len(data), 16)
    ),
    "od -c": characters,
    "od -t u1": lambda data: b"\n".join(
        b"%07o" % at + b"".join(b" %3d" % byte for byte in data[at : at + 16])
        for at in range(0, len(data), 16)
    ),
    "od -t x4": lambda data: dump(data, "{at:07o} {pairs}", 4, swap=True),
    "base64 in short lines": lambda data: wrapped(base64.b64encode(data), 12),
    "base64 in very short lines": lambda data: wrapped(base64.b64encode(data), 3),
    "base64 with points": lambda data: wrapped(base64.b64encode(data), 60, b"."),
    "base64 after a word": lambda data: b"a_word_of_17_signs\n" + base64.encodebytes(data),
    "base64 in short strings": lambda data: b'b"' + wrapped(base64.b64encode(data), 10, b'"\nb"') + b'"',
    "base32 in short lines": lambda data: wrapped(base64.b32encode(data), 8),
    "ascii85 in short lines": lambda data: base64.a85encode(data, wrapcol=40),
    "base85 in short lines": lambda data: wrapped(base64.b85encode(data), 30),
    "escape of JavaScript": lambda data: "".join(f"%u{ord(letter):04x}" for letter in data.decode()).encode(),
    "uuencode without its end": lambda data: (
        b"begin 644 a\n" + b"".join(binascii.b2a_uu(data[at : at + 45]) for at in range(0, len(data), 45))
    ),
    "quoted address": lambda data: b"https://x/?code=" + urllib.parse.quote(data, safe="").encode(),
    "address with plus": lambda data: b"https://x/#code=" + urllib.parse.quote_plus(data).encode(),
    "quoted-printable in small letters": each_byte("={:02x}"),
    "quoted-printable with a table": lambda data: quopri.encodestring(data) + TABLES,
    "UTF-16 before text": lambda data: data.decode().encode("utf-16-le") + LOG,
    "UTF-16 of the other order in text": lambda data: LOG + data.decode().encode("utf-16-be") + LOG,
    "UTF-32 before text": lambda data: data.decode().encode("utf-32-le") + LOG * 3,
    "base64 in UTF-16": lambda data: base64.b64encode(data).decode().encode("utf-16") + LOG,
    "integers of 8 bytes": lambda data: struct.pack(f"<{len(data)}q", *data) + LOG * 3,
    "UTF-7": lambda data: data.decode().encode("utf-7"),
    "numbers with semicolons": each_byte("{}", "; "),
    "numbers with a point": each_byte("{}.0", ", "),
    "short octal escapes": each_byte("\\{:o}"),
    "escapes of 8 digits": each_byte("\\U{:08x}"),
    "escapes in braces": each_byte("\\x{{{:x}}}"),
    "escapes of JavaScript": each_byte("\\u{{{:x}}}"),
    "list of words": lambda data: json.dumps(data.decode().split()).encode(),
    "list of characters": lambda data: json.dumps(list(data.decode())).encode(),
    "rich text": rich_text,
    "highlighted rich text": lambda data: (
        "{\\rtf1\\ansi\\uc0\\deff0{\\fonttbl{\\f0 Mono;}}\\f0\n"
        + each_token(data, "{{\\cf6 {}}}", "{{\\cf6\\b {}}}", "\\par\n", {"{": "\\{", "}": "\\}"})
        + "}"
    ).encode(),
    "highlighted LaTeX": lambda data: each_token(
        data, "\\PY{{n}}{{{}}}", "\\PY{{o}}{{{}}}", "\n", PYGMENTS
    ).encode(),
    "names of characters": lambda data: re.sub(
        r"[a-z]", lambda match: f"\\N{{LATIN SMALL LETTER {match.group().upper()}}}", data.decode()
    ).encode(),
    "full width": lambda data: data.decode().translate({n: n + 0xFEE0 for n in range(33, 127)}).encode(),
    "zero width spaces": lambda data: "\u200b".join(data.decode()).encode(),
    "soft hyphens": lambda data: data.decode().replace("(", "(\u00ad").replace("=", "=\u00ad").encode(),
}
FUNCTION = FunctionPlace("method.py", "standardise")


def test_borders_of_tables_are_not_nested_parts() -> None:
    """The documentation inside NumPy has long borders: every repository that needs NumPy was refused."""
    files = {"method.py": METHOD.encode(), "docs/table.rst": TABLES + b"a line ends with =\n" + TABLES}
    assert find_twins([FUNCTION], files) == []


@pytest.mark.parametrize("form", FORMS)
def test_a_copy_is_found(form: str) -> None:
    files = {"method.py": METHOD.encode(), "files/data.bin": FORMS[form](METHOD.encode())}
    (found,) = find_twins([FUNCTION], files)
    assert found.where.startswith("files/data.bin")
    assert found.verbatim
    # A file that counts as a copy because it cannot be read would prove nothing.
    assert found.how != "unread"


@pytest.mark.parametrize("form", FORMS)
def test_other_code_is_no_copy(form: str) -> None:
    files = {"method.py": METHOD.encode(), "files/data.bin": FORMS[form](RUN.encode())}
    assert find_twins([FUNCTION], files) == []


def test_an_archive_whose_bytes_look_like_escapes_is_read() -> None:
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        data = zipped(NOISE + b"=3D=20\n%20%0A" * 40, "weights.npy", method) + b"=3D"
        files = {"method.py": METHOD.encode(), "model.npz": data}
        assert find_twins([FUNCTION], files) == []
    files["model.npz"] = zipped(METHOD.encode(), "a.py", zipfile.ZIP_STORED) + b"=3D=20\n%20%0A"
    (found,) = find_twins([FUNCTION], files)
    assert found.how != "unread"


def test_more_levels_than_the_limit_are_named() -> None:
    data = METHOD.encode()
    for _ in range(12):
        data = gzip.compress(data)
    unread = [part.why for part in layers("deep", data) if isinstance(part, UnreadPart)]
    assert set(unread) == {"archives are nested more than 8 deep"}


def test_stored_archives_in_archives_are_searched_once() -> None:
    data = METHOD.encode()
    for _ in range(8):
        data = zipped(data, "inner", zipfile.ZIP_STORED)
    found = [part.data for part in layers("deep.zip", data) if isinstance(part, Layer)]
    assert METHOD.encode() in found
    assert len(found) == len(set(found)) < 20


@pytest.mark.parametrize(
    "line",
    [
        b"begin 644 x\n",
        b"begin 644 x\n" + binascii.b2a_uu(b"a"),
        b"\x1f\x8b\x08\x18aaaaaa",
        b"%2",
        b"=3",
        b"<p <a &#",
        b"&#9999999999",
        b"12, ",
        b"0x",
        b"0123: ",
        b"\\x{",
        b") 1 ",
        b"\x1b[0",
        b"'  ,",
    ],
)
def test_a_long_file_is_searched_in_linear_time(line: bytes) -> None:
    # A search in quadratic time takes many minutes here.
    data = line * (200_000 // len(line))
    texts = [text for part in layers("long.txt", data) if isinstance(part, Layer) for text in part.texts]
    assert texts[0].startswith(line.decode(errors="replace"))


@pytest.mark.skipif(sys.platform == "darwin", reason="the file system of macOS refuses such names")
def test_a_name_that_is_not_utf8_is_left_out_and_named(tmp_path: Path, assay: Command) -> None:
    folder = write(tmp_path / "toy")
    (folder / os.fsdecode(b"caf\xe9.txt")).write_text("x")
    found = read_repository(folder)
    assert sorted(found.files) == ["method.py", "results.json", "run.py"]
    assert found.left_out == ("caf\\udce9.txt",)
    run = ["--run", "python run.py --seed 3", "--metrics", "missing=results.json:missing"]
    said = assay("mask", str(folder), *run, "--out", str(tmp_path / "out"))
    assert said.code == 2
    assert "left out 1 links, pipes and files whose names are not UTF-8" in said.err
    assert "caf\\udce9.txt" in said.err
    assert "Traceback" not in said.err
