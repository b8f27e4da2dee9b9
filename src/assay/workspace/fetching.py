"""What passes between harness and sandbox while a submission is taken: pages of text, hashes, one tar."""

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
from assay.workspace.links import WORKSPACE
from assay.workspace.listing import COUNT_LIMIT, TOTAL_LIMIT

if TYPE_CHECKING:
    from inspect_ai.util import SandboxEnvironment

PAGE_BYTES = 6_000_000
"""Of one answer; as base64 it stays below Inspect's limit of 10 MiB for what a command says."""
TAR = "/usr/bin/tar --null --no-recursion --hard-dereference --ignore-failed-read --format=pax"
ARCHIVE_LIMIT = TOTAL_LIMIT + COUNT_LIMIT * 4096
HASHES = f"cd {WORKSPACE} && /usr/bin/xargs -0 /usr/bin/sha256sum -z --"
_HASH = 64


async def shell(sandbox: SandboxEnvironment, command: str, paths: Iterable[str] = ()) -> None:
    """Run a command as far as it gets; what it did not do shows in what can be fetched."""
    with contextlib.suppress(TimeoutError):
        await sandbox.exec(["/bin/sh", "-c", command], input=_names(paths), cwd="/", timeout=120)


async def page_of(sandbox: SandboxEnvironment, command: str, start: int, paths: Iterable[str] = ()) -> bytes:
    """A piece of what a command prints, as the exact bytes; empty after its end."""
    # In lines, since Inspect's log keeps twenty lines of what a command says, however long they are.
    cut = f"/usr/bin/tail -c +{start + 1} | /usr/bin/head -c {PAGE_BYTES} | /usr/bin/base64"
    done = await sandbox.exec(
        ["/bin/sh", "-c", f"{{ {command}; }} | {cut}"], input=_names(paths), cwd="/", timeout=120
    )
    if not done.success:
        raise SandboxError(f"the workspace could not be listed: {done.stderr.strip()[-300:]}")
    try:
        return await asyncio.to_thread(base64.b64decode, done.stdout)
    except binascii.Error as error:
        raise SandboxError(f"the workspace could not be listed: the list is not base64: {error}") from None


async def unchanged(
    sandbox: SandboxEnvironment, pristine: Mapping[str, bytes], sizes: Mapping[str, int]
) -> set[str]:
    """The given files that are still what they were, by size and hash."""
    alike = [path for path, data in pristine.items() if sizes.get(path) == len(data)]
    found: set[str] = set()
    for start in range(0, len(alike), COUNT_LIMIT):
        page = await page_of(sandbox, HASHES, 0, alike[start : start + COUNT_LIMIT])
        found |= await asyncio.to_thread(_same, page, pristine)
    return found


def _same(page: bytes, pristine: Mapping[str, bytes]) -> set[str]:
    lines = [line.decode(errors="replace") for line in page.split(b"\0")]
    said = {line[_HASH + 2 :]: line[:_HASH] for line in lines}
    return {path for path, hashed in said.items() if path in pristine and _sha256(pristine[path]) == hashed}


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


async def fetch(sandbox: SandboxEnvironment, paths: list[str]) -> dict[str, bytes] | None:
    """The contents of plain files; None where no whole archive could be made."""
    if not paths:
        return {}
    from inspect_ai.util import OutputLimitExceededError

    # A name that cannot be foreseen, so that nothing lies in its way.
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
    """The same of a sandbox in which nothing runs, without writing there: its disk may be full."""
    archive = bytearray()
    while len(archive) <= ARCHIVE_LIMIT:
        page = await page_of(sandbox, f"{TAR} -C {WORKSPACE} -T - -cf -", len(archive), paths)
        archive += page
        if len(page) < PAGE_BYTES:
            break
    try:
        return await asyncio.to_thread(_unpack, bytes(archive))
    except tarfile.TarError as error:
        raise SandboxError(f"the workspace could not be copied: {error}") from None


def _unpack(data: bytes) -> dict[str, bytes]:
    """The plain files of an archive, as long as they are no more than was asked for."""
    found: dict[str, bytes] = {}
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as tar:
        for member in tar:
            stream = tar.extractfile(member) if member.isreg() else None
            if stream is not None and len(found) <= COUNT_LIMIT:
                found[member.name] = stream.read()
    return found


def _names(paths: Iterable[str]) -> bytes:
    return "".join(f"{path}\0" for path in paths).encode(errors="surrogateescape")
