"""Bytecode is kept where PYTHONDONTWRITEBYTECODE would make every process compile its packages again."""

from __future__ import annotations

import compileall
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """import subprocess, sys
from assay.cli.bytecode import keep_bytecode
keep_bytecode("uncompiled")
subprocess.run([sys.executable, "-c", "import uncompiled"], check=True)
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / "packages" / "uncompiled"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("VALUE = 1\n")
    return folder


def compiled_files(package: Path, cache: Path, **variables: str) -> tuple[list[Path], list[Path]]:
    """The bytecode of the package beside its sources, and in the cache, after a process has imported it."""
    plain = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    paths = {"PYTHONPATH": str(package.parent), "ASSAY_CACHE": str(cache)}
    subprocess.run([sys.executable, "-c", PROGRAM], env={**plain, **paths, **variables}, check=True)
    return [*package.rglob("*.pyc")], [*cache.rglob("uncompiled/*.pyc")]


def test_processes_keep_bytecode_in_the_cache_and_not_beside_the_sources(
    package: Path, tmp_path: Path
) -> None:
    beside, cached = compiled_files(package, tmp_path / "cache", PYTHONDONTWRITEBYTECODE="1")
    assert (len(beside), len(cached)) == (0, 1)


def test_bytecode_that_is_there_is_used(package: Path, tmp_path: Path) -> None:
    compileall.compile_dir(package, quiet=1)
    beside, cached = compiled_files(package, tmp_path / "cache", PYTHONDONTWRITEBYTECODE="1")
    assert (len(beside), len(cached)) == (1, 0)


def test_nothing_changes_without_the_variable(package: Path, tmp_path: Path) -> None:
    beside, cached = compiled_files(package, tmp_path / "cache")
    assert (len(beside), len(cached)) == (1, 0)
