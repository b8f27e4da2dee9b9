"""Comparing documented numbers: the last digits of a logarithm differ between mathematical libraries."""

from __future__ import annotations


def to_ten_digits(number: str) -> str:
    """A JSON number as far as it is the same everywhere; for `json.loads(..., parse_float=)`."""
    return f"{float(number):.10g}"
