"""Transfers a submission from sandbox to harness: pages of text, hashes, one tar archive."""

from __future__ import annotations

import asyncio
import base64
import binascii
import contextlib
import hashlib
import io
import secrets
import tarfile
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from assay.errors import SandboxError
from assay.rules.handed_in import COUNT_LIMIT, TOTAL_LIMIT
from assay.rules.links import WORKSPACE

if TYPE_CHECKING:
    from inspect_ai.util import SandboxEnvironment

PAGE_BYTES = 6_000_000
"""Size of one answer; as base64 it stays below Inspect's limit of 10 MiB for a command's output."""
TAR = "/usr/bin/tar --null --no-recursion --hard-dereference --ignore-failed-read --format=pax"
ARCHIVE_LIMIT = TOTAL_LIMIT + COUNT_LIMIT * 4096
HASHES = f"cd {WORKSPACE} && /usr/bin/xargs -0 /usr/bin/sha256sum -z --"
_HASH = 64


async def shell(sandbox: SandboxEnvironment, command: str, paths: Iterable[str] = ()) -> None:
    """Run a command and ignore a timeout: files that it did not handle are missing later."""
    with contextlib.suppress(TimeoutError):
        await sandbox.exec(["/bin/sh", "-c", command], input=_names(paths), cwd="/", timeout=120)


async def read_page(
    sandbox: SandboxEnvironment, command: str, start: int, paths: Iterable[str] = ()
) -> bytes:
    """Return one page of a command's output as exact bytes; empty after the end."""
    # In lines, because Inspect's log keeps twenty lines of output, of any length.
    cut = f"/usr/bin/head -c {PAGE_BYTES} | /usr/bin/base64"
    if start:
        cut = f"/usr/bin/tail -c +{start + 1} | {cut}"
    completed = await sandbox.exec(
        ["/bin/sh", "-c", f"{{ {command}; }} | {cut}"], input=_names(paths), cwd="/", timeout=120
    )
    if not completed.success:
        raise SandboxError(f"Assay cannot list the workspace: {completed.stderr.strip()[-300:]}")
    try:
        return await asyncio.to_thread(base64.b64decode, completed.stdout)
    except binascii.Error as error:
        raise SandboxError(f"Assay cannot list the workspace: the list is not base64: {error}") from None


async def unchanged_files(
    sandbox: SandboxEnvironment, pristine: Mapping[str, bytes], sizes: Mapping[str, int]
) -> set[str]:
    """Return the original files that have the same size and hash."""
    same_size = [path for path, data in pristine.items() if sizes.get(path) == len(data)]
    unchanged_paths: set[str] = set()
    for start in range(0, len(same_size), COUNT_LIMIT):
        page = await read_page(sandbox, HASHES, 0, same_size[start : start + COUNT_LIMIT])
        unchanged_paths |= await asyncio.to_thread(_matching_hashes, page, pristine)
    return unchanged_paths


def _matching_hashes(page: bytes, pristine: Mapping[str, bytes]) -> set[str]:
    lines = [line.decode(errors="replace") for line in page.split(b"\0")]
    hashes = {line[_HASH + 2 :]: line[:_HASH] for line in lines}
    return {path for path, digest in hashes.items() if path in pristine and _sha256(pristine[path]) == digest}


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


async def fetch(sandbox: SandboxEnvironment, paths: list[str]) -> dict[str, bytes] | None:
    """Return the contents of plain files; None if no complete archive could be made."""
    if not paths:
        return {}
    from inspect_ai.util import OutputLimitExceededError

    # A random name, so that the agent cannot block it.
    archive = f"/tmp/.submission-{secrets.token_hex(8)}.tar"
    limited = f"{TAR} -C {WORKSPACE} -T - -cf - | /usr/bin/head -c {ARCHIVE_LIMIT} > {archive}"
    await shell(sandbox, limited, paths)
    try:
        data = await sandbox.read_file(archive, text=False)
        return await asyncio.to_thread(_unpack, data)
    except (OSError, tarfile.TarError, OutputLimitExceededError):
        return None
    finally:
        await shell(sandbox, f"/bin/rm -f {archive}")


async def fetch_in_pages(sandbox: SandboxEnvironment, paths: list[str]) -> dict[str, bytes]:
    """Do the same in a sandbox without running processes, without writing there: its disk may be full."""
    archive = bytearray()
    while len(archive) <= ARCHIVE_LIMIT:
        page = await read_page(sandbox, f"{TAR} -C {WORKSPACE} -T - -cf -", len(archive), paths)
        archive += page
        if len(page) < PAGE_BYTES:
            break
    try:
        return await asyncio.to_thread(_unpack, bytes(archive))
    except tarfile.TarError as error:
        raise SandboxError(f"the workspace could not be copied: {error}") from None


def _unpack(data: bytes) -> dict[str, bytes]:
    """Return the plain files of an archive, up to the limit on files."""
    contents: dict[str, bytes] = {}
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as tar:
        for member in tar:
            stream = tar.extractfile(member) if member.isreg() else None
            if stream is not None and len(contents) <= COUNT_LIMIT:
                contents[member.name] = stream.read()
    return contents


def _names(paths: Iterable[str]) -> bytes:
    return "".join(f"{path}\0" for path in paths).encode(errors="surrogateescape")
