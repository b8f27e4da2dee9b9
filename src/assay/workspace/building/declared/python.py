"""The Python that a file names: classifiers, .python-version, Dockerfiles."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from assay.workspace.building.declared.found import Declared

_CLASSIFIER = re.compile(r"\s*Programming Language :: Python :: (3\.\d+)\s*")
_BASE = re.compile(r"^\s*FROM\s+(?:--\S+\s+)?(?:\S*/)?python:(3\.\d+)", re.IGNORECASE | re.MULTILINE)


def minors_of(classifiers: Iterable[object]) -> frozenset[str]:
    """The minor versions among classifiers."""
    found = (_CLASSIFIER.fullmatch(each) for each in classifiers if isinstance(each, str))
    return frozenset(each.group(1) for each in found if each)


def read_version_file(file: Path, path: str) -> Declared:
    """.python-version of pyenv and uv, runtime.txt of Heroku."""
    match = re.search(r"(?:^|python-|cpython-)(3\.\d+)", file.read_text(errors="replace").strip())
    return Declared(names_python=((path, match.group(1)),)) if match else Declared()


def read_dockerfile(file: Path, path: str) -> Declared:
    """The last stage that stands on a Python image."""
    found = _BASE.findall(file.read_text(errors="replace"))
    return Declared(names_python=((path, found[-1]),)) if found else Declared()
