"""Whether what a conclusion states holds in the re-made numbers: direction, order and side of a limit.

The reader only names which entries of the results measure what; it sees neither the truth nor what the
conclusion says. Code compares the numbers at these entries with what the conclusion was found to say. What a
conclusion only expects counts where the results speak against it: it states no result that they should show.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from pydantic import BaseModel, Field

from assay.grading.judge.asking import Judge
from assay.grading.reading.blind_reader import BlindAnswer, BlindFinding, settle, write_prompt
from assay.grading.reading.conclusions import ReadDecision, ReadPart
from assay.grading.reading.listed_results import MOST_LISTED, ListedResults, list_results
from assay.grading.reading.long_series import Kind, LongSeries, mean_of
from assay.grading.reading.part_questions import CONTRADICTORY, LETTERS, NOT_STATED, order_text
from assay.grading.verdict import Status
from assay.tasks.claim_parts import ClaimPart, ComparisonPart, OrderingPart, ThresholdPart, TrendPart

EQUAL = 0.05
"""Relative distance within which two numbers may be called about equal."""

Grounded = ComparisonPart | OrderingPart | ThresholdPart | TrendPart

NOT_MEASURED = "no re-made number measures it"
ENTRIES_FORM = (
    '{"entries": [{"label": "the letter", "paths": ["the paths of the numbers that measure it, copied '
    'exactly; an empty list if none does"]}]}'
)
QUESTIONS = (
    "Which of these results are the {measure} of each of the following?",
    "For each of the following, where among these results is its {measure}?",
)
TREND_QUESTIONS = (
    "Which of these results are the {measure} of “{subject}” at different values of {over}? List their paths "
    "under A, from the smallest {over} to the largest.",
    "Under A, list the paths of the results that give the {measure} of “{subject}” for each value of {over}, "
    "in the order of growing {over}.",
)
SERIES_HINT = (
    " Of a series that is too long to show, only what sums it up is listed. Name one entry of it: the mean, "
    "or another one if that is what is asked for, such as the last one for a result at the end of training. "
    "For a change over the series itself, name its first and its last entry."
)


class LabelledPaths(BaseModel):
    """The entries of the results that measure one thing."""

    label: str = Field(max_length=200)
    paths: list[str] = Field(max_length=200)


class FoundEntries(BaseModel):
    """The answer to a question for entries."""

    entries: list[LabelledPaths] = Field(max_length=20)


async def ground(judge: Judge, read: Sequence[ReadPart], results: object) -> ReadDecision | None:
    """Whether the stated parts hold in the results; None where nothing stated can be compared."""
    stated = [
        part
        for part in read
        if isinstance(part.part, Grounded) and part.finding.answer not in (None, NOT_STATED, CONTRADICTORY)
    ]
    if not stated:
        return None
    listed = list_results(results)
    if not listed.can_be_shown or listed.is_cut:
        if all(not part.is_report for part in stated):
            return None
        return ReadDecision("unknown", f"the results have {_size(listed)}: none can be compared", ())
    measured = await asyncio.gather(*[_measure(judge, part.part, listed) for part in stated])
    counted = [
        (part, finding)
        for part, finding in zip(stated, measured, strict=True)
        if not (not part.is_report and finding.answer == NOT_STATED)
    ]
    if not counted:
        return None
    findings = [finding for _, finding in counted]
    checks = [_check(part.part, part.finding.answer or "", finding) for part, finding in counted]
    statuses = [status for status, _ in checks]
    status: Status = "unmet" if "unmet" in statuses else "unknown" if "unknown" in statuses else "met"
    evidence = "; ".join(words for found, words in checks if found == status)
    votes = [vote for finding in findings for vote in finding.votes(None)]
    unread = tuple(NOT_MEASURED for finding in findings if finding.answer == NOT_STATED)
    return ReadDecision(status, evidence, tuple(votes), unread)


def _size(listed: ListedResults) -> str:
    """Why results cannot be shown."""
    if listed.can_be_shown:
        return "more numbers and texts than can be shown"
    return f"more than {MOST_LISTED} numbers" if listed.numbers else "no numbers"


def _check(part: ClaimPart, stated: str, finding: BlindFinding) -> tuple[Status, str]:
    if finding.answer is None:
        return "unknown", f"{part.id}: the reader is not sure which numbers measure it ({finding.why_unsure})"
    if finding.answer == NOT_STATED:
        return "unknown", f"{part.id}: {NOT_MEASURED}"
    answer, _, shown = finding.answer.partition(": ")
    holds = answer == stated or (stated in ("equal", "flat") and "about" in shown)
    words = f"{part.id}: the conclusion says {stated}, the re-made numbers say {answer} ({shown})"
    return ("met" if holds else "unmet"), words


async def _measure(judge: Judge, part: ClaimPart, results: ListedResults) -> BlindFinding:
    """What the numbers say to a part, once a reader has named the entries."""

    async def ask(wording: int, turn: int) -> BlindAnswer:
        names = _names(part)
        order = names if (wording + turn) % 2 == 0 else names[::-1]
        options = dict(zip(LETTERS, order, strict=False))
        question = _question(part, wording) + (SERIES_HINT if results.series else "")
        reply = await judge.ask(
            lambda: write_prompt(question, options, results.page, ENTRIES_FORM), FoundEntries
        )
        if isinstance(reply, str):
            return BlindAnswer(None, void=reply)
        paths = {entry.label.strip().rstrip(".").upper()[:1]: entry.paths for entry in reply.entries}
        by_name = {
            name: [path for path in paths.get(letter, []) if path in results.numbers]
            for letter, name in options.items()
        }
        return BlindAnswer(measured_answer(part, measured_numbers(part, by_name, results)))

    return await settle(ask)


def measured_numbers(
    part: ClaimPart, named: Mapping[str, Sequence[str]], results: ListedResults
) -> dict[str, list[float]]:
    """The numbers that the named entries stand for; long series count by one kind of summary.

    It is the one that is named, if one kind alone is named for all series; otherwise it is the mean.
    """
    kinds = {
        results.series[path].kind for paths in named.values() for path in paths if path in results.series
    }
    kind: Kind = kinds.pop() if len(kinds) == 1 else "mean"
    if isinstance(part, TrendPart):
        return {name: _steps(paths, results, kind) for name, paths in named.items()}
    return {name: _values(paths, results, kind) for name, paths in named.items()}


def _values(paths: Sequence[str], results: ListedResults, kind: Kind) -> list[float]:
    """The numbers of one thing; by the mean, all entries of its long series count alike."""
    plain = [results.numbers[path] for path in paths if path not in results.series]
    all_series = _series_at(paths, results)
    if kind != "mean":
        return [*plain, *(series.value(kind) for series in all_series)]
    all_numbers = [number for series in all_series for number in series.numbers]
    return [*plain, mean_of(all_numbers)] if all_numbers else plain


def _steps(paths: Sequence[str], results: ListedResults, kind: Kind) -> list[float]:
    """The numbers of a trend: one for each series, or the parts of the only one, of which two are named."""
    all_series = _series_at(paths, results)
    if len(all_series) == 1 and len(set(paths)) > 1 and all(path in results.series for path in paths):
        return all_series[0].changes()
    summed = {series.path: series.value(kind) for series in all_series}
    steps = {
        results.series[path].series.path if path in results.series else path: results.numbers[path]
        for path in paths
    }
    return [summed.get(path, number) for path, number in steps.items()]


def _series_at(paths: Sequence[str], results: ListedResults) -> list[LongSeries]:
    """The long series of some entries, each once."""
    entries = [results.series[path] for path in paths if path in results.series]
    return list(dict.fromkeys(entry.series for entry in entries))


def measured_answer(part: ClaimPart, numbers: Mapping[str, Sequence[float]]) -> str:
    """What the numbers of each thing say to a part, with the numbers; several numbers count by their mean."""
    if not all(numbers.values()):
        return NOT_STATED
    means = {name: mean_of(values) for name, values in numbers.items()}
    match part:
        case ComparisonPart():
            first, second = means[part.a], means[part.b]
            answer = "higher" if first > second else "lower" if first < second else "equal"
            return f"{answer}: {first:.6g} and {second:.6g}{_about(first, second)}"
        case OrderingPart():
            ranked = sorted(part.items, key=lambda item: -means[item])
            return f"{order_text(ranked)}: {', '.join(f'{means[item]:.6g}' for item in ranked)}"
        case ThresholdPart():
            mean = means[part.subject]
            return f"{'above' if mean > part.limit else 'below'}: {mean:.6g}"
        case TrendPart():
            return _trend(numbers[part.subject])
        case _:
            return NOT_STATED


def _trend(values: Sequence[float]) -> str:
    if len(values) < 2:
        return NOT_STATED
    first, last, top, bottom = values[0], values[-1], max(values), min(values)
    span = top - bottom
    answer = "increases" if last > first else "decreases" if last < first else "flat"
    if span and top - max(first, last) > 0.5 * span:
        answer = "rises then falls"
    elif span and min(first, last) - bottom > 0.5 * span:
        answer = "falls then rises"
    return f"{answer}: {', '.join(f'{value:.6g}' for value in values[:10])}{_about(top, bottom)}"


def _about(first: float, second: float) -> str:
    close = abs(first - second) <= EQUAL * max(abs(first), abs(second))
    return ", about the same" if close else ""


def _names(part: ClaimPart) -> list[str]:
    match part:
        case ComparisonPart():
            return [part.a, part.b]
        case OrderingPart():
            return sorted(part.items)
        case ThresholdPart() | TrendPart():
            return [part.subject]
        case _:
            return []


def _question(part: ClaimPart, wording: int) -> str:
    if isinstance(part, TrendPart):
        return TREND_QUESTIONS[wording].format(measure=part.measure, subject=part.subject, over=part.over)
    assert isinstance(part, ComparisonPart | OrderingPart | ThresholdPart)
    return QUESTIONS[wording].format(measure=part.measure)
