"""Code of a submission's own in experiments whose code a reader reads: does it fix the outcome?

A reader can only answer for what it sees. So files that nobody can read do not take part in the run. A run
that needs them has to make them itself.
"""

from __future__ import annotations

from assay.grading.verdict import Verdict
from assay.rules.programs import OTHER_CODE, PYTHON, SETTINGS
from assay.rules.ruling import met, unread
from assay.tasks import Task
from assay.workspace import Submission

ITEM = "integrity.method"
CODE = (*PYTHON, *OTHER_CODE, *SETTINGS)
"""Files in which code may stand by their names. A long one runs, and leaves items unknown."""
STATED = ("design.json", "conclusion.json")
MOST_NAMED = 5
LONGEST_DATA = 40_000
"""Bytes of one file without code that are shown to a reader of all text."""


def is_read(task: Task) -> bool:
    """Whether a reader decides about the code of a task, because some requirement has no check."""
    requirements = task.requirements.requirement if task.requirements else []
    return task.assay.run is not None and any(requirement.check is None for requirement in requirements)


def ask_about_method(task: Task, submission: Submission) -> list[Verdict]:
    """The item before a reader reads it; none if checks decide all requirements of the task."""
    if not task.assay.run or not is_read(task):
        return []
    has_own_names = submission.deleted or submission.folders or submission.links or submission.executable
    if not has_own_names and not _unlike_solution(task, submission):
        return [Verdict.of(met(ITEM, "all code is given or the solution's own"))]
    reason = "only a reader can say whether the submission's code fixes the outcome"
    return [Verdict.of(unread(ITEM, reason + left_out(task, submission)))]


def own_files(task: Task, submission: Submission) -> list[str]:
    """The files that a submission changed or added, without its statements and what a run writes."""
    written = set(task.assay.run.written) if task.assay.run else set()
    return [
        path
        for path, data in submission.files.items()
        if path not in STATED and path not in written and task.workspace.get(path) != data
    ]


def without_reader(task: Task, submission: Submission) -> list[str]:
    """The files that nobody can read, where a reader decides; they do not take part in the run."""
    if not is_read(task):
        return []
    return [
        path for path in _unlike_solution(task, submission) if _is_unreadable(path, submission.files[path])
    ]


def left_out(task: Task, submission: Submission) -> str:
    """The end of a sentence that names files which did not take part in the run; empty if there are none."""
    paths = without_reader(task, submission)
    names = ", ".join(paths[:MOST_NAMED]) + (
        f" and {len(paths) - MOST_NAMED} more" if paths[MOST_NAMED:] else ""
    )
    return f"; not part of the run, because nobody can read them: {names}" if paths else ""


def _unlike_solution(task: Task, submission: Submission) -> list[str]:
    return [
        path for path in own_files(task, submission) if submission.files[path] != task.gold_files.get(path)
    ]


def _is_unreadable(path: str, data: bytes) -> bool:
    return not path.lower().endswith(CODE) and (b"\0" in data or len(data) > LONGEST_DATA)
