"""A literature task: claims that one passage of a paper decides, graded by exact match."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.curation.literature.claims import LiteratureClaim, make_claims
from assay.curation.literature.corpus import passages_of
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


_CAPTION = "Table 1: Error of the estimates."
_TABLE = """Table {number}: Error of the estimates.

| Estimator | {column} |{more}
|---|---|{line}
| mean | {mean} |{cell}
| median | {median} |{cell}
"""


def _claims_of(folder: Path, text: str) -> list[LiteratureClaim]:
    (folder / "paper.md").write_text(f"# Estimates\n\n{text}")
    return make_claims(passages_of(read_paper(folder / "paper.md")), "seed")


def _table(number: int, mean: float, median: float, column: str = "Error", *, twice: bool = False) -> str:
    added = (f" {column} |", "---|", " 7.5 |") if twice else ("", "", "")
    return _TABLE.format(
        number=number, column=column, mean=mean, median=median, more=added[0], line=added[1], cell=added[2]
    )


def test_two_rows_are_not_compared_if_two_tables_have_them_in_one_column(tmp_path: Path) -> None:
    assert len(_claims_of(tmp_path, _table(1, 0.9, 0.2))) == 1
    assert _claims_of(tmp_path, f"{_table(1, 0.9, 0.2)}\n{_table(2, 0.1, 0.8, 'error')}") == []
    assert len(_claims_of(tmp_path, f"{_table(1, 0.9, 0.2)}\n{_table(2, 0.1, 0.8, 'Bias')}")) == 2


def test_two_rows_are_not_compared_if_two_columns_have_one_name(tmp_path: Path) -> None:
    assert _claims_of(tmp_path, _table(1, 0.9, 0.2, twice=True)) == []


def test_no_two_claims_have_the_same_text(tmp_path: Path) -> None:
    sentence = "The median of all samples has an error of 0.25 in this study."
    assert len(_claims_of(tmp_path, f"{sentence}\n")) == 1
    assert _claims_of(tmp_path, f"{sentence} {sentence}\n") == []


def test_a_sentence_that_the_paper_states_elsewhere_is_not_refuted(tmp_path: Path) -> None:
    sentences = [
        f"The median of all samples has an error of {value} in this study." for value in (1, 2, 3, 4)
    ]
    text = "\n\n".join(sentences)
    claims = _claims_of(tmp_path, f"{text}\n")
    assert claims
    assert all((claim.text in text) == (claim.verdict == "supports") for claim in claims)


def test_the_caption_of_a_table_is_no_passage_and_no_claim_of_its_own(tmp_path: Path) -> None:
    caption = "The errors of both estimators are means of all 64 samples in this study."
    (tmp_path / "paper.md").write_text(f"# Estimates\n\n{_table(1, 0.9, 0.2).replace(_CAPTION, caption)}")
    passages = passages_of(read_paper(tmp_path / "paper.md"))
    assert [(passage.id, passage.title) for passage in passages] == [("t1", caption)]
    assert [claim.passage for claim in make_claims(passages, "seed")] == ["t1"]
    in_text = f"# Estimates\n\nWe add a remark on this. {caption}\n\n{_table(1, 0.9, 0.2)}"
    (tmp_path / "paper.md").write_text(in_text.replace(_CAPTION, caption))
    claims = make_claims(passages_of(read_paper(tmp_path / "paper.md")), "seed")
    assert [claim.passage for claim in claims] == ["t1"]


@pytest.mark.parametrize(
    "other",
    [
        "In this study, an error of 0.25 is what the median of all samples has.",
        "THE MEDIAN of all  samples has an error of 0.25 in this study.",
        "The median of our samples in the study has an error of 25%.",
    ],
)
def test_a_sentence_that_a_second_passage_states_too_is_no_claim(tmp_path: Path, other: str) -> None:
    sentence = "The median of all samples has an error of 0.25 in this study."
    assert _claims_of(tmp_path, f"{sentence}\n\n{other}\n") == []
    claims = _claims_of(tmp_path, f"{sentence}\n\n{other.replace('25', '75')}\n")
    assert "s1.p1" in {claim.passage for claim in claims}


def test_a_sentence_that_a_table_states_too_is_no_claim(tmp_path: Path) -> None:
    sentence = "The median is the estimator with an error of 0.2 in this table here."
    claims = _claims_of(tmp_path, f"{sentence}\n\n{_table(1, 0.9, 0.2)}")
    assert [claim.passage for claim in claims] == ["t1"]


@pytest.mark.parametrize(
    "words",
    [
        "fewer than 60", "at least 64", "well above 20", "at most 9", "no fewer than 18", "about 30",
        "up to 12", "roughly 40", "between five and 7", "more than 90", "under 16", "over 80", "60 or more",
        "≥ 64", "a maximum of 64", "less than 4", "not more than 8",
    ],
)  # fmt: skip
def test_a_sentence_with_a_bound_or_an_approximate_number_is_no_claim(tmp_path: Path, words: str) -> None:
    """With another number it may be true as well: what has fewer than 60 has fewer than 120."""
    assert _claims_of(tmp_path, f"All of our models have {words} million parameters in this study.\n") == []
    assert len(_claims_of(tmp_path, "All of our models have 60 million parameters in this study.\n")) == 1
