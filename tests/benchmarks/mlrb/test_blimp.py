"""BLiMP's pairs, and lists of their words in what is handed in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.benchmarks.mlrb.trusted.blimp import TAUGHT, check_untaught

SHIFT = str.maketrans("0123456789", "abcdefghij")
NOUNS = [f"noun{number:03}".translate(SHIFT) for number in range(60)]


@pytest.fixture
def held(tmp_path: Path) -> Path:
    rows = [{"sentence_good": f"These {noun}s run.", "sentence_bad": f"These {noun} run."} for noun in NOUNS]
    (tmp_path / "agreement.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return tmp_path


def test_a_list_of_words_to_make_sentences_from_is_found_over_all_files(held: Path) -> None:
    half = {"one.py": f"NOUNS = '{' '.join(NOUNS[:30])}'".encode()}
    assert check_untaught(half, held)["met"]
    rule = check_untaught(half | {"two.txt": "\n".join(NOUNS[30:]).upper().encode()}, held)
    assert not rule["met"]
    assert f"60 of the 120 words that pairs turn on stand in the files, at most {TAUGHT}" in rule["evidence"]


def test_words_that_pairs_only_share_do_not_count(held: Path) -> None:
    rule = check_untaught({"train.py": b"# These run. " + NOUNS[0].encode()}, held)
    assert rule["met"]
    assert rule["evidence"].startswith("1 of the 120 words")
