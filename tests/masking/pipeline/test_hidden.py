"""A masked body is found wherever it can be read: archives, compressed, encoded and compiled data."""

from __future__ import annotations

import base64
import binascii
import bz2
import gzip
import html
import io
import json
import lzma
import marshal
import pickle
import py_compile
import random
import sqlite3
import struct
import subprocess
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.masking.leaks.hidden import UnreadPart, layers
from assay.masking.leaks.near_twins import Twin
from assay.masking.leaks.sources import FunctionPlace
from assay.masking.leaks.twins import find_twins
from assay.masking.pipeline.repository import read_repository
from tests.cli.conftest import Command, assay
from tests.masking.pipeline.stand_in import METHOD, RUN, write

__all__ = ["assay"]

SOURCE = METHOD.encode()


def zipped(data: bytes, name: str = "pkg/method.py") -> bytes:
    """A zip archive with one file."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, data)
    return target.getvalue()


def tarred(data: bytes, mode: str = "w:gz") -> bytes:
    """A tar archive with one file."""
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode=mode) as archive:  # type: ignore[call-overload]
        info = tarfile.TarInfo("pkg-0.1/method.py")
        info.size = len(data)
        archive.addfile(info, io.BytesIO(data))
    return target.getvalue()


def picture(data: bytes) -> bytes:
    """A PNG file with a compressed text."""
    text = b"zTXt" + b"comment\0\0" + zlib.compress(data)
    return (
        b"\x89PNG\r\n\x1a\n" + struct.pack(">I", len(text) - 4) + text + struct.pack(">I", zlib.crc32(text))
    )


def in_lines(text: bytes, width: int = 60) -> bytes:
    """A Python literal over several lines, as encoded data stand in sources."""
    pieces = [text[at : at + width] for at in range(0, len(text), width)]
    return b"DATA = (\n" + b"".join(b'    b"' + each + b'"\n' for each in pieces) + b")\n"


def highlighted(data: bytes) -> bytes:
    """A page of documentation, every word in a tag of its own."""
    words = html.escape(data.decode()).replace(" ", "</span> <span>")
    return f"<html><pre><span>{words}</span></pre></html>".encode()


def troff(data: bytes) -> bytes:
    """The lines as a page for `man` writes them."""
    signs = {"\\": "\\e", "-": "\\-", '"': "\\(dq", "*": "\\(**", "[": "\\[lB]", "'": "\\(aq"}
    return "".join(signs.get(sign, sign) for sign in data.decode()).encode()


def notebook(data: bytes) -> bytes:
    """A notebook whose output, not its code, shows the source."""
    text = data.decode().splitlines(keepends=True)
    return json.dumps({"cells": [{"source": ["%less"], "outputs": [{"text": text}]}]}).encode()


HOLDERS: dict[str, Callable[[bytes], bytes]] = {
    "a.zip": zipped,
    "a.whl": zipped,
    "a.tar": lambda data: tarred(data, "w"),
    "a.tar.gz": tarred,
    "a.tar.bz2": lambda data: tarred(data, "w:bz2"),
    "a.tar.xz": lambda data: tarred(data, "w:xz"),
    "a.gz": gzip.compress,
    "a.bz2": bz2.compress,
    "a.xz": lzma.compress,
    "a.lzma": lambda data: lzma.compress(data, lzma.FORMAT_ALONE),
    "zlib.bin": zlib.compress,
    "nested.bin": lambda data: tarred(zipped(tarred(data))),
    "program.pyz": lambda data: b"#!/usr/bin/env python3\n" + zipped(data),
    "a.b64": base64.b64encode,
    "wrapped.b64": base64.encodebytes,
    "urlsafe.txt": base64.urlsafe_b64encode,
    "twice.b64": lambda data: base64.b64encode(base64.b64encode(data)),
    "zipped.b64": lambda data: base64.encodebytes(zlib.compress(data)),
    "data.py": lambda data: in_lines(base64.b64encode(zlib.compress(data))),
    "hex.txt": binascii.hexlify,
    "base32.txt": base64.b32encode,
    "base85.txt": lambda data: base64.b85encode(zlib.compress(data)),
    "ascii85.txt": lambda data: base64.a85encode(zlib.compress(data)),
    "uu.txt": lambda data: (
        b"begin 644 method.py\n"
        + b"".join(binascii.b2a_uu(data[at : at + 45]) for at in range(0, len(data), 45))
        + b"`\nend\n"
    ),
    "escaped.js": lambda data: json.dumps(data.decode()).encode(),
    "hex_escapes.c": lambda data: "".join(f"\\x{byte:02x}" for byte in data).encode(),
    "numbers.json": lambda data: json.dumps(list(data)).encode(),
    "numbers.c": lambda data: ",\n  ".join(map(str, data)).encode(),
    "document.docx": lambda data: zipped(
        b"<w:p><w:t>"
        + html.escape(data.decode()).encode().replace(b"\n", b"</w:t></w:p><w:p><w:t>")
        + b"</w:t></w:p>",
        "word/document.xml",
    ),
    "wide.npy": lambda data: b"\x93NUMPY" + data.decode().encode("utf-32-le"),
    "wide.txt": lambda data: data.decode().encode("utf-16"),
    "page.html": highlighted,
    "output.ipynb": notebook,
    "change.diff": lambda data: b"".join(b"-" + line for line in data.splitlines(keepends=True)),
    "cells.csv": lambda data: "".join(
        f'"{number}","{line.replace(chr(34), 2 * chr(34))}"\n'
        for number, line in enumerate(data.decode().splitlines())
    ).encode(),
    "insert.sql": lambda data: (
        f"INSERT INTO code VALUES ('{data.decode().replace(chr(39), 2 * chr(39))}');".encode()
    ),
    "page.1": lambda data: b".TH METHOD 1\n.nf\n" + troff(data),
    "output.json": lambda data: json.dumps(
        {"data": base64.encodebytes(zlib.compress(data)).decode()}
    ).encode(),
    "literal.py": lambda data: f"DATA = {zlib.compress(data)!r}\n".encode(),
    "text.png": picture,
    "text.pkl": lambda data: pickle.dumps({"source": data.decode()}),
    "no_suffix": lambda data: data,
    "code.pkl": lambda data: marshal.dumps(compile(data, "method.py", "exec")),
}
FUNCTION = FunctionPlace("method.py", "standardise")


def twins_of(**files: bytes) -> list[Twin]:
    """What gives the function away."""
    return find_twins([FUNCTION], {"method.py": SOURCE, **files})


@pytest.mark.parametrize("name", HOLDERS)
def test_a_copy_is_found(name: str) -> None:
    found = twins_of(**{f"files/{name}": HOLDERS[name](SOURCE)})
    assert [each.where.startswith(f"files/{name}") for each in found] == [True]
    assert found[0].verbatim
    assert "cannot be searched" not in found[0].description


@pytest.mark.parametrize("name", ["cells.csv", "insert.sql", "page.1"])
@pytest.mark.parametrize("sign", ['"', "'"])
def test_quotes_that_are_written_twice_or_by_name_hide_nothing(name: str, sign: str) -> None:
    source = SOURCE.replace(b'"', sign.encode())
    files = {"method.py": source, name: HOLDERS[name](source)}
    (found,) = find_twins([FunctionPlace("method.py", "report")], files)
    assert found.where.startswith(name)


@pytest.mark.parametrize("name", sorted(HOLDERS.keys() - {"code.pkl"}))
def test_other_code_in_the_same_place_is_no_copy(name: str) -> None:
    assert twins_of(**{f"files/{name}": HOLDERS[name](RUN.encode())}) == []


def test_a_near_copy_in_an_archive_counts_since_it_has_no_other_use() -> None:
    older = SOURCE.replace(b"spread", b"deviation").replace(b"value", b"each")
    assert [each.how for each in twins_of(**{"old.zip": zipped(older)})] == ["hidden copy"]


@pytest.mark.parametrize("name", ["README.md", "notes.ipynb", "page.html"])
def test_a_document_with_a_near_copy_counts(name: str) -> None:
    older = METHOD.replace("spread", "deviation").replace("value", "each").partition("def slope")[0]
    text = f"# How it works\n\nThis standardises:\n\n{older}\nAnd so on.\n"
    data = {
        "README.md": text.encode(),
        "notes.ipynb": notebook(text.encode()),
        "page.html": highlighted(text.encode()),
    }
    assert [each.how for each in twins_of(**{name: data[name]})] == ["hidden copy"]


def test_a_short_body_is_found_as_a_whole() -> None:
    source = b"def f(a, b):\n    c = a * b\n    d = c + 1\n    e = d - a\n    return c / d, e\n"
    files = {
        "m.py": source,
        "old.gz": gzip.compress(source),
        "other.gz": gzip.compress(b"c = a * b\nd = c + 1"),
    }
    assert [each.where for each in find_twins([FunctionPlace("m.py", "f")], files)] == [
        "old.gz!stream at byte 0"
    ]


@pytest.mark.parametrize("optimised", [0, 2])
def test_compiled_files_are_known_by_their_names(tmp_path: Path, optimised: int) -> None:
    (tmp_path / "method.py").write_bytes(SOURCE)
    target = tmp_path / "method.bin"
    py_compile.compile(str(tmp_path / "method.py"), str(target), optimize=optimised)
    assert [each.how for each in twins_of(**{"lib/method": target.read_bytes()})] == ["compiled copy"]
    (tmp_path / "method.py").write_text(RUN)
    py_compile.compile(str(tmp_path / "method.py"), str(target), optimize=optimised)
    assert twins_of(**{"lib/method": target.read_bytes()}) == []


def test_databases_and_packs_of_git_are_searched(tmp_path: Path) -> None:
    base = sqlite3.connect(tmp_path / "notes.db")
    base.execute("create table notes (text)")
    base.execute("insert into notes values (?)", (METHOD,))
    base.commit()
    base.close()
    assert len(twins_of(**{"notes.db": (tmp_path / "notes.db").read_bytes()})) == 1
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b.c"]
    (tmp_path / "method.py").write_bytes(SOURCE)
    for words in (["init", "-q"], ["add", "method.py"], ["commit", "-qm", "one"], ["gc", "-q"]):
        subprocess.run([*git, *words], check=True)
    (pack,) = (tmp_path / ".git" / "objects" / "pack").glob("*.pack")
    assert len(twins_of(**{"objects/pack": pack.read_bytes()})) == 1


def test_strings_and_comments_of_the_same_file_are_searched() -> None:
    body = METHOD.split('    """Centre and scale a list."""\n')[1].split("\n\n")[0]
    hidden = base64.b64encode(zlib.compress(body.encode())).decode()
    for more in (f'OLD = """{body}"""\n', f"PACKED = {hidden!r}\n"):
        found = find_twins([FUNCTION], {"method.py": f"{METHOD}\n\n{more}".encode()})
        assert [each.verbatim for each in found] == [True], more


@pytest.mark.long
def test_a_bomb_is_left_alone_and_named() -> None:
    bomb = zipped(zipped(b"\0" * (300 << 20), "zeros"), "inner.zip")
    assert len(bomb) < 1 << 20
    (found,) = twins_of(**{"bomb.zip": bomb})
    assert found.how == "unread"
    assert "unpacks to more than" in found.description


@pytest.mark.long
def test_a_file_that_only_costs_time_is_named() -> None:
    # Each of these streams contains all that follow it: reading them takes quadratic time.
    stored = b"\0" + struct.pack("<HH", 1000, 0xFFFF - 1000) + b"\0" * 998 + b"x\x01"
    (found,) = twins_of(**{"marks.bin": stored * 3000})
    assert "places where compressed data may begin" in found.description


@pytest.mark.parametrize("number", [50_000, pytest.param(250_000, marks=pytest.mark.long)])
def test_many_markers_without_streams_are_no_copy(number: int) -> None:
    assert twins_of(**{"marks.bin": b"x\x9c" * number}) == []


def test_an_archive_in_itself_ends() -> None:
    data = b"x"
    for _ in range(30):
        data = zipped(data, "inner.zip")
    told = [each for each in layers("deep.zip", data) if isinstance(each, UnreadPart)]
    assert ["nested more than" in each.why for each in told] == [True]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"7z\xbc\xaf\x27\x1c" + b"\0" * 40, "7z"),
        (b"Rar!\x1a\x07\x01\x00" + b"\0" * 40, "rar"),
        (b"\x28\xb5\x2f\xfd" + b"\0" * 40, "zstd"),
        (zipped(SOURCE)[:-30], "broken zip"),
    ],
)
def test_what_cannot_be_opened_is_named(data: bytes, why: str) -> None:
    (found,) = twins_of(**{"files/archive": data})
    assert found.verbatim
    assert why in found.description


@pytest.mark.parametrize("size", [1, pytest.param(8, marks=pytest.mark.long)])
def test_plain_data_are_no_archive(size: int) -> None:
    chance = random.Random(0)
    hashes = json.dumps([chance.randbytes(32).hex() for _ in range(3_125 * size)])
    files = {"noise.bin": chance.randbytes(size << 18), "hashes.json": hashes.encode()}
    files["words.txt"] = " ".join(f"long_identifier_number_{n}" for n in range(2_500 * size)).encode()
    assert twins_of(**files) == []


def test_what_builds_leave_is_kept_apart(tmp_path: Path) -> None:
    folder = write(tmp_path / "toy")
    for name in (
        "dist/toy-0.1.tar.gz",
        "build/lib/method.py",
        "toy.egg-info/SOURCES.txt",
        "src/toy.egg-info/x",
        "a.whl",
        "b.egg",
        "__pycache__/method.cpython-311.pyc",
        "old.pyc",
        "docs/_build/method.html",
        ".tox/py/method.py",
        ".cache/method",
        "src/build/data.py",
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(SOURCE)
    found = read_repository(folder)
    assert sorted(found.files) == ["method.py", "results.json", "run.py", "src/build/data.py"]
    assert len(found.artefacts) == 8
    (folder / "build" / "__init__.py").write_text("")
    assert "build/lib/method.py" in read_repository(folder).files


def mask_words(folder: Path, *more: str) -> list[str]:
    """A command that makes tasks."""
    run = ["--run", "python run.py --seed 3", "--metrics", "slope=results.json:slope"]
    return ["mask", str(folder), *run, "--out", str(folder.parent / "out"), "--mutants", "10", *more]


def test_a_repository_that_carries_its_answer_is_refused(tmp_path: Path, assay: Command) -> None:
    folder = write(tmp_path / "toy")
    (folder / "data").mkdir()
    (folder / "data" / "samples.bin").write_bytes(base64.b64encode(tarred(zipped(SOURCE))))
    said = assay(*mask_words(folder, "--keep", "data/*"))
    assert said.code == 2
    assert "every candidate is given away" in said.err
    assert "data/samples.bin!base64" in said.err
    assert "hint: --scrub leaves out" in said.err
    assert not (tmp_path / "out" / "tasks").exists()


def test_what_the_run_needs_of_a_build_is_kept_and_searched(tmp_path: Path, assay: Command) -> None:
    folder = write(
        tmp_path / "toy", run='import sys\nsys.path.insert(0, "dist/toy.zip")\nimport extra\n' + RUN
    )
    (folder / "dist").mkdir()
    with zipfile.ZipFile(folder / "dist" / "toy.zip", "w") as archive:
        archive.writestr("extra.py", "")
        archive.writestr("method_old.py", METHOD)
    said = assay(*mask_words(folder))
    assert said.code == 2
    assert "since the run needs them" in said.err
    assert "dist/toy.zip holds the text" in said.err
