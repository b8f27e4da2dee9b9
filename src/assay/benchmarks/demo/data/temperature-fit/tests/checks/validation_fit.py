"""The temperature of `validation` is fitted on the validation rows."""

from __future__ import annotations

from evidence import decide
from reference import compare_temperatures

decide(lambda: compare_temperatures("validation"))
