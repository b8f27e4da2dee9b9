"""The size that a claim states: a number with its unit and its error, and names from the question.

No list of words decides. A text is read from its beginning to its end, and everything in it must be one of
these four; anything else makes it no answer. What it does not cover: a word of the question is allowed behind
the number whatever it means there, so a question with "higher or lower" allows "0.2 lower".
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from assay.rules.entry_units import is_in_percent
from assay.rules.plain_text import with_first_in_digits, without_powers
from assay.rules.shapes import ClaimShape
from assay.rules.value_words import singular, words_in, words_of
from assay.rules.written_values import LONGEST_VALUE, UNITS, as_number, singular_unit

SIZE_FORM = 'write a number, or a number with its unit and error as text, such as "0.25 ± 0.01"'
"""What an answer has to be, for the evidence of one that is none."""
_ABOUT = re.compile(
    r"^\s*(?:[~≈]|(?:about|around|roughly|approximately|approx\.?|ca\.|circa)(?=[\s~≈\d.+-]))\s*", re.I
)
"""What calls a number approximate: the tolerance of the claim says how exact it must be."""
_NUMBER = r"[-+−]?(?:0,\d{1,12}|\d{1,12}(?:,\d{3})*(?:\.\d{0,12})?|\.\d{1,12})(?:[eE][-+]?\d{1,3})?"
_SHARE = r"(?: ?(?:%|percentage[ -]points?\b|p\.p\.?|pp\b|per ?cent\b|pct\b\.?))"
_SIZE = re.compile(
    rf"(?P<number>{_NUMBER}|\d{{1,3}},\d{{1,2}}(?= ?%))(?P<share>{_SHARE}?)(?P<rest>.*)$", re.I
)
_KIND = (
    r"(?:(?<![^\W\d_])(?:\d\d(?:\.\d)? ?% ?)?(?:s\.?d\.?|s\.?e\.?m?\.?|std\.?(?: ?dev\.?| ?err\.?)?|iqr"
    r"|c\.?i\.?|standard (?:deviation|error)|(?:confidence )?interval)(?: of)? ?[:=]? ?)"
)
_AMOUNT = rf"{_NUMBER}{_SHARE}?"
_PAIR = rf"{_AMOUNT} ?(?:to|,|;|–|-) ?{_AMOUNT}"
_PLUS_MINUS = rf"(?:±|\+/-|\+-) ?{_NUMBER}"
_OF_KIND = rf"{_KIND}[(\[]?(?:{_PAIR}|{_AMOUNT})[)\]]?"
_COUNT = r"n ?= ?\d{1,9}"
_ERROR = re.compile(
    rf",? ?(?:[(\[](?:{_OF_KIND}|{_PAIR}|{_PLUS_MINUS}{_SHARE}?(?: ?{_KIND})?)(?:, ?{_COUNT})?[)\]]"
    rf"|\({_COUNT}\)|{_PLUS_MINUS}(?P<share>{_SHARE})?(?: ?\({_KIND}\)| {_KIND}(?=\W*$))?|{_OF_KIND})",
    re.IGNORECASE,
)
"""An error or an interval: "± 0.02", "(SD 0.02, n = 5)", "[0.97, 0.99]", "(95% CI 0.97 to 0.99)"."""
_AGAIN = re.compile(rf" ?\((?P<again>{_NUMBER}(?:{_SHARE})?)\)$", re.IGNORECASE)
"""The same number once more: "0.232 (23.2%)"."""
_RATIO_SIGN = re.compile(r"[ -]?(?:x|×|fold)$", re.IGNORECASE)
_RATIO_WORDS = {"ratio", "factor", "fold", "times", "speedup"}
_INTERVAL = re.compile(rf"({_NUMBER}){_SHARE}? ?(?:to|,|;|–|-) ?({_NUMBER})", re.IGNORECASE)
_OPENING, _CLOSING = " =:\"'`*_", " \"'`*_.,;!"
_WORDS = re.compile(r"(?:[^\W\d_]|[ ,/()-])*$")
_PERCENT_WORDS = {"percent", "percentage"}


def stated_size(claim: ClaimShape, answer: object) -> float | None:
    """The number of an answer in the unit of the truth; None where it is no size, or has another unit."""
    if not isinstance(answer, str):
        return as_number(answer)
    plain = without_powers(" ".join(answer[:LONGEST_VALUE].split()))
    plain = without_approximation(plain.lstrip(_OPENING).rstrip(_CLOSING))
    match = _SIZE.match(with_first_in_digits(plain))
    if match is None:
        return None
    remaining = _without_again(match)
    error = _ERROR.search(remaining)
    if error is not None:
        remaining = f"{remaining[: error.start()]} {remaining[error.end() :]}".strip()
        remaining = _without_repeated_unit(remaining)
    is_share = bool(match["share"]) or _shares_percent(error, match["number"])
    number = as_number(match["number"] + ("%" if is_share else ""))
    if number is None or (error is not None and not _contains(error.group(), match["number"])):
        return None
    if is_share and _counts_in_percent(claim):
        number *= 100
    if not is_share and (sign := _RATIO_SIGN.match(remaining)) and _RATIO_WORDS & words_in(claim.question):
        remaining = remaining[sign.end() :]
    return _in_unit(claim, number, remaining) if _WORDS.match(remaining) else None


def _without_again(match: re.Match[str]) -> str:
    """What stands behind a number, without the same number once more in brackets."""
    again = _AGAIN.search(match["rest"])
    if again is None:
        return match["rest"]
    stated, repeated = as_number(match["number"] + match["share"]), as_number(again["again"])
    is_same = stated is not None and repeated is not None and math.isclose(stated, repeated, rel_tol=1e-9)
    return match["rest"][: again.start()] if is_same else match["rest"]


def _without_repeated_unit(words: str) -> str:
    """The words behind a number and its error, which may both have the unit: "2.5 s ± 0.1 s"."""
    first, _, second = words.strip().partition(" ")
    return first if first == second.strip() and first in UNITS else words


def _shares_percent(error: re.Match[str] | None, number: str) -> bool:
    """Whether the sign of an error belongs to the number too: in "41 ± 2%", and not in "0.41 ± 2%"."""
    size = as_number(number)
    return error is not None and bool(error["share"]) and size is not None and abs(size) > 1


def without_approximation(text: str) -> str:
    """A text without the word or sign that calls its number approximate."""
    return _ABOUT.sub("", text).strip()


def _contains(error: str, size: str) -> bool:
    """Whether an interval, if it is one, has the size in it."""
    interval = _INTERVAL.search(error)
    numbers = [as_number(text) or 0.0 for text in (*interval.groups(), size)] if interval else [0.0] * 3
    return any(numbers[0] <= factor * numbers[2] <= numbers[1] for factor in (1, 0.01, 100))


def _in_unit(claim: ClaimShape, number: float, words: str) -> float | None:
    """A number in the unit of the truth, if the words behind it are its unit and names of the claim."""
    names = _names(claim)
    left = [word for word in words_of(words) if singular(word) not in names]
    if not left:
        return number
    stated = UNITS.get(singular_unit(left[0]))
    of_truth = [UNITS[name] for name in map(singular_unit, sorted(names)) if name in UNITS]
    measures = {measure for measure, _ in of_truth}
    if len(left) > 1 or stated is None or measures != {stated[0]} or len(of_truth) > 1:
        return None
    return number * stated[1] / of_truth[0][1]


def _names(claim: ClaimShape) -> set[str]:
    """The words of the question, and of the names of the claim and of its results."""
    return {singular(word) for text in _texts(claim) for word in words_in(text[:LONGEST_VALUE])}


def _texts(claim: ClaimShape) -> Iterator[str]:
    """The texts of a claim; the s of "the model's error" is no unit."""
    yield from (re.sub(r"['’]s\b", "", text) for text in (claim.question, claim.id, *claim.paths))


def _counts_in_percent(claim: ClaimShape) -> bool:
    """Whether the truth is 41 where a text says "41%"."""
    if any(is_in_percent(path.split(".")) for path in claim.paths):
        return True
    is_large = isinstance(claim.answer, int | float) and abs(claim.answer) > 1
    return is_large and bool(_PERCENT_WORDS & words_in(claim.question))
