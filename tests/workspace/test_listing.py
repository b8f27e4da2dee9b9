"""The list of a workspace: fast ways to read it give what simple ways give, and deep folders cost little."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from pathlib import PurePosixPath

from hypothesis import given, settings
from hypothesis import strategies as st

from assay.exported.workspace_files import folders_above
from assay.rules.handed_in import SKIPPED_NAMES
from assay.rules.plain_paths import LONGEST_NAME, LONGEST_PATH, is_plain
from assay.tasks.files import folders_of
from assay.workspace.installed import InstalledPackages
from assay.workspace.listing import WorkspaceListing

NAMES = st.sampled_from(["a", "b", "a0", "a-", "a.py", ".git", "env", "__pycache__", ".github", "ü"])
PATHS = st.lists(NAMES, min_size=1, max_size=6).map("/".join)
ODD_NAMES = st.sampled_from(
    ["a", "ü", "", ".", "..", "...", "\\", "\0", "\n", "\udc80", "x" * 255, "x" * 256, "ü" * 128, "y" * 240]
)
TREES = st.sets(PATHS, max_size=12)


def entry(kind: str, path: str) -> bytes:
    return "\0".join([kind, "755", "3", path, "", ""]).encode()


def listing_of(
    folders: Collection[str], files: Collection[str], installed: InstalledPackages | None = None
) -> WorkspaceListing:
    """The listing of these entries, read in one page."""
    listing = WorkspaceListing([], [], installed)
    listing.read(b"".join([entry("d", path) for path in folders] + [entry("f", path) for path in files]))
    return listing


def parents_of(path: str) -> list[str]:
    """The folders above a path, by pathlib."""
    return [str(parent) for parent in PurePosixPath(path).parents][-2::-1]


def is_plain_by_pathlib(path: str) -> bool:
    """Whether a path is plain, by the rules one after the other."""
    pure = PurePosixPath(path)
    if (
        not path
        or "\\" in path
        or pure.is_absolute()
        or ".." in pure.parts
        or str(pure) != path
        or path == "."
    ):
        return False
    if not path.isprintable() or len(path.encode()) > LONGEST_PATH:
        return False
    return all(len(part.encode()) <= LONGEST_NAME for part in path.split("/"))


@given(st.lists(ODD_NAMES, max_size=6).map("/".join))
@settings(max_examples=200, deadline=None)
def test_a_path_is_plain_by_the_same_rules_as_with_pathlib(path: str) -> None:
    assert is_plain(path) == is_plain_by_pathlib(path)


@given(PATHS)
def test_folders_of_a_path_are_its_parents(path: str) -> None:
    assert folders_of(path) == parents_of(path)


@given(TREES)
def test_folders_above_paths_are_all_their_parents(paths: set[str]) -> None:
    assert folders_above(paths) == {folder for path in paths for folder in parents_of(path)}


@given(TREES, TREES, TREES)
@settings(max_examples=60, deadline=None)
def test_folders_are_empty_if_nothing_has_them_as_a_parent(
    folders: set[str], files: set[str], others: set[str]
) -> None:
    collected: Mapping[str, bytes] = dict.fromkeys(others, b"")
    listing = listing_of(folders, files)
    used = {folder for path in (*others, *listing.sizes, *listing.folders) for folder in parents_of(path)}
    assert listing.empty_folders(collected) == tuple(sorted(listing.folders - used))


@given(TREES, TREES, TREES)
@settings(max_examples=60, deadline=None)
def test_caches_and_environments_are_skipped_at_every_depth(
    files: set[str], environments: set[str], packages: set[str]
) -> None:
    installed = InstalledPackages(frozenset(environments), frozenset(packages))
    listing = listing_of([], files, installed)
    assert set(listing.sizes) == {
        path
        for path in files
        if not {*SKIPPED_NAMES} & {*path.split("/")} and not environments & {path, *parents_of(path)}
    }
    for path in files:
        assert installed.is_package(path) == any(parent in packages for parent in parents_of(path))


def test_deep_folders_take_little_time() -> None:
    deepest = [f"{chain}x" + "/a" * 490 for chain in range(30)]
    folders = [path for chain in deepest for path in (*folders_of(chain), chain)]
    too_deep = ["z" + "/a" * depth for depth in range(1_900)]
    installed = InstalledPackages(frozenset({"env", "tools/env"}), frozenset({"vendor"}))
    began = time.process_time()
    listing = listing_of([*too_deep, *folders], [], installed)
    assert listing.empty_folders({})[:1] == ("0x" + "/a" * 490,)
    assert time.process_time() - began < 5, "the square of the depth takes longer"
