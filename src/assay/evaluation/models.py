"""The models that need no service: none at all, and the small local one."""

from __future__ import annotations

NO_MODEL = "none/none"
LOCAL_MODEL = "local/smollm2"
