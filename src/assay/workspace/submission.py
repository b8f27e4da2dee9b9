"""The submission of an attempt: changed, deleted and refused files, in one archive named by its hash."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from assay.errors import GradingError
from assay.rules.documents import read_json
from assay.workspace.archive import store_by_hash

MANIFEST = "submission.json"


@dataclass(frozen=True)
class Submission:
    """The difference between the original workspace and the workspace at the end."""

    files: dict[str, bytes] = field(default_factory=dict)
    """New and changed files, by path."""
    deleted: tuple[str, ...] = ()
    refused: dict[str, str] = field(default_factory=dict)
    """Files that were not collected -> reason: links, devices, files over the limits."""
    redacted: dict[str, str] = field(default_factory=dict)
    """Files in which a credential was overwritten -> its description."""
    executable: tuple[str, ...] = ()
    """Files with the executable bit, except those that their name or first line makes executable."""
    folders: tuple[str, ...] = ()
    """New folders that contain no file of the submission."""
    links: dict[str, str] = field(default_factory=dict)
    """Links to paths that every sandbox of the task has (inputs, the interpreter, /dev/null) -> targets."""

    @property
    def archive(self) -> bytes:
        """A tar whose bytes depend only on the contents; computed at each call, because it may be large."""
        buffer = io.BytesIO()
        manifest: dict[str, object] = {"deleted": sorted(self.deleted), "refused": self.refused}
        # Empty fields are omitted, so that earlier archives keep their names.
        optional = {
            "redacted": self.redacted,
            "executable": sorted(self.executable),
            "folders": sorted(self.folders),
            "links": self.links,
        }
        manifest |= {name: value for name, value in optional.items() if value}
        with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as tar:
            _add(tar, MANIFEST, json.dumps(manifest, sort_keys=True).encode())
            for path, data in sorted(self.files.items()):
                _add(tar, f"files/{path}", data)
        return buffer.getvalue()

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the archive."""
        return hashlib.sha256(self.archive).hexdigest()

    def store(self, folder: Path) -> str:
        """Store the archive under its hash; equal submissions are stored once."""
        return store_by_hash(folder, self.archive, ".tar")

    @staticmethod
    def load(folder: Path, digest: str) -> Submission:
        """Load an archived submission and check its hash."""
        path = folder / f"{digest}.tar"
        if not path.is_file():
            raise GradingError(
                f"submission {digest[:12]}… is not in {folder}", hint="copy the folder with its logs"
            )
        data = path.read_bytes()
        if hashlib.sha256(data).hexdigest() != digest:
            raise GradingError(f"{path} was changed: its content does not match the hash in its name")
        with tarfile.open(fileobj=io.BytesIO(data)) as tar:
            members = {member.name: tar.extractfile(member) for member in tar.getmembers() if member.isreg()}
            contents = {name: stream.read() for name, stream in members.items() if stream is not None}
        manifest = read_json(contents.pop(MANIFEST))
        return Submission(
            files={name.removeprefix("files/"): content for name, content in contents.items()},
            deleted=tuple(manifest["deleted"]),
            refused=manifest["refused"],
            redacted=manifest.get("redacted", {}),
            executable=tuple(manifest.get("executable", ())),
            folders=tuple(manifest.get("folders", ())),
            links=manifest.get("links", {}),
        )


def _add(tar: tarfile.TarFile, name: str, data: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(data)
    tar.addfile(member, io.BytesIO(data))
