"""What people see: tables for the terminal, and one self-contained HTML file."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from assay.report.html import build, render, write
from assay.report.tables import csv, json, markdown
from assay.report.terminal import terminal

__all__ = ["build", "csv", "json", "markdown", "render", "terminal", "write"]


class _Verb(ModuleType):
    """The room is its verb too: `assay.report(…)` is `assay.report.html.build(…)`."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return build(*arguments, **options)


sys.modules[__name__].__class__ = _Verb
