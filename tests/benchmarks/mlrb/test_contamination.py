"""Evaluation text is found in a submission, however it is laid out; other text is not."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from assay.benchmarks.mlrb.trusted.contamination import check, hits, index

QUESTION = (
    "A farmer keeps seventeen brown hens and four geese behind the mill; how many birds does she feed at dawn"
)
SENTENCE = "Who should Derek hug after shocking Richard?"
INDEX = index([QUESTION, SENTENCE, "Too short to count"])


def test_a_run_of_a_long_item_and_a_whole_short_one_are_found_with_their_place() -> None:
    texts = {
        "train.py": f"DATA = [\n  '{SENTENCE}'.split()]",
        "notes.md": f"# Notes\n{QUESTION.upper()[:90]}",
        "clean.py": "import torch",
    }
    rule = check(texts, INDEX)
    assert not rule["met"]
    assert "2 of 3 evaluation items stand in train.py: 1, such as 'who should derek hug" in rule["evidence"]
    assert "notes.md: 1" in rule["evidence"]
    assert check(texts, INDEX, allowed=2)["met"]


def test_layout_does_not_hide_it() -> None:
    words = [f'"{word}"' for word in SENTENCE.strip("?").split()]
    assert set(hits("[" + ",\n".join(words) + "]", INDEX)) == {1}


def test_twelve_words_in_common_are_no_hit() -> None:
    assert not hits(" ".join(QUESTION.split()[:12]) + " and nothing more", INDEX)
    assert check({"a.py": "too short to count"}, INDEX)["met"]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.sampled_from(["a", "bc", "def", "ghi", "jklm"]), max_size=40), st.integers(0, 30))
def test_every_long_enough_part_of_an_item_is_found_and_nothing_else(words: list[str], at: int) -> None:
    item = [f"word{number}" for number in range(20)]
    known = index([" ".join(item)])
    assert not hits(" ".join(words), known)
    assert set(hits(" ".join([*words[:at], *item[3:16], *words[at:]]), known)) == {0}
