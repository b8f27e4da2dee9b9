"""A kept listing is used while nothing below its folder has changed, and never after a change."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.sandbox.host.kept_listing import LookedAt, kept
from assay.sandbox.host.python_code import python_code_below


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def quiet_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five equal folders in which nothing has changed for more than two seconds."""
    root = tmp_path_factory.mktemp("root")
    for name in "abcde":
        (root / name / "inner").mkdir(parents=True)
        (root / name / "inner" / "file").write_text("first")
    while time.time_ns() - max(path.stat().st_ctime_ns for path in root.rglob("*")) < 2_500_000_000:
        time.sleep(0.1)
    return root


class Listing:
    """Reads a folder with one inner folder, and counts how often."""

    def __init__(self, root: Path) -> None:
        self.root, self.times_read = root, 0

    def __call__(self) -> dict[str, Any]:
        return kept(str(self.root), self.read)

    def read(self, looked_at: LookedAt) -> dict[str, Any]:
        self.times_read += 1
        texts = {}
        looked_at.add(str(self.root))
        for folder in sorted(self.root.iterdir()):
            looked_at.add(str(folder))
            for path in sorted(folder.iterdir()):
                looked_at.add(str(path))
                texts[path.name] = path.read_text()
        return texts


def replace_file(root: Path) -> None:
    other = root / "other"
    other.write_text("third")
    os.utime(other, ns=(0, 0))
    other.replace(root / "inner" / "file")


CHANGES: list[tuple[str, Callable[[Path], object], dict[str, str]]] = [
    ("a", lambda root: (root / "inner" / "new").write_text("new"), {"file": "first", "new": "new"}),
    ("b", lambda root: (root / "inner" / "file").write_text("again"), {"file": "again"}),
    ("c", lambda root: (root / "inner" / "file").unlink(), {}),
    ("d", replace_file, {"file": "third"}),
]


@pytest.mark.parametrize(("name", "change", "after"), CHANGES, ids=[name for name, *_ in CHANGES])
def test_a_listing_is_read_again_after_every_kind_of_change(
    quiet_folder: Path, name: str, change: Callable[[Path], object], after: dict[str, str]
) -> None:
    listing = Listing(quiet_folder / name)
    assert [listing(), listing(), listing.times_read] == [{"file": "first"}, {"file": "first"}, 1]
    change(listing.root)
    assert [listing(), listing.times_read] == [after, 2]
    assert [listing(), listing.times_read] == [after, 3], "what changed a moment ago is not kept"


def test_a_record_that_cannot_be_read_is_made_again(quiet_folder: Path, tmp_path: Path) -> None:
    listing = Listing(quiet_folder / "e")
    listing()
    (record,) = (tmp_path / "cache" / "system-listings").iterdir()
    for damaged in ("", "[]", '{"looked_at": {}}', '{"result": 1, "looked_at": []}'):
        record.write_text(damaged)
        assert listing() == {"file": "first"}
    assert listing.times_read == 5


def test_kept_python_code_is_that_which_was_found(tmp_path: Path) -> None:
    root = Path(os.__file__).parent / "json"
    look = python_code_below.__wrapped__
    first = look(root)
    assert look(root) == first
    assert f"{root}/decoder.py" in [source.path for source in first.sources]
    assert all(source.size == Path(source.path).stat().st_size for source in first.sources)
