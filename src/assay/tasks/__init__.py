"""What is asked: the task, its folder, its truth, the suites."""

from assay.rules.numbers import centre, look_up
from assay.rules.ruling import DEFAULT
from assay.tasks.certificate import Certificate, CheckResult
from assay.tasks.config import (
    AssayTable,
    Challenge,
    Input,
    Mask,
    Printed,
    Run,
    SubmissionRules,
    TaskConfig,
    Variation,
)
from assay.tasks.folder import load_task, save_task
from assay.tasks.kinds import Kind
from assay.tasks.metric import Metric
from assay.tasks.model import Task
from assay.tasks.truth import Claim, Conclusion, Design, Fact, Requirement, Requirements, Value, Variable

__all__ = [
    "DEFAULT",
    "AssayTable",
    "Certificate",
    "Challenge",
    "CheckResult",
    "Claim",
    "Conclusion",
    "Design",
    "Fact",
    "Input",
    "Kind",
    "Mask",
    "Metric",
    "Printed",
    "Requirement",
    "Requirements",
    "Run",
    "SubmissionRules",
    "Task",
    "TaskConfig",
    "Value",
    "Variable",
    "Variation",
    "centre",
    "load_task",
    "look_up",
    "save_task",
]
