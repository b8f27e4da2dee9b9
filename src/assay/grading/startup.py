"""What of a submission would run before the experiment, asked of its task and of the task's environment."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from assay.grading.merging import merge
from assay.rules.importing import environment_at
from assay.rules.ruling import Ruling
from assay.rules.startup import Layout, grade_startup
from assay.tasks import Task
from assay.workspace import Submission


def before_the_experiment(task: Task, submission: Submission, environment: Path | None = None) -> Ruling:
    """The item `integrity.startup`; without an environment only the task's requirements are known."""
    merged = merge(task, submission).files
    layout = Layout(
        given_files=task.workspace,
        submitted={path: data for path, data in submission.files.items() if path in merged},
        paths=merged,
        unchanged={path for path, data in task.workspace.items() if merged.get(path) == data},
        commands=list(_commands(task)),
        has_fixed_files=task.assay.submission.editable is not None,
    )
    installed = environment_at(environment) if environment is not None else None
    return grade_startup(layout, installed, _required(task))


def _required(task: Task) -> set[str]:
    aliases = {"scikit_learn": "sklearn", "pillow": "PIL", "pyyaml": "yaml", "opencv_python": "cv2"}
    names = {_requirement(requirement) for requirement in task.assay.requirements}
    return names | {aliases[name] for name in names if name in aliases}


def _requirement(line: str) -> str:
    end = next((place for place, sign in enumerate(line) if sign in "[<>=!~ ;@"), len(line))
    return line[:end].lower().replace("-", "_")


def _commands(task: Task) -> Iterator[str]:
    run, challenge = task.assay.run, task.assay.challenge
    if run is not None:
        yield run.command
    for variation in task.assay.variations:
        yield variation.command or ""
    if challenge is not None:
        yield challenge.build or ""
        yield challenge.serve or ""
