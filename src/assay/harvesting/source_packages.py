"""Fetches the source distribution of a package from the indexes of this machine, with its hash.

Nothing of the package is executed: a plain HTTP request gets the index page and the archive.
"""

from __future__ import annotations

import hashlib
import html
import json
import re
import ssl
import tarfile
import urllib.error
import urllib.parse
import urllib.request
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from packaging.utils import InvalidSdistFilename, canonicalize_name, parse_sdist_filename
from packaging.version import Version

from assay.errors import Unmaskable
from assay.files import publish, publishing
from assay.workspace.index import PackageIndex

_JSON_PAGE = "application/vnd.pypi.simple.v1+json"
_ACCEPT = f"{_JSON_PAGE}, text/html;q=0.5"
_ANCHOR = re.compile(r"""<a\s[^>]*href=["']([^"']+)["'][^>]*>([^<]+)</a>""", re.IGNORECASE)
_SECONDS = 60.0
MAX_ARCHIVE_BYTES = 30_000_000
MAX_UNPACKED_BYTES = 120_000_000


@dataclass(frozen=True)
class SourceArchive:
    """One source distribution that an index offers."""

    name: str
    version: Version
    file: str
    address: str
    sha256: str | None
    """The hash that the index states, if it states one."""
    uploaded: str = ""
    """The day of the upload, if the index states it."""


def find_archive(name: str, version: str | None) -> SourceArchive:
    """Return the source distribution of this version, or of the newest stable one."""
    offered: list[SourceArchive] = []
    # Folders of this machine come first: a named version that is there needs no network.
    addresses = sorted(PackageIndex.from_environment().addresses, key=lambda address: "://" in address)
    for address in addresses:
        offered += _offers(address, name)
        exact = [archive for archive in offered if version and archive.version == Version(version)]
        if exact:
            return exact[0]
    fitting = [archive for archive in offered if not version and not archive.version.is_prerelease]
    if not fitting:
        requested = f"{name}=={version}" if version else name
        offer_text = f"{len(offered)} other source distributions" if offered else "no source distribution"
        raise Unmaskable(f"{requested}: the package index has {offer_text} of {name}")
    return max(fitting, key=lambda archive: archive.version)


def fetch_archive(archive: SourceArchive, folder: Path) -> tuple[Path, str]:
    """Store the archive in a folder and return its path and SHA-256; a stored one is used again."""
    target = folder / archive.file
    if not target.is_file():
        data = _read(archive.address, MAX_ARCHIVE_BYTES)
        digest = hashlib.sha256(data).hexdigest()
        if archive.sha256 and digest != archive.sha256:
            raise Unmaskable(
                f"{archive.file} has the hash {digest[:16]}…, the index states {archive.sha256[:16]}…"
            )
        folder.mkdir(parents=True, exist_ok=True)
        publish(target, data)
    return target, hashlib.sha256(target.read_bytes()).hexdigest()


def unpack(archive: Path, folder: Path) -> Path:
    """Unpack an archive as `folder`, without the top folder that every source distribution has."""
    with publishing(folder, keep_existing=True) as partial:
        for name, data in _members(archive):
            path = partial / Path(*Path(name).parts[1:])
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    return folder


def _members(archive: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the plain files of an archive; links and paths that lead out are left out."""
    total = 0
    for name, size, data in _zip_members(archive) if archive.suffix == ".zip" else _tar_members(archive):
        path = Path(name)
        if path.is_absolute() or ".." in path.parts or len(path.parts) < 2:
            continue
        total += size
        if total > MAX_UNPACKED_BYTES:
            raise Unmaskable(f"{archive.name} unpacks to more than {MAX_UNPACKED_BYTES // 1_000_000} MB")
        yield name, data


def _tar_members(archive: Path) -> Iterator[tuple[str, int, bytes]]:
    with tarfile.open(archive) as bundle:
        for member in bundle:
            if member.isfile() and member.size <= MAX_UNPACKED_BYTES:
                content = bundle.extractfile(member)
                if content is not None:
                    yield member.name, member.size, content.read()


def _zip_members(archive: Path) -> Iterator[tuple[str, int, bytes]]:
    with zipfile.ZipFile(archive) as bundle:
        for member in bundle.infolist():
            if not member.is_dir() and member.file_size <= MAX_UNPACKED_BYTES:
                yield member.filename, member.file_size, bundle.read(member)


def _offers(index: str, name: str) -> Iterator[SourceArchive]:
    """Yield the source distributions that one index lists for a package."""
    if "://" not in index:
        yield from _folder_offers(Path(index), name)
        return
    page = f"{index.rstrip('/')}/{canonicalize_name(name)}/"
    if page.startswith("file:"):
        page += "index.html"
    try:
        text = _read(page, 40_000_000, accept=_ACCEPT).decode(errors="replace")
    except (Unmaskable, FileNotFoundError):
        return
    for file, link, upload in _page_links(text):
        address, _, fragment = urllib.parse.urljoin(page, link).partition("#")
        stated = re.fullmatch(r"sha256=([0-9a-f]{64})", fragment)
        archive = _source_archive(name, file, address, stated.group(1) if stated else None, upload)
        if archive is not None:
            yield archive


def _folder_offers(folder: Path, name: str) -> Iterator[SourceArchive]:
    for file in sorted(folder.glob("*")) if folder.is_dir() else ():
        archive = _source_archive(name, file.name, file.resolve().as_uri(), None, "")
        if archive is not None:
            yield archive


def _page_links(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield file name, link and day of upload, from a page in JSON or HTML."""
    if text.lstrip().startswith("{"):
        for entry in json.loads(text).get("files", []):
            digest = entry.get("hashes", {}).get("sha256")
            link = entry["url"] + (f"#sha256={digest}" if digest else "")
            if not entry.get("yanked"):
                yield entry["filename"], link, str(entry.get("upload-time", ""))[:10]
        return
    for link, label in _ANCHOR.findall(text):
        yield html.unescape(label).strip(), html.unescape(link), ""


def _source_archive(
    name: str, file: str, address: str, sha256: str | None, uploaded: str
) -> SourceArchive | None:
    try:
        found_name, version = parse_sdist_filename(file)
    except (InvalidSdistFilename, ValueError):
        return None
    if found_name != canonicalize_name(name):
        return None
    return SourceArchive(name, version, file, address, sha256, uploaded)


def _read(address: str, limit: int, accept: str = "*/*") -> bytes:
    request = urllib.request.Request(address, headers={"Accept": accept})
    context = ssl.create_default_context() if address.startswith("https:") else None
    try:
        with urllib.request.urlopen(request, timeout=_SECONDS, context=context) as answer:
            data: bytes = answer.read(limit + 1)
    except (OSError, ValueError) as error:
        raise Unmaskable(
            f"the package index does not answer for {address.rpartition('/')[2] or address}: {error}",
            hint="is the package index reachable? set UV_DEFAULT_INDEX or UV_FIND_LINKS to use another",
        ) from None
    if len(data) > limit:
        raise Unmaskable(f"{address.rpartition('/')[2]} is larger than {limit // 1_000_000} MB")
    return data
