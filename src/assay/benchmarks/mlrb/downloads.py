"""Downloads files over HTTP, each completely or not at all: a file in the folder is always complete.

Hub repositories are read through the hub's own addresses (`/api/…/revision/…`, `/resolve/…`), so that only
the standard library is needed. HF_ENDPOINT names another hub. HF_TOKEN opens gated repositories and is sent
only to the hub.
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
    """One file to download."""

    path: str
    address: str
    size: int | None = None
    sha256: str | None = None
    """The hash that its home states, if it states one."""


def endpoint() -> str:
    """Return the hub's address."""
    return os.environ.get("HF_ENDPOINT", HUB).rstrip("/")


def hub_files(hub: str, revision: str, patterns: list[str], excluded: list[str]) -> tuple[str, list[File]]:
    """Return the commit of a revision, and its files that match a pattern and no `excluded` pattern."""
    kind, _, name = hub.partition("/")
    description = _json(f"{endpoint()}/api/{hub}/revision/{quote(revision, safe='')}?blobs=true")
    commit = description.get("sha")
    if not isinstance(commit, str) or not isinstance(description.get("siblings"), list):
        raise InputMissing(f"the hub's description of {hub} at {revision} cannot be read")
    place = f"{endpoint()}/{name if kind == 'models' else hub}/resolve/{commit}"
    files = []
    for entry in description["siblings"]:
        path = str(entry.get("rfilename"))
        if _matches(path, patterns) and not _matches(path, [*excluded, ".git*"]):
            large = entry.get("lfs") or {}
            files.append(
                File(_checked_path(path), f"{place}/{quote(path)}", entry.get("size"), large.get("sha256"))
            )
    if not files:
        raise InputMissing(f"{hub} at {commit[:12]} has no file like {', '.join(patterns)}")
    return commit, files


def _matches(path: str, patterns: list[str]) -> bool:
    return any(fnmatchcase(path, pattern) for pattern in patterns)


def plain_files(addresses: list[str]) -> list[File]:
    """Return plain downloads, each named after the end of its address."""
    return [File(_checked_path(urlsplit(address).path.rsplit("/", 1)[-1]), address) for address in addresses]


def bring(files: list[File], folder: Path, tell: Tell) -> dict[str, str]:
    """Download every file that is not in the folder yet, and return path → SHA-256 of all files."""
    digests = {}
    for file in files:
        target = folder / file.path
        if not target.is_file():
            tell(f"{file.path} ({file.size / 1e9:.2f} GB)" if file.size else file.path)
            target.parent.mkdir(parents=True, exist_ok=True)
            _download(file, target)
        with target.open("rb") as stream:
            digests[file.path] = hashlib.file_digest(stream, "sha256").hexdigest()
    return digests


def _download(file: File, target: Path) -> None:
    try:
        with publishing(target) as partial:
            _receive(file, partial)
    except (OSError, HTTPException) as error:
        raise InputMissing(
            f"{file.address} could not be downloaded: {error}",
            hint="check that this machine can reach it, and fetch again: complete files are kept",
        ) from None


def _receive(file: File, target: Path) -> None:
    """Write the file, and compare its size and hash with those that its home states."""
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
            f"{file.address} ended after {size:,} of {expected:,} bytes",
            hint="fetch again: complete files are kept",
        )
    if file.sha256 is not None and digest.hexdigest() != file.sha256:
        raise InputMissing(
            f"{file.address} does not have the hash that its home states: {digest.hexdigest()}"
        )


def _open(address: str) -> Any:
    token = os.environ.get("HF_TOKEN")
    request = urllib.request.Request(address)
    if token and urlsplit(address).netloc == urlsplit(endpoint()).netloc:
        # Unredirected: the hub redirects large files to other hosts, which must not get the token.
        request.add_unredirected_header("Authorization", f"Bearer {token}")
    return urllib.request.urlopen(request, timeout=SECONDS)


def _json(address: str) -> dict[str, Any]:
    try:
        with _open(address) as answer:
            document: dict[str, Any] = json.loads(answer.read())
            return document
    except (OSError, HTTPException, ValueError) as error:
        hint = "HF_ENDPOINT names another hub"
        if isinstance(error, urllib.error.HTTPError) and error.code in (401, 403):
            hint = "the repository is gated: agree to its terms on the hub, and set HF_TOKEN"
        raise InputMissing(f"{address} could not be read: {error}", hint=hint) from None


def _checked_path(path: str) -> str:
    try:
        return check_path(path)
    except ValueError as error:
        raise InputMissing(f"a file to download has an invalid path: {error}") from None
