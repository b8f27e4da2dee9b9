"""The temperature of `training` is fitted on the training rows."""

from __future__ import annotations

from evidence import decide
from reference import compare_temperatures

decide(lambda: compare_temperatures("training"))
