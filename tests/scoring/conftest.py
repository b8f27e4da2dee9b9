"""The published data of the three benchmarks, where this machine has it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of published data: `ASSAY_PUBLISHED_DATA`, or `shared/data` beside the project."""
    stated = os.environ.get("ASSAY_PUBLISHED_DATA")
    near = [parent / "shared" / "data" for parent in Path(__file__).resolve().parents]
    for folder in [Path(stated)] if stated else near:
        if (folder / "autoexperiment").is_dir() and (folder / "expbench").is_dir():
            return folder
    pytest.skip("the benchmarks' published data is not on this machine")
