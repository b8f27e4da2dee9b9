"""A proof builds and scores a workspace once, and only where nothing that the result depends on differs."""

from __future__ import annotations

from pathlib import Path

from assay.grading import Grade, grade_now
from assay.grading.kept_results import KeptResults, always_built
from assay.run_context import new_run
from assay.tasks import Task
from assay.workspace import Submission
from tests.grading.test_challenge import challenge

LUCK = b"""n=$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')
echo "{\\"score\\": 0.1$n, \\"honest\\": true}" > made.json
"""
"""A build whose score is another one each time."""
FIXED = b"""echo '{"score": 0.5, "honest": true}' > made.json\n"""
EVALUATE = b"""import json, os, random
score = 0.5 + random.SystemRandom().random() / 10
rules = {"handed-in": {"met": not os.path.isfile("submission/notes.py"), "evidence": "looked for notes.py"}}
json.dump({"score": score, "standard_error": 0.0, "rules": rules}, open("report.json", "w"))
"""


def graded(task: Task, folder: Path | None, **files: bytes) -> Grade:
    """The grade of a submission with these files, in a run that keeps its results in a folder."""
    submission = {name.replace("_", "."): data for name, data in files.items()}
    with new_run(KeptResults(folder)):
        return grade_now(task, Submission(submission))


def test_the_same_workspace_is_built_once_and_the_evidence_says_so(tmp_path: Path) -> None:
    task = challenge(reference=0.1)
    first, second = (graded(task, tmp_path, build_sh=LUCK) for _ in range(2))
    assert first.score == second.score
    assert all(verdict.evidence.startswith("as for the same workspace") for verdict in second.verdicts[-2:])
    assert second.passed


def test_another_file_another_task_and_a_run_that_keeps_nothing_are_built(tmp_path: Path) -> None:
    task, other = challenge(reference=0.1), challenge(reference=0.101)
    grades = [
        graded(task, tmp_path, build_sh=LUCK),
        graded(task, tmp_path, build_sh=LUCK, notes_py=b""),
        graded(other, tmp_path, build_sh=LUCK),
        graded(task, None, build_sh=LUCK),
    ]
    assert len({grade.score for grade in grades}) == 4


def test_a_new_file_that_does_not_count_is_the_same_workspace(tmp_path: Path) -> None:
    plain = challenge(reference=0.1)
    rules = plain.assay.submission.model_copy(update={"code_only": True})
    table = plain.assay.model_copy(update={"submission": rules})
    metadata = plain.config.metadata.model_copy(update={"assay": table})
    task = plain.model_copy(update={"config": plain.config.model_copy(update={"metadata": metadata})})
    first, second = (
        graded(task, tmp_path, build_sh=LUCK),
        graded(task, tmp_path, build_sh=LUCK, notes_txt=b""),
    )
    assert first.score == second.score


def test_what_is_always_built_is_built_and_counts_for_others(tmp_path: Path) -> None:
    task = challenge(reference=0.1)
    with always_built():
        first, second = (graded(task, tmp_path, build_sh=LUCK) for _ in range(2))
    assert first.score != second.score
    assert graded(task, tmp_path, build_sh=LUCK).score in (first.score, second.score)


def test_equal_artefacts_are_evaluated_once_only_if_the_evaluator_sees_nothing_else(tmp_path: Path) -> None:
    for alone in (True, False):
        task = challenge(reference=0.5, evaluates_artefacts_only=alone)
        task = task.model_copy(update={"tests": {"evaluate.py": EVALUATE}})
        first = graded(task, tmp_path, build_sh=FIXED)
        second = graded(task, tmp_path, build_sh=FIXED, notes_py=b"")
        assert (first.score == second.score) is alone
        assert second.passed is alone, "the evaluator of artefacts alone sees no notes.py"
