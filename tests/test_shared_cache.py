"""A cache at an address: what one machine made, another takes instead of making it again."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from assay.errors import InputMissing
from assay.files import place
from assay.shared_cache import put_shared, take_shared
from assay.tasks.config import Input
from assay.tasks.inputs import input_folder, keep_input, tree_hash
from tests.evaluation.test_remote_logs import S3Server, s3

__all__ = ["s3"]

ADDRESS = "s3://assay-tests/cache"
BUILD = "from assay.workspace import build_environment; print(build_environment(()))"


@pytest.fixture
def node(s3: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache folder of a machine that shares its cache at an address."""
    monkeypatch.setenv("ASSAY_CACHE", ADDRESS)
    monkeypatch.setenv("ASSAY_NODE_CACHE", str(tmp_path / "node"))
    return tmp_path / "node"


def test_an_environment_is_built_once_and_taken_by_a_machine_that_lacks_it(node: Path) -> None:
    def build(**changes: str) -> subprocess.CompletedProcess[str]:
        variables = {**os.environ, **changes}
        return subprocess.run(
            [sys.executable, "-c", BUILD], env=variables, capture_output=True, text=True, check=True
        )

    first = build()
    folder = Path(first.stdout.strip())
    assert folder.is_relative_to(node)
    assert "puts environments/" in first.stderr
    shutil.rmtree(node)

    # A folder without programs: nothing can be built, only taken.
    second = build(PATH=str(node))

    assert "takes environments/" in second.stderr
    assert Path(second.stdout.strip()) == folder
    version = subprocess.run(
        [folder / "bin" / "python", "-c", "print(6 * 7)"], capture_output=True, text=True
    )
    assert version.stdout == "42\n"
    assert "cache:" not in build().stderr, "the third time it is here"


def test_an_input_is_taken_by_a_machine_that_lacks_it(node: Path, tmp_path: Path) -> None:
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / "weights.bin").write_bytes(os.urandom(50_000))
    digest = keep_input(tmp_path / "made")
    shutil.rmtree(node)

    taken = input_folder(Input(name="weights", origin="a test", licence="CC0-1.0", sha256=digest))

    assert tree_hash(taken) == digest
    with pytest.raises(InputMissing, match="is not here"):
        input_folder(Input(name="other", origin="a test", licence="CC0-1.0", sha256="0" * 64))


def test_half_an_archive_is_not_taken(node: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "room" / "thing"
    folder.mkdir(parents=True)
    (folder / "file").write_text("contents")
    put_shared("things", "thing", folder)
    archive = place(ADDRESS) / "things" / "thing.tar.gz"
    shutil.rmtree(folder)
    assert take_shared("things", "thing", folder)
    assert (folder / "file").read_text() == "contents"
    archive.write_bytes(archive.read_bytes()[:-20])

    shutil.rmtree(folder)
    assert not take_shared("things", "thing", folder)
    assert not folder.exists()
    assert "is not what its checksum says" in capfd.readouterr().err
    (place(ADDRESS) / "things" / "thing.tar.gz.sha256").unlink()
    assert not take_shared("things", "thing", folder), "without its checksum it is not complete"
