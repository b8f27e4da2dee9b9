"""What is true: submissions graded by running them again, item by item."""

from assay.grading.attempt_transcript import Transcript, Written
from assay.grading.grader import grade, grade_now
from assay.grading.grading_rules import GradingRules, Tolerance
from assay.grading.judge import Judge, consult
from assay.grading.verdict import Grade, Notice, Owner, Status, Verdict

__all__ = [
    "Grade",
    "GradingRules",
    "Judge",
    "Notice",
    "Owner",
    "Status",
    "Tolerance",
    "Transcript",
    "Verdict",
    "Written",
    "consult",
    "grade",
    "grade_now",
]
