"""Checks that are derived from a gold solution: its facts, decided by what a run did.

`run_evidence` reads a trace, `decide` decides a requirement by its facts.
"""

from assay.grading.derived_checks.cited_text import Parts, cited_text
from assay.grading.derived_checks.deciding import FactDecision, decide, lines_run
from assay.grading.derived_checks.evidence import Evidence, SeenCalls
from assay.grading.derived_checks.repository import RepositorySources, SourceModule, Symbol, TracedCall
from assay.grading.derived_checks.run_evidence import run_evidence
from assay.grading.derived_checks.shell_commands import WrittenProgram, programs_of
from assay.grading.derived_checks.source_reading import PLUMBING, SourceReader, StatementSummary, WrittenCall

__all__ = [
    "PLUMBING",
    "Evidence",
    "FactDecision",
    "Parts",
    "RepositorySources",
    "SeenCalls",
    "SourceModule",
    "SourceReader",
    "StatementSummary",
    "Symbol",
    "TracedCall",
    "WrittenCall",
    "WrittenProgram",
    "cited_text",
    "decide",
    "lines_run",
    "programs_of",
    "run_evidence",
]
