"""The models that need no service: none at all, and the small local one; and what Inspect says of a model."""

from __future__ import annotations

import re

NO_MODEL = "none/none"
LOCAL_MODEL = "local/smollm2"


def without_markup(message: str) -> str:
    """Return a message of Inspect about a model without its colours."""
    return re.sub(r"\[/?[a-z ]+\]", "", message)
