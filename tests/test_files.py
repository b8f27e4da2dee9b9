"""Files and folders that appear whole or not at all."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from assay.files import copy_tree, publish, publishing


def test_a_published_file_replaces_the_old_one_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    target = tmp_path / "new" / "notes.txt"
    publish(target, "first")
    publish(target, b"second")
    assert target.read_text() == "second"
    assert list(target.parent.iterdir()) == [target]


def test_an_error_leaves_what_was_there(tmp_path: Path) -> None:
    target = tmp_path / "notes.txt"
    publish(target, "first")

    def write_half() -> None:
        with publishing(target) as partial:
            partial.write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write_half()
    assert target.read_text() == "first"
    assert list(tmp_path.iterdir()) == [target]


def test_a_private_file_is_for_its_user_alone(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        publish(tmp_path / "shown", "")
        publish(tmp_path / "private", "", private=True)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "shown").stat().st_mode) == 0o644
    assert stat.S_IMODE((tmp_path / "private").stat().st_mode) == 0o600


@pytest.mark.parametrize(("keep_existing", "winner"), [(True, "first"), (False, "second")])
def test_of_two_folders_the_first_or_the_last_stays(tmp_path: Path, keep_existing: bool, winner: str) -> None:
    target = tmp_path / "folder"
    for name in ("first", "second"):
        with publishing(target, keep_existing=keep_existing) as partial:
            partial.mkdir()
            (partial / name).touch()
    assert [path.name for path in target.iterdir()] == [winner]


def test_a_killed_writer_leaves_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "notes.txt"
    publish(target, "first")
    program = (
        "import os, signal, sys\nfrom pathlib import Path\nfrom assay.files import publishing\n"
        "with publishing(Path(sys.argv[1])) as partial:\n"
        "    partial.write_text('half')\n    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    assert subprocess.run([sys.executable, "-c", program, str(target)]).returncode < 0
    assert target.read_text() == "first"


def test_a_copied_folder_has_the_same_contents_modes_and_times(tmp_path: Path) -> None:
    source = tmp_path / "source"
    (source / "inner" / "deep").mkdir(parents=True)
    (source / "empty").mkdir()
    (source / "run.sh").write_text("#!/bin/sh")
    (source / "run.sh").chmod(0o750)
    (source / "inner" / "deep" / "data.bin").write_bytes(bytes(range(256)))
    (source / "inner" / "deep" / "data.bin").chmod(0o444)
    os.utime(source / "run.sh", ns=(1_000_000_001, 2_000_000_002))
    copy = tmp_path / "copy"
    assert sorted(copy_tree(str(source), str(copy))) == ["inner/deep/data.bin", "run.sh"]
    assert (copy / "empty").is_dir()
    for path in ("run.sh", "inner/deep/data.bin"):
        assert (copy / path).read_bytes() == (source / path).read_bytes()
        original, copied = (source / path).stat(), (copy / path).stat()
        assert (original.st_mode, original.st_mtime_ns) == (copied.st_mode, copied.st_mtime_ns)
