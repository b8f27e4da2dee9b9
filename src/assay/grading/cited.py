"""The numbers that a text cites, looked up among those that its own run re-made."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

from assay.grading.values import as_number

_CITED = re.compile(
    r"(?<![\w.,±^/-])(?:(?<=\s)|(?<=[(\[=:~≈<>])|^)"
    r"(?P<sign>[-−+])?(?P<number>(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?)"
    r"\s?(?P<share>%|percent\b|points?\b|pp\b)?(?![\w^/]|[-.,]\d)"
)
_IN_TEXT = re.compile(r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?\s?%?")
MOST_COMPARED = 400
"""Results whose differences, ratios and means are looked at; of more, only the numbers themselves are."""
MOST_READ = 200_000
"""Results that are looked through; where there are more, what is not found may be among them."""
SLACK = 1.0001
LONGEST_TEXT = 200_000


@dataclass(frozen=True)
class Cited:
    """A number as a text has it."""

    text: str
    values: tuple[float, ...]
    """What it may stand for: 93.4% is 0.934, and 93.4 where the results count in percent."""
    half: tuple[float, ...]
    """Half a unit of its last digit, for each."""


def cited_numbers(text: str) -> list[Cited]:
    """The numbers that state something: those of one digit, and those in names, do not."""
    found = []
    for match in _CITED.finditer(text[:LONGEST_TEXT]):
        digits = match["number"].replace(",", "")
        mantissa, _, exponent = digits.lower().partition("e")
        if len(mantissa.replace(".", "").strip("0")) < 2 and "." not in mantissa and not match["share"]:
            continue
        number = float(digits)
        if not math.isfinite(number):
            continue
        places = len(mantissa.partition(".")[2])
        half = 0.5 * 10.0 ** ((int(exponent) if exponent else 0) - places)
        scales = (0.01, 1.0) if match["share"] else (1.0, 0.01)
        found.append(
            Cited(
                match.group().strip(),
                tuple(number * scale for scale in scales),
                tuple(half * scale for scale in scales),
            )
        )
    return found


def numbers_in(texts: Iterable[str]) -> set[float]:
    """Every number of some texts, with shares as such too."""
    found = set()
    for match in (match for text in texts for match in _IN_TEXT.finditer(text[:LONGEST_TEXT])):
        number = as_number(match.group().replace(" ", ""))
        plain = as_number(match.group().rstrip(" %"))
        found |= {each for each in (number, plain) if each is not None}
    return found


def leaves(results: object) -> dict[tuple[str, ...], float]:
    """Path → number, for every number of some results, up to one more than `MOST_READ`."""
    found: dict[tuple[str, ...], float] = {}
    left: list[tuple[tuple[str, ...], object]] = [((), results)]
    while left and len(found) <= MOST_READ:
        path, value = left.pop()
        if isinstance(value, Mapping):
            left += [((*path, str(key)), inner) for key, inner in value.items()]
        elif isinstance(value, list):
            left += [((*path, str(place)), inner) for place, inner in enumerate(value)]
        elif (number := as_number(value)) is not None and math.isfinite(number):
            found[path] = number
    return found


class Numbers:
    """Re-made numbers, and what a sentence makes of two of them."""

    def __init__(self, results: object, noise: Mapping[str, float] | None = None) -> None:
        made = leaves(results)
        self.count = len(made)
        self.complete = len(made) <= MOST_READ
        spreads = noise or {}
        candidates = [(abs(number), spreads.get(".".join(path), 0.0)) for path, number in made.items()]
        if len(made) <= MOST_COMPARED:
            candidates += [(abs(number), 0.0) for number in _derived(made)]
        self._sorted = sorted(each for each in candidates if math.isfinite(each[0]))
        self._noise = max((spread for _, spread in self._sorted), default=0.0)

    def has(self, cited: Cited) -> bool:
        """Whether some re-made number, rounded as the text rounds, is the cited one within its noise."""
        return any(self._near(value, half) for value, half in zip(cited.values, cited.half, strict=True))

    def _near(self, value: float, half: float) -> bool:
        widest = (half + self._noise) * SLACK
        place = bisect_left(self._sorted, (value - widest, -math.inf))
        for number, spread in self._sorted[place:]:
            if number > value + widest:
                return False
            if abs(number - value) <= (half + spread) * SLACK:
                return True
        return False


def _derived(made: Mapping[tuple[str, ...], float]) -> Iterator[float]:
    """Differences, ratios and changes of numbers whose paths differ in one step, and means of such groups."""
    groups: dict[tuple[object, ...], list[float]] = defaultdict(list)
    for path, number in made.items():
        for place in range(len(path)):
            groups[(place, *path[:place], None, *path[place + 1 :])].append(number)
    for group in groups.values():
        yield math.fsum(group) / len(group)
        for first, second in combinations(group, 2):
            yield first - second
            for over, under in ((first, second), (second, first)):
                if under:
                    yield over / under
                    yield (over - under) / under
