"""Files brought over HTTP, each whole or not at all: a file that is here was complete when it came.

Hub repositories are read by the hub's own addresses (`/api/…/revision/…`, `/resolve/…`), so that nothing but
the standard library is needed; HF_ENDPOINT names another hub, HF_TOKEN opens gated repositories and is sent
to the hub alone.
"""

from __future__ import annotations

import hashlib
import json
import os
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from assay.errors import InputMissing
from assay.files import publishing
from assay.tasks.files import check_path

HUB = "https://huggingface.co"
BLOCK = 1 << 20
SECONDS = 120
Tell = Callable[[str], None]


@dataclass(frozen=True)
class File:
    """One file to bring."""

    path: str
    address: str
    size: int | None = None
    sha256: str | None = None
    """What its home says of it, where it says so."""


def endpoint() -> str:
    """The hub's address."""
    return os.environ.get("HF_ENDPOINT", HUB).rstrip("/")


def hub_files(hub: str, revision: str, patterns: list[str], but: list[str]) -> tuple[str, list[File]]:
    """The commit that a revision is now, and its files that any pattern names, `but` those of others."""
    kind, _, name = hub.partition("/")
    told = _json(f"{endpoint()}/api/{hub}/revision/{quote(revision, safe='')}?blobs=true")
    commit = told.get("sha")
    if not isinstance(commit, str) or not isinstance(told.get("siblings"), list):
        raise InputMissing(f"the hub says nothing of {hub} at {revision} that can be read")
    place = f"{endpoint()}/{name if kind == 'models' else hub}/resolve/{commit}"
    files = []
    for each in told["siblings"]:
        path = str(each.get("rfilename"))
        if _named(path, patterns) and not _named(path, [*but, ".git*"]):
            large = each.get("lfs") or {}
            files.append(File(_inside(path), f"{place}/{quote(path)}", each.get("size"), large.get("sha256")))
    if not files:
        raise InputMissing(f"{hub} at {commit[:12]} has no file like {', '.join(patterns)}")
    return commit, files


def _named(path: str, patterns: list[str]) -> bool:
    return any(fnmatchcase(path, pattern) for pattern in patterns)


def plain_files(addresses: list[str]) -> list[File]:
    """Plain downloads, each named as its address ends."""
    return [File(_inside(urlsplit(each).path.rsplit("/", 1)[-1]), each) for each in addresses]


def bring(files: list[File], folder: Path, tell: Tell) -> dict[str, str]:
    """Bring every file that is not in the folder yet, and return path → SHA-256 of all of them."""
    found = {}
    for file in files:
        target = folder / file.path
        if not target.is_file():
            tell(f"{file.path} ({file.size / 1e9:.2f} GB)" if file.size else file.path)
            target.parent.mkdir(parents=True, exist_ok=True)
            _download(file, target)
        with target.open("rb") as stream:
            found[file.path] = hashlib.file_digest(stream, "sha256").hexdigest()
    return found


def _download(file: File, target: Path) -> None:
    try:
        with publishing(target) as partial:
            _receive(file, partial)
    except (OSError, HTTPException) as error:
        raise InputMissing(
            f"{file.address} could not be brought: {error}",
            hint="see that this machine reaches it; fetch again: files that are here are not brought twice",
        ) from None


def _receive(file: File, target: Path) -> None:
    """Write the file and compare its size and hash with what its home says."""
    digest, size = hashlib.sha256(), 0
    with _open(file.address) as answer, target.open("wb") as sink:
        announced = answer.headers.get("Content-Length")
        while block := answer.read(BLOCK):
            sink.write(block)
            digest.update(block)
            size += len(block)
    expected = file.size if file.size is not None else int(announced) if announced else None
    if expected is not None and size != expected:
        raise InputMissing(
            f"{file.address} broke off after {size:,} of {expected:,} bytes",
            hint="fetch again: files that are here are not brought twice",
        )
    if file.sha256 is not None and digest.hexdigest() != file.sha256:
        raise InputMissing(f"{file.address} has other bytes than its home says: {digest.hexdigest()}")


def _open(address: str) -> Any:
    token = os.environ.get("HF_TOKEN")
    asked = urllib.request.Request(address)
    if token and urlsplit(address).netloc == urlsplit(endpoint()).netloc:
        # Unredirected: the hub sends large files from elsewhere, where the token does not belong.
        asked.add_unredirected_header("Authorization", f"Bearer {token}")
    return urllib.request.urlopen(asked, timeout=SECONDS)


def _json(address: str) -> dict[str, Any]:
    try:
        with _open(address) as answer:
            found: dict[str, Any] = json.loads(answer.read())
            return found
    except (OSError, HTTPException, ValueError) as error:
        hint = "HF_ENDPOINT names another hub"
        if isinstance(error, urllib.error.HTTPError) and error.code in (401, 403):
            hint = "the repository is gated: agree to its terms on the hub, and set HF_TOKEN"
        raise InputMissing(f"{address} could not be read: {error}", hint=hint) from None


def _inside(path: str) -> str:
    try:
        return check_path(path)
    except ValueError as error:
        raise InputMissing(f"a file to bring has no proper path: {error}") from None
