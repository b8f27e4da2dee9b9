"""uv is called the same way whatever the user's environment says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.workspace.uv import run_uv


@pytest.fixture(params=["not readable", "not a possible path", "not there"])
def pyenv_root(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """Folders of pyenv that cannot be listed; root reads everything, but no path of 5,000 characters."""
    folder = tmp_path / "pyenv"
    if request.param == "not readable":
        (folder / "versions").mkdir(parents=True)
        folder.chmod(0)
        yield folder
        folder.chmod(0o700)
    else:
        yield Path("/x" * 2500) if request.param == "not a possible path" else folder


def test_a_pyenv_that_cannot_be_read_is_passed_over(
    pyenv_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYENV_ROOT", str(pyenv_root))
    assert run_uv(["--version"]).stdout.startswith("uv ")


def test_the_pythons_of_pyenv_are_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "a pyenv" / "versions" / "3.99.0" / "bin"
    place.mkdir(parents=True)
    (place / "python3.99").write_text("#!/bin/sh\necho found >&2\nexit 1\n")
    (place / "python3.99").chmod(0o755)
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "a pyenv"))
    said = run_uv(["python", "find", "--no-python-downloads", "-v", "3.99"]).stderr
    assert str(place) in said
