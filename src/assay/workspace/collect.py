"""Taking the submission out of a sandbox: the harness lists, compares and copies; nothing is followed.

Everything happens through the sandbox's own exec and read_file, so it holds for every Inspect sandbox.
What an agent could do to it (a full disk, files that cannot be read, things in the way) changes only what
that agent hands in.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import secrets
import tarfile
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from assay.errors import SandboxError
from assay.tasks.files import LONGEST_PATH, check_path, folders_of
from assay.workspace.credentials import redact
from assay.workspace.links import WORKSPACE, copies
from assay.workspace.submission import Submission

if TYPE_CHECKING:
    from inspect_ai.util import SandboxEnvironment

FILE_LIMIT = 16 * 2**20
TOTAL_LIMIT = 64 * 2**20
COUNT_LIMIT = 5_000
LIMITS = f"{FILE_LIMIT >> 20} MiB a file, {TOTAL_LIMIT >> 20} MiB and {COUNT_LIMIT:,} files in all"
LINK = "is a link to "
PASSED_OVER = ("__pycache__", ".git", ".ipynb_checkpoints", ".pytest_cache", ".mypy_cache")
ENVIRONMENT = "pyvenv.cfg"
"""Where this stands is a virtual environment: large, of no use elsewhere, and full of links."""
OPEN = f"/bin/chmod 1777 /tmp; /bin/chmod -R u+rwX {WORKSPACE}"
LISTING = f"/usr/bin/find {WORKSPACE} -mindepth 1 -printf '%y\\0%s\\0%P\\0%l\\0' | /usr/bin/head -c 8000000"
TAR = "/usr/bin/tar --null --no-recursion --hard-dereference --ignore-failed-read --format=pax"
SCRATCH = "/tmp /var/tmp /dev/shm /opt ~"
ELSEWHERE = f"/bin/chmod -R u+rwX {SCRATCH}; /usr/bin/find {SCRATCH} -mindepth 1 -delete"
UNWANTED = f"cd {WORKSPACE} && /usr/bin/xargs -0 /bin/rm -rf --"


async def collect(sandbox: SandboxEnvironment, pristine: Mapping[str, bytes]) -> Submission:
    """The submission that the sandbox's workspace holds now, beside the workspace that was given."""
    await _quiet(sandbox)
    await _shell(sandbox, OPEN)
    sizes, refused, passed_over = await _list(sandbox)
    wanted = _within_limits(sizes, refused, pristine)
    fetched = await _fetch(sandbox, wanted)
    if fetched is None or len(fetched) < len(wanted):
        # Whoever fills the disk is still graded: what does not count is removed to make room.
        await _shell(sandbox, ELSEWHERE)
        await _shell(sandbox, UNWANTED, [*passed_over, *(path for path in sizes if path in refused)])
        fetched = await _fetch(sandbox, wanted)
    if fetched is None:
        raise SandboxError("the workspace could not be copied, even after making room for the copy")
    refused |= {path: "could not be copied" for path in wanted if path not in fetched}
    return await _difference(fetched, sizes, refused, pristine)


async def glimpse(sandbox: SandboxEnvironment, pristine: Mapping[str, bytes]) -> Submission | None:
    """What the workspace holds while the attempt goes on; nothing is changed, None where it cannot be read.

    Files that are being written come as they are at that moment.
    """
    sizes, refused, _ = await _list(sandbox)
    wanted = _within_limits(sizes, refused, pristine)
    fetched = await _fetch(sandbox, wanted)
    if fetched is None:
        return None
    refused |= {path: "could not be copied" for path in wanted if path not in fetched}
    return await _difference(fetched, sizes, refused, pristine)


async def _difference(
    fetched: Mapping[str, bytes],
    sizes: Mapping[str, int],
    refused: dict[str, str],
    pristine: Mapping[str, bytes],
) -> Submission:
    """What was changed and deleted, links inside as copies; no credential comes along."""
    whole = {**fetched, **_linked(refused, fetched)}
    changed = {path: data for path, data in whole.items() if pristine.get(path) != data}
    deleted = tuple(path for path in pristine if path not in sizes and path not in refused)
    clean, redacted = await asyncio.to_thread(redact, changed, pristine)
    return Submission(clean, deleted, refused, redacted)


