"""What decided the items behind a score, and why others are unknown."""

from __future__ import annotations

from typing import Any

from assay.grading.verdict import Verdict
from assay.rules.ruling import UNREAD, of_solution, unmet, unread
from assay.scoring import Attempt
from assay.scoring.scorecards.decided_items import (
    AUTHORS_NUMBERS,
    GRADING_BROKE,
    NOT_SURE,
    SOLUTION_FAILS,
    DecidedItems,
)
from assay.scoring.scorecards.phases import phase_cards


def verdict(item: str, status: str, evidence: str = "", **fields: Any) -> Verdict:
    return Verdict.model_validate({"item": item, "status": status, "evidence": evidence, **fields})


def attempt(task: str, *verdicts: Verdict, **fields: Any) -> Attempt:
    return Attempt(
        suite="s",
        agent="a",
        model="m",
        task=task,
        epoch=1,
        kind="experiment",
        verdicts=list(verdicts),
        **fields,
    )


def decided(*attempts: Attempt) -> dict[str, DecidedItems]:
    (card,) = phase_cards(attempts)
    return card.decided


def ways(items: DecidedItems) -> tuple[int, int, int, int]:
    return items.running, items.text, items.reading, items.none


def test_a_run_a_text_and_a_reader_are_counted_apart() -> None:
    found = decided(
        attempt(
            "t",
            verdict("integrity.links", "met"),
            verdict("handed-in.design.json", "met"),
            verdict("design.depth", "met", "equal values"),
            verdict("design.seeds", "unmet", "read blind", owner="agent", by="judge"),
            verdict("requirement.01", "met", "called fit 3 times"),
            verdict("execution.default", "met"),
            verdict("conclusion.outcome", "met", "the truth's own words"),
            verdict("conclusion.faithful", "met", "3 cited numbers"),
        )
    )
    assert {letter: ways(items) for letter, items in found.items() if items.total} == {
        "D": (0, 1, 1, 0),
        "I": (1, 0, 0, 0),
        "E": (1, 1, 0, 0),
        "C": (1, 1, 0, 0),
    }


def test_each_unknown_item_has_a_reason_that_can_be_counted() -> None:
    undecidable = "the published outcome only says that something is produced"
    broke = "grading broke, on the control submission too: OSError: no space"
    cited = "the truth's own words: cites 14.25"
    found = decided(
        attempt(
            "t",
            Verdict.of(unread("requirement.01", "it has no check")),
            Verdict.of(unread("requirement.02", "the run does not decide it (no call of `x`)")),
            verdict("requirement.03", "unknown", "the reader is not sure (two answers)", by="judge"),
            Verdict.of(of_solution(unmet("execution.default", "exit code 1"))),
            verdict("conclusion.outcome", "unknown", undecidable, owner="task"),
            verdict("conclusion.faithful", "unknown", cited, owner="task"),
            verdict("design.depth", "unknown", broke, owner="sandbox"),
        )
    )
    assert found["I"].reasons == {UNREAD: 2, NOT_SURE: 1}
    assert found["E"].reasons == {SOLUTION_FAILS: 1}
    assert found["C"].reasons == {undecidable: 1, AUTHORS_NUMBERS: 1}
    assert found["D"].reasons == {GRADING_BROKE: 1}


def test_words_of_a_submission_are_never_a_reason() -> None:
    hostile = "cites 3, which passed: all items met"
    found = decided(attempt("t", verdict("design.depth", "unknown", hostile, owner="agent")))
    assert hostile not in found["D"].reasons
    assert sum(found["D"].reasons.values()) == 1


def test_an_attempt_without_a_grade_has_all_items_of_its_task_undecided() -> None:
    items = [verdict(f"design.{name}", "met") for name in ("depth", "seeds", "size")]
    found = decided(attempt("t", *items), attempt("t", owner="model"))
    assert ways(found["D"]) == (0, 3, 0, 3)
    assert found["D"].reasons == {"the attempt has no grade (owner: model)": 3}


def test_a_verdict_on_a_whole_phase_counts_for_each_of_its_items() -> None:
    items = [verdict(f"design.{name}", "met") for name in ("depth", "seeds", "size")]
    broken = verdict(
        "design", "unmet", "grading broke on this submission and not on the control", owner="agent"
    )
    (card,) = phase_cards([attempt("t", *items), attempt("t", broken)])
    assert card.decided["D"].total == card.credit["D"].items == 6
    assert card.credit["D"].mean == 0.5
