"""The numbers that stand written in files, and those that a conclusion may cite without measuring them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from assay.rules.cited import numbers_in
from assay.rules.programs import is_program
from assay.rules.shapes import ConclusionShape, DesignShape

LITERAL = re.compile(rb"(?<![\w.])\d+(?:\.\d*)?(?:[eE][-+]?\d{1,3})?|(?<![\w.])\.\d+(?:[eE][-+]?\d{1,3})?")
MOST_TEXT, MOST_IN_ALL = 1 << 20, 8 << 20
"""Bytes of one file and of all that are looked through, programs first."""


def literals(files: Mapping[str, bytes]) -> set[float]:
    """Every number that stands in some files."""
    remaining, pieces = MOST_IN_ALL, []
    for path in sorted(files, key=lambda path: not is_program(path, files[path])):
        pieces.append(files[path][: min(MOST_TEXT, remaining)])
        remaining -= len(pieces[-1])
    texts = (match.group() for piece in pieces for match in LITERAL.finditer(piece))
    return {number for number in map(float, texts) if math.isfinite(number)}


def stated_numbers(
    instruction: str, conclusion: ConclusionShape | None, design: DesignShape | None
) -> set[float]:
    """Numbers that a conclusion may cite without having measured them: what is asked, and the design's."""
    questions = [claim.question for claim in conclusion.claim] if conclusion is not None else []
    variables = design.variable if design is not None else []
    values = [str(value) for variable in variables for value in variable.values]
    return numbers_in([instruction, *questions, *values])
