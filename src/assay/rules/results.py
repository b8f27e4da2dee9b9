"""What a run wrote and printed, and each of its numbers against gold."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Collection, Mapping, Sequence
from itertools import islice

from assay.rules.check_submission import MAX_DEPTH, depth
from assay.rules.documents import read_json
from assay.rules.numbers import comparison, look_up, within
from assay.rules.ruling import DEFAULT, Ruling, met, unmet
from assay.rules.shapes import PrintedShape, RunShape

RESULTS_BYTES = 16 << 20
"""Of a results file."""
RESULTS_PARTS = 1_000_000
"""Values in a results file: each costs the harness many times the bytes in which it is written."""
MOST_PRINTED = 10_000
"""Numbers of one kind that are read from the output of a run that may print any number of them."""


def parse_results(run: RunShape, data: bytes | None, stdout: bytes) -> tuple[object | None, str | None]:
    """What a run that ended well wrote and printed, or why there is nothing."""
    path = run.results
    if path is None:
        return with_printed(run.printed, {}, stdout), None
    if data is None:
        return None, f"the run ended well but wrote no {path}"
    if len(data) > RESULTS_BYTES:
        return None, f"{path} is longer than {RESULTS_BYTES:,} bytes, which are the most that are read"
    parts = sum(map(data.count, (b"[", b"{", b",")))
    if parts > RESULTS_PARTS:
        return None, f"{path} holds {parts:,} values, at most {RESULTS_PARTS:,} are read"
    try:
        results = read_json(data)
    except ValueError as error:
        return None, f"{path} is not JSON: {str(error)[:200]}"
    if depth(results) > MAX_DEPTH:
        return None, f"{path} is nested more than {MAX_DEPTH} deep"
    return with_printed(run.printed, results, stdout) if run.printed else results, None


def with_printed(printed: Sequence[PrintedShape], results: object, stdout: bytes) -> object:
    """The results with the numbers of standard output, which the harness itself caught, under `stdout`."""
    text = stdout.decode(errors="replace")
    numbers = {pattern.name: _numbers(pattern, text) for pattern in printed}
    return {**(results if isinstance(results, dict) else {}), "stdout": numbers}


def _numbers(printed: PrintedShape, text: str) -> list[float] | str:
    matches = [match.group(1 if match.re.groups else 0) for match in re.finditer(printed.pattern, text)]
    if len(matches) != printed.count:
        return f"the pattern matched {len(matches)} times, expected {printed.count}"
    try:
        return [float(match) for match in matches]
    except (TypeError, ValueError):
        return "the pattern matched what is no number"


def printed_numbers(run: RunShape, stdout: str) -> dict[str, float]:
    """The numbers that a run prints where the task looks for them, however many they are, by their paths."""
    numbers: dict[str, float] = {}
    for printed in run.printed:
        matches = islice(re.finditer(printed.pattern, stdout), MOST_PRINTED)
        for place, match in enumerate(matches):
            with contextlib.suppress(ValueError, TypeError):
                numbers[f"stdout.{printed.name}.{place}"] = float(match.group(1 if match.re.groups else 0))
    return numbers


def grade_execution(
    variation: str,
    problem: str | None,
    expected: Sequence[str],
    outputs: Collection[str],
    refused: Mapping[str, str],
    hollow: str | None,
    account: str,
) -> Ruling:
    """Whether a run ended well and wrote its results and all other outputs of the task.

    `refused` says why files that it wrote were not taken; `hollow` is why its results show nothing although
    it ended well; `account` describes a good run.
    """
    item = f"execution.{variation}"
    missing = [path for path in expected if path not in outputs]
    refusals = [f"{path} was refused: {refused[path]}" for path in missing if path in refused]
    problem = problem or (refusals[0] if refusals else None)
    problem = problem or (f"the run ended well but wrote no {', '.join(missing)}" if missing else None)
    problem = problem or hollow
    return met(item, account) if problem is None else unmet(item, problem)


def not_run(variation: str) -> Ruling:
    """A variation of what cannot run plainly is not run: the verdict is known, and runs cost time."""
    return unmet(f"execution.{variation}", "not run, since the plain run failed")


def grade_number(
    variation: str,
    metric: str,
    path: str,
    gold: float,
    tolerance: float,
    results: object,
    problem: str | None,
) -> Ruling:
    """One number of one run against gold; `problem` is why there are no results."""
    item = f"result.{variation}.{metric}"
    if results is None:
        return unmet(item, f"no number: {problem}")
    try:
        number = look_up(results, path)
    except KeyError as error:
        return unmet(item, f"no number: {error.args[0]}")
    evidence = comparison(number, gold, tolerance)
    if within(number, gold, tolerance):
        return met(item, evidence)
    if variation != DEFAULT:
        evidence += " (a run the agent could not know)"
    return unmet(item, evidence)
