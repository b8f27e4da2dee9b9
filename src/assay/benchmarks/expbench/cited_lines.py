"""The lines of the repository that a requirement cites: `(/workspace/train.py:31-59, 62)`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from assay.benchmarks.expbench.paths import inside
from assay.grading.derived_checks import Parts

_RANGE = r"L?\d+(?:\s*[-–]\s*L?\d+)?"
_CITATION = re.compile(
    rf"(/?[\w.*-]+(?:/[\w.*-]+)*\.(?:py|sh|ipynb|ya?ml|json))(?::|#|\s+lines?\s+)\s*({_RANGE}(?:\s*,\s*{_RANGE})*)"
)


def cited_lines(requirement: str, files: Mapping[str, bytes], known: Iterable[str] = ()) -> dict[str, Parts]:
    """File → the parts of it that a requirement cites; parts beyond the end of a file are left out.

    `known` are files of the record: a citation without a folder means one of them.
    """
    cited: dict[str, Parts] = {}
    for name, ranges in _CITATION.findall(requirement):
        path = _find(inside(name), files, known)
        if path is None:
            continue
        length = len(files[path].splitlines())
        for part in ranges.split(","):
            numbers = [int(number) for number in re.findall(r"\d+", part)]
            first, last = min(numbers), min(max(numbers), length)
            if 1 <= first <= last and (first, last) not in cited.setdefault(path, []):
                cited[path].append((first, last))
    return {path: parts for path, parts in cited.items() if parts}


def without_citations(requirement: str) -> str:
    """The words of a requirement, without its number and the places that it cites."""
    words = re.sub(r"^\s*(?:Final |Last )?Step(?:\s+\d+)?\s*:", "", requirement)
    return re.sub(
        r"\([^()]*(?:/workspace|\.(?:py|sh|ipynb|ya?ml|json)\b|usage_instructions)[^()]*\)", " ", words
    )


def _find(path: str, files: Mapping[str, bytes], known: Iterable[str]) -> str | None:
    if path in files:
        return path
    for candidates in (list(known), list(files)):
        fitting = [file for file in candidates if file.endswith(f"/{path}") and file in files]
        if len(fitting) == 1:
            return fitting[0]
    return None