def _linked(refused: dict[str, str], fetched: Mapping[str, bytes]) -> dict[str, bytes]:
    """What links inside the workspace stand for; such links are no longer refused."""
    links = {path: why.removeprefix(LINK) for path, why in refused.items() if why.startswith(LINK)}
    most_bytes = TOTAL_LIMIT - sum(map(len, fetched.values()))
    found = copies(links, fetched, most_files=COUNT_LIMIT - len(fetched), most_bytes=most_bytes)
    for link in links:
        if any(path == link or path.startswith(f"{link}/") for path in found):
            del refused[link]
    return found


async def _quiet(sandbox: SandboxEnvironment) -> None:
    """End every process of the attempt, where the sandbox can."""
    from assay.sandbox.provider import BwrapSandboxEnvironment

    with contextlib.suppress(TypeError):
        await sandbox.as_type(BwrapSandboxEnvironment).box.quiet()


async def _shell(sandbox: SandboxEnvironment, command: str, paths: Iterable[str] = ()) -> None:
    """Run a command as far as it gets; what it did not do shows in what can be fetched."""
    names = "".join(f"{path}\0" for path in paths)
    with contextlib.suppress(TimeoutError):
        await sandbox.exec(["/bin/sh", "-c", command], input=names, cwd="/", timeout=120)


async def _list(sandbox: SandboxEnvironment) -> tuple[dict[str, int], dict[str, str], list[str]]:
    """The sizes of plain files, why others are refused, and the folders that are passed over."""
    done = await sandbox.exec(["/bin/sh", "-c", LISTING], cwd="/", timeout=60)
    if not done.success:
        raise SandboxError(f"the workspace could not be listed: {done.stderr.strip()[-300:]}")
    fields = done.stdout.split("\0")
    sizes: dict[str, int] = {}
    refused: dict[str, str] = {}
    environments = {path[: -len(ENVIRONMENT)] for path in fields[2::4] if path.endswith(f"/{ENVIRONMENT}")}
    passed_over: list[str] = [place.rstrip("/") for place in environments]
    for kind, size, path, link in zip(*(fields[start::4] for start in range(4)), strict=False):
        parts = path.split("/")
        if any(part in PASSED_OVER for part in parts):
            passed_over += [path] if parts[-1] in PASSED_OVER else []
        elif kind == "d" or any(f"{place}/" in environments for place in folders_of(path)):
            continue
        elif not _is_plain(path):
            refused[ascii(path)] = "its name is not a plain path"
        elif kind == "f":
            sizes[path] = int(size)
        else:
            refused[path] = f"{LINK}{link}" if kind == "l" else f"is no plain file (type {kind})"
    return sizes, refused, passed_over


def _is_plain(path: str) -> bool:
    """Whether a name is UTF-8 and a path inside; what was not UTF-8 arrives with replacement marks."""
    try:
        check_path(path)
    except ValueError:
        return False
    return "\ufffd" not in path and path.isprintable() and len(path.encode()) <= LONGEST_PATH


def _within_limits(
    sizes: Mapping[str, int], refused: dict[str, str], pristine: Mapping[str, bytes]
) -> list[str]:
    """What fits, the given files first, then what lies high up and is small."""
    taken: list[str] = []
    total = 0

    def order(path: str) -> tuple[bool, int, int, str]:
        return path not in pristine, path.count("/"), sizes[path], path

    for path in sorted(sizes, key=order):
        size = sizes[path]
        if size > FILE_LIMIT or total + size > TOTAL_LIMIT or len(taken) >= COUNT_LIMIT:
            refused[path] = f"its {size:,} bytes are over the limits of a submission ({LIMITS})"
            continue
        total += size
        taken.append(path)
    return taken


async def _fetch(sandbox: SandboxEnvironment, paths: list[str]) -> dict[str, bytes] | None:
    """The contents of plain files; None where no whole archive could be made."""
    if not paths:
        return {}
    # A name that cannot be foreseen, so that nothing lies in its way.
    archive = f"/tmp/.submission-{secrets.token_hex(8)}.tar"
    await _shell(sandbox, f"{TAR} -C {WORKSPACE} -T - -cf {archive}", paths)
    try:
        data = await sandbox.read_file(archive, text=False)
        with tarfile.open(fileobj=io.BytesIO(data)) as tar:
            streams = {member.name: tar.extractfile(member) for member in tar.getmembers() if member.isreg()}
            return {name: stream.read() for name, stream in streams.items() if stream is not None}
    except (OSError, tarfile.TarError):
        return None
    finally:
        await _shell(sandbox, f"/bin/rm -f {archive}")
