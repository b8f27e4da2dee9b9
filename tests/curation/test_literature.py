"""A literature task: claims that one passage of a paper decides, graded by exact match."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.curation.literature.task import literature_task
from assay.curation.paper import read_paper
from assay.grading.grader import grade_now
from assay.tasks import Task
from assay.tasks.validation import validate
from assay.workspace import Submission
from tests.curation.made_up import MORE, write_paper


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> Task:
    folder = write_paper(tmp_path_factory.mktemp("literature"), more=MORE)
    made = literature_task(read_paper(folder), "robust means", "seed")
    assert made is not None
    return validate(made)


def test_a_table_or_a_sentence_decides_each_claim(task: Task) -> None:
    claims = json.loads(task.workspace["claims.json"])
    truth = json.loads(task.tests["truth.json"])
    tables = task.workspace["corpus/tables.md"].decode()
    sections = b"\n".join(
        data for path, data in task.workspace.items() if path.startswith("corpus/0")
    ).decode()
    assert {answer["verdict"] for answer in truth.values()} == {"supports", "refutes"}
    for name, claim in claims.items():
        passage, verdict = truth[name]["passage"], truth[name]["verdict"]
        if passage.startswith("t"):
            assert f"[{passage}]" in tables
            numbers = {row: float(tables.split(f"| {row} | ")[1].split()[0]) for row in _rows(claim)}
            first, second = numbers.values()
            assert ((first > second) == (" higher " in claim)) == (verdict == "supports")
        else:
            assert (claim in " ".join(sections.split())) == (verdict == "supports")


def _rows(claim: str) -> list[str]:
    return [part.partition("”")[0] for part in claim.split("“")[2:]]


def test_only_the_exact_passage_and_verdict_count(task: Task) -> None:
    assert grade_now(task, Submission(task.gold_files)).passed
    for variant in ("always-supports", "one-wrong-passage", "word-search"):
        grade = grade_now(task, Submission({**task.gold_files, **task.broken[variant]}))
        assert grade.passed is False, variant
    nonsense = grade_now(task, Submission({"answers.json": b"[1"}))
    assert nonsense.passed is False
    assert any(verdict.item == "rule.form" and verdict.status == "unmet" for verdict in nonsense.verdicts)


def test_a_paper_that_states_nothing_gives_no_task(tmp_path: Path) -> None:
    (tmp_path / "paper.md").write_text("# Words\n\nThere is not much to say about this, and it is said.\n")
    assert literature_task(read_paper(tmp_path / "paper.md"), "words", "seed") is None
