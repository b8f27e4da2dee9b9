"""Which optional packages are installed."""

from __future__ import annotations

from importlib.util import find_spec


def is_installed(module: str) -> bool:
    """Whether a module could be imported; False also where a package above it is missing or disabled."""
    try:
        return find_spec(module) is not None
    except (ModuleNotFoundError, ValueError):
        return False
