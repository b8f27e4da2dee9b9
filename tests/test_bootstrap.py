"""The first step on a fresh machine: what is missing is said in one line."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

BOOTSTRAP = Path(__file__).parents[1] / "scripts" / "bootstrap"


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        (
            'case "$*" in *ensurepip*) exit 1;; *version_info*print*|*print*) echo 3.12;; esac',
            "python3.12-venv",
        ),
        ('case "$*" in *version_info*) exit 1;; --version) echo Python 3.9.1;; esac', "3.11 or newer"),
    ],
    ids=["no ensurepip", "old Python"],
)
def test_what_is_missing_is_one_line(tmp_path: Path, answers: str, expected: str) -> None:
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\n{answers}\n")
    python.chmod(0o755)
    done = subprocess.run([BOOTSTRAP, python, tmp_path / "venv"], capture_output=True, text=True)
    assert done.returncode == 2
    assert expected in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "venv").exists()
