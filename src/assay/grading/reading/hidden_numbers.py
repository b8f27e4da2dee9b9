"""Numbers of a conclusion that the results do not show as they stand: hidden, and found by a reader.

The reader sees the conclusion with these numbers replaced by blanks, and the results. It names the entries
that belong into each blank and how the number follows from them, without seeing what stood there, or says
that the blank is a setting. Code computes and compares. A number that stands only in the name of an entry,
or in an entry that the program writes as a constant, is no result: it counts only as a setting.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from pydantic import BaseModel, Field

from assay.grading.judge.asking import Judge
from assay.grading.reading.blind_reader import BlindAnswer, BlindFinding, page_of, write_prompt
from assay.grading.reading.conclusions import ReadDecision
from assay.grading.reading.listed_results import list_results
from assay.grading.reading.long_series import mean_of
from assay.grading.verdict import Status
from assay.rules.cited import numbers_in
from assay.rules.cited_number import ANY_SCALE, Cited
from assay.rules.plain_text import plain_text
from assay.rules.remade import Numbers

MOST_BLANKS = 40
"""Numbers that are hidden; where there are more, nothing is decided."""
KINDS = ("value", "difference", "ratio", "change", "mean")
"""How a number follows from entries: one itself, or a difference, a ratio, a relative change or a mean."""
FORM = (
    '{"blanks": [{"blank": 1, "paths": ["the path of the result that belongs there, copied exactly; two or '
    'more where the number follows from them; an empty list if no result belongs there"], "kind": "how the '
    "number follows from these paths: value (of one path), difference, ratio (times as high), change "
    '(percent higher or lower) or mean", "setting": "true if the blank is something that was chosen before '
    'the run, such as a size, a threshold or a rate; false if it is something that was measured"}]}'
)
QUESTIONS = (
    "Numbers of the text were replaced by blanks such as [1]. Which of the results below the text belongs "
    "into each blank?",
    "For each blank such as [1] in the text: at which path of the results is the number that was there?",
)
_ERROR = re.compile(r"err(?:or)?s?(?![a-z])|mistake|wrong", re.IGNORECASE)
"""Names of entries whose rest to one is an accuracy."""
NOT_FOUND = "no result belongs there"
AS_CITED = "as cited"
A_SETTING = "a setting"
ROUNDED_TWICE = 1.1
"""How much further a number may be from its result if it was rounded in two steps."""


class FilledBlank(BaseModel):
    """The entries that belong into one blank."""

    blank: int
    paths: list[str] = Field(max_length=50)
    kind: str = Field("", max_length=50)
    setting: bool = False


class FilledBlanks(BaseModel):
    """The answer to a question for blanks."""

    blanks: list[FilledBlank] = Field(max_length=2 * MOST_BLANKS)


@dataclass(frozen=True)
class _Reading:
    """What one reading says about one blank."""

    paths: tuple[str, ...] = ()
    kind: str = ""
    is_setting: bool = False


async def find_hidden(
    judge: Judge,
    text: str,
    cited: Sequence[Cited],
    results: object,
    *,
    settings: Collection[Cited] = (),
    constants: Collection[str] = (),
) -> ReadDecision | None:
    """Whether each number stands at the place where the text cites it; None where that cannot be asked.

    `settings` are numbers that may be chosen before the run, `constants` the paths of entries that the
    program writes as constants.
    """
    listed = list_results(results)
    if not listed.can_be_shown or len(cited) > MOST_BLANKS:
        return None
    page = page_of("conclusion", f"{hide(text, cited)}\n\nResults:\n{listed.text}")

    async def ask(question: str) -> Mapping[int, _Reading] | str:
        reply = await judge.ask(lambda: write_prompt(question, {}, page, FORM), FilledBlanks)
        if isinstance(reply, str):
            return reply
        return {
            blank.blank: _Reading(
                tuple(sorted({path for path in blank.paths if path in listed.numbers})),
                blank.kind.strip().casefold(),
                blank.setting,
            )
            for blank in reply.blanks
        }

    readings = await asyncio.gather(*map(ask, QUESTIONS))
    names = numbers_in(listed.labels)
    constant_paths = frozenset(constants)
    measured = {path: value for path, value in listed.numbers.items() if not _is_below(path, constant_paths)}
    measured_numbers, findings = Numbers(measured), []
    for place, number in enumerate(cited, 1):
        named = [
            reading if isinstance(reading, str) else reading.get(place, _Reading()) for reading in readings
        ]
        may_be_setting = number in settings or bool(names & set(number.values))
        may_be_setting = may_be_setting or (bool(constants) and not measured_numbers.has(number))
        findings.append(_finding(number, named, listed.numbers, measured, may_be_setting))
    return _decide(cited, findings, shows_all=not listed.is_partial)


def _is_below(path: str, constants: Set[str]) -> bool:
    ends = [place for place, letter in enumerate(path) if letter == "."]
    return any(path[:end] in constants for end in (*ends, len(path)))


def hide(text: str, cited: Sequence[Cited]) -> str:
    """The text with each cited number as a blank, wherever it stands."""
    places = {number.text: place for place, number in enumerate(cited, 1)}
    listing = "|".join(map(re.escape, sorted(places, key=len, reverse=True)))
    if not listing:
        return plain_text(text)
    pattern = rf"(?<![\w.,])(?:{listing})(?!\w|[.,]\d)"
    return re.sub(pattern, lambda match: f"[{places[match.group()]}]", plain_text(text))


def _finding(
    number: Cited,
    readings: Sequence[_Reading | str],
    numbers: Mapping[str, float],
    measured: Mapping[str, float],
    may_be_setting: bool,
) -> BlindFinding:
    """What both readings say about one blank: the same in substance, or nothing."""
    answers = [_answer(number, reading, numbers, measured, may_be_setting) for reading in readings]
    first = answers[0].answer
    agreed = first if first is not None and all(answer.answer == first for answer in answers) else None
    return BlindFinding(agreed, tuple(answers))


def _answer(
    number: Cited,
    reading: _Reading | str,
    numbers: Mapping[str, float],
    measured: Mapping[str, float],
    may_be_setting: bool,
) -> BlindAnswer:
    if isinstance(reading, str):
        return BlindAnswer(None, void=reading)
    if may_be_setting and reading.is_setting:
        return BlindAnswer(A_SETTING)
    paths = reading.paths
    if not paths:
        return BlindAnswer(NOT_FOUND)
    kind = reading.kind or ("value" if len(paths) == 1 else "")
    candidates = _candidates(number, kind, {path: numbers[path] for path in paths})
    if not candidates:
        return BlindAnswer(None, void="the reader does not say how the number follows from these results")
    scales = tuple("any" if scale == "error" else scale for scale in number.scales)
    half = tuple(ROUNDED_TWICE * half for half in number.half)
    rounded = replace(number, half=half, scales=scales)
    checks = [candidate.find(rounded) for candidate in candidates]
    check = next((check for check in checks if check.was_remade and not check.cannot_compare), checks[0])
    if check.cannot_compare:
        return BlindAnswer(None, void="no result has its unit, or it is a ratio of times")
    plain = replace(rounded, scales=ANY_SCALE)
    if not check.was_remade and any(candidate.has(plain) for candidate in candidates):
        return BlindAnswer(None, void="nothing says that the result is a share or counts in percent")
    constant = [path for path in paths if path not in measured]
    if check.was_remade and constant:
        return BlindAnswer(f"{', '.join(constant)}, which the program writes as a constant")
    if check.was_remade:
        return BlindAnswer(AS_CITED)
    listing = ", ".join(f"{path} = {numbers[path]:.6g}" for path in paths[:5])
    return BlindAnswer(listing if kind == "value" else f"the {kind} of {listing}")


def _candidates(number: Cited, kind: str, entries: Mapping[str, float]) -> list[Numbers]:
    """What the number may be if it follows from these entries in this way; where it speaks of errors and they
    are no errors, or the other way round, also what follows from their rests to one."""
    paths, values = list(entries), list(entries.values())
    made = _following(kind, values, paths)
    if made and number.of_times and kind in ("ratio", "change"):
        return [Numbers({f"{place}_{_name(path)}": entries[path] for place, path in enumerate(paths)})]
    speaks_of_errors = "error" in number.scales
    are_errors = any(_ERROR.search(path) for path in paths)
    rest = [1 - value for value in values]
    if made and speaks_of_errors != are_errors and all(0 < value < 1 for value in rest):
        made |= {f"rest_{name}": value for name, value in _following(kind, rest, paths).items()}
    return [Numbers({name: value}) for name, value in made.items()]


def _following(kind: str, values: Sequence[float], paths: Sequence[str]) -> dict[str, float]:
    """What follows from some results in one way, each under a name with its unit; nothing in another way."""
    name = _name(paths[0])
    if kind == "mean" and len(values) > 1:
        return {f"mean_{name}": mean_of(values)}
    if kind == "value" and len(values) == 1:
        return {name: values[0]}
    if len(values) != 2:
        return {}
    first, second = values
    if kind == "difference":
        return {name: first - second}
    pairs = [(upper, lower) for upper, lower in ((first, second), (second, first)) if lower]
    if kind == "ratio":
        return {f"ratio_{place}": upper / lower for place, (upper, lower) in enumerate(pairs)}
    if kind == "change":
        return {f"change_{place}": (upper - lower) / lower for place, (upper, lower) in enumerate(pairs)}
    return {}


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
