"""Writes English prose from Debian packages into one JSON lines file: `scripts/gpu_corpus.py corpus.jsonl`.

It stands in for BabyLM's words on a machine that reaches no model hub. Needs `apt-get` and `dpkg-deb`.
"""

from __future__ import annotations

import html
import json
import re
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path

PACKAGES = ("anarchism", "r-cran-janeaustenr", "fortunes")
"""An Anarchist FAQ (GFDL, GPL), Jane Austen's novels (public domain), short sayings (BSD)."""
PIECE = 2_000
"""Characters of a row, about."""


def main(target: Path) -> None:
    """Download and unpack the packages, and write their texts."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        subprocess.run(["apt-get", "download", "-q", *PACKAGES], cwd=place, check=True)
        for package in sorted(place.glob("*.deb")):
            subprocess.run(["dpkg-deb", "-x", package, place / "unpacked"], check=True)
        rows = [piece for text in texts(place / "unpacked") for piece in pieces(text)]
    target.write_text("".join(json.dumps({"text": row}) + "\n" for row in rows), encoding="utf-8")
    print(f"{target}: {len(rows)} rows, {sum(map(len, rows))} characters")


def texts(folder: Path) -> Iterator[str]:
    """Yield the text of each file with prose."""
    for path in sorted(folder.rglob("html/*.html")):
        plain = re.sub(r"<[^>]+>", " ", path.read_text("utf-8", errors="replace"))
        yield re.sub(r"[ \t]+", " ", html.unescape(plain))
    for path in sorted(folder.rglob("janeaustenr/data/Rdata.rdb")):
        yield from novels(path.read_bytes())
    for path in sorted(folder.rglob("games/fortunes/*")):
        if path.is_file() and not path.suffix:
            yield path.read_text("utf-8", errors="replace").replace("\n%\n", "\n\n")


def novels(data: bytes) -> Iterator[str]:
    """Yield the novels of R's file: compressed vectors of lines, each line with its length before it."""
    at = data.find(b"x\x9c")
    while at >= 0:
        stream = zlib.decompressobj()
        vector = stream.decompress(data[at:])
        lines = re.findall(rb"\x00\x04\x00\x09\x00\x00\x00[\x00-\xff]([\x20-\x7e]*)", vector)
        yield "\n".join(line.decode("ascii") for line in lines)
        at = data.find(b"x\x9c", len(data) - len(stream.unused_data)) if stream.unused_data else -1


def pieces(text: str) -> Iterator[str]:
    """Join paragraphs into rows; lines within a paragraph become one."""
    row = ""
    for paragraph in re.split(r"\n\s*\n", text):
        row += " ".join(paragraph.split()) + "\n"
        if len(row) >= PIECE:
            yield row.strip()
            row = ""
    if row.strip():
        yield row.strip()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
