"""What slow tests leave to `make test-long`: three quarters of their examples, and rare parameters."""

from __future__ import annotations

import os

import pytest
from _pytest.mark import ParameterSet

EXPLORING = os.environ.get("ASSAY_HYPOTHESIS") == "exploring"


def examples(count: int) -> int:
    """Return the number of examples, of `count` in `make test-long`."""
    return count if EXPLORING else max(1, count // 4)


def rare(*values: object) -> ParameterSet:
    """Return a set of parameters that only `make test-long` tries."""
    return pytest.param(*values, marks=pytest.mark.long)
