"""Which functions a run executes, how often, what goes in and out, and which feeds which.

The functions of the repository, and no others, get a decorator that watches them, written into a copy of the
source: nothing else is slowed down, every Python version and every way of starting Python is followed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from assay.errors import Unmaskable
from assay.masking.leaks.sources import Defined, Place, decorated, definitions
from assay.masking.pipeline.bench import PROBE, SEEN, Bench, why_it_failed
from assay.masking.pipeline.injected.assay_summary import alike
from assay.sandbox import Outcome

_IMPORT = (
    '(__import__("sys").modules.get("assay_probe") or '
    f'(__import__("sys").path.append("{PROBE}"), __import__("assay_probe"))[1])'
)


@dataclass(frozen=True)
class Traced:
    """What was seen of one function."""

    place: Place
    calls: int
    seen: list[dict[str, Any]]
    """Some calls: their number, summaries of the arguments before and after, and of what was returned."""
    steady: frozenset[int] = frozenset()
    """The numbers of those calls that were the same when the run was made again."""

    @property
    def returns_numbers(self) -> bool:
        """Whether a watched call returned any number."""
        return any(each["returned"][3] for each in self.seen if "returned" in each)

    @property
    def changes_arguments(self) -> bool:
        """Whether a watched call left an argument with other numbers than it had."""
        return any(
            before != after and after[3]
            for each in self.seen
            if "after" in each
            for before, after in zip(each["before"], each["after"], strict=True)
        )


@dataclass(frozen=True)
class Trace:
    """One traced run."""

    functions: dict[str, Traced]
    flows: list[tuple[str, str, int]]
    """Producer, consumer, and in how many watched calls a value went from the one to the other."""
    seconds: float
    epsilon: float = 0.0
    """The coarsest precision in which the run was seen to compute, single precision at most."""


async def trace(bench: Bench) -> Trace:
    """Run twice with every function of the repository watched; what both runs agree on is steady."""
    sources = {path: data for path, data in bench.files.items() if path.endswith(".py")}
    found = list(definitions(sources))
    places = [each.place for each in found]
    changes = with_probe(sources, places, "trace")
    first, second = [await bench.run(changes, probed=True, seconds=4 * bench.seconds) for _ in range(2)]
    problem = why_it_failed(first) or why_it_failed(second)
    if problem is not None:
        raise Unmaskable(
            f"the run ends well, but not when its functions are watched: it {problem}",
            hint="code that reads its own source or its callers cannot be masked by running",
        )
    traced = _steady(read_trace(first, places), read_trace(second, places))
    if not traced.functions:
        raise Unmaskable(
            "the run executes no function of the repository",
            hint='does it use an installed copy of the package? --run "PYTHONPATH=src …" takes this one',
        )
    return traced


async def reached_lines(bench: Bench, found: Iterable[Defined]) -> dict[str, frozenset[int]]:
    """Function → the lines of its file that its first calls reach, where anything is known of it."""
    wanted = list(found)
    changes = with_probe(bench.files, (each.place for each in wanted), "lines")
    outcome = await bench.run(changes, probed=True, seconds=10 * bench.seconds)
    reached: dict[str, set[int]] = {}
    for path, data in outcome.files.items():
        if path.startswith(f"{SEEN}/"):
            for name, lines in json.loads(data)["lines"].items():
                reached.setdefault(name, set()).update(lines)
    known = {}
    for each in wanted:
        decorators = each.node.decorator_list
        first = decorators[0].lineno if decorators else each.node.lineno
        if lines := reached.get(str(each.place)):
            # The probe's own decorator is one line more above the body.
            known[str(each.place)] = frozenset(first + line - 1 for line in lines)
    return known


def with_probe(sources: Mapping[str, bytes], places: Iterable[Place], probe: str) -> dict[str, bytes]:
    """The sources that hold these functions, each with a decorator of the probe."""
    by_file: dict[str, dict[str, str]] = {}
    for place in places:
        by_file.setdefault(place.file, {})[place.function] = f"{_IMPORT}.{probe}({str(place)!r})"
    return {path: decorated(sources[path], decorators) for path, decorators in by_file.items()}


def read_trace(outcome: Outcome, watched: Iterable[Place]) -> Trace:
    """What the processes of a run left, put together."""
    places = {str(place): place for place in watched}
    functions: dict[str, Traced] = {}
    flows: dict[tuple[str, str], int] = {}
    epsilon = 0.0
    for path, data in sorted(outcome.files.items()):
        if not path.startswith(f"{SEEN}/"):
            continue
        left = json.loads(data)
        epsilon = max(epsilon, left["epsilon"])
        for name, (calls, seen) in left["functions"].items():
            if name in places:
                before = functions.get(name)
                total = calls + (before.calls if before else 0)
                functions[name] = Traced(places[name], total, before.seen if before else seen)
        for producer, consumer, count in left["flows"]:
            flows[producer, consumer] = flows.get((producer, consumer), 0) + count
    return Trace(functions, [(*pair, count) for pair, count in flows.items()], outcome.seconds, epsilon)


def _steady(first: Trace, second: Trace) -> Trace:
    """The first trace, told which of its calls the second repeats; chance may play into others."""
    functions = {}
    for name, traced in first.functions.items():
        other = second.functions.get(name)
        again = {each["call"]: each for each in other.seen} if other else {}
        steady = [
            each["call"]
            for each in traced.seen
            if each["call"] in again and _alike(each, again[each["call"]])
        ]
        functions[name] = Traced(traced.place, traced.calls, traced.seen, frozenset(steady))
    return Trace(functions, first.flows, min(first.seconds, second.seconds), first.epsilon)


def _alike(first: dict[str, Any], second: dict[str, Any]) -> bool:
    if first.get("raised") != second.get("raised") or not alike(first["before"], second["before"]):
        return False
    made = [[each["returned"], *each["after"]] if "returned" in each else [] for each in (first, second)]
    return alike(*made)


def outputs_differ(gold: Traced, other: Traced | None) -> bool:
    """Whether a changed function gave something else, or led elsewhere, in the calls watched in both."""
    seen = {each["call"]: each for each in other.seen} if other else {}
    both = [(each, seen[each["call"]]) for each in gold.seen if each["call"] in gold.steady & seen.keys()]
    return not both or any(not _alike(first, second) for first, second in both)
