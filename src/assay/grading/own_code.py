"""The item about code of a submission's own in experiments that a judge reads: does it fix the outcome?"""

from __future__ import annotations

from assay.grading.judge.material import CODE, own_files
from assay.grading.verdict import Verdict
from assay.rules.ruling import met, unread
from assay.tasks import Task
from assay.workspace import Submission

ITEM = "integrity.method"


def ask_about_method(task: Task, submission: Submission) -> list[Verdict]:
    """The item before a reader reads it; none if checks decide all requirements of the task."""
    requirements = task.requirements.requirement if task.requirements else []
    if task.assay.run is None or all(requirement.check is not None for requirement in requirements):
        return []
    own_paths = [
        path for path in own_files(task, submission) if submission.files[path] != task.gold_files.get(path)
    ]
    if not own_paths and not removed_code(task, submission):
        return [Verdict.of(met(ITEM, "all code is given or the solution's own"))]
    return [Verdict.of(unread(ITEM, "only a reader can say whether the submission's code fixes the outcome"))]


def removed_code(task: Task, submission: Submission) -> list[str]:
    """The given programs that a submission removed."""
    return sorted(
        path for path in submission.deleted if path in task.workspace and path.lower().endswith(CODE)
    )
