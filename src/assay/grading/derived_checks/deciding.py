"""Decides a requirement by its facts: met, unmet, or undecided, which leaves it to a reader.

`unmet` is rare on purpose. Right code may reach the same end by another function, so a missing fact leaves
the requirement undecided, unless the requirement itself names the function, everything that ran is known, and
nothing of the file that defines it ran.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Literal, NamedTuple

from assay.grading.derived_checks.evidence import Evidence, SeenCalls, has_all, same
from assay.grading.execution_trace import parse
from assay.grading.execution_trace.statements import own_lines, statements
from assay.tasks import Fact

MOST_OF_LINES = 0.8
"""Share of the cited statements that must run: a branch for another case need not."""


class FactDecision(NamedTuple):
    """What the facts say, and why."""

    status: Literal["met", "unmet", "undecided"]
    evidence: str


class _FactResult(NamedTuple):
    holds: bool
    words: str


def decide(facts: Sequence[Fact], evidence: Evidence) -> FactDecision:
    """Decide one requirement."""
    alternatives = [
        [fact for fact in facts if fact.kind == "lines"],
        [fact for fact in facts if fact.kind != "lines"],
    ]
    missing = []
    for alternative in filter(None, alternatives):
        results = [_check(fact, evidence) for fact in alternative]
        if all(result.holds for result in results):
            return FactDecision("met", "; ".join(result.words for result in results))
        missing += [result.words for result in results if not result.holds]
    named = [fact for fact in facts if fact.kind == "call" and fact.named and fact.file is not None]
    if named and evidence.open_because is None and not any(_is_touched(fact, evidence) for fact in facts):
        listing = ", ".join(fact.name for fact in named[:3])
        return FactDecision("unmet", f"the run never called {listing}, nor anything else of {named[0].file}")
    reason = evidence.open_because or "other code may do the same"
    return FactDecision("undecided", f"{'; '.join(missing[:3])}; {reason}")


def _is_touched(fact: Fact, evidence: Evidence) -> bool:
    """Whether anything that ran has to do with a fact."""
    last = fact.name.rpartition(".")[2]
    if fact.kind == "call":
        names = {fact.file or "", fact.symbol, last}
        return bool(names & evidence.touched) or any(
            name.rpartition(".")[2] == last for name in evidence.library
        )
    return _check(fact, evidence).holds


def _check(fact: Fact, evidence: Evidence) -> _FactResult:
    checks = {
        "call": _check_call,
        "import": _check_import,
        "program": _check_program,
        "setting": _check_setting,
        "lines": _check_lines,
    }
    return checks[fact.kind](fact, evidence)


def _check_call(fact: Fact, evidence: Evidence) -> _FactResult:
    if fact.file is not None:
        seen_calls = evidence.calls.get((fact.file, fact.symbol))
    else:
        package, _, _ = fact.name.partition(".")
        last = fact.name.rpartition(".")[2]
        seen_calls = next(
            (
                calls
                for name, calls in evidence.library.items()
                if name.partition(".")[0] == package and name.rpartition(".")[2] == last
            ),
            None,
        )
    if seen_calls is None or not seen_calls.count:
        return _FactResult(False, f"no call of {fact.name} returned")
    stated = "".join(
        f", {name}={', '.join(map(str, argument_values))}" for name, argument_values in fact.values.items()
    )
    if not _has_arguments(fact, seen_calls):
        return _FactResult(False, f"{fact.name} was not called with{stated.removeprefix(',')}")
    return _FactResult(True, f"called {fact.name} {seen_calls.count} times{stated}")


def _has_arguments(fact: Fact, calls: SeenCalls) -> bool:
    """Whether one call had all the single values, and the values that change came in some call each."""
    single = {name: values[0] for name, values in fact.values.items() if len(values) == 1}
    fitting = [
        arguments
        for arguments in calls.arguments
        if all(name in arguments and same(value, arguments[name]) for name, value in single.items())
    ]
    lists = [(name, values) for name, values in fact.values.items() if len(values) > 1]
    return (bool(fitting) or not single) and all(
        has_all(values, [arguments.get(name) for arguments in calls.arguments]) for name, values in lists
    )


def _check_import(fact: Fact, evidence: Evidence) -> _FactResult:
    parent = fact.name.rpartition(".")[0]
    is_imported = any(
        name in (fact.name, parent) or name.startswith(f"{fact.name}.") for name in evidence.imports
    )
    return _FactResult(is_imported, f"{'imports' if is_imported else 'does not import'} {fact.name}")


def _check_program(fact: Fact, evidence: Evidence) -> _FactResult:
    starts = [options for target, options in evidence.programs if target == fact.name]
    if not starts:
        return _FactResult(False, f"{fact.name} was not started")
    for option, values in fact.values.items():
        option_values = [value for options in starts for value in options.get(option, ())]
        if not has_all(values, option_values):
            return _FactResult(
                False, f"{fact.name} was not started with {option} {', '.join(map(str, values))}"
            )
    stated = " ".join(f"--{name} {','.join(map(str, values))}" for name, values in fact.values.items())
    return _FactResult(True, f"started {fact.name} {len(starts)} times with {stated}"[:400])


def _check_setting(fact: Fact, evidence: Evidence) -> _FactResult:
    values = fact.values[fact.name]
    setting = fact.name.casefold().replace("-", "_")
    matching_settings = [
        value
        for name, set_values in evidence.settings.items()
        if name.casefold().replace("-", "_") == setting
        for value in set_values
    ]
    stated = ", ".join(map(str, values))
    if has_all(values, matching_settings):
        return _FactResult(True, f"sets {fact.name} to {stated[:100]}")
    return _FactResult(False, f"{fact.name} was not set to {stated[:100]}")


def _check_lines(fact: Fact, evidence: Evidence) -> _FactResult:
    ran, text = evidence.lines.get(fact.name), evidence.sources.get(fact.name)
    if ran is None or text is None:
        return _FactResult(False, f"the given {fact.name} did not run unchanged")
    executed, count = lines_run(text, fact.lines, ran)
    words = f"executed {executed} of {count} cited statements of the given {fact.name}"
    return _FactResult(count > 0 and executed >= MOST_OF_LINES * count, words)


def lines_run(text: str, parts: Sequence[tuple[int, int]], ran: frozenset[int]) -> tuple[int, int]:
    """How many statements of some parts of a file ran, and how many there are.

    Where functions are cited with their bodies, only what is inside functions counts: to define a function is
    not to run it.
    """
    tree = parse(text)
    if tree is None:
        return 0, 0
    cited = [node for node in statements(tree) if _is_within(own_lines(node)[0], parts)]
    inside = {id(child) for node in cited for child in _body_of_function(node)}
    counted = [node for node in cited if id(node) in inside] or cited
    executed = [node for node in counted if any(line in ran for line in range(*_span(own_lines(node))))]
    return len(executed), len(counted)


def _body_of_function(node: ast.stmt) -> list[ast.stmt]:
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return []
    return [
        child
        for statement in node.body
        for child in ast.walk(statement)
        if isinstance(child, ast.stmt)
        and not (isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant))
    ]


def _span(lines: tuple[int, int]) -> tuple[int, int]:
    return lines[0], lines[1] + 1


def _is_within(line: int, parts: Sequence[tuple[int, int]]) -> bool:
    return any(first <= line <= last for first, last in parts)
