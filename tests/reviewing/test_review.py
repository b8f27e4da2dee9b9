"""A review without its page: decisions, independence, undo, what flows back, and what a kill leaves."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import assay
from assay.errors import ReviewConflict, ReviewUnwritten, UsageError
from assay.reviewing import Review, ReviewRequest, open_review, summarise
from assay.reviewing.measures import minutes_of
from assay.reviewing.opening import find_review
from assay.reviewing.trail import TrailEvent
from assay.tasks.review_items import Choice
from tests.reviewing.small_curation import FIELDS, TASK, draft, drafts_of, write_curation


def _open(folder: Path, *reviewers: str, reviewer_count: int | None = None) -> Review:
    return open_review(find_review(ReviewRequest(folder, reviewers, reviewer_count)), reviewers)


def _decide(
    review: Review, reviewer: str, field: str, choice: Choice, value: str = "", reason: str = ""
) -> None:
    review.decide(reviewer, (TASK, field), review.field(TASK, field).digest, choice, value, reason)


def _settle(
    review: Review, reviewer: str, field: str, choice: Choice, value: str = "", reason: str = ""
) -> None:
    review.settle(reviewer, (TASK, field), review.field(TASK, field).digest, choice, value, reason)


def test_every_part_of_a_draft_is_a_field_with_its_evidence(tmp_path: Path) -> None:
    review = _open(write_curation(tmp_path), "ann")
    assert [field for _, field in review.fields] == FIELDS
    evidence = review.evidence(TASK, "number:median.error")
    table = next(panel for panel in evidence.left if panel.kind == "table")
    assert [table.rows[row][column] for row, column in table.marked] == ["0.1161"]
    output = next(panel for panel in evidence.right if panel.kind == "code")
    assert [output.lines[line - 1] for line in output.marked] == ["Median: error = 0.1161"]
    method = review.evidence(TASK, "method")
    assert [panel.marks != [] for panel in method.left if panel.kind == "text"] == [True, False]
    code = next(panel for panel in method.right if panel.kind == "code")
    assert (code.lines[0], code.marked) == ('"""Measures the error of two estimators."""', [1])


def test_one_reviewer_alone_changes_the_file_at_once_and_undo_restores_its_bytes(
    tmp_path: Path,
) -> None:
    folder = write_curation(tmp_path)
    before = (folder / "6-drafts.json").read_bytes()
    review = _open(folder, "ann", reviewer_count=1)

    _decide(review, "ann", "question", "accept")
    assert (folder / "6-drafts.json").read_bytes() == before
    _decide(review, "ann", "title", "edit", "Error of two estimators")
    _decide(review, "ann", "claim:compare-error", "reject", reason="the paper does not compare them")

    (changed,) = drafts_of(folder)
    assert changed["title"]["value"] == "Error of two estimators"
    assert changed["title"]["source"] == "person"
    assert changed["claims"] == []
    assert review.undo("ann") == (TASK, "claim:compare-error")
    assert review.undo("ann") == (TASK, "title")
    assert (folder / "6-drafts.json").read_bytes() == before


def test_two_reviewers_see_nothing_of_each_other_until_both_have_decided(tmp_path: Path) -> None:
    folder = write_curation(tmp_path)
    before = (folder / "6-drafts.json").read_bytes()
    review = _open(folder, "ann", "bob")

    _decide(review, "ann", "title", "edit", "Another title")
    state = review.states()[TASK, "title"]
    assert state.status("bob", 2) == "open"
    assert state.status("ann", 2) == "waiting"
    assert (folder / "6-drafts.json").read_bytes() == before

    _decide(review, "bob", "title", "accept")
    assert review.states()[TASK, "title"].status("bob", 2) == "different"
    assert (folder / "6-drafts.json").read_bytes() == before
    with pytest.raises(ReviewConflict, match="both reviewers have decided"):
        _decide(review, "bob", "title", "edit", "Another title")
    with pytest.raises(ReviewConflict, match="your independent decision stays"):
        review.undo("bob")

    _settle(review, "bob", "title", "edit", "Another title")
    assert drafts_of(folder)[0]["title"]["value"] == "Another title"
    assert review.undo("bob") == (TASK, "title")
    assert (folder / "6-drafts.json").read_bytes() == before


def test_agreement_counts_independent_decisions_and_settling_does_not_change_it(tmp_path: Path) -> None:
    folder = write_curation(tmp_path)
    review = _open(folder, "ann", "bob")
    for field in FIELDS:
        _decide(review, "ann", field, "accept")
    for field in FIELDS[:6]:
        _decide(review, "bob", field, "accept")
    for field in FIELDS[6:]:
        _decide(review, "bob", field, "reject", reason="wrong")
    _settle(review, "ann", "workspace", "accept")

    summary = assay.review_summary(folder)

    by_kind = {row.kind: row for row in summary.agreement}
    assert (by_kind["all"].same_decisions.count, by_kind["all"].same_decisions.of) == (6, 8)
    assert by_kind["all"].kappa == 0.0
    assert by_kind["text"].kappa is None
    assert by_kind["number"].same_decisions.count == 2
    assert (summary.final, summary.choices) == (7, {"accept": 7, "edit": 0, "reject": 0})
    assert summary.tasks[0].different == 1
    assert summary == summarise(review)


def test_minutes_are_the_time_between_events_and_a_long_pause_counts_as_one_minute() -> None:
    start = datetime(2026, 1, 1, tzinfo=UTC)

    def event(number: int, second: float, task: str, name: str = "opened") -> TrailEvent:
        at = start + timedelta(seconds=second)
        fields = {"number": number, "at": at, "reviewer": "ann", "event": name, "task": task}
        return TrailEvent.model_validate(fields)

    events = [
        event(1, 0, "first"),
        event(2, 30, "first", "active"),
        event(3, 3630, "first", "decided"),
        event(4, 3645, "second"),
        event(5, 3660, "second", "decided"),
    ]
    assert minutes_of(events) == {("ann", "first"): 1.75, ("ann", "second"): 0.25}


def test_everything_is_there_again_after_a_restart_and_a_torn_line_is_reported(tmp_path: Path) -> None:
    folder = write_curation(tmp_path)
    review = _open(folder, "ann", reviewer_count=1)
    _decide(review, "ann", "title", "edit", "Error of two estimators")
    trail = folder / "review" / "trails" / "ann.jsonl"
    trail_before = trail.read_bytes()
    trail.write_bytes(trail_before + b'{"number":99,"at":"2026-01-01T00:0')

    summary = assay.review_summary(folder)
    assert summary.final == 1
    assert "the last line was torn" in summary.notes[0]
    reopened = _open(folder, "ann")
    _decide(reopened, "ann", "question", "accept")

    assert trail.read_bytes().startswith(trail_before)
    assert assay.review_summary(folder).notes == []
    assert assay.review_summary(folder).final == 2


def test_a_changed_line_in_the_middle_of_a_trail_is_an_error(tmp_path: Path) -> None:
    folder = write_curation(tmp_path)
    _decide(_open(folder, "ann", reviewer_count=1), "ann", "title", "accept")
    trail = folder / "review" / "trails" / "ann.jsonl"
    lines = trail.read_text().splitlines()
    trail.write_text("\n".join(["nonsense", *lines[1:]]) + "\n")
    with pytest.raises(UsageError, match="line 1 is not an event"):
        assay.review_summary(folder)


def test_a_server_killed_before_it_wrote_the_file_writes_it_at_its_next_start(
    tmp_path: Path,
) -> None:
    folder = write_curation(tmp_path)
    before = (folder / "6-drafts.json").read_bytes()
    _decide(_open(folder, "ann", reviewer_count=1), "ann", "title", "edit", "Error of two estimators")
    (folder / "6-drafts.json").write_bytes(before)

    _open(folder, "ann")

    assert drafts_of(folder)[0]["title"]["value"] == "Error of two estimators"


def test_a_field_that_changed_outside_is_open_again_and_the_others_stay_decided(tmp_path: Path) -> None:
    folder = write_curation(tmp_path)
    review = _open(folder, "ann", reviewer_count=1)
    _decide(review, "ann", "title", "accept")
    _decide(review, "ann", "question", "accept")
    changed = draft(title="Made reopened from a new paper")
    (folder / "6-drafts.json").write_text(json.dumps({"tasks": [changed]}))

    reopened = _open(folder, "ann")

    statuses = {field: state.status("ann", 1) for (_, field), state in reopened.states().items()}
    assert (statuses["title"], statuses["question"]) == ("open", "decided")


def test_a_decision_is_kept_if_the_file_cannot_be_changed_and_flows_back_later(tmp_path: Path) -> None:
    folder = write_curation(tmp_path)
    before = (folder / "6-drafts.json").read_bytes()
    review = _open(folder, "ann", reviewer_count=1)
    (folder / "6-drafts.json").write_text("half a fi")
    with pytest.raises(ReviewUnwritten, match="your decision is recorded"):
        _decide(review, "ann", "title", "edit", "A better title")
    with pytest.raises(UsageError, match=r"6-drafts.json \[the whole file\]"):
        _open(folder, "ann")
    (folder / "6-drafts.json").write_bytes(before)

    _open(folder, "ann")

    assert drafts_of(folder)[0]["title"]["value"] == "A better title"


REFUSED: list[tuple[str, Choice, str, str, str]] = [
    ("title", "reject", "", " ", "a rejection needs a reason"),
    ("title", "edit", "Absolute error", "", "the same as before"),
    ("title", "edit", "  ", "", "the field is empty"),
    ("variable:SIZE", "edit", '{"name": "SIZE"}', "", "role"),
    ("claim:compare-error", "edit", "not JSON", "", "the whole text"),
    ("number:median.error", "edit", "-1", "", "a tolerance is a number from 0 on"),
    ("number:median.error", "edit", "x", "", "is not a number"),
]


@pytest.mark.parametrize(("field", "choice", "value", "reason", "message"), REFUSED)
def test_a_decision_that_cannot_be_is_refused_and_changes_nothing(
    tmp_path: Path, field: str, choice: Choice, value: str, reason: str, message: str
) -> None:
    folder = write_curation(tmp_path)
    review = _open(folder, "ann", reviewer_count=1)
    with pytest.raises(ReviewConflict, match=message):
        _decide(review, "ann", field, choice, value, reason)
    assert review.outcomes() == {}


def test_bad_names_and_a_third_reviewer_are_refused(tmp_path: Path) -> None:
    folder = write_curation(tmp_path)
    with pytest.raises(UsageError, match="cannot be the name of a reviewer"):
        _open(folder, "../../ann")
    _decide(_open(folder, "ann"), "ann", "title", "accept")
    _decide(_open(folder, "bob"), "bob", "title", "accept")
    with pytest.raises(UsageError, match="for 2 reviewers, and there would be 3: ann, bob, eve"):
        _open(folder, "eve")
    with pytest.raises(UsageError, match="this review is for 1 reviewer"):
        _open(folder, "ann", reviewer_count=1)
