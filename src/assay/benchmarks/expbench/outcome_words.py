"""The outcome of a published task: its words, its numbers, and the settings that are not part of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from assay.benchmarks.expbench.clauses import Span
from assay.benchmarks.expbench.records import Record
from assay.benchmarks.expbench.result_words import STOP

WORD = re.compile(r"\w+")
_UNIT = (
    r"(?:%|percent\w*|[xX×](?![\w])|times\b|-?fold\b|(?:percentage )?points?\b|pp\b|dB\b|ms\b|s\b|[KMG]B\b"
    r"|seconds?\b|minutes\b|hours?\b)"
)
_ABOUT = (
    r"(?:approximately|about|around|nearly|roughly|over|above|below|under|exceed\w*|more than|less than"
    r"|at least|up to|[~≈<>≤≥])"
)
_PLAIN = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e-?\d+)?"
NUMBER = re.compile(
    rf"(?P<about>\b{_ABOUT}\s?|[~≈<>≤≥]\s?)?(?<![\w.])(?<![A-Za-z]-)(?P<sign>[+−-](?=\d))?(?P<first>{_PLAIN})"
    rf"(?:\s?(?:–|—|-|to)\s?(?P<last>{_PLAIN}))?(?P<unit>\s?{_UNIT})?(?![\w])(?!\.\d)(?![-–][A-Za-z])",
    re.IGNORECASE,
)


def words(text: str) -> list[str]:
    """Return the words of a text, in small letters."""
    return [word.casefold() for word in WORD.findall(text)]


def stems(text: str) -> set[str]:
    """Return the beginnings of the words that carry meaning, so that forms of one word are equal."""
    return {word[:6] for word in words(text) if word not in STOP and not word.isdigit() and len(word) > 1}


def shared_runs(text: str, other: str) -> list[list[str]]:
    """Return the longest runs of words of a text that occur in another text too, from left to right."""
    first, second = words(text), words(other)
    places: dict[str, list[int]] = {}
    for at, word in enumerate(second):
        places.setdefault(word, []).append(at)
    runs = []
    start = 0
    while start < len(first):
        length = max((_common(first, start, second, at) for at in places.get(first[start], ())), default=0)
        if length:
            runs.append(first[start : start + length])
        start += max(1, length)
    return runs


def _common(first: list[str], start: int, second: list[str], at: int) -> int:
    length = 0
    while (
        start + length < len(first)
        and at + length < len(second)
        and first[start + length] == second[at + length]
    ):
        length += 1
    return length


@dataclass(frozen=True)
class Quantity:
    """A number, a range, or a number with its unit, at its place in a text."""

    span: Span
    values: tuple[float, ...]
    unit: str
    is_about: bool
    is_decimal: bool

    @property
    def is_measured(self) -> bool:
        """Whether its form is that of a measurement: a decimal, a unit, or an approximate number."""
        return self.is_decimal or bool(self.unit) or self.is_about


def quantities(text: str, start: int = 0, end: int | None = None) -> Iterator[Quantity]:
    """Yield every number of a text; digits inside names (GPT-3.5, 6.2B, Table 3) are not numbers."""
    for match in NUMBER.finditer(text, start, len(text) if end is None else end):
        if re.search(
            r"(?:Tables?|Figures?|Figs?\.|Sections?|Appendix|Steps?|Eq\.)\s*$", text[: match.start("first")]
        ):
            continue
        plain = [match["first"], *([match["last"]] if match["last"] else [])]
        yield Quantity(
            Span(match.start("sign") if match["sign"] else match.start("first"), match.end()),
            tuple(float(number.replace(",", "").rstrip(".")) for number in plain),
            (match["unit"] or "").strip().casefold(),
            match["about"] is not None,
            any("." in number for number in plain),
        )


LEVELS = frozenset((90.0, 95.0, 99.0))
"""Levels of confidence, in percent."""
LEAST_DIGITS = 3
"""Digits from which on a decimal of a dependent variable is a result."""


@dataclass(frozen=True)
class TaskOutcome:
    """The outcome of a task, with what a redaction of its prompt compares and what it must keep."""

    text: str
    question: str
    settings: tuple[str, ...]
    """The values of the constant and independent variables."""
    reported: tuple[str, ...] = ()
    """The values of the dependent variables: what the paper reports, where they have numbers."""

    @classmethod
    def of(cls, record: Record) -> TaskOutcome:
        """Return the outcome of a record."""
        values = [
            (variable.role == "dependent", str(value))
            for variable in record.variables
            for value in variable.values
        ]
        settings = tuple(value for is_reported, value in values if not is_reported)
        reported = tuple(value for is_reported, value in values if is_reported)
        return cls(record.outcome, record.question, settings, reported)

    @cached_property
    def stems(self) -> set[str]:
        """The stems of its words."""
        return stems(self.text)

    @cached_property
    def setting_numbers(self) -> set[float]:
        """Every number among the settings, percentages also as fractions and the reverse."""
        numbers = {value for number in quantities("\n".join(self.settings)) for value in number.values}
        numbers |= {float(digits) for text in self.settings for digits in re.findall(r"\d+(?:\.\d+)?", text)}
        return numbers

    @cached_property
    def measured_numbers(self) -> set[float]:
        """The numbers of the outcome that the experiment is to find out."""
        numbers = [number for number in quantities(self.text) if number.is_measured]
        numbers += [number for number in quantities("\n".join(self.reported)) if _is_reported(number)]
        return {value for number in numbers for value in number.values} - self.setting_numbers

    def tells(self, number: Quantity) -> bool:
        """Whether a number of the prompt is one of the outcome's, and no setting."""
        return number.is_measured and any(value in self.measured_numbers for value in number.values)

    def is_foreign(self, number: Quantity) -> bool:
        """Whether a number has the form of a result and is no setting, though it is not in the outcome."""
        has_form = (number.is_decimal and number.unit != "b") or number.unit in (
            "%",
            "x",
            "×",
            "times",
            "-fold",
            "fold",
        )
        return has_form and not any(value in self.setting_numbers for value in number.values)

    @cached_property
    def known_stems(self) -> set[str]:
        """The stems that the agent must read anyway: those of the question and of the settings."""
        return stems(self.question) | stems(" ".join(self.settings))


