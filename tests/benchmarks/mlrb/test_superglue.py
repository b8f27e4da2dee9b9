"""The three tasks that only the full tier asks: which answer is right, and what an entity is worth."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from assay.benchmarks.mlrb.trusted.superglue import multirc, record, token_f1
from tests.benchmarks.mlrb.full_stand_ins import GLUE


def test_yes_is_right_where_the_label_says_that_the_answer_is() -> None:
    first, second = multirc(GLUE["MultiRC"][0])
    assert first.answers[first.right].endswith("Bob\nIs the answer correct? yes")
    assert second.answers[second.right].endswith("Eve\nIs the answer correct? no")


def test_an_entity_stands_in_the_query_and_is_worth_its_likeness_to_an_answer() -> None:
    (first, _) = record(GLUE["ReCoRD"][0])
    assert first.entities == ("Ann", "Bob", "Rome")
    assert first.choices()[1] == "  - Bob was seen by Ann"
    assert first.context == "Ann met Bob in Rome.\n\n  - They were happy in the old town.\n"
    assert first.worth() == [0, 1, 0]


def test_case_articles_and_punctuation_do_not_count() -> None:
    assert token_f1("The White House!", "white house") == 1
    assert token_f1("House of Lords", "the House") == 0.5
    assert token_f1("the", "Rome") == 0


@given(st.text(max_size=30), st.text(max_size=30))
def test_f1_is_a_share_and_the_same_both_ways(one: str, other: str) -> None:
    assert 0 <= token_f1(one, other) <= 1
    assert token_f1(one, other) == token_f1(other, one)
    assert token_f1(one, one) == 1
