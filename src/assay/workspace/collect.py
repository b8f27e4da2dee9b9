"""Collects the submission from a sandbox: the harness lists, compares and copies, and follows no links.

It uses only the sandbox's exec and read_file, so it works with every Inspect sandbox. An agent can disturb
it (a full disk, unreadable files, obstacles, a million files), but that changes only the agent's own
submission. Unchanged files are compared by their hash inside the sandbox and never copied, so they do not
count towards the submission's limits.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from assay.rules.handed_in import COUNT_LIMIT, SKIPPED_NAMES, TOTAL_LIMIT
from assay.rules.links import WORKSPACE, absolute_target, range_of, target_inside
from assay.tasks.files import is_script
from assay.workspace.credentials import redact
from assay.workspace.fetching import PAGE_BYTES, fetch, fetch_in_pages, read_page, unchanged_files
from assay.workspace.installed import FIND_MARKERS, read_markers
from assay.workspace.links import is_shared, linked_files
from assay.workspace.listing import (
    DEEPEST,
    FORMAT,
    LINK_REASON,
    OVER_LIMITS,
    UnstableListing,
    WorkspaceListing,
    marked_paths,
)
from assay.workspace.submission import Submission

if TYPE_CHECKING:
    from inspect_ai.util import SandboxEnvironment

OPEN = f"/bin/chmod 1777 /tmp; /bin/chmod -R u+rwX {WORKSPACE}"
_CACHES = " -o ".join(f"-name {name}" for name in SKIPPED_NAMES)
_FIND = f"/usr/bin/find {WORKSPACE} -mindepth 1 -maxdepth {DEEPEST}"
LISTING = rf"{_FIND} \( {_CACHES} \) -prune -printf '{FORMAT}' -o -printf '{FORMAT}'"
MARKED = rf"{_FIND} \( {_CACHES} \) -prune -o \( {FIND_MARKERS} \) -printf '%P\0'"
NAMED = (
    f"cd {WORKSPACE} && /usr/bin/xargs -0 /usr/bin/find -maxdepth 0 -printf '{FORMAT.replace('%P', '%p')}'"
)
MAX_PAGES = 8
"""Pages of the listing: about half a million files."""


async def collect(
    sandbox: SandboxEnvironment,
    pristine: Mapping[str, bytes],
    *,
    requested: Collection[str] = (),
    mounted: Collection[str] = (),
) -> Submission:
    """Collect the changes between the original workspace and the sandbox's workspace.

    `requested` are the files that the task asks for, which are collected before all others; `mounted` are
    folders outside the workspace that grading mounts too, so that links to them stay links.
    """
    sandbox = await kill_processes(sandbox)
    try:
        first_page = await read_page(sandbox, f"{OPEN}; {LISTING}", 0)
    except TimeoutError:  # files that could not be made readable are missing later
        first_page = await read_page(sandbox, LISTING, 0)
    listing = await _list(sandbox, first_page, pristine, requested)
    unchanged_paths = await unchanged_files(sandbox, pristine, listing.sizes)
    chosen_paths = listing.choose(unchanged_paths)
    fetched = await fetch(sandbox, chosen_paths)
    if fetched is None or len(fetched) < len(chosen_paths):
        # An agent that fills the disk is still graded.
        fetched = await fetch_in_pages(sandbox, chosen_paths)
    return await asyncio.to_thread(difference, listing, chosen_paths, fetched, pristine, mounted)


async def collect_snapshot(
    sandbox: SandboxEnvironment, pristine: Mapping[str, bytes], *, requested: Collection[str] = ()
) -> Submission | None:
    """Collect the workspace while the attempt runs, without changing it; None if it cannot be read.

    A file that a program is writing is collected in its current state.
    """
    try:
        listing = await _list(sandbox, await read_page(sandbox, LISTING, 0), pristine, requested)
    except UnstableListing:
        return None
    unchanged_paths = await unchanged_files(sandbox, pristine, listing.sizes)
    chosen_paths = listing.choose(unchanged_paths)
    fetched = await fetch(sandbox, chosen_paths)
    if fetched is None:
        return None
    return await asyncio.to_thread(difference, listing, chosen_paths, fetched, pristine, ())


def difference(
    listing: WorkspaceListing,
    chosen_paths: Collection[str],
    fetched: Mapping[str, bytes],
    pristine: Mapping[str, bytes],
    mounted: Collection[str],
) -> Submission:
    """Return changed and deleted files, with inner links as copies and without credentials."""
    for path in chosen_paths:
        if path not in fetched:
            listing.refusals.add(path, "could not be copied", always=True)
    all_files, links = _linked(listing, fetched, pristine, mounted)
    changed = {path: data for path, data in all_files.items() if pristine.get(path) != data}
    folders = listing.empty_folders({**changed, **pristine})
    left_out = listing.refuse_folders((*changed, *links, *folders))
    changed = {path: data for path, data in changed.items() if path not in left_out}
    clean, redacted = redact(changed, pristine)
    present = {**{path: pristine[path] for path in listing.executable if path in pristine}, **clean}
    return Submission(
        files=clean,
        deleted=tuple(path for path in listing.deleted() if path not in all_files),
        refused=listing.refusals.as_dict(),
        redacted=redacted,
        executable=tuple(
            sorted(
                path for path in listing.executable if path in present and not is_script(path, present[path])
            )
        ),
        folders=tuple(path for path in folders if path not in left_out),
        links={link: target for link, target in links.items() if link not in left_out},
    )


def _linked(
    listing: WorkspaceListing,
    fetched: Mapping[str, bytes],
    pristine: Mapping[str, bytes],
    mounted: Collection[str],
) -> tuple[dict[str, bytes], dict[str, str]]:
    """Return the files, with inner links replaced by their files, and the links that stay links."""
    kept_links = {
        link: target
        for link, target in listing.links.items()
        if is_shared(absolute_target(link, target), mounted) and len(target) < COUNT_LIMIT
    }
    kept_links = dict(sorted(kept_links.items())[:COUNT_LIMIT])
    unfetched = {path: pristine[path] for path in listing.sizes if path in pristine and path not in fetched}
    bytes_left = TOTAL_LIMIT - sum(map(len, fetched.values()))
    inner_links = {link: target for link, target in listing.links.items() if link not in kept_links}
    copied_files = linked_files(
        inner_links, {**unfetched, **fetched}, most_files=COUNT_LIMIT - len(fetched), most_bytes=bytes_left
    )
    paths = sorted(copied_files)
    for link, target in inner_links.items():
        first, end = range_of(link, paths)
        if first == end:
            size_note = (
                f", which is {OVER_LIMITS}" if target_inside(link, inner_links) in listing.sizes else ""
            )
            listing.refusals.add(link, f"{LINK_REASON}{target}{size_note}", always=link in pristine)
    return {**fetched, **copied_files}, kept_links


async def kill_processes(sandbox: SandboxEnvironment) -> SandboxEnvironment:
    """Kill every process of the attempt, if possible; later commands are not part of the transcript."""
    from assay.sandbox.session.inspect_provider import BwrapSandboxEnvironment

    try:
        bwrap = sandbox.as_type(BwrapSandboxEnvironment)
    except TypeError:
        return sandbox
    await bwrap.box.kill_processes()
    return bwrap


async def _list(
    sandbox: SandboxEnvironment, page: bytes, original: Collection[str], requested: Collection[str]
) -> WorkspaceListing:
    """Read the listing from its first page on; if it is too long, keep at least original and requested files.

    The markers of installed packages must be known before any entry is read. A single page has all of them;
    of a longer listing the sandbox lists them first.
    """
    if len(page) < PAGE_BYTES:
        marks = await asyncio.to_thread(marked_paths, page)
    else:
        marks = (await read_page(sandbox, MARKED, 0)).split(b"\0")[:-1]
    installed = await asyncio.to_thread(read_markers, [os.fsdecode(mark) for mark in marks])
    listing = WorkspaceListing(original, requested, installed)
    start = 0
    for number in range(MAX_PAGES):
        if number > 0:
            page = await read_page(sandbox, LISTING, start)
        await asyncio.to_thread(listing.read, page)
        start += len(page)
        if len(page) < PAGE_BYTES:
            return listing
    reason = f"the list of files ends after {start:,} bytes; later files are {OVER_LIMITS}"
    listing.refusals.add_rest(reason)
    named_listing = WorkspaceListing(original, requested, installed)
    names = [f"./{path}" for path in (*requested, *original)]
    for start in range(0, len(names), COUNT_LIMIT):
        page = await read_page(sandbox, NAMED, 0, names[start : start + COUNT_LIMIT])
        named_listing.read(page.replace(b"\0./", b"\0"))
    listing.add_all(named_listing)
    return listing
