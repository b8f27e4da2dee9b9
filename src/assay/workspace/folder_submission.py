"""Reads a folder as a submission: its files over a clean copy of the task's workspace, by an attempt's rules.

The same limits on files and sizes hold, links are never followed out of the folder, caches are skipped, and
credentials are redacted. A folder cannot delete a file of the workspace.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Collection, Mapping
from pathlib import Path

from assay.errors import UsageError
from assay.rules.handed_in import FILE_LIMIT, SKIPPED_NAMES
from assay.tasks.files import folders_of
from assay.workspace.collect import difference
from assay.workspace.installed import FIND_MARKERS, read_markers
from assay.workspace.listing import DEEPEST, FORMAT, WorkspaceListing
from assay.workspace.submission import Submission

_CACHES = " -o ".join(f"-name {name}" for name in SKIPPED_NAMES)


def read_folder(
    folder: Path, pristine: Mapping[str, bytes], *, requested: Collection[str] = ()
) -> Submission:
    """Return what an attempt would have handed in that left these files in the workspace."""
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder", hint="name a folder with the files that were handed in")
    marks = _find(folder, rf"\( {_CACHES} \) -prune -o \( {FIND_MARKERS} \) -printf '%P\0'").split(b"\0")
    listing = WorkspaceListing(pristine, requested, read_markers([os.fsdecode(mark) for mark in marks[:-1]]))
    listing.read(_find(folder, rf"\( {_CACHES} \) -prune -printf '{FORMAT}' -o -printf '{FORMAT}'"))
    untouched = [path for path in pristine if not _is_covered(path, listing)]
    listing.sizes |= {path: len(pristine[path]) for path in untouched}
    same = [
        path
        for path in listing.sizes
        if path in pristine and _read(folder, path, len(pristine[path])) in (None, pristine[path])
    ]
    chosen = listing.choose({*untouched, *same})
    fetched = {path: data for path in chosen if (data := _read(folder, path, FILE_LIMIT)) is not None}
    return difference(listing, chosen, fetched, pristine, ())


def _find(folder: Path, expression: str) -> bytes:
    command = f'cd -P -- "$1" && exec /usr/bin/find . -mindepth 1 -maxdepth {DEEPEST} {expression}'
    done = subprocess.run(["/bin/bash", "-c", command, "find", str(folder)], capture_output=True, check=False)
    return done.stdout


def _is_covered(path: str, listing: WorkspaceListing) -> bool:
    """Whether the folder has something in a file's place, or a file in the place of a folder above it."""
    files = (listing.sizes, listing.links, listing.refusals.named)
    return path in listing.folders or any(
        place in entries for place in (path, *folders_of(path)) for entries in files
    )


def _read(folder: Path, path: str, most_bytes: int) -> bytes | None:
    """Return a plain file's content, of a longer file the beginning; None for what cannot be read.

    The beginning has one byte more than `most_bytes`, so that it differs from every file that is not longer.
    """
    try:
        descriptor = os.open(folder / path, os.O_RDONLY | os.O_NOFOLLOW)
        with os.fdopen(descriptor, "rb") as stream:
            return stream.read(most_bytes + 1)
    except OSError:
        return None
