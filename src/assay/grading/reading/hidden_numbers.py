"""Numbers of a conclusion that the results do not show as they stand: hidden, and found by a reader.

The reader sees the conclusion with these numbers replaced by blanks, and the results. It names the entries
that belong into each blank and how the number follows from them, without seeing what stood there, or says
that the blank is a setting. Code computes and compares. A number that stands only in the name of an entry,
or in an entry that the program writes as a constant, is no result: it counts only as a setting.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from statistics import pstdev, stdev

from assay.grading.judge.asking import Judge
from assay.grading.reading.blank_questions import (
    LEVEL,
    MOST_BLANKS,
    OF_RESTS,
    BlankReading,
    read_blanks,
)
from assay.grading.reading.blind_reader import BlindAnswer, BlindFinding, page_of
from assay.grading.reading.conclusions import ReadDecision
from assay.grading.reading.listed_results import list_results
from assay.grading.reading.long_series import mean_of
from assay.grading.verdict import Status
from assay.rules.cited import LONGEST_TEXT, numbers_in, placed_in_plain
from assay.rules.cited_number import ANY_SCALE, Cited
from assay.rules.plain_text import plain_text
from assay.rules.remade import Numbers

NOT_FOUND = "no result belongs there"
AS_CITED = "as cited"
A_SETTING = "a setting"
LEAST_REPEATS = 3
"""Results from which on there is a spread, or a total: two numbers have a sum by chance."""
IN_PERCENT = "_percent"
"""Ends the name of what follows from results above 1: it may count in percent, also if it is below 1."""
ROUNDED_TWICE = 1.1
"""How much further a number may be from its result if it was rounded in two steps."""


async def find_hidden(
    judge: Judge,
    text: str,
    cited: Sequence[Cited],
    results: object,
    *,
    settings: Collection[Cited] = (),
    levels: Collection[Cited] = (),
    constants: Collection[str] = (),
) -> ReadDecision | None:
    """Whether each number stands at the place where the text cites it; None where that cannot be asked.

    `settings` are numbers that may be chosen before the run; `levels` those of them that may only be the
    level of an interval or a test. `constants` are the paths of entries that the program writes as constants.
    """
    listed = list_results(results)
    blanks = place_blanks(text, cited)
    if not listed.can_be_shown or len(blanks) > MOST_BLANKS:
        return None
    page = page_of("conclusion", f"{hide(text, blanks)}\n\nResults:\n{listed.text}")

    readings = await read_blanks(judge, page, listed.numbers, len(blanks))
    names = numbers_in(listed.labels)
    constant_paths = frozenset(constants)
    measured = {path: value for path, value in listed.numbers.items() if not _is_below(path, constant_paths)}
    measured_numbers, findings = Numbers(measured), []
    hidden = [number for number, _ in blanks]
    for place, number in enumerate(hidden, 1):
        named = [reading.get(place, BlankReading()) for reading in readings]
        is_name = number.is_joined and number.is_whole
        may_be_setting = number in settings or is_name or bool(names & set(number.values))
        may_be_setting = may_be_setting or (bool(constants) and not measured_numbers.has(number))
        kind = LEVEL if number in levels and not names & set(number.values) else None
        role = _Role(number, hidden, may_be_setting, kind)
        findings.append(_finding(role, named, listed.numbers, measured))
    return _decide(hidden, findings, shows_all=not listed.is_partial)


def _is_below(path: str, constants: Set[str]) -> bool:
    ends = [place for place, letter in enumerate(path) if letter == "."]
    return any(path[:end] in constants for end in (*ends, len(path)))


Blank = tuple[Cited, tuple[int, int]]
"""A number that is hidden, and its place in the plain text."""


def place_blanks(text: str, cited: Sequence[Cited]) -> list[Blank]:
    """A blank for each place where the text cites one of these numbers, the first places in their order."""
    first: dict[Cited, Blank] = {}
    again: list[Blank] = []
    wanted = set(cited)
    for number, span in placed_in_plain(plain_text(text[:LONGEST_TEXT])):
        if number in wanted and number in first:
            again.append((number, span))
        elif number in wanted:
            first[number] = (number, span)
    return [*(first[number] for number in cited if number in first), *again]


def hide(text: str, blanks: Sequence[Blank]) -> str:
    """The text with the digits of each blank replaced; units stay."""
    plain, pieces, last = plain_text(text[:LONGEST_TEXT]), [], 0
    for (start, end), place in sorted((span, place) for place, (_, span) in enumerate(blanks, 1)):
        pieces += [plain[last:start], f"[{place}]"]
        last = end
    return "".join([*pieces, plain[last:]])


@dataclass(frozen=True)
class _Role:
    """A hidden number, and what it may be."""

    number: Cited
    hidden: Sequence[Cited]
    """All hidden numbers of the text."""
    may_be_setting: bool
    setting_kind: str | None
    """The kind that the reader must name for a setting; None where any one will do."""


def _finding(
    role: _Role,
    readings: Sequence[BlankReading | str],
    numbers: Mapping[str, float],
    measured: Mapping[str, float],
) -> BlindFinding:
    """What both readings say about one blank: the same in substance, or nothing."""
    answers = [_answer(role, reading, numbers, measured) for reading in readings]
    first = answers[0].answer
    agreed = first if first is not None and all(answer.answer == first for answer in answers) else None
    return BlindFinding(agreed, tuple(answers))


def _answer(
    role: _Role,
    reading: BlankReading | str,
    numbers: Mapping[str, float],
    measured: Mapping[str, float],
) -> BlindAnswer:
    if isinstance(reading, str):
        return BlindAnswer(None, void=reading)
    if role.may_be_setting and reading.is_setting:
        if role.setting_kind in (None, reading.kind):
            return BlindAnswer(A_SETTING)
        return BlindAnswer(None, void="the reader does not say that it is the level of an interval or a test")
    number = role.number
    paths = reading.paths
    if not paths:
        return BlindAnswer(NOT_FOUND)
    constant = [path for path in paths if path not in measured]
    if reading.counted is not None:
        counted = reading.counted.compare(number, numbers, role.hidden)
        if counted is None:
            return BlindAnswer(None, void="the reader does not say what is counted")
        return _compared(constant) if counted.is_right else BlindAnswer(counted.words)
    kind = reading.kind or ("value" if len(paths) == 1 else "")
    candidates = _candidates(number, kind, {path: numbers[path] for path in paths})
    if not candidates:
        return BlindAnswer(None, void="the reader does not say how the number follows from these results")
    rounded = replace(number, half=tuple(ROUNDED_TWICE * half for half in number.half))
    checks = [candidate.find(rounded) for candidate in candidates]
    check = next((check for check in checks if check.was_remade and not check.cannot_compare), checks[0])
    if check.cannot_compare:
        return BlindAnswer(None, void="no result has its unit, or it is a ratio of times")
    plain = replace(rounded, scales=ANY_SCALE)
    if not check.was_remade and any(candidate.has(plain) for candidate in candidates):
        return BlindAnswer(None, void="nothing says that the result is a share or counts in percent")
    if check.was_remade:
        return _compared(constant)
    listing = ", ".join(f"{path} = {numbers[path]:.6g}" for path in paths[:5])
    return BlindAnswer(listing if kind == "value" else f"the {kind} of {listing}")


def _compared(constant: Sequence[str]) -> BlindAnswer:
    """The answer for a number that is right, unless an entry behind it is a constant."""
    if constant:
        return BlindAnswer(f"{', '.join(constant)}, which the program writes as a constant")
    return BlindAnswer(AS_CITED)


def _candidates(number: Cited, kind: str, entries: Mapping[str, float]) -> list[Numbers]:
    """What the number may be if it follows from these entries in this way; nothing in another way."""
    paths, values = list(entries), list(entries.values())
    if kind.endswith(OF_RESTS):
        if number.side or number.has_whole or not _are_alike(paths):
            return []
        kind, values = kind.removesuffix(OF_RESTS), _rests(values)
    is_of_repeats = kind == "sum" or kind.startswith("standard")
    if is_of_repeats and (len(paths) < LEAST_REPEATS or not _are_alike(paths)):
        return []
    if len(values) == 2 and number.of_times and kind in ("ratio", "change"):
        return [Numbers({f"{place}_{_name(path)}": entries[path] for place, path in enumerate(paths)})]
    if kind in ("ratio", "change"):
        name = kind
    else:
        may_be_percent = number.memory_unit is None and any(abs(value) > 1 for value in entries.values())
        unit = IN_PERCENT if may_be_percent else ""
        name = f"{kind}_{_name(paths[0])}{unit}".replace(" ", "_")
    return [Numbers({name: value}) for value in _following(kind, values)]


def _are_alike(paths: Sequence[str]) -> bool:
    """Whether some paths differ in one step only, so that they name the same thing of several."""
    steps = [path.split(".") for path in paths]
    if len({len(names) for names in steps}) > 1:
        return False
    return sum(len(set(names)) > 1 for names in zip(*steps, strict=True)) == 1


def _following(kind: str, values: Sequence[float]) -> list[float]:
    """What follows from some results in one way."""
    if len(values) == 1:
        return {"value": [*values], "rest": _rests(values)}.get(kind, [])
    if kind in ("mean", "sum"):
        return [mean_of(values) if kind == "mean" else math.fsum(values)]
    if kind in ("standard deviation", "standard error"):
        divisor = 1.0 if kind == "standard deviation" else math.sqrt(len(values))
        return [stdev(values) / divisor, pstdev(values) / divisor]
    if len(values) != 2:
        return []
    first, second = values
    if kind == "difference":
        return [first - second]
    pairs = [(upper, lower) for upper, lower in ((first, second), (second, first)) if lower]
    if kind == "ratio":
        return [upper / lower for upper, lower in pairs]
    return [(upper - lower) / lower for upper, lower in pairs] if kind == "change" else []


def _rests(values: Sequence[float]) -> list[float]:
    """What is missing to 1, or to 100 where the results count in percent; nothing where they are mixed."""
    for top, least in ((1, 0), (100, 1)):
        if all(least <= value <= top for value in values):
            return [top - value for value in values]
    return []


def _name(path: str) -> str:
    """The last names of a path, which may state a unit."""
    return "_".join(path.split(".")[-2:])


def _decide(cited: Sequence[Cited], findings: Sequence[BlindFinding], *, shows_all: bool) -> ReadDecision:
    """Unmet where a number differs from its result, or where most numbers have none.

    Where not all results are shown, what is not found may be among the others.
    """
    votes = tuple(
        vote
        for finding in findings
        for vote in finding.votes(A_SETTING if finding.answer == A_SETTING else AS_CITED)
    )
    pairs = list(zip(cited, findings, strict=True))
    wrong = [
        f"cites {number.text} for {finding.answer}"
        for number, finding in pairs
        if finding.answer not in (None, NOT_FOUND, AS_CITED, A_SETTING)
    ]
    not_found = [number.text for number, finding in pairs if finding.answer == NOT_FOUND]
    unsure = [number.text for number, finding in pairs if finding.answer in (None, NOT_FOUND)]
    if shows_all and 2 * len(not_found) > len(cited):
        wrong += [f"cites {text}, which is not among the re-made numbers" for text in not_found]
    if wrong:
        return ReadDecision("unmet", "; ".join(wrong[:5]), votes)
    status: Status = "unknown" if unsure else "met"
    evidence = f"{len(cited) - len(unsure)} of {len(cited)} hidden numbers found where the text cites them"
    evidence += f"; not found: {', '.join(unsure[:10])}" if unsure else ""
    return ReadDecision(status, evidence, votes)
