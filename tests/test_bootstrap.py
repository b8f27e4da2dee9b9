"""The first step on a fresh machine: what is missing is said in one line."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BOOTSTRAP = ROOT / "scripts" / "bootstrap"


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        (
            'case "$*" in *ensurepip*|*pip*) exit 1;; *version_info*print*|*print*) echo 3.12;; esac',
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


def wheel_of_uv(folder: Path) -> None:
    """A package that stands for uv of the locked version, so that no index is needed."""
    (locked,) = [
        line for line in (ROOT / "constraints.txt").read_text().splitlines() if line.startswith("uv==")
    ]
    version = locked.removeprefix("uv==")
    about = f"uv-{version}.dist-info"
    with zipfile.ZipFile(folder / f"uv-{version}-py3-none-any.whl", "w") as wheel:
        wheel.writestr("uv.py", "def main():\n    print('stands for uv')\n")
        wheel.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: uv\nVersion: {version}\n")
        wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{about}/entry_points.txt", "[console_scripts]\nuv = uv:main\n")
        wheel.writestr(f"{about}/RECORD", "")


@pytest.mark.long
def test_without_ensurepip_the_systems_pip_fills_the_environment(tmp_path: Path) -> None:
    """Debian without python3-venv, in a path with spaces."""
    real = Path(sys.base_prefix) / "bin" / "python3"
    if subprocess.run([real, "-m", "pip", "--version"], capture_output=True).returncode != 0:
        pytest.skip(f"{real} has no pip")
    wheel_of_uv(tmp_path)
    python = tmp_path / "python"
    python.write_text(
        f'#!/bin/sh\ncase "$*" in *"import ensurepip"*) exit 1;; esac\nexec {shlex.quote(str(real))} "$@"\n'
    )
    python.chmod(0o755)
    venv = tmp_path / "an environment"
    offline = {**os.environ, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path)}
    done = subprocess.run([BOOTSTRAP, python, venv], cwd=ROOT, env=offline, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert not (venv / "bin" / "pip").exists()
    asked = subprocess.run([venv / "bin" / "uv"], capture_output=True, text=True, check=True)
    assert asked.stdout == "stands for uv\n"
