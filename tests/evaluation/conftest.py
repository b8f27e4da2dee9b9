"""A small suite of toy tasks on disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.tasks import save_task
from tests.tasks.examples import masked_task


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A folder of five masked tasks that run in milliseconds."""
    folder = tmp_path / "toys"
    for number in range(5):
        save_task(masked_task(id=f"toy_{number}"), folder / f"toy-{number}")
    return folder
