"""How many examples Hypothesis tries in slow tests: a quarter in `make test`, all in `make test-long`."""

from __future__ import annotations

import os

EXPLORING = os.environ.get("ASSAY_HYPOTHESIS") == "exploring"


def examples(count: int) -> int:
    """Return the number of examples, of `count` in `make test-long`."""
    return count if EXPLORING else max(1, count // 4)
