"""BLEU and ROUGE-L: known values; the long test sets them beside sacrebleu and rouge-score."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.benchmarks.mlrb.trusted.overlap import bleu, rouge_l, words_13a

texts = st.text("ab c.,1", max_size=30)


def test_rouge_l_counts_the_longest_common_run_in_order() -> None:
    assert rouge_l("the cat sat on the mat", "the cat is on the mat") == pytest.approx(10 / 12)
    assert rouge_l("The CAT!", "the cat") == 1.0
    assert rouge_l("", "the cat") == 0.0


def test_bleu_splits_signs_from_words() -> None:
    assert words_13a("It's 1,000.5, (no?)") == ["It's", "1,000.5", ",", "(", "no", "?", ")"]


@settings(max_examples=50, deadline=None)
@given(texts, texts)
def test_both_stay_within_bounds_and_rouge_is_symmetric(one: str, other: str) -> None:
    assert 0 <= rouge_l(one, other) == rouge_l(other, one) <= 1
    assert 0 <= bleu([one], [other]) <= 100.000001


@settings(max_examples=50, deadline=None)
@given(st.lists(st.sampled_from(["ab", "bc", "cd", "de", "ef"]), min_size=4, max_size=20))
def test_a_text_is_its_own_best_match(words: list[str]) -> None:
    text = " ".join(words)
    assert bleu([text], [text]) == pytest.approx(100)
    assert rouge_l(text, text) == 1
