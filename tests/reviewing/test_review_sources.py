"""The same review for mapped failures and for the annotations of a published benchmark."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import assay
from assay.benchmarks.expbench.annotations import FILE
from assay.errors import ReviewConflict, UsageError
from assay.reviewing import Review, ReviewRequest, open_review
from assay.reviewing.opening import find_review
from assay.tasks.review_items import Choice
from tests.benchmarks.published_experiments import PAPER, write_tasks
from tests.synthetic_logs import write_demo


def _open(request: ReviewRequest) -> Review:
    return open_review(find_review(request), request.reviewers)


def _decide(review: Review, task: str, field: str, choice: Choice, value: str = "", reason: str = "") -> None:
    review.decide("ann", (task, field), review.field(task, field).digest, choice, value, reason)


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_demo(tmp_path_factory.mktemp("logs"))


def test_a_map_of_failures_is_reviewed_beside_the_attempts_that_failed(logs: Path, tmp_path: Path) -> None:
    mapping = tmp_path / "failures.json"
    assay.failures(logs, mapping=mapping)
    before = json.loads(mapping.read_text())["assignments"]
    review = _open(ReviewRequest(mapping, ("ann",), 1, logs=(logs,)))
    assert len(review.fields) == len(before)
    (phase, first), (other_phase, second) = list(review.fields)[:2]

    evidence = review.evidence(phase, first)
    quoted = evidence.left[0]
    assert quoted.kind == "text"
    assert quoted.text == before[first]["quote"]
    attempts = evidence.right[0]
    assert attempts.kind == "table"
    assert attempts.rows
    with pytest.raises(ReviewConflict, match="there is no type 'nonsense'"):
        _decide(review, phase, first, "edit", "nonsense")
    other_type = "grader" if before[first]["type"] != "grader" else "task"
    _decide(review, phase, first, "edit", other_type)
    _decide(review, other_phase, second, "reject", reason="the words say something else")

    after = json.loads(mapping.read_text())["assignments"]
    assert after[first] == {**before[first], "type": other_type, "by": "person"}
    assert set(before) - set(after) == {second}
    assert (tmp_path / "failures.review" / "trails" / "ann.jsonl").is_file()
    # The map that people changed is the one that the next analysis uses.
    types = {insight.fingerprint: insight.type for insight in assay.failures(logs, mapping=mapping).insights}
    assert types[first] == other_type


def test_a_file_that_is_no_map_is_one_clear_line(tmp_path: Path) -> None:
    file = tmp_path / "failures.json"
    file.write_text('{"assignments": 3}')
    with pytest.raises(UsageError, match="is not a mapping of failures"):
        assay.review_summary(file)


def test_annotations_of_a_benchmark_are_reviewed_beside_the_published_record(tmp_path: Path) -> None:
    published = write_tasks(tmp_path / "published")
    folder = tmp_path / "annotations"
    review = _open(ReviewRequest(folder, ("ann",), 1, benchmark="expbench", published=published))
    task = f"{PAPER}/0"
    claim = next(field for name, field in review.fields if name == task and field.startswith("claim:"))

    outcome = review.evidence(task, claim).left[0]
    assert (outcome.title, outcome.evidence) == ("Published outcome", True)
    design = review.evidence(task, "variable:0").right[0]
    assert design.kind == "table"
    assert design.marked[0] == (0, 0)
    _decide(review, task, "decidable", "accept")
    assert not (folder / "annotations.jsonl").exists()
    data = json.loads(review.field(task, claim).value)
    _decide(review, task, claim, "edit", json.dumps({**data, "core": False}))
    with pytest.raises(ReviewConflict):
        _decide(review, task, "variable:0", "edit", '{"role": "king"}')

    shipped, reviewed = FILE.read_text().splitlines(), (folder / "annotations.jsonl").read_text().splitlines()
    changed = [line for line, old_line in zip(reviewed, shipped, strict=True) if line != old_line]
    assert [json.loads(line)["id"] for line in changed] == [task]
    # The folder knows its benchmark from now on.
    assert assay.review_summary(folder).final == 2


def test_annotations_without_the_published_records_say_how_to_get_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    review = _open(ReviewRequest(tmp_path / "annotations", benchmark="expbench"))
    task, field = next(iter(review.fields))
    note = review.evidence(task, field).left[0]
    assert note.kind == "text"
    assert "assay fetch expbench" in note.text
