"""A machine whose only package index is a folder."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def uv_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all tests, since uv looks closely at each interpreter once for each cache."""
    return tmp_path_factory.mktemp("uv")


@pytest.fixture
def shelf(tmp_path: Path, uv_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of distributions that uv may use, with a cache of its own."""
    folder = tmp_path / "shelf"
    folder.mkdir()
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("UV_CACHE_DIR", str(uv_cache))
    monkeypatch.setenv("UV_FIND_LINKS", str(folder))
    (tmp_path / "empty-index").mkdir()
    monkeypatch.setenv("UV_DEFAULT_INDEX", (tmp_path / "empty-index").as_uri())
    return folder
