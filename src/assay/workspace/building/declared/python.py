"""Reads the Python version from classifiers, .python-version and Dockerfiles."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from assay.workspace.building.declared.declaration import Declared

_CLASSIFIER = re.compile(r"\s*Programming Language :: Python :: (3\.\d+)\s*")
_BASE = re.compile(r"^\s*FROM\s+(?:--\S+\s+)?(?:\S*/)?python:(3\.\d+)", re.IGNORECASE | re.MULTILINE)


def minors_of(classifiers: Iterable[object]) -> frozenset[str]:
    """Return the minor versions in classifiers."""
    matches = (_CLASSIFIER.fullmatch(classifier) for classifier in classifiers if isinstance(classifier, str))
    return frozenset(match.group(1) for match in matches if match)


def read_version_file(file: Path, path: str) -> Declared:
    """Read .python-version of pyenv and uv, or runtime.txt of Heroku."""
    match = re.search(r"(?:^|python-|cpython-)(3\.\d+)", file.read_text(errors="replace").strip())
    return Declared(names_python=((path, match.group(1)),)) if match else Declared()


def read_dockerfile(file: Path, path: str) -> Declared:
    """Read the last stage that is based on a Python image."""
    versions = _BASE.findall(file.read_text(errors="replace"))
    return Declared(names_python=((path, versions[-1]),)) if versions else Declared()
