"""A machine whose only package index is a folder."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of distributions that uv may use, with a cache of its own."""
    folder = tmp_path / "shelf"
    folder.mkdir()
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "uv"))
    monkeypatch.setenv("UV_FIND_LINKS", str(folder))
    monkeypatch.setenv("UV_NO_INDEX", "1")
    return folder
