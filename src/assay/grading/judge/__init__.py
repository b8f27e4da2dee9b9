"""The judge: a model that reads what cannot be run, behind a guard. See docs/judge.md."""

from assay.grading.judge.asking import Judge
from assay.grading.judge.consulting import EQUIVALENT, consult
from assay.grading.judge.prompt import Question
from assay.grading.judge.reader import ROLE, ModelReader, ReaderAnswer
from assay.grading.judge.transcript import MEANINGS

JUDGED = (EQUIVALENT, *MEANINGS)
"""The notices that come from a judge."""

__all__ = ["JUDGED", "ROLE", "Judge", "ModelReader", "Question", "ReaderAnswer", "consult"]
