"""The list of a workspace's files, read page by page and limited in size.

An agent decides how many files there are and their names, so each entry has a fixed cost, and the list keeps
a fixed number of entries. It always keeps original and requested files.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from assay.rules.handed_in import (
    COUNT_LIMIT,
    FILE_LIMIT,
    OVER_FOLDERS,
    SKIPPED_NAMES,
    TOTAL_LIMIT,
    over_folder_limit,
)
from assay.rules.plain_paths import LONGEST_PATH, is_plain
from assay.workspace.installed import InstalledPackages, is_marker

LIMITS = f"{FILE_LIMIT >> 20} MiB a file, {TOTAL_LIMIT >> 20} MiB and {COUNT_LIMIT:,} files in all"
OVER_LIMITS = f"over the limits of a submission ({LIMITS})"
LINK_REASON = "is a link to "
MAX_LINKS = 50_000
REST = "…"
"""In the place of a path: refusals without names."""
MAX_NAMED_REFUSALS = 1_000
"""How many refused paths are listed by name; the rest is counted."""
DEEPEST = LONGEST_PATH // 2 + 1
"""Levels of folders that are listed: every deeper path is too long, and a list of the paths of nested folders
grows with the square of their depth."""
FORMAT = r"%y\0%m\0%s\0%P\0%l\0"
_FIELDS = 5
_SKIPPED_PARTS = tuple(f"/{name}/" for name in SKIPPED_NAMES)
_LONGEST_TARGET = 4_096


class ListingEntry(NamedTuple):
    """One entry of the workspace, as `find` describes it."""

    kind: str
    mode: int
    size: int
    path: str
    """Bytes that are not UTF-8 appear as lone surrogates."""
    target: str


class UnstableListing(Exception):
    """The listing is inconsistent: the workspace changed while the harness read it."""


def _parse_entry(fields: list[bytes]) -> ListingEntry:
    kind, mode, size, path, target = fields
    try:
        entry = ListingEntry(
            kind.decode(errors="surrogateescape"),
            int(mode, 8),
            int(size),
            path.decode(errors="surrogateescape"),
            target.decode(errors="surrogateescape")[:_LONGEST_TARGET],
        )
    except ValueError as error:
        raise UnstableListing(f"an entry reads {fields!r:.100}") from error
    if len(kind) != 1:
        raise UnstableListing(f"an entry is of kind {kind!r:.100}")
    return entry


def marked_paths(page: bytes) -> list[bytes]:
    """Return the paths on one page of the listing that are markers of installed packages."""
    fields = page.split(b"\0")
    return [
        path
        for kind, path in zip(fields[::_FIELDS], fields[3::_FIELDS], strict=False)
        if is_marker(kind, path)
    ]


@dataclass
class Refusals:
    """Refused paths with their reasons; above a limit only their number."""

    named: dict[str, str] = field(default_factory=dict)
    unnamed_count: int = 0

    def add(self, path: str, reason: str, *, always: bool = False) -> None:
        """Refuse one path; `always` lists it by name even above the limit."""
        if always or len(self.named) < MAX_NAMED_REFUSALS:
            self.named[path] = reason
        else:
            self.unnamed_count += 1

    def add_rest(self, reason: str) -> None:
        """Say in one refusal what was left out without names."""
        earlier = [self.named[REST]] if REST in self.named else []
        self.named[REST] = "; ".join([*earlier, reason])

    def as_dict(self) -> dict[str, str]:
        """Return the refusals by path, and the number of those without a name."""
        if not self.unnamed_count:
            return dict(self.named)
        why = f"{self.unnamed_count:,} more were not collected: links, unusual paths, or files {OVER_LIMITS}"
        earlier = [self.named[REST]] if REST in self.named else []
        return {**self.named, REST: "; ".join([*earlier, why])}


class WorkspaceListing:
    """The entries of a workspace."""

    def __init__(
        self,
        original: Collection[str],
        requested: Collection[str] = (),
        installed: InstalledPackages | None = None,
    ) -> None:
        self.sizes: dict[str, int] = {}
        """Plain files; of those neither original nor requested, only the ones that are collected first."""
        self.executable: set[str] = set()
        self.links: dict[str, str] = {}
        self.folders: set[str] = set()
        self.skipped: list[str] = []
        self.refusals = Refusals()
        self._important = frozenset(original) | frozenset(requested)
        self._original, self._requested = frozenset(original), frozenset(requested)
        self._installed = installed or InstalledPackages()
        self._unparsed = b""

    def read(self, page: bytes) -> None:
        """Parse one page of the listing, which may end inside an entry."""
        fields = (self._unparsed + page).split(b"\0")
        complete_count = (len(fields) - 1) // _FIELDS * _FIELDS
        self._unparsed = b"\0".join(fields[complete_count:])
        for start in range(0, complete_count, _FIELDS):
            self._add(_parse_entry(fields[start : start + _FIELDS]))
            if len(self.sizes) > 2 * COUNT_LIMIT + 2 * len(self._important):
                self._trim()

    def add_all(self, addition: WorkspaceListing) -> None:
        """Add the entries of another listing of the same workspace."""
        self.sizes |= addition.sizes
        self.executable |= addition.executable
        self.links |= addition.links
        self.refusals.named |= addition.refusals.named

    def _add(self, entry: ListingEntry) -> None:
        path, is_important = entry.path, entry.path in self._important
        if not is_important and _is_skipped(path):
            self._skip(path, path.rpartition("/")[2] in SKIPPED_NAMES)
        elif not is_plain(path):
            self.refusals.add(ascii(path[:300]), "its name is not a plain path")
        elif not is_important and self._installed.in_environment(path):
            self._skip(path, path in self._installed.environments)
        elif entry.kind == "d":
            if len(self.folders) < COUNT_LIMIT:
                self.folders.add(path)
        elif entry.kind == "f":
            self._add_file(entry, is_important=is_important)
        elif entry.kind != "l":
            self.refusals.add(path, f"is no plain file (type {entry.kind})", always=is_important)
        elif len(self.links) < MAX_LINKS or is_important:
            self.links[path] = entry.target
        else:
            self.refusals.add(path, f"{LINK_REASON}{entry.target}")

    def _add_file(self, entry: ListingEntry, *, is_important: bool) -> None:
        if entry.size > FILE_LIMIT and entry.path not in self._original:
            self.refusals.add(entry.path, f"its {entry.size:,} bytes are {OVER_LIMITS}", always=is_important)
            return
        self.sizes[entry.path] = entry.size
        if entry.mode & 0o100:
            self.executable.add(entry.path)

    def _skip(self, path: str, is_top: bool) -> None:
        if is_top and len(self.skipped) < MAX_NAMED_REFUSALS:
            self.skipped.append(path)

    def _order(self, path: str) -> tuple[bool, bool, bool, int, int, str]:
        """Sort key: requested files, original files, files near the root, small ones; packages last."""
        return (
            path not in self._requested,
            path not in self._original,
            self._installed.is_package(path),
            path.count("/"),
            self.sizes[path],
            path,
        )

    def _trim(self) -> None:
        unimportant = sorted((path for path in self.sizes if path not in self._important), key=self._order)
        for path in unimportant[COUNT_LIMIT:]:
            self._refuse_size(path)

    def _refuse_size(self, path: str) -> None:
        why = f"its {self.sizes.pop(path):,} bytes are {OVER_LIMITS}"
        self.refusals.add(path, why, always=path in self._important)

    def choose(self, unchanged: Collection[str]) -> list[str]:
        """Return the files to collect, except unchanged ones; refuse the files above the limits."""
        chosen_paths: list[str] = []
        total = 0
        for path in sorted((path for path in self.sizes if path not in unchanged), key=self._order):
            size = self.sizes[path]
            if size > FILE_LIMIT or total + size > TOTAL_LIMIT or len(chosen_paths) >= COUNT_LIMIT:
                self._refuse_size(path)
                continue
            total += size
            chosen_paths.append(path)
        return chosen_paths

    def refuse_folders(self, paths: Iterable[str]) -> set[str]:
        """Return the paths that would give too many folders; one refusal counts them."""
        left_out = over_folder_limit(paths, self._important)
        if left_out:
            self.refusals.add_rest(f"{len(left_out):,} paths were not collected: they are {OVER_FOLDERS}")
        return left_out

    def deleted(self) -> tuple[str, ...]:
        """Return the original files that no longer exist."""
        present = {*self.sizes, *self.links, *self.refusals.named}
        missing = (path for path in self._original if path not in present and not _is_skipped(path))
        return tuple(sorted(missing))

    def empty_folders(self, files: Mapping[str, object]) -> tuple[str, ...]:
        """Return the innermost folders that contain no file."""
        paths = sorted({*files, *self.sizes, *self.folders})
        return tuple(folder for folder in sorted(self.folders) if not _is_above(folder, paths))


def _is_above(folder: str, paths: list[str]) -> bool:
    """Whether one of the sorted paths is below a folder; no path is taken apart, however deep it is."""
    start = f"{folder}/"
    place = bisect_left(paths, start)
    return place < len(paths) and paths[place].startswith(start)


def _is_skipped(path: str) -> bool:
    between = f"/{path}/"
    return any(part in between for part in _SKIPPED_PARTS)
