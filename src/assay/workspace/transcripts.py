"""The whole record of an attempt, kept beside its log as an archive named by its hash.

Each text is kept once, under its own hash. Credentials are painted over, as in submissions.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import tarfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from assay.errors import GradingError
from assay.sandbox.session.command_record import Entry
from assay.workspace.archive import store_by_hash
from assay.workspace.credentials import redact
from assay.workspace.links import WORKSPACE

TRANSCRIPTS = "transcripts"
_INDEX = "entries.json"
_PARTS = ("words", "given", "output")


@dataclass(frozen=True)
class Recorded:
    """The entries of one attempt, without credentials."""

    entries: tuple[Entry, ...] = ()
    left_out: int = 0
    """How much of what had to be kept was not."""

    def store(self, folder: Path) -> str:
        """Keep the archive under its hash; its hash."""
        return store_by_hash(folder, self._archive(), ".tar.gz")

    @staticmethod
    def load(folder: Path, digest: str) -> Recorded:
        """An archived record, checked against its hash."""
        path = folder / f"{digest}.tar.gz"
        if not path.is_file():
            raise GradingError(
                f"transcript {digest[:12]}… is not in {folder}", hint="copy the folder with its logs"
            )
        data = path.read_bytes()
        if hashlib.sha256(data).hexdigest() != digest:
            raise GradingError(f"{path} was changed: its contents are no longer those of its name")
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:gz") as tar:
            streams = {member.name: tar.extractfile(member) for member in tar.getmembers() if member.isreg()}
            texts = {name: stream.read() for name, stream in streams.items() if stream is not None}
        index = json.loads(texts[_INDEX])
        entries = []
        for row in index["entries"]:
            words, given, output = (texts[f"texts/{row[part]}"] for part in _PARTS)
            entries.append(Entry(row["do"], words, given, output, row["returncode"]))
        return Recorded(tuple(entries), index["left_out"])

    def _archive(self) -> bytes:
        texts: dict[str, bytes] = {}
        rows = []
        for entry in self.entries:
            row: dict[str, object] = {"do": entry.do, "returncode": entry.returncode}
            for part in _PARTS:
                text: bytes = getattr(entry, part)
                row[part] = hashlib.sha256(text).hexdigest()
                texts[f"texts/{row[part]}"] = text
            rows.append(row)
        index = json.dumps({"entries": rows, "left_out": self.left_out}, sort_keys=True).encode()
        plain = io.BytesIO()
        with tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as tar:
            for name, text in [(_INDEX, index), *sorted(texts.items())]:
                member = tarfile.TarInfo(name)
                member.size = len(text)
                tar.addfile(member, io.BytesIO(text))
        return gzip.compress(plain.getvalue(), compresslevel=6, mtime=0)


def recorded(entries: Iterable[Entry], left_out: int, given: Mapping[str, bytes]) -> Recorded:
    """Entries with every credential painted over; what the task itself gave is no secret."""
    found = list(entries)
    texts: dict[str, bytes] = {}
    known: dict[str, bytes] = {}
    for number, entry in enumerate(found):
        path = workspace_path(entry) or "text"
        for part in _PARTS:
            texts[f"{number}/{part}/{path}"] = getattr(entry, part)
            known[f"{number}/{part}/{path}"] = given.get(path, b"")
    clean, _ = redact(texts, known)
    parts = iter(clean.values())
    made = (Entry(each.do, next(parts), next(parts), next(parts), each.returncode) for each in found)
    return Recorded(tuple(made), left_out)


def workspace_path(entry: Entry) -> str | None:
    """The path below the workspace that an entry wrote; None for commands, and for files elsewhere."""
    if entry.do != "write":
        return None
    path = PurePosixPath(WORKSPACE, entry.words.decode(errors="replace"))
    return str(path.relative_to(WORKSPACE)) if path.is_relative_to(WORKSPACE) else None
