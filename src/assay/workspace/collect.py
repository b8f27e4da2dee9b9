"""Taking the submission out of a sandbox: the harness lists, compares and copies; nothing is followed.

Everything happens through the sandbox's own exec and read_file, so it holds for every Inspect sandbox.
What an agent could do to it (a full disk, files that cannot be read, things in the way, a million files)
changes only what that agent hands in. Files that are as they were given are compared by their hash inside
the sandbox and never copied, so they use up nothing of the submission's limits.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from assay.tasks.files import is_script
from assay.workspace.credentials import redact
from assay.workspace.fetching import PAGE_BYTES, fetch, fetch_in_pages, page_of, shell, unchanged
from assay.workspace.installed import MARKS, read_marks
from assay.workspace.links import WORKSPACE, copies, inside, is_given, leads_to, range_of
from assay.workspace.listing import (
    COUNT_LIMIT,
    FORMAT,
    LINK,
    OVER,
    PASSED_OVER,
    TOTAL_LIMIT,
    Listing,
    Unstable,
)
from assay.workspace.submission import Submission

if TYPE_CHECKING:
    from inspect_ai.util import SandboxEnvironment

OPEN = f"/bin/chmod 1777 /tmp; /bin/chmod -R u+rwX {WORKSPACE}"
_CACHES = " -o ".join(f"-name {name}" for name in PASSED_OVER)
_FIND = f"/usr/bin/find {WORKSPACE} -mindepth 1"
LISTING = rf"{_FIND} \( {_CACHES} \) -prune -printf '{FORMAT}' -o -printf '{FORMAT}'"
MARKED = rf"{_FIND} \( {_CACHES} \) -prune -o \( {MARKS} \) -printf '%P\0'"
NAMED = (
    f"cd {WORKSPACE} && /usr/bin/xargs -0 /usr/bin/find -maxdepth 0 -printf '{FORMAT.replace('%P', '%p')}'"
)
MOST_PAGES = 8
"""Of the listing: about half a million files."""


async def collect(
    sandbox: SandboxEnvironment,
    pristine: Mapping[str, bytes],
    *,
    first: Collection[str] = (),
    shown: Collection[str] = (),
) -> Submission:
    """The submission that the sandbox's workspace holds now, beside the workspace that was given.

    `first` are the files that the task asks for, which are taken before all others; `shown` are folders
    outside the workspace that grading shows too, so that links to them stay links.
    """
    sandbox = await _quiet(sandbox)
    await shell(sandbox, OPEN)
    listing = await _list(sandbox, pristine, first)
    same = await unchanged(sandbox, pristine, listing.sizes)
    wanted = listing.choose(same)
    fetched = await fetch(sandbox, wanted)
    if fetched is None or len(fetched) < len(wanted):
        # Whoever fills the disk is still graded.
        fetched = await fetch_in_pages(sandbox, wanted)
    return await asyncio.to_thread(_difference, listing, wanted, fetched, pristine, shown)


async def glimpse(
    sandbox: SandboxEnvironment, pristine: Mapping[str, bytes], *, first: Collection[str] = ()
) -> Submission | None:
    """What the workspace holds while the attempt goes on; nothing is changed, None where it cannot be read.

    Files that are being written come as they are at that moment.
    """
    try:
        listing = await _list(sandbox, pristine, first)
    except Unstable:
        return None
    same = await unchanged(sandbox, pristine, listing.sizes)
    wanted = listing.choose(same)
    fetched = await fetch(sandbox, wanted)
    if fetched is None:
        return None
    return await asyncio.to_thread(_difference, listing, wanted, fetched, pristine, ())


def _difference(
    listing: Listing,
    wanted: Collection[str],
    fetched: Mapping[str, bytes],
    pristine: Mapping[str, bytes],
    shown: Collection[str],
) -> Submission:
    """What was changed and deleted, links inside as copies; no credential comes along."""
    for path in wanted:
        if path not in fetched:
            listing.refusals.add(path, "could not be copied", always=True)
    whole, links = _linked(listing, fetched, pristine, shown)
    changed = {path: data for path, data in whole.items() if pristine.get(path) != data}
    clean, redacted = redact(changed, pristine)
    there = {**{path: pristine[path] for path in listing.executable if path in pristine}, **clean}
    return Submission(
        files=clean,
        deleted=listing.deleted(),
        refused=listing.refusals.told(),
        redacted=redacted,
        executable=tuple(
            sorted(path for path in listing.executable if path in there and not is_script(path, there[path]))
        ),
        folders=listing.empty_folders({**clean, **pristine}),
        links=links,
    )


def _linked(
    listing: Listing, fetched: Mapping[str, bytes], pristine: Mapping[str, bytes], shown: Collection[str]
) -> tuple[dict[str, bytes], dict[str, str]]:
    """The files with what links inside the workspace stand for, and the links that stay links."""
    stay = {
        link: target
        for link, target in listing.links.items()
        if is_given(leads_to(link, target), shown) and len(target) < COUNT_LIMIT
    }
    stay = dict(sorted(stay.items())[:COUNT_LIMIT])
    unfetched = {path: pristine[path] for path in listing.sizes if path in pristine and path not in fetched}
    room = TOTAL_LIMIT - sum(map(len, fetched.values()))
    others = {link: target for link, target in listing.links.items() if link not in stay}
    found = copies(others, {**unfetched, **fetched}, most_files=COUNT_LIMIT - len(fetched), most_bytes=room)
    paths = sorted(found)
    for link, target in others.items():
        first, end = range_of(link, paths)
        if first == end:
            too_much = f", which is {OVER}" if inside(link, others) in listing.sizes else ""
            listing.refusals.add(link, f"{LINK}{target}{too_much}", always=link in pristine)
    return {**fetched, **found}, stay


async def _quiet(sandbox: SandboxEnvironment) -> SandboxEnvironment:
    """End every process of the attempt, where the sandbox can; what follows is no part of its transcript."""
    from assay.sandbox.session.inspect_provider import BwrapSandboxEnvironment

    try:
        own = sandbox.as_type(BwrapSandboxEnvironment)
    except TypeError:
        return sandbox
    await own.box.quiet()
    return own


async def _list(sandbox: SandboxEnvironment, given: Collection[str], first: Collection[str]) -> Listing:
    """All that the workspace holds; where that is too much, what was given and asked for in any case."""
    marks = (await page_of(sandbox, MARKED, 0)).split(b"\0")[:-1]
    installed = await asyncio.to_thread(read_marks, [os.fsdecode(mark) for mark in marks])
    listing = Listing(given, first, installed)
    start = 0
    for _ in range(MOST_PAGES):
        page = await page_of(sandbox, LISTING, start)
        await asyncio.to_thread(listing.read, page)
        start += len(page)
        if len(page) < PAGE_BYTES:
            return listing
    why = f"the list of files was cut after {start:,} bytes; what follows is {OVER}"
    listing.refusals.add("…", why, always=True)
    asked = Listing(given, first, installed)
    names = [f"./{path}" for path in (*first, *given)]
    for start in range(0, len(names), COUNT_LIMIT):
        page = await page_of(sandbox, NAMED, 0, names[start : start + COUNT_LIMIT])
        asked.read(page.replace(b"\0./", b"\0"))
    listing.add_all(asked)
    return listing
