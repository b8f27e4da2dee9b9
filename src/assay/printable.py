"""Text from strangers, so that a terminal can print it without obeying it and a reader cannot mistake it."""

from __future__ import annotations

import re
import unicodedata
from typing import Annotated

from pydantic import AfterValidator

_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\U0001d159\U000e0100-\U000e01ef]"
)
"""Characters that Python calls printable and that nobody sees: fillers and selectors of variants."""
_WORD = re.compile("([A-Za-z0-9_\u0080-\U0010ffff]+)")
_SCRIPTS: tuple[str, ...] = (
    "LATIN",
    "CYRILLIC",
    "GREEK",
    "ARMENIAN",
    "GEORGIAN",
    "HEBREW",
    "ARABIC",
    "DEVANAGARI",
    "BENGALI",
)
_SCRIPTS += ("TAMIL", "TELUGU", "THAI", "HANGUL", "CJK", "HIRAGANA", "KATAKANA")
"""Scripts that many people write. Letters of all others are spelled out."""
_NEAR_LATIN = ("CYRILLIC", "GREEK", "ARMENIAN")
_LIKE_LATIN = frozenset(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0455\u0456\u0458\u04bb\u04cf\u0501\u051b\u051d"
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425\u0405\u0406\u0408\u04c0"
    "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7"
    "\u03b1\u03b3\u03b9\u03ba\u03bd\u03bf\u03c1\u03c5\u03c7\u0585\u0578\u057d\u0570"
)
"""Letters of other scripts that look like Latin ones."""
_LIKE_PLAIN_LATIN = re.compile(
    "[\u0131\u0237\u0250-\u02af\u1d00-\u1dbf\u2c60-\u2c7f\ua720-\ua7ff\uab30-\uab6f]"
)
"""Latin letters for phonetics and rare ones, many of which look like the usual ones."""
_LIKE_SIGNS = frozenset(
    "\u02d7\u05be\u05c0\u05c3\u05f3\u05f4\u066a\u066d\u06d4\u1400\u2010\u2011\u2012\u2015\u201a\u201b\u201f\u2032"
    "\u2033\u2035\u2039\u203a\u2043\u2044\u204e\u2053\u205a\u2212\u2215\u2216\u2217\u2223\u2236\u223c\u2500\u2502"
    "\u2571\u2572\u2768\u2769\u276e\u276f\u2774\u2775\u29f5\u29f8\u29f9\u2e3a\u2e40\u30a0\ua4f8\ua4fa\ua789\ua78c"
    "\u2329\u232a\u276c\u276d\u2991\u2992\u29fc\u29fd\u3008\u3009"
)
"""Signs that look like those on a keyboard, like another dash or quotation mark, or like those of marks."""
_NAMED = {"\r": "CR", "\n": "LF"}
_BYTE = range(0xDC80, 0xDD00)
"""Characters that Python puts in the place of bytes that are no text (`surrogateescape`)."""


def encodable(text: str) -> str:
    """The same text with half characters as escapes, such as \\ud83d."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode(errors="backslashreplace").decode()
    return text


def spelled_out(text: str, kept: str = "") -> str:
    """Return the text with control characters and half characters spelled out, but for those in `kept`."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() or letter in kept else _spell(letter) for letter in text)


def as_mark(content: str) -> str:
    """Return a mark, such as ⟨CR⟩, that no text has after `with_marks` except where it was put in."""
    return f"⟨{content}⟩"


def with_marks(text: str, kept: str = "") -> str:
    """Return the text with marks in place of control characters, but for those in `kept`.

    Unlike a backslash, a mark cannot be part of the text: signs that begin or end marks become marks too.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_marked(letter) if _needs_mark(letter, kept) else letter for letter in text)


def unmistakable(text: str, kept: str = "") -> str:
    """Return the text so that two texts that differ also look different, as far as letters can.

    Besides control characters, it marks characters that nobody sees and letters that look like others: in a
    word with Latin letters those of other scripts, and words of nothing but letters like Latin ones. Of
    signs, it marks those that look like a sign on a keyboard.
    """
    if text.isascii():
        return with_marks(text, kept)
    pieces = _WORD.split(text)
    pieces[::2] = [with_marks(piece, kept) for piece in pieces[::2]]
    pieces[1::2] = [_plain_word(word) for word in pieces[1::2]]
    return "".join(pieces)


def _plain_word(word: str) -> str:
    if word.isascii():
        return word
    scripts = {_script(letter) for letter in word if letter.isalpha()}
    is_mixed = "LATIN" in scripts and len(scripts) > 1
    looks_latin = all(letter in _LIKE_LATIN or not letter.isalpha() for letter in word)
    return "".join(
        _marked(letter)
        if _needs_mark(letter) or _is_mistakable(letter, before, is_mixed or looks_latin)
        else letter
        for before, letter in zip(" " + word, word, strict=False)
    )


def _is_mistakable(letter: str, before: str, is_strange_word: bool) -> bool:
    if letter.isascii():
        return False
    if _UNSEEN.match(letter):
        return True
    if unicodedata.combining(letter):
        return before.isascii()  # a word of another script needs its marks
    if unicodedata.category(letter)[0] in "PS":
        is_sign_of_other_script = not before.isascii()  # the comma of Chinese is wide
        return letter in _LIKE_SIGNS or (not is_sign_of_other_script and _is_ascii_sign(letter))
    if not letter.isalpha() and unicodedata.category(letter) not in ("Nd", "Nl"):
        return False
    if unicodedata.normalize("NFKC", letter).isascii():
        return True
    if _LIKE_PLAIN_LATIN.match(letter):
        return True
    script = _script(letter)
    return letter.isalpha() and (script not in _SCRIPTS or (is_strange_word and script in _NEAR_LATIN))


def _is_ascii_sign(letter: str) -> bool:
    plain = unicodedata.normalize("NFKC", letter)
    return len(plain) == 1 and plain.isascii()


def _script(letter: str) -> str:
    return re.split("[ -]", unicodedata.name(letter, ""))[0]


def _spell(letter: str) -> str:
    return ascii(letter)[1:-1]


def _needs_mark(letter: str, kept: str = "") -> bool:
    return letter in "⟨⟩" or not (letter.isprintable() or letter in kept)


def _marked(letter: str) -> str:
    code = ord(letter)
    if code in _BYTE:
        return as_mark(f"byte {code - 0xDC00:02X}")
    return as_mark(_NAMED.get(letter, f"U+{code:04X}"))


Printable = Annotated[str, AfterValidator(spelled_out)]
"""A text on one line; control characters in it are spelled out."""