def _is_reported(number: Quantity) -> bool:
    """Whether a number of a dependent variable is a result: thresholds (0.5, 0.025) and levels are none."""
    digits = f"{max(map(abs, number.values)):g}".replace(".", "").strip("0")
    is_share = number.unit == "%" and not LEVELS & set(number.values)
    return is_share or (number.is_decimal and len(digits) >= LEAST_DIGITS)


def protected(text: str, settings: Iterable[str]) -> list[str]:
    """Return the settings that a text contains: short values in words, and numbers that stand alone."""
    values = list(settings)
    numbers = {number for value in values for number in _plain_numbers(value)}
    kept = {number for number in numbers if occurrences(number, text)}
    kept |= {value for value in values if 0 < len(WORD.findall(value)) <= 5 and occurrences(value, text)}
    return sorted(kept)


def occurrences(setting: str, text: str) -> list[Span]:
    """Return every place of a setting in a text; a number inside a range or with another unit is another."""
    [*plain] = _plain_numbers(setting)
    if plain == [setting]:
        return [number.span for number in quantities(text) if _name(number) == setting]
    pattern = re.compile(rf"(?<![\w.]){re.escape(setting)}(?![\w])(?!\.\d)", re.IGNORECASE)
    return [Span(*match.span()) for match in pattern.finditer(text)]


def _plain_numbers(text: str) -> list[str]:
    return [_name(number) for number in quantities(text) if len(number.values) == 1]


def _name(number: Quantity) -> str:
    return " or ".join(f"{value:g}" for value in number.values) + number.unit
