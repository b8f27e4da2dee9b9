"""Tests marked `gpu` run where there is a GPU and an environment with torch, and say why they do not."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.sandbox.gpu.devices import gpu_numbers
from assay.workspace import user_environment


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip every test that needs a GPU where there is none."""
    reason = None
    if not any(Path(f"/dev/nvidia{number}").exists() for number in gpu_numbers()):
        reason = "there is no NVIDIA GPU on this machine"
    elif user_environment() is None:
        reason = "ASSAY_TASK_ENVIRONMENT names no environment with a CUDA build of torch"
    for item in items:
        if reason is not None and item.get_closest_marker("gpu"):
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture
def torch_environment() -> Path:
    """The environment that ASSAY_TASK_ENVIRONMENT names."""
    found = user_environment()
    assert found is not None
    return found
