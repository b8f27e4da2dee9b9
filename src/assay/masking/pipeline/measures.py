"""Which numbers of a run count: `name=results.json:dotted.path` or `name=stdout:REGEX`, made into metrics."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from assay.errors import TaskError, Unmaskable
from assay.grading.cleanroom import read_results, tail
from assay.sandbox import Outcome
from assay.tasks import Metric, Printed, Run, look_up

MOST_NUMBERS = 200
"""Of more numbers than this under one name, so many are compared, spread evenly; all are counted."""
MOST_NOISY = 24
"""Of numbers that stray from run to run so many: each of them may fail honest work by chance."""


@dataclass(frozen=True)
class Wanted:
    """One `--metrics`."""

    name: str
    file: str | None
    """None stands for standard output."""
    place: str
    """A dotted path in the file, empty for all of it; or the pattern."""


def parse_wanted(texts: Sequence[str]) -> list[Wanted]:
    """The metrics that were asked for; every number must be in one JSON file or printed."""
    wanted = [_parse(text) for text in texts]
    files = {each.file for each in wanted if each.file is not None}
    if len(files) > 1:
        raise TaskError("--metrics", f"numbers in {len(files)} files, expected one JSON file for all of them")
    names = [each.name for each in wanted]
    if not wanted or len(set(names)) != len(names):
        raise TaskError("--metrics", "expected at least one, each with a name of its own")
    return wanted


def _parse(text: str) -> Wanted:
    match = re.fullmatch(r"([^=.]+)=([^:]+):(.*)", text, re.DOTALL)
    if match is None:
        raise TaskError(
            "--metrics", f"{text!r} is not NAME=FILE:PATH or NAME=stdout:REGEX (no dot in the name)"
        )
    name, file, place = match.groups()
    if file != "stdout":
        return Wanted(name, file, place)
    try:
        re.compile(place)
    except re.error as error:
        raise TaskError("--metrics", f"{place!r} is no regular expression: {error}") from None
    return Wanted(name, None, place)


def settle(
    wanted: Sequence[Wanted], command: str, seconds: float, outcome: Outcome
) -> tuple[Run, list[Metric]]:
    """The run and its metrics, as the first gold run shows them."""
    printed = [_printed(each, outcome) for each in wanted if each.file is None]
    results = next((each.file for each in wanted if each.file is not None), None)
    run = Run(command=command, results=results, printed=printed, seconds=seconds)
    read, problem = read_results(run, outcome)
    if problem is not None:
        raise Unmaskable(f"the run gives no numbers: {problem}", hint="does --metrics name the right file?")
    metrics = []
    for each in wanted:
        place = each.place if each.file is not None else f"stdout.{each.name}"
        paths = _spread(_paths(read, place), MOST_NUMBERS)
        if not paths:
            raise Unmaskable(
                f"the run wrote {each.file}, but no number at {each.place!r}",
                hint=f"numbers stand at: {', '.join(_paths(read, '')[:8]) or 'no place'}",
            )
        metrics += [Metric(name=_named(each.name, place, path), path=path) for path in paths]
    return run, metrics


def read_numbers(run: Run, metrics: Sequence[Metric], outcome: Outcome) -> dict[str, float]:
    """Metric → number of one run; raises `Unmaskable` where a number is missing."""
    results, problem = read_results(run, outcome)
    if problem is not None:
        raise Unmaskable(f"the run gave no numbers this time: {problem}")
    try:
        return {metric.name: look_up(results, metric.path) for metric in metrics}
    except KeyError as error:
        raise Unmaskable(
            f"a number was there in one run and missing in the next: {error.args[0]}",
            hint="choose numbers that every run gives, or a pattern that matches equally often",
        ) from None


def decimal_unit(printed: Sequence[Printed], metric: Metric, outcome: Outcome) -> float:
    """The last digit of a printed number, which rounding may turn; zero where it was not printed."""
    if not metric.path.startswith("stdout."):
        return 0.0
    _, name, place = metric.path.split(".")
    pattern = next(each.pattern for each in printed if each.name == name)
    text = _matches(pattern, outcome)[int(place)]
    digits = re.fullmatch(r"[-+]?\d*\.(\d+)(?:[eE]([-+]?\d+))?", text)
    if digits is None or len(digits.group(1)) > 12:
        return 0.0
    return float(10.0 ** (int(digits.group(2) or 0) - len(digits.group(1))))


def _matches(pattern: str, outcome: Outcome) -> list[str]:
    said = outcome.stdout.decode(errors="replace")
    return [match.group(1 if match.re.groups else 0) for match in re.finditer(pattern, said)]


def _printed(wanted: Wanted, outcome: Outcome) -> Printed:
    found = _matches(wanted.place, outcome)
    try:
        numbers = [float(text) for text in found]
    except (TypeError, ValueError):
        raise Unmaskable(
            f"the pattern of {wanted.name!r} matches {found[0]!r}, which is no number",
            hint="put a group around the number: 'loss: ([0-9.]+)'",
        ) from None
    if not numbers:
        raise Unmaskable(
            f"the run prints no number for {wanted.name!r}: {wanted.place!r} matches nowhere",
            hint=f"it printed: {tail(outcome.stdout) or 'nothing'}",
        )
    return Printed(name=wanted.name, pattern=wanted.place, count=len(numbers))


def _paths(results: object, place: str) -> list[str]:
    """The places of all numbers at or below a place."""
    inside = results
    for step in place.split(".") if place else []:
        if isinstance(inside, dict) and step in inside:
            inside = inside[step]
        elif isinstance(inside, list) and step.isdecimal() and int(step) < len(inside):
            inside = inside[int(step)]
        else:
            return []
    return [path.strip(".") for path in _below(inside, place)]


def _below(value: object, place: str) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if "." not in key:
                yield from _below(inner, f"{place}.{key}")
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _below(inner, f"{place}.{number}")
    elif isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        yield place


def thin_noisy(metrics: Sequence[Metric], rows: Sequence[Mapping[str, float]]) -> list[Metric]:
    """The metrics without most of those that stray, where they are many."""
    noisy = [each.name for each in metrics if len({str(row[each.name]) for row in rows}) > 1]
    left = set(noisy) - set(_spread(noisy, MOST_NOISY))
    return [each for each in metrics if each.name not in left]


def _spread(names: list[str], most: int) -> list[str]:
    if len(names) <= most:
        return names
    step = (len(names) - 1) / (most - 1)
    return [names[round(number * step)] for number in range(most)]


def _named(name: str, place: str, path: str) -> str:
    rest = path.removeprefix(place).strip(".")
    return f"{name}.{rest}" if rest and rest != "0" else name
