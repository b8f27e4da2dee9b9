"""The complete record of an attempt, stored beside its log as an archive named by its hash.

Each text is stored once, under its own hash. Credentials are overwritten, as in submissions.
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
from assay.rules.links import WORKSPACE
from assay.sandbox.session.command_record import CommandEntry
from assay.workspace.archive import store_by_hash
from assay.workspace.credentials import redact

TRANSCRIPTS = "transcripts"
_INDEX = "entries.json"
_PARTS = {"words": "words", "given": "input", "output": "output"}
"""Key in the archive -> attribute of an entry."""


@dataclass(frozen=True)
class CommandTranscript:
    """The entries of one attempt, without credentials."""

    entries: tuple[CommandEntry, ...] = ()
    left_out: int = 0
    """Number of commands and texts that are missing or shortened."""

    def store(self, folder: Path) -> str:
        """Store the archive under its hash; return the hash."""
        return store_by_hash(folder, self._archive(), ".tar.gz")

    @staticmethod
    def load(folder: Path, digest: str) -> CommandTranscript:
        """Load an archived record and check its hash."""
        path = folder / f"{digest}.tar.gz"
        if not path.is_file():
            raise GradingError(
                f"transcript {digest[:12]}… is not in {folder}", hint="copy the folder with its logs"
            )
        data = path.read_bytes()
        if hashlib.sha256(data).hexdigest() != digest:
            raise GradingError(f"{path} was changed: its content does not match the hash in its name")
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:gz") as tar:
            streams = {member.name: tar.extractfile(member) for member in tar.getmembers() if member.isreg()}
            texts = {name: stream.read() for name, stream in streams.items() if stream is not None}
        index = json.loads(texts[_INDEX])
        entries = []
        for row in index["entries"]:
            words, input, output = (texts[f"texts/{row[part]}"] for part in _PARTS)
            entries.append(CommandEntry(row["do"], words, input, output, row["returncode"]))
        return CommandTranscript(tuple(entries), index["left_out"])

    def _archive(self) -> bytes:
        texts: dict[str, bytes] = {}
        rows = []
        for entry in self.entries:
            row: dict[str, object] = {"do": entry.do, "returncode": entry.returncode}
            for part, attribute in _PARTS.items():
                text: bytes = getattr(entry, attribute)
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


def redacted_transcript(
    entries: Iterable[CommandEntry], left_out: int, original: Mapping[str, bytes]
) -> CommandTranscript:
    """Return the entries with every credential overwritten; text of the task itself is no secret."""
    entry_list = list(entries)
    texts: dict[str, bytes] = {}
    originals: dict[str, bytes] = {}
    for number, entry in enumerate(entry_list):
        path = workspace_path(entry) or "text"
        for part, attribute in _PARTS.items():
            texts[f"{number}/{part}/{path}"] = getattr(entry, attribute)
            originals[f"{number}/{part}/{path}"] = original.get(path, b"")
    clean, _ = redact(texts, originals)
    parts = iter(clean.values())
    redacted_entries = (
        CommandEntry(entry.do, next(parts), next(parts), next(parts), entry.returncode)
        for entry in entry_list
    )
    return CommandTranscript(tuple(redacted_entries), left_out)


def workspace_path(entry: CommandEntry) -> str | None:
    """Return the path below the workspace that an entry wrote; None for commands and other folders."""
    if entry.do != "write":
        return None
    path = PurePosixPath(WORKSPACE, entry.words.decode(errors="replace"))
    return str(path.relative_to(WORKSPACE)) if path.is_relative_to(WORKSPACE) else None
