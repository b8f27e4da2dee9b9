"""The size that a claim states: a number, and beside it only what it counts.

What it does not cover: words are refused only if they are known to deny a number, to change it or to speak
about it. A doubt in other words passes.
"""

from __future__ import annotations

import re

from assay.rules.shapes import ClaimShape
from assay.rules.value_remarks import takes_back_number
from assay.rules.value_words import DENIALS, Wording, words_in, words_of
from assay.rules.written_values import LONGEST_VALUE, as_number, stated_number, without_remark

_ABOUT = re.compile(
    r"^\s*(?:[~≈]|(?:about|around|roughly|approximately|approx\.?|ca\.|circa)(?=[\s~≈\d.+-]))\s*", re.I
)
"""What calls a number approximate: the tolerance of the claim says how exact it must be."""
_NUMBER = r"[-+−]?\d{1,12}(?:\.\d{1,12})? ?%?"
_PAIR = rf"{_NUMBER} ?(?:to|,|–|-) ?{_NUMBER}"
_ERROR = re.compile(
    rf"(?<=[\d%]) ?(?:[(\[]?(?:±|\+/-) ?{_NUMBER}[)\]]?|[(\[]{_PAIR}[)\]]"
    rf"|,? ?[(\[]?(?:\d\d ?% )?(?:CI|confidence interval)[:=]? ?[(\[]?{_PAIR}[)\]]{{0,2}})$",
    re.IGNORECASE,
)
"""The error of a size or its interval: "0.98 ± 0.004", "0.98 (95% CI 0.97 to 0.99)"."""
_POINTS = re.compile(
    r"(?<=\d) ?(?:percentage[ -]points?\b|p\.p\.|pp\b|per ?cents?\b|pct\b\.?)", re.IGNORECASE
)
_SPEAKS_ABOUT_IT = words_in("""
    is be been being are am may might can cannot must shall will seem seems looks appears means has have
    does do lower smaller worse
""")
"""Verbs, and the other direction: a number with these beside it is not the whole answer."""


def stated_size(claim: ClaimShape, answer: object) -> float | None:
    """The number of an answer: "23.2%", "~0.23" and "about 0.23" are 0.23; "0.23 is wrong" is none."""
    if not isinstance(answer, str):
        return as_number(answer)
    plain = " ".join(without_approximation(answer[:LONGEST_VALUE]).split())
    text = _ERROR.sub("", _POINTS.sub("%", plain))
    question_words = words_in(claim.question[:LONGEST_VALUE])
    words = set(words_of(text))
    if text.startswith("±") or words & (_SPEAKS_ABOUT_IT - question_words):
        return None
    around_number = re.sub(r"[-+−\d.,%]+(?:e[-+−]?\d+)?", " ", text, flags=re.IGNORECASE)
    if takes_back_number(around_number):
        return None
    wording = Wording(claim.id, question_words - DENIALS)
    return stated_number(without_remark(text, wording), wording)


def without_approximation(text: str) -> str:
    """A text without the word or sign that calls its number approximate."""
    return _ABOUT.sub("", text).strip()
