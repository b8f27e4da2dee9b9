"""Which files of a repository are source, settings or prose, by their names alone."""

from __future__ import annotations

from pathlib import PurePosixPath

_SOURCES = (".py", ".pyi", ".pyx", ".pxd", ".c", ".h", ".cc", ".cpp", ".cu", ".f", ".f90", ".r", ".jl", ".sh")
_SETTINGS = (".toml", ".cfg", ".ini", ".yaml", ".yml", ".in", ".lock")
_PROSE = (".md", ".rst", ".txt", ".tex")
_SUFFIXES = frozenset((*_SOURCES, *_SETTINGS, *_PROSE))
_NAMES = frozenset(("README", "LICENSE", "LICENCE", "COPYING", "NOTICE", "AUTHORS", "Makefile", "Dockerfile"))


def is_source_or_prose(path: str) -> bool:
    """Whether people read a file of this name to understand the code, so that a workspace has it."""
    place = PurePosixPath(path)
    return place.suffix.lower() in _SUFFIXES or place.name in _NAMES
