"""Blind reading: a model says what a submission states, without seeing the truth, and code compares."""

from assay.grading.reading.conclusions import ReadDecision, ReadPart, decide, read_parts
from assay.grading.reading.designs import read_variable
from assay.grading.reading.grounding import ground
from assay.grading.reading.programs import can_be_read_blind, read_requirement

__all__ = [
    "ReadDecision",
    "ReadPart",
    "can_be_read_blind",
    "decide",
    "ground",
    "read_parts",
    "read_requirement",
    "read_variable",
]
