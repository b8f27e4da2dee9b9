"""The numbers that stand written in files, and those that a conclusion may cite without measuring them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping

from assay.rules.cited import LONGEST_TEXT, numbers_in
from assay.rules.plain_text import plain_text
from assay.rules.programs import is_program
from assay.rules.shapes import ConclusionShape, DesignShape
from assay.rules.written_values import normal

LITERAL = re.compile(rb"(?<![\d.])(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d{1,3})?")
"""A number: also in a name ("resnet50"), in an argument ("-n25") and with joints ("1_000")."""
_COMPUTED = re.compile(rb"([\d_.]{1,12})\s{0,3}(\*\*|\*)\s{0,3}([\d_.]{1,12})(?![\w.])")
_WORD = re.compile(r"\w[\w.-]*")
MOST_TEXT, MOST_IN_ALL = 1 << 20, 8 << 20
"""Bytes of one file and of all that are looked through, programs first."""


def literals(files: Mapping[str, bytes]) -> set[float]:
    """Every number that stands in some files."""
    return {number for numbers in literals_by_file(files).values() for number in numbers}


def literals_by_file(files: Mapping[str, bytes]) -> dict[str, set[float]]:
    """File → every number that stands in it."""
    remaining, numbers = MOST_IN_ALL, {}
    for path in sorted(files, key=lambda path: not is_program(path, files[path])):
        piece = files[path][: min(MOST_TEXT, remaining)]
        remaining -= len(piece)
        in_file = {literal_value(match.group()) for match in LITERAL.finditer(piece)}
        in_file.update(number for match in _COMPUTED.finditer(piece) for number in _computed(match))
        numbers[path] = {number for number in in_file if math.isfinite(number)}
    return numbers


def literal_value(literal: bytes) -> float:
    """The number that a literal stands for: joints say nothing, also at its end ("seed_0_mean")."""
    return float(literal.replace(b"_", b""))


def _computed(match: re.Match[bytes]) -> Iterator[float]:
    """The product or power of two numbers: `2 * 500`, `10**3`."""
    try:
        first, second = (literal_value(match[place]) for place in (1, 3))
        yield first * second if match[2] == b"*" else math.pow(first, second)
    except (ValueError, OverflowError):
        return


def stated_numbers(
    instruction: str, conclusion: ConclusionShape | None, design: DesignShape | None
) -> set[float]:
    """Numbers that a conclusion may cite without having measured them: what is asked, and the design's."""
    return numbers_in(_stated_texts(instruction, conclusion, design))


def stated_names(
    instruction: str, conclusion: ConclusionShape | None, design: DesignShape | None
) -> set[str]:
    """Names with digits in what is asked, such as CIFAR-10 and ResNet50, as `normal` writes them."""
    texts = _stated_texts(instruction, conclusion, design)
    words = (match.group() for text in texts for match in _WORD.finditer(plain_text(text[:LONGEST_TEXT])))
    return {normal(word) for word in words if any(map(str.isdigit, word)) and any(map(str.isalpha, word))}


def _stated_texts(
    instruction: str, conclusion: ConclusionShape | None, design: DesignShape | None
) -> list[str]:
    questions = [claim.question for claim in conclusion.claim] if conclusion is not None else []
    variables = design.variable if design is not None else []
    return [instruction, *questions, *(str(value) for variable in variables for value in variable.values)]
