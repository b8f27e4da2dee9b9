"""Traces which functions a run executes, how often, with which inputs and outputs, and their data flow.

Only functions of the repository get a watching decorator, in a copy of the source: other code keeps its
speed, and it works with every Python version and every way of starting Python.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from assay.errors import Unmaskable
from assay.masking.leaks.sources import DefinedFunction, FunctionPlace, definitions, with_decorators
from assay.masking.pipeline.bench import PROBE, PROBE_FOLDER, RepositoryRunner, failure_reason
from assay.masking.pipeline.injected.assay_summary import alike, summarise
from assay.sandbox import Outcome


def _import(module: str) -> str:
    """Return an expression that imports a module of the probe."""
    return (
        f'(__import__("sys").modules.get("{module}") or '
        f'(__import__("sys").path.append("{PROBE}"), __import__("{module}"))[1])'
    )


@dataclass(frozen=True)
class TracedFunction:
    """The trace of one function."""

    place: FunctionPlace
    calls: int
    watched_calls: list[dict[str, Any]]
    """Some calls: their number, summaries of the arguments before and after, and of the returned value."""
    steady: frozenset[int] = frozenset()
    """Numbers of the calls that were equal in a repeated run."""

    @property
    def returns_numbers(self) -> bool:
        """True if a watched call returned a number."""
        return any(call["returned"][3] for call in self.watched_calls if "returned" in call)

    @property
    def returns_value(self) -> bool:
        """True if a watched call returned something other than None."""
        none_summary = summarise(None)
        return any(call["returned"] != none_summary for call in self.watched_calls if "returned" in call)

    @property
    def changes_arguments(self) -> bool:
        """True if a watched call changed the numbers of an argument."""
        return any(
            before != after and after[3]
            for call in self.watched_calls
            if "after" in call
            for before, after in zip(call["before"], call["after"], strict=True)
        )


@dataclass(frozen=True)
class Trace:
    """One traced run."""

    functions: dict[str, TracedFunction]
    flows: list[tuple[str, str, int]]
    """Producer, consumer, and the number of watched calls in which a value went from one to the other."""
    seconds: float
    epsilon: float = 0.0
    """Coarsest observed precision of the run, at most single precision."""


async def trace(bench: RepositoryRunner) -> Trace:
    """Run twice with every function of the repository watched; equal calls are steady."""
    sources = {path: data for path, data in bench.files.items() if path.endswith(".py")}
    found_functions = list(definitions(sources))
    places = [definition.place for definition in found_functions]
    changes = with_probe(sources, places, "trace")
    first, second = [await bench.run(changes, use_probe=True, seconds=4 * bench.seconds) for _ in range(2)]
    problem = failure_reason(first) or failure_reason(second)
    if problem is not None:
        raise Unmaskable(
            f"the run ends well, but not when its functions are watched: it {problem}",
            hint="code that reads its own source or its callers cannot be masked by running",
        )
    traced = _with_steady_calls(read_trace(first, places), read_trace(second, places))
    if not traced.functions:
        raise Unmaskable(
            "the run executes no function of the repository",
            hint='does it use an installed copy of the package? --run "PYTHONPATH=src …" takes this one',
        )
    return traced


async def reached_lines(
    bench: RepositoryRunner, functions: Iterable[DefinedFunction]
) -> dict[str, frozenset[int]]:
    """Map each known function to the lines of its file that its first calls reach."""
    function_list = list(functions)
    changes = with_probe(bench.files, (function.place for function in function_list), "lines")
    outcome = await bench.run(changes, use_probe=True, seconds=10 * bench.seconds)
    reached: dict[str, set[int]] = {}
    for path, data in outcome.files.items():
        if path.startswith(f"{PROBE_FOLDER}/"):
            for name, lines in json.loads(data)["lines"].items():
                reached.setdefault(name, set()).update(lines)
    lines_by_function = {}
    for function in function_list:
        decorators = function.node.decorator_list
        first = decorators[0].lineno if decorators else function.node.lineno
        if lines := reached.get(str(function.place)):
            # The probe's decorator adds one line above the body.
            lines_by_function[str(function.place)] = frozenset(first + line - 1 for line in lines)
    return lines_by_function


def with_probe(
    sources: Mapping[str, bytes],
    places: Iterable[FunctionPlace],
    probe: str,
    module: str = "assay_probe",
) -> dict[str, bytes]:
    """Return the sources of these functions, with the probe's decorator on each function."""
    by_file: dict[str, dict[str, str]] = {}
    for place in places:
        by_file.setdefault(place.file, {})[place.function] = f"{_import(module)}.{probe}({str(place)!r})"
    return {path: with_decorators(sources[path], decorators) for path, decorators in by_file.items()}


def read_trace(outcome: Outcome, watched_places: Iterable[FunctionPlace]) -> Trace:
    """Combine the records of all processes of a run."""
    places = {str(place): place for place in watched_places}
    functions: dict[str, TracedFunction] = {}
    flows: dict[tuple[str, str], int] = {}
    epsilon = 0.0
    for path, data in sorted(outcome.files.items()):
        if not path.startswith(f"{PROBE_FOLDER}/"):
            continue
        records = json.loads(data)
        epsilon = max(epsilon, records["epsilon"])
        for name, (calls, watched_calls) in records["functions"].items():
            if name in places:
                previous = functions.get(name)
                total = calls + (previous.calls if previous else 0)
                functions[name] = TracedFunction(
                    places[name], total, previous.watched_calls if previous else watched_calls
                )
        for producer, consumer, count in records["flows"]:
            flows[producer, consumer] = flows.get((producer, consumer), 0) + count
    return Trace(functions, [(*pair, count) for pair, count in flows.items()], outcome.seconds, epsilon)


def _with_steady_calls(first: Trace, second: Trace) -> Trace:
    """Return the first trace, with the calls that the second repeats; other calls may depend on chance."""
    functions = {}
    for name, traced in first.functions.items():
        second_traced = second.functions.get(name)
        repeated = (
            {repeated_call["call"]: repeated_call for repeated_call in second_traced.watched_calls}
            if second_traced
            else {}
        )
        steady = [
            watched_call["call"]
            for watched_call in traced.watched_calls
            if watched_call["call"] in repeated
            and _same_behaviour(watched_call, repeated[watched_call["call"]])
        ]
        functions[name] = TracedFunction(traced.place, traced.calls, traced.watched_calls, frozenset(steady))
    return Trace(functions, first.flows, min(first.seconds, second.seconds), first.epsilon)


def _same_behaviour(first: dict[str, Any], second: dict[str, Any]) -> bool:
    if first.get("raised") != second.get("raised") or not alike(first["before"], second["before"]):
        return False
    outputs = [[call["returned"], *call["after"]] if "returned" in call else [] for call in (first, second)]
    return alike(*outputs)


def outputs_differ(gold: TracedFunction, changed: TracedFunction | None) -> bool:
    """True if a changed function has other outputs or errors in the calls that both traces contain."""
    other_calls = {call["call"]: call for call in changed.watched_calls} if changed else {}
    call_pairs = [
        (call, other_calls[call["call"]])
        for call in gold.watched_calls
        if call["call"] in gold.steady & other_calls.keys()
    ]
    return not call_pairs or any(not _same_behaviour(first, second) for first, second in call_pairs)
