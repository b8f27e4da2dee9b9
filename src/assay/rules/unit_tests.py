"""Unit tests as the run of a task: the program that runs them, and what pytest loads by itself."""

from __future__ import annotations

from pathlib import PurePosixPath

PROGRAM = "assay_run_tests.py"
"""Runs the tests and writes how many cases of each test pass."""
_LOADED = frozenset({"conftest.py", "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml"})
_LOADED |= {"tox.ini", "setup.cfg", "pyproject.toml"}


def runs_unit_tests(command: str) -> bool:
    """Whether a run is one of unit tests."""
    return PROGRAM in command.split()


def is_loaded_by_pytest(path: str) -> bool:
    """Whether pytest reads a file without being told: its settings, and plugins of installed packages."""
    parts = PurePosixPath(path).parts
    is_package = any(part.endswith((".egg-info", ".dist-info")) for part in parts)
    return is_package or parts[-1].lower() in _LOADED
