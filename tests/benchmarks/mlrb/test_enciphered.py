"""The cipher over words: it can be undone, keeps what a model learns from, and depends on the seed alone."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.benchmarks.mlrb.trusted.enciphered import (
    BLOCK,
    WORD,
    Cipher,
    blocks,
    draw_texts,
    split_word,
    words_of,
)

LETTERS = st.text("abeinsgdlyu", min_size=1, max_size=5)
"""Few letters, so that stems and endings often meet."""
WORDS = st.builds(str.__add__, LETTERS, st.sampled_from(["", "s", "ed", "ing", "ly"]))
VOCABULARIES = st.sets(WORDS, min_size=1, max_size=40)
TEXTS = st.text("aeinsgABd .,7é'\n", max_size=200)
SEEDS = st.integers(0, 1 << 128)


@given(SEEDS, TEXTS)
def test_what_is_enciphered_can_be_deciphered(seed: int, text: str) -> None:
    cipher = Cipher(seed, words_of([text]))
    assert cipher.decipher(cipher.encipher(text)) == text


@given(SEEDS, VOCABULARIES)
def test_no_two_words_become_the_same(seed: int, words: set[str]) -> None:
    images = Cipher(seed, words).images
    assert set(images) == words
    assert len(set(images.values())) == len(words)


@given(SEEDS, TEXTS)
def test_all_but_letters_stays_and_so_do_lengths_and_capitals(seed: int, text: str) -> None:
    enciphered = Cipher(seed, words_of([text])).encipher(text)
    assert [sign.isupper() for sign in enciphered] == [sign.isupper() for sign in text]
    assert re.sub(WORD, "w", enciphered) == re.sub(WORD, "w", text)
    assert [len(word) for word in WORD.findall(enciphered)] == [len(word) for word in WORD.findall(text)]


@given(SEEDS, VOCABULARIES)
def test_words_with_the_same_stem_stay_alike_and_so_do_words_with_the_same_ending(
    seed: int, words: set[str]
) -> None:
    images = Cipher(seed, words).images
    stems: dict[str, set[str]] = {}
    endings: dict[str, set[str]] = {}
    for word, image in images.items():
        stem, ending = split_word(word)
        stems.setdefault(stem, set()).add(image[: len(stem)])
        endings.setdefault(ending, set()).add(image[len(stem) :])
    assert all(len(images_of_one) == 1 for images_of_one in [*stems.values(), *endings.values()])


@given(SEEDS, VOCABULARIES)
def test_the_same_seed_and_words_in_any_order_give_the_same_cipher(seed: int, words: set[str]) -> None:
    assert Cipher(seed, sorted(words)).images == Cipher(seed, sorted(words, reverse=True)).images


def test_another_seed_gives_another_cipher() -> None:
    words = {f"{a}{b}{c}" for a in "bdf" for b in "aei" for c in "lmn"}
    assert len({tuple(Cipher(seed, words).images.values()) for seed in range(20)}) == 20


def test_a_word_outside_the_vocabulary_is_an_error_and_not_passed_on() -> None:
    with pytest.raises(KeyError, match="secret"):
        Cipher(1, {"known"}).encipher("known secret")


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("boys", ("boy", "s")),
        ("running", ("runn", "ing")),
        ("noticed", ("notic", "ed")),
        ("badly", ("bad", "ly")),
        ("this", ("this", "")),
        ("glass", ("glass", "")),
        ("is", ("is", "")),
        ("as", ("as", "")),
    ],
)
def test_a_word_is_split_into_stem_and_ending(word: str, parts: tuple[str, str]) -> None:
    assert split_word(word) == parts


def test_half_of_the_blocks_are_drawn_whole_and_in_another_order() -> None:
    lines = [f"line {'abcdefghij'[number // 100 % 10]}{number} of many words\n" for number in range(3000)]
    text = "".join(lines)
    cipher, drawn = draw_texts(3, {"one": text})
    whole = list(blocks(text))
    kept = list(blocks(cipher.decipher(drawn["one"])))
    assert all(len(block) >= BLOCK for block in whole[:-1])
    assert len(kept) == (len(whole) + 1) // 2
    assert Counter(kept) <= Counter(whole)
    places = [whole.index(block) for block in kept]
    assert places != sorted(places)


def test_hidden_texts_get_the_cipher_of_the_texts() -> None:
    cipher, drawn = draw_texts(3, {"one": "A boy runs.\n"}, ["These boys run."])
    assert drawn["one"] == cipher.encipher("A boy runs.\n")
    assert cipher.encipher("These boys")[-4:-1] == cipher.encipher("A boy")[-3:]
