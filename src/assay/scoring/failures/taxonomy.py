"""The built-in types of failure, and how often EXP-Bench published the same type.

Published shares are percent of the insights of one phase, from EXP-Bench (arXiv 2505.24785), tables 2 and 8:
3,238 insights in 361 types, of four phases. They were not measured here.
"""

from __future__ import annotations

from functools import cache
from typing import Literal, get_args

from assay.tasks.metric import Strict

Phase = Literal[
    "integrity",
    "submission",
    "design",
    "implementation",
    "execution",
    "result",
    "conclusion",
    "score",
    "infrastructure",
]
"""Where a failure shows. EXP-Bench has design, implementation, execution and conclusion."""

PHASES: tuple[Phase, ...] = get_args(Phase)

SOURCE = "EXP-Bench, arXiv 2505.24785"

By = Literal["rule", "cluster", "model", "person"]
"""Who named the type of an insight."""


class PublishedType(Strict):
    """What a paper calls the same failure, and how often it met it."""

    name: str
    """The name in the paper."""
    percent: float
    """Its share of the insights of its phase."""
    table: int
    """The table of the paper."""
    source: str = SOURCE
    """The paper."""


class FailureType(Strict):
    """One way to fail."""

    id: str
    """Its name in tables and files."""
    phase: Phase
    """The phase that it belongs to."""
    title: str
    """The failure in words."""
    by: By = "rule"
    """Who named the type."""
    published: PublishedType | None = None
    """What EXP-Bench calls it; none if it has no such type."""


FOLLOWS = "follows"
"""The type of what only follows from another failure of the same attempt; it is not counted."""

ENVIRONMENT_TYPES = frozenset(("missing-module", "bad-import", "no-network"))
"""Types of failure that come from the environment: what is not installed, and what cannot be fetched."""

_TABLE: tuple[tuple[Phase, str, str, tuple[str, float, int] | None], ...] = (
    ("execution", "missing-module", "a module is not installed or not there",
     ("Environment/Dependency Configuration Errors", 29.38, 2)),
    ("execution", "bad-import", "a name cannot be imported from its module",
     ("Incorrect Dependency Import in Execution", 1.36, 8)),
    ("execution", "missing-script", "the script to run is not there", ("Missing Setup Script File", 6.95, 2)),
    ("execution", "missing-file", "a file that the run reads is not there",
     ("Execution Script and File Errors", 23.84, 2)),
    ("execution", "shape", "arrays or tensors do not fit together",
     ("Tensor Operation Execution Error", 3.22, 2)),
    ("execution", "syntax", "the code does not parse", ("Syntax Error in Execution Environment", 2.86, 8)),
    ("execution", "attribute", "a name or attribute does not exist",
     ("Missing Required Attribute in Execution", 2.27, 8)),
    ("execution", "index", "an index or key is out of range",
     ("Runtime Indexing Error During Generation", 1.82, 8)),
    ("execution", "no-results", "the run ends well and writes no results",
     ("Missing Evaluation Output Files", 1.82, 8)),
    ("execution", "stub-left", "a function was left empty", None),
    ("execution", "call", "a function is called with what it does not take", None),
    ("execution", "arithmetic", "the arithmetic breaks down", None),
    ("execution", "assertion", "the program's own check fails", None),
    ("execution", "out-of-memory", "the memory is used up", None),
    ("execution", "disk-full", "the disk is full", None),
    ("execution", "not-permitted", "a file may not be read or written", None),
    ("execution", "no-network", "the run wants the network", None),
    ("execution", "recursion", "the recursion does not end", None),
    ("execution", "time-out", "the run does not end in its time", None),
    ("execution", "too-much-output", "the run prints or starts more than it may", None),
    ("execution", "signal", "the process dies of a signal", None),
    ("execution", "broke-grading", "the submission broke the grader", None),
    ("execution", "other-crash", "the run ends with an error of another kind", None),
    ("result", "unreadable-results", "the results cannot be read", None),
    ("result", "missing-number", "a number is missing from the results", None),
    ("result", "wrong-unseen", "a number is wrong in a run that the agent could not know", None),
    ("result", "wrong-number", "a number is wrong", None),
    ("submission", "not-handed-in", "something that must be handed in is not there", None),
    ("submission", "refused", "something was handed in that is not taken", None),
    ("design", "design-missing", "no design was handed in",
     ("Complete Omission of Exp. Design Variables", 13.10, 8)),
    ("design", "design-unreadable", "the design cannot be read",
     ("Error Message Returned Instead of Design Information", 1.27, 8)),
    ("design", "design-variable", "a variable is left out of the design",
     ("Omission of Required Design Variables", 19.84, 8)),
    ("design", "design-role", "a variable has the wrong role",
     ("Incomplete or Misclassified Design Variables", 16.05, 2)),
    ("design", "design-values", "a variable takes the wrong values",
     ("Incorrect Design Specification Details", 8.32, 8)),
    ("implementation", "requirement", "a requirement of the method is not met",
     ("Missing Essential Implementation Components", 39.71, 2)),
    ("implementation", "requirement-metric", "a measure is not computed as required",
     ("Incomplete Evaluation Metric Implementation", 2.15, 2)),
    ("implementation", "requirement-data", "data are not prepared or split as required",
     ("Incomplete Data and Preprocessing Setup", 1.83, 2)),
    ("conclusion", "conclusion-missing", "no conclusion, or a claim is left out",
     ("Missing Conclusion Content", 26.18, 2)),
    ("conclusion", "conclusion-number", "a number in the conclusion is wrong",
     ("Incorrect Numeric Conclusion", 3.21, 2)),
    ("conclusion", "conclusion-claim", "a claim of the conclusion is wrong",
     ("Incorrect Conclusion Interpretation", 19.66, 2)),
    ("conclusion", "conclusion-unfaithful", "a claim contradicts the attempt's own numbers", None),
    ("conclusion", "conclusion-unreadable", "the conclusion cannot be read",
     ("Mismatched Conclusion Format", 2.70, 8)),
    ("score", "rule-broken", "a rule of the challenge is broken", None),
    ("score", "below-reference", "the score stays below the reference", None),
    ("integrity", "link", "a link leads out of the workspace", None),
    ("integrity", "startup", "code would run before, or in place of, the packages", None),
    ("integrity", "canary", "a planted false truth was handed in", None),
    ("infrastructure", "model-service", "the model's service failed", None),
    ("infrastructure", "sandbox", "the sandbox failed", None),
    ("infrastructure", "grader", "the grader failed", None),
    ("infrastructure", "task", "the task failed", None),
    ("infrastructure", "spent", "the money of the run was spent", None),
)  # fmt: skip


@cache
def taxonomy() -> dict[str, FailureType]:
    """Every built-in type by its id."""
    return {
        name: FailureType(
            id=name,
            phase=phase,
            title=title,
            published=PublishedType(name=named[0], percent=named[1], table=named[2]) if named else None,
        )
        for phase, name, title, named in _TABLE
    }
