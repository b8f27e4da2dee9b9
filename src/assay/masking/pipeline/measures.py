"""Turns `name=results.json:dotted.path` and `name=stdout:REGEX` into metrics of a run."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from assay.errors import TaskError, Unmaskable
from assay.grading.run_outputs import read_results, tail
from assay.sandbox import Outcome
from assay.tasks import Metric, Printed, Run, look_up

MAX_NUMBERS = 200
"""Of more numbers under one name, this many are compared, evenly spread; all are counted."""
MAX_NOISY = 24
"""Largest number of noisy metrics: each of them may fail honest work by chance."""


@dataclass(frozen=True)
class MetricRequest:
    """One `--metrics` option."""

    name: str
    file: str | None
    """None for standard output."""
    location: str
    """A dotted path in the file, empty for the whole file; or the pattern."""


def parse_metric_requests(texts: Sequence[str]) -> list[MetricRequest]:
    """Parse the requested metrics; every number is in a JSON file or printed."""
    requests = [_parse(text) for text in texts]
    names = [request.name for request in requests]
    if not requests or len(set(names)) != len(names):
        raise TaskError("--metrics", "expected at least one, each with a name of its own")
    return requests


def _parse(text: str) -> MetricRequest:
    match = re.fullmatch(r"([^=.]+)=([^:]+):(.*)", text, re.DOTALL)
    if match is None:
        raise TaskError(
            "--metrics", f"{text!r} is not NAME=FILE:PATH or NAME=stdout:REGEX (no dot in the name)"
        )
    name, file, location = match.groups()
    if file != "stdout":
        return MetricRequest(name, file, location)
    try:
        re.compile(location)
    except re.error as error:
        raise TaskError("--metrics", f"{location!r} is no regular expression: {error}") from None
    return MetricRequest(name, None, location)


def choose_metrics(
    requests: Sequence[MetricRequest], command: str, seconds: float, outcome: Outcome
) -> tuple[Run, list[Metric]]:
    """Return the run and its metrics, as the first gold run shows them."""
    printed = [_printed(request, outcome) for request in requests if request.file is None]
    results = next((request.file for request in requests if request.file is not None), None)
    run = Run(command=command, results=results, printed=printed, seconds=seconds)
    results_read, problem = read_results(run, outcome)
    if problem is not None:
        raise Unmaskable(f"the run gives no numbers: {problem}", hint="does --metrics name the right file?")
    metrics = []
    for request in requests:
        location = request.location if request.file is not None else f"stdout.{request.name}"
        paths = _spread(_paths(results_read, location), MAX_NUMBERS)
        if not paths:
            raise Unmaskable(
                f"the run wrote {request.file}, but no number at {request.location!r}",
                hint=f"numbers stand at: {', '.join(_paths(results_read, '')[:8]) or 'no place'}",
            )
        metrics += [Metric(name=_metric_name(request.name, location, path), path=path) for path in paths]
    return run, metrics


def read_numbers(run: Run, metrics: Sequence[Metric], outcome: Outcome) -> dict[str, float]:
    """Map each metric to its number in one run; raise `Unmaskable` if a number is missing."""
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
    """Return the unit of a printed number's last digit, which rounding may change; zero if not printed."""
    if not metric.path.startswith("stdout."):
        return 0.0
    _, name, position = metric.path.split(".")
    pattern = next(entry.pattern for entry in printed if entry.name == name)
    text = _matches(pattern, outcome)[int(position)]
    digits = re.fullmatch(r"[-+]?\d*\.(\d+)(?:[eE]([-+]?\d+))?", text)
    if digits is None or len(digits.group(1)) > 12:
        return 0.0
    return float(10.0 ** (int(digits.group(2) or 0) - len(digits.group(1))))


def _matches(pattern: str, outcome: Outcome) -> list[str]:
    stdout = outcome.stdout.decode(errors="replace")
    return [match.group(1 if match.re.groups else 0) for match in re.finditer(pattern, stdout)]


def _printed(request: MetricRequest, outcome: Outcome) -> Printed:
    texts = _matches(request.location, outcome)
    try:
        numbers = [float(text) for text in texts]
    except (TypeError, ValueError):
        raise Unmaskable(
            f"the pattern of {request.name!r} matches {texts[0]!r}, which is no number",
            hint="put a group around the number: 'loss: ([0-9.]+)'",
        ) from None
    if not numbers:
        raise Unmaskable(
            f"the run prints no number for {request.name!r}: {request.location!r} matches nowhere",
            hint=f"it printed: {tail(outcome.stdout) or 'nothing'}",
        )
    return Printed(name=request.name, pattern=request.location, count=len(numbers))


def _paths(results: object, location: str) -> list[str]:
    """List the paths of all numbers at or below a location."""
    value = results
    for step in location.split(".") if location else []:
        if isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list) and step.isdecimal() and int(step) < len(value):
            value = value[int(step)]
        else:
            return []
    return [path.strip(".") for path in _number_paths(value, location)]


def _number_paths(value: object, location: str) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if "." not in key:
                yield from _number_paths(inner, f"{location}.{key}")
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _number_paths(inner, f"{location}.{number}")
    elif isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        yield location


def thin_noisy(metrics: Sequence[Metric], rows: Sequence[Mapping[str, float]]) -> list[Metric]:
    """Return the metrics without most of the noisy ones, if there are many."""
    noisy = [metric.name for metric in metrics if len({str(row[metric.name]) for row in rows}) > 1]
    dropped = set(noisy) - set(_spread(noisy, MAX_NOISY))
    return [metric for metric in metrics if metric.name not in dropped]


def _spread(names: list[str], limit: int) -> list[str]:
    if len(names) <= limit:
        return names
    step = (len(names) - 1) / (limit - 1)
    return [names[round(number * step)] for number in range(limit)]


def _metric_name(name: str, location: str, path: str) -> str:
    suffix = path.removeprefix(location).strip(".")
    return f"{name}.{suffix}" if suffix and suffix != "0" else name
