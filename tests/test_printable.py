"""Text from strangers that a terminal prints without obeying it and a reader does not mistake."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assay.printable import spelled_out, unmistakable, with_marks

MARK = re.compile("⟨(?:CR|LF|U\\+[0-9A-F]{4,6}|byte [0-9A-F]{2})⟩")
LETTERS = st.text(st.characters(exclude_categories=[]), max_size=20)


@given(LETTERS)
def test_control_characters_are_spelled_out(text: str) -> None:
    assert spelled_out(text).isprintable()
    assert spelled_out(text, "\n\t").replace("\n", "").replace("\t", "").isprintable()


@given(LETTERS, LETTERS)
@example("s\u0441ore", "score")
@example("mode\ufe00", "mode")
@example("C:\\bench\reps", "C:\\bench\\reps")
@example("\u0441", "\\u0441")
@example("\r", "⟨CR⟩")
@example("\udce9", "⟨byte E9⟩")
def test_texts_that_differ_stay_different(one: str, other: str) -> None:
    for kept in ("", "\n\t\r"):
        assert (with_marks(one, kept) == with_marks(other, kept)) == (one == other)
        assert (unmistakable(one, kept) == unmistakable(other, kept)) == (one == other)


@given(LETTERS)
def test_only_marks_have_the_signs_of_marks(text: str) -> None:
    for shown in (with_marks(text), unmistakable(text)):
        assert shown.isprintable()
        assert not set("⟨⟩") & set(MARK.sub("", shown))


def test_signs_that_look_like_those_of_marks_are_marked() -> None:
    assert unmistakable("\u2329CR\u3009") == "⟨U+2329⟩CR⟨U+3009⟩"


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
        ("s\u0441ore", "s⟨U+0441⟩ore"),
        ("\u0441\u043e\u0440\u0435", "⟨U+0441⟩⟨U+043E⟩⟨U+0440⟩⟨U+0435⟩"),
        ("mode\ufe00 = 1", "mode⟨U+FE00⟩ = 1"),
        ("x\u3164y", "x⟨U+3164⟩y"),
        ("e\u0301", "e⟨U+0301⟩"),
        ("\uff41", "⟨U+FF41⟩"),
        ("\U0001d41a", "⟨U+1D41A⟩"),
        ("\ufb01t", "⟨U+FB01⟩t"),
        ("\u217c", "⟨U+217C⟩"),
        ("\ua4d0", "⟨U+A4D0⟩"),
        ("a\u200bb", "a⟨U+200B⟩b"),
        ("\u0261ain", "⟨U+0261⟩ain"),
        ("\u1d0fpen", "⟨U+1D0F⟩pen"),
        ("step\u2010size", "step⟨U+2010⟩size"),
        ("x\u2212y", "x⟨U+2212⟩y"),
        ("a\uff0db", "a⟨U+FF0D⟩b"),
        ("a\u2236b", "a⟨U+2236⟩b"),
        ("a\u037e", "a⟨U+037E⟩"),
    ],
)
def test_letters_that_nobody_can_tell_apart_are_spelled_out(text: str, seen: str) -> None:
    assert unmistakable(text) == seen
