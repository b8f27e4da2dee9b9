"""The list of what a workspace holds, read as it comes and kept within bounds however long it is.

An agent chooses how many files there are and what they are called, so no step here costs more than a fixed
amount for each entry, and no more than a fixed number of entries is kept. Files that the task gave or asks
for are always kept.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from assay.tasks.files import folders_of, is_plain
from assay.workspace.installed import Installed

FILE_LIMIT = 16 * 2**20
TOTAL_LIMIT = 64 * 2**20
COUNT_LIMIT = 5_000
LIMITS = f"{FILE_LIMIT >> 20} MiB a file, {TOTAL_LIMIT >> 20} MiB and {COUNT_LIMIT:,} files in all"
OVER = f"over the limits of a submission ({LIMITS})"
LINK = "is a link to "
PASSED_OVER = ("__pycache__", ".git", ".ipynb_checkpoints", ".pytest_cache", ".mypy_cache")
MOST_LINKS = 50_000
MOST_NAMED = 1_000
"""How many refused paths are named; the others are counted."""
FORMAT = r"%y\0%m\0%s\0%P\0%l\0"
_FIELDS = 5
_LONGEST_TARGET = 4_096


@dataclass(frozen=True)
class Entry:
    """One thing in the workspace, as `find` describes it."""

    kind: str
    mode: int
    size: int
    path: str
    """Not UTF-8 bytes appear as lone surrogates."""
    target: str


class Unstable(Exception):
    """The listing is not one: the workspace changed while it was being read."""


def _entry(fields: list[bytes]) -> Entry:
    kind, mode, size, path, target = fields
    try:
        words = [each.decode(errors="surrogateescape") for each in (kind, path, target)]
        found = Entry(words[0], int(mode, 8), int(size), words[1], words[2][:_LONGEST_TARGET])
    except ValueError as error:
        raise Unstable(f"an entry reads {fields!r:.100}") from error
    if len(kind) != 1:
        raise Unstable(f"an entry is of kind {kind!r:.100}")
    return found


@dataclass
class Refusals:
    """What is not taken and why; after a while only how many."""

    named: dict[str, str] = field(default_factory=dict)
    unnamed: int = 0

    def add(self, path: str, why: str, *, always: bool = False) -> None:
        """Refuse one path; `always` names it however many there are."""
        if always or len(self.named) < MOST_NAMED:
            self.named[path] = why
        else:
            self.unnamed += 1

    def told(self) -> dict[str, str]:
        """Every refusal that has a name, and how many have none."""
        if not self.unnamed:
            return dict(self.named)
        why = f"{self.unnamed:,} more were not taken: links, odd paths, or files {OVER}"
        return {**self.named, "…": why}


class Listing:
    """What a workspace holds, entry by entry."""

    def __init__(
        self, given: Collection[str], first: Collection[str] = (), installed: Installed | None = None
    ) -> None:
        self.sizes: dict[str, int] = {}
        """Plain files; of those that are neither given nor asked for, the ones that are taken first."""
        self.executable: set[str] = set()
        self.links: dict[str, str] = {}
        self.folders: set[str] = set()
        self.passed_over: list[str] = []
        self.refusals = Refusals()
        self._kept = frozenset(given) | frozenset(first)
        self._given, self._first = frozenset(given), frozenset(first)
        self._installed = installed or Installed()
        self._rest = b""

    def read(self, page: bytes) -> None:
        """Take in a piece of the listing, which may end anywhere."""
        fields = (self._rest + page).split(b"\0")
        whole = (len(fields) - 1) // _FIELDS * _FIELDS
        self._rest = b"\0".join(fields[whole:])
        for start in range(0, whole, _FIELDS):
            self._add(_entry(fields[start : start + _FIELDS]))
            if len(self.sizes) > 2 * COUNT_LIMIT + 2 * len(self._kept):
                self._trim()

    def add_all(self, other: Listing) -> None:
        """Take over what another listing of the same workspace found."""
        self.sizes |= other.sizes
        self.executable |= other.executable
        self.links |= other.links
        self.refusals.named |= other.refusals.named

    def _add(self, entry: Entry) -> None:
        path, kept = entry.path, entry.path in self._kept
        parts = path.split("/")
        if not kept and any(part in PASSED_OVER for part in parts):
            self._pass_over(path, parts[-1] in PASSED_OVER)
        elif not is_plain(path):
            self.refusals.add(ascii(path[:300]), "its name is not a plain path")
        elif not kept and self._installed.in_environment(path):
            self._pass_over(path, path in self._installed.environments)
        elif entry.kind == "d":
            if len(self.folders) < COUNT_LIMIT:
                self.folders.add(path)
        elif entry.kind == "f":
            self._add_file(entry, kept=kept)
        elif entry.kind != "l":
            self.refusals.add(path, f"is no plain file (type {entry.kind})", always=kept)
        elif len(self.links) < MOST_LINKS or kept:
            self.links[path] = entry.target
        else:
            self.refusals.add(path, f"{LINK}{entry.target}")

    def _add_file(self, entry: Entry, *, kept: bool) -> None:
        if entry.size > FILE_LIMIT and entry.path not in self._given:
            self.refusals.add(entry.path, f"its {entry.size:,} bytes are {OVER}", always=kept)
            return
        self.sizes[entry.path] = entry.size
        if entry.mode & 0o100:
            self.executable.add(entry.path)

    def _pass_over(self, path: str, whole: bool) -> None:
        if whole and len(self.passed_over) < MOST_NAMED:
            self.passed_over.append(path)

    def _order(self, path: str) -> tuple[bool, bool, bool, int, int, str]:
        """What is asked for, then what was given, then what lies high up and is small; packages last."""
        return (
            path not in self._first,
            path not in self._given,
            self._installed.is_package(path),
            path.count("/"),
            self.sizes[path],
            path,
        )

    def _trim(self) -> None:
        others = sorted((path for path in self.sizes if path not in self._kept), key=self._order)
        for path in others[COUNT_LIMIT:]:
            self._refuse_size(path)

    def _refuse_size(self, path: str) -> None:
        why = f"its {self.sizes.pop(path):,} bytes are {OVER}"
        self.refusals.add(path, why, always=path in self._kept)

    def choose(self, unchanged: Collection[str]) -> list[str]:
        """The files to take, those left as they were given apart; the others are refused."""
        taken: list[str] = []
        total = 0
        for path in sorted((path for path in self.sizes if path not in unchanged), key=self._order):
            size = self.sizes[path]
            if size > FILE_LIMIT or total + size > TOTAL_LIMIT or len(taken) >= COUNT_LIMIT:
                self._refuse_size(path)
                continue
            total += size
            taken.append(path)
        return taken

    def deleted(self) -> tuple[str, ...]:
        """Given files that are no longer there."""
        there = {*self.sizes, *self.links, *self.refusals.named}
        gone = (path for path in self._given if path not in there and not _is_passed_over(path))
        return tuple(sorted(gone))

    def empty_folders(self, files: Mapping[str, object]) -> tuple[str, ...]:
        """Folders that the files do not bring along, the innermost only."""
        used = {folder for path in (*files, *self.sizes, *self.folders) for folder in folders_of(path)}
        return tuple(sorted(self.folders - used))


def _is_passed_over(path: str) -> bool:
    return any(part in PASSED_OVER for part in path.split("/"))
