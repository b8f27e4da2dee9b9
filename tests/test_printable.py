"""Text from strangers that a terminal prints without obeying it and a reader does not mistake."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assay.printable import spelled_out, unmistakable

LETTERS = st.text(st.characters(exclude_characters="\\"), max_size=20)


@given(LETTERS)
def test_control_characters_are_spelled_out(text: str) -> None:
    assert spelled_out(text).isprintable()
    assert spelled_out(text, "\n\t").replace("\n", "").replace("\t", "").isprintable()


@given(LETTERS, LETTERS)
@example("s\u0441ore", "score")
@example("mode\ufe00", "mode")
def test_texts_that_differ_stay_different(one: str, other: str) -> None:
    assert (unmistakable(one) == unmistakable(other)) == (one == other)


@given(st.text(st.characters(max_codepoint=126, min_codepoint=32)))
def test_plain_text_stays_as_it_is(text: str) -> None:
    assert unmistakable(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "naïve café",
        "привет, мир",
        "你好，世界",
        "日本語カタカナー",
        "한국어",
        "R² = ½",
        "2010–2020 … “it’s”, 5 × 3 ≤ 20 °C → yes",
        "ηθική",
        "हिन्दी",
        "abc中",
    ],
)
def test_words_of_other_languages_stay_readable(text: str) -> None:
    assert unmistakable(text) == text


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("s\u0441ore", r"s\u0441ore"),
        ("\u0441\u043e\u0440\u0435", r"\u0441\u043e\u0440\u0435"),
        ("mode\ufe00 = 1", r"mode\ufe00 = 1"),
        ("x\u3164y", r"x\u3164y"),
        ("e\u0301", r"e\u0301"),
        ("\uff41", r"\uff41"),
        ("\U0001d41a", r"\U0001d41a"),
        ("\ufb01t", r"\ufb01t"),
        ("\u217c", r"\u217c"),
        ("\ua4d0", r"\ua4d0"),
        ("a\u200bb", r"a\u200bb"),
        ("\u0261ain", r"\u0261ain"),
        ("\u1d0fpen", r"\u1d0fpen"),
        ("step\u2010size", r"step\u2010size"),
        ("x\u2212y", r"x\u2212y"),
        ("a\uff0db", r"a\uff0db"),
        ("a\u2236b", r"a\u2236b"),
        ("a\u037e", r"a\u037e"),
    ],
)
def test_letters_that_nobody_can_tell_apart_are_spelled_out(text: str, seen: str) -> None:
    assert unmistakable(text) == seen
