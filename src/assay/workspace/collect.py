"""Taking the submission out of a sandbox: the harness lists, compares and copies; nothing is followed.

Everything happens through the sandbox's own exec and read_file, so it holds for every Inspect sandbox.
What an agent could do to it changes only what that agent hands in.
"""

from __future__ import annotations

import io
import tarfile
from collections.abc import Mapping
from typing import TYPE_CHECKING

from assay.errors import SandboxError
from assay.tasks.files import check_path
from assay.workspace.submission import Submission

if TYPE_CHECKING:
    from inspect_ai.util import SandboxEnvironment

FILE_LIMIT = 16 * 2**20
TOTAL_LIMIT = 64 * 2**20
COUNT_LIMIT = 20_000
WORKSPACE = "/workspace"
PASSED_OVER = ("__pycache__", ".git", ".ipynb_checkpoints", ".pytest_cache", ".mypy_cache")
LISTING = f"/usr/bin/find {WORKSPACE} -mindepth 1 -printf '%y\\0%s\\0%P\\0%l\\0' | /usr/bin/head -c 8000000"
TAR = "/usr/bin/tar --null --no-recursion --hard-dereference --format=pax"
ARCHIVE = f"{TAR} -C {WORKSPACE} -T - -cf /tmp/.submission.tar"


async def collect(sandbox: SandboxEnvironment, pristine: Mapping[str, bytes]) -> Submission:
    """The submission that the sandbox's workspace holds now, beside the workspace that was given."""
    quiet = getattr(sandbox, "quiet", None)
    if quiet is not None:
        await quiet()
    sizes, refused = await _list(sandbox)
    wanted = _within_limits(sizes, refused)
    fetched = await _fetch(sandbox, wanted, refused)
    changed = {path: data for path, data in fetched.items() if pristine.get(path) != data}
    deleted = tuple(path for path in pristine if path not in sizes and path not in refused)
    return Submission(changed, deleted, refused)


async def _list(sandbox: SandboxEnvironment) -> tuple[dict[str, int], dict[str, str]]:
    done = await sandbox.exec(["/bin/sh", "-c", LISTING], timeout=60)
    if not done.success:
        raise SandboxError(f"the workspace could not be listed: {done.stderr.strip()[-300:]}")
    fields = done.stdout.split("\0")
    sizes: dict[str, int] = {}
    refused: dict[str, str] = {}
    for kind, size, path, link in zip(*(fields[start::4] for start in range(4)), strict=False):
        parts = path.split("/")
        if any(part in PASSED_OVER for part in parts) or kind == "d":
            continue
        try:
            check_path(path)
            path.encode()
        except ValueError:
            refused[repr(path)] = "its name is not a plain path"
            continue
        if kind == "f":
            sizes[path] = int(size)
        else:
            refused[path] = f"is a link to {link}" if kind == "l" else f"is no plain file (type {kind})"
    return sizes, refused


def _within_limits(sizes: Mapping[str, int], refused: dict[str, str]) -> list[str]:
    taken: list[str] = []
    total = 0
    for path, size in sorted(sizes.items()):
        if size > FILE_LIMIT or total + size > TOTAL_LIMIT or len(taken) >= COUNT_LIMIT:
            refused[path] = f"{size:,} bytes are over the limits of a submission"
            continue
        total += size
        taken.append(path)
    return taken


async def _fetch(sandbox: SandboxEnvironment, paths: list[str], refused: dict[str, str]) -> dict[str, bytes]:
    if not paths:
        return {}
    names = "".join(f"{path}\0" for path in paths)
    done = await sandbox.exec(["/bin/sh", "-c", ARCHIVE], input=names, timeout=120)
    if done.returncode not in (0, 1):
        raise SandboxError(f"the workspace could not be copied: {done.stderr.strip()[-300:]}")
    data = await sandbox.read_file("/tmp/.submission.tar", text=False)
    fetched: dict[str, bytes] = {}
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        for member in tar.getmembers():
            stream = tar.extractfile(member) if member.isreg() else None
            if stream is None:
                refused[member.name] = "changed into a link while it was copied"
            else:
                fetched[member.name] = stream.read()
    return fetched
