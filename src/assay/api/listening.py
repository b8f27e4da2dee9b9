"""What a function of the API calls for a caller who does not listen to its steps."""

from __future__ import annotations


def ignore_line(line: str) -> None:
    """Do nothing with a line."""
