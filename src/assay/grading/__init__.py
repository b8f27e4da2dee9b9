"""What is true: submissions graded by running them again, item by item."""

from assay.grading.grader import Transcript, grade, grade_now
from assay.grading.published import Tolerance
from assay.grading.verdict import Grade, Notice, Owner, Status, Verdict

__all__ = ["Grade", "Notice", "Owner", "Status", "Tolerance", "Transcript", "Verdict", "grade", "grade_now"]
