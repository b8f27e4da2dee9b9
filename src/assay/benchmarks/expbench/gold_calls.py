"""Where calls of published solutions lead, as a recorded run of the solution shows it.

The text of `env.reset(key)` does not say which class `env` has, and that of `pc(data, alpha)` not which value
`alpha` has. A run shows both. `data/gold_calls.json` has, for solutions that run here, the calls in lines
that requirements cite: file of the solution → the call as it is written → the function of the repository
that it led to, and the scalar arguments that were the same in every call. So a user needs no gold run.

`compact` makes an entry from what `scripts/gold-calls` records. A call that led to several functions is left
out.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from assay.benchmarks.expbench.papers import DATA
from assay.grading.derived_checks import Parts, Symbol, TracedCall
from assay.grading.derived_checks.repository import dotted_name
from assay.grading.execution_trace import parse

Scalar = str | int | float | bool
CallSites = Mapping[str, Mapping[str, Sequence[Mapping[str, Scalar]]]]
"""`FILE:LINE` of a caller → `FILE:FUNCTION` → different sets of scalar arguments."""
Compact = dict[str, dict[str, dict[str, object]]]
"""What is shipped for one task, as JSON."""
TracedCalls = Mapping[str, Mapping[str, TracedCall]]
"""File of the solution → call as it is written → where it led."""


@cache
def gold_calls(task_id: str) -> TracedCalls:
    """Return the recorded calls of a task's solution; nothing for most tasks."""
    stored: dict[str, Compact] = json.loads((DATA / "gold_calls.json").read_text(encoding="utf-8"))
    return traced_calls(stored.get(task_id, {}))


def traced_calls(stored: Compact) -> TracedCalls:
    """Read what `compact` wrote."""
    return {
        path: {written: _traced_call(entry) for written, entry in calls.items()}
        for path, calls in stored.items()
    }


def _traced_call(entry: Mapping[str, object]) -> TracedCall:
    arguments = entry.get("arguments", {})
    assert isinstance(arguments, dict)
    # What runs in the place of a decorated function is not known, so no requirement is unmet without it.
    symbol = Symbol(str(entry["file"]), str(entry["function"]), (), is_wrapped=True)
    return TracedCall(symbol, arguments)


def compact(sites: CallSites, tree: Mapping[str, bytes], cited: Mapping[str, Parts]) -> Compact:
    """What of recorded call sites is shipped: the calls in cited lines that lead to another Python file."""
    found: Compact = {}
    for path, parts in cited.items():
        module = parse(tree[path].decode(errors="replace")) if path.endswith(".py") else None
        places = _written_calls(module) if module is not None else ()
        led_to: dict[str, dict[str, list[Mapping[str, Scalar]]]] = {}
        for written, first, last in places:
            is_cited = any(begin <= line <= end for begin, end in parts for line in range(first, last + 1))
            for line in range(first, last + 1) if is_cited else ():
                for callee, sets in sites.get(f"{path}:{line}", {}).items():
                    if _is_named(callee, written) and not callee.startswith(f"{path}:"):
                        led_to.setdefault(written, {}).setdefault(callee, []).extend(sets)
        for written, callees in led_to.items():
            if len(callees) == 1:
                found.setdefault(path, {})[written] = _entry(*next(iter(callees.items())))
    return found


def _written_calls(module: ast.Module) -> Iterator[tuple[str, int, int]]:
    """The calls of a file as they are written, with their lines."""
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and (written := dotted_name(node.func)) is not None:
            yield written, node.lineno, node.end_lineno or node.lineno


def _is_named(callee: str, written: str) -> bool:
    """Whether a function has the name that a call is written with; a class stands for its constructor."""
    names = callee.rpartition(":")[2].split(".")
    name = names[-2] if names[-1] == "__init__" and len(names) > 1 else names[-1]
    return name == written.rpartition(".")[2]


def _entry(callee: str, sets: Sequence[Mapping[str, Scalar]]) -> dict[str, object]:
    file, _, function = callee.rpartition(":")
    common = {
        name: value
        for name, value in (sets[0] if sets else {}).items()
        if all(name in other and other[name] == value for other in sets)
    }
    entry: dict[str, object] = {"file": file, "function": function}
    return {**entry, "arguments": common} if common else entry
