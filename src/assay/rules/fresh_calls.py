"""Unit tests as the run: what proves that a submission computes, and has not only made the tests pass.

Code of a submission runs in the process that counts the passed tests, so it can forge that count. So grading
also calls the masked functions with fresh inputs, and compares the answers outside of that process with those
of the solution. The inputs are near those of the tests, and are drawn at grading.

What it does not cover: how a function computes; inputs far from those of the tests; arguments that cannot be
pickled; what a function does to globals and files. docs/mask.md says what was measured.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, Literal, NamedTuple, Protocol

from assay.rules.plain_answers import agrees, as_expected, key_of, read_answers
from assay.rules.ruling import Ruling, met, unmet

ITEM = "integrity.tests"
TEST_PROGRAM = "assay_run_tests.py"
"""Runs the tests and writes how many cases of each test pass."""
FOLDER = "assay_fresh_calls"
"""Where the programs and their files are, in the workspace of one sandbox."""
CALLS, FIRST, SECOND, ANSWERS = (
    f"{FOLDER}/{name}" for name in ("calls.json", "first.jsonl", "second.jsonl", "answers.jsonl")
)
SHARE, SHARE_OF_TESTS = 0.9, 0.95
"""Of the fresh calls in each group, and of the tests' own calls, so many must agree (docs/mask.md)."""
GroupKind = Literal["changed", "unchanged", "tests"]
MOST_IN_GROUP = 20
LEAST_CHANGED = 5
LEAST_UNCHANGED = 3
"""A smaller group of unchanged answers does not count."""
ENOUGH_CHANGED = 8
"""For a new task: more than grading needs, because grading draws other inputs."""
TRIVIAL_SHARE = 0.7
"""A function is refused if an answer without computing agrees with so many calls of each group."""
WEAK_SHARE = 0.25
"""Of a group, so many may be errors or arguments handed back."""
STEADY_SHARE = 0.75
"""Of the solution's answers, so many must be the same in a second process."""
SOLUTION_SECONDS, SUBMISSION_SECONDS = 0.5, 3.0
"""Processor time of one call."""
WALL_SECONDS, SUBMISSION_WALL_SECONDS = 600.0, 300.0
"""Time on the clock of a step with the solution, and with a submission, which may only sleep."""
MOST_ANSWER_BYTES = 32_000_000
"""Of what a sandbox wrote, so much is read."""
_LOADED = frozenset({"conftest.py", "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml"})
_LOADED |= {"tox.ini", "setup.cfg", "pyproject.toml"}


def runs_unit_tests(command: str) -> bool:
    """Whether a run is one of unit tests."""
    return TEST_PROGRAM in command.split()


def is_loaded_by_pytest(path: str) -> bool:
    """Whether pytest reads a file without being told: its settings, and plugins of installed packages."""
    parts = PurePosixPath(path).parts
    is_package = any(part.endswith((".egg-info", ".dist-info")) for part in parts)
    return is_package or parts[-1].lower() in _LOADED


class MaskedFunction(Protocol):
    """A function that the agent has to write."""

    @property
    def file(self) -> str:
        """Its file."""

    @property
    def function(self) -> str:
        """Its name, `name` or `Class.name`."""


class SandboxStep(NamedTuple):
    """A command in a copy of a workspace with more files, and the files that it writes."""

    files: dict[str, bytes]
    command: str
    collected: list[str]
    wall_seconds: float


class FreshGroup(NamedTuple):
    """Calls of one function: fresh ones with other answers or with the same ones, or those of the tests."""

    function: str
    kind: GroupKind
    calls: dict[int, Any]
    """Number of a call → the solution's answer."""

    @property
    def counts(self) -> bool:
        """Whether it has enough calls."""
        return len(self.calls) >= (LEAST_CHANGED if self.kind == "changed" else LEAST_UNCHANGED)

    @property
    def least_right(self) -> int:
        """How many answers must be right: one may always be wrong."""
        size = len(self.calls)
        return min(math.ceil((SHARE_OF_TESTS if self.kind == "tests" else SHARE) * size), size - 1)


class FreshCalls(NamedTuple):
    """The fresh calls of all masked functions of a task, or why there are none."""

    groups: list[FreshGroup]
    request: dict[str, Any]
    """The calls without answers, as the program in the sandbox reads them."""
    problems: dict[str, str]
    """Function → why its calls cannot be repeated with other inputs."""


def preparation(masks: Iterable[MaskedFunction], command: str, seed: int) -> SandboxStep:
    """With the solution: record calls of the tests, make fresh ones, and answer all of them twice."""
    functions = [{"file": mask.file, "function": mask.function} for mask in masks]
    request = {"functions": functions, "seed": seed}
    recording = command.replace(TEST_PROGRAM, f"{FOLDER}/assay_record_calls.py {TEST_PROGRAM}", 1)
    answering = f"python {FOLDER}/assay_answer_calls.py {CALLS}"
    commands = [
        f"{recording} >/dev/null",
        f"python {FOLDER}/assay_vary_calls.py",
        *(
            f"PYTHONHASHSEED={number} {answering} {file} {SOLUTION_SECONDS}"
            for number, file in enumerate((FIRST, SECOND), start=1)
        ),
    ]
    files = {**_programs(), f"{FOLDER}/request.json": json.dumps(request).encode()}
    return SandboxStep(files, " && ".join(commands), [CALLS, FIRST, SECOND], WALL_SECONDS)


def questions(fresh: FreshCalls) -> SandboxStep:
    """With a submission: answer the fresh calls."""
    command = f"python {FOLDER}/assay_answer_calls.py {CALLS} {ANSWERS} {SUBMISSION_SECONDS}"
    files = {**_programs(), CALLS: json.dumps(fresh.request).encode()}
    return SandboxStep(files, command, [ANSWERS], SUBMISSION_WALL_SECONDS)


def _programs() -> dict[str, bytes]:
    folder = Path(__file__).with_name("injected")
    return {f"{FOLDER}/{path.name}": path.read_bytes() for path in sorted(folder.glob("assay_*.py"))}


def choose(
    outputs: Mapping[str, bytes], names: Sequence[str], least_changed: int = LEAST_CHANGED
) -> FreshCalls:
    """The informative ones of the fresh calls that a sandbox with the solution made."""
    if CALLS not in outputs:
        return FreshCalls([], {}, dict.fromkeys(names, "the tests cannot be followed"))
    prepared = json.loads(outputs[CALLS])
    first, second = (read_answers(outputs.get(file, b"")) for file in (FIRST, SECOND))
    expected = {number: as_expected(answer) for number, answer in first.items() if "unread" not in answer}
    answers = {
        number: answer
        for number, answer in expected.items()
        if number in second and agrees(second[number], answer)
    }
    groups, problems = [], {}
    for number, (name, function) in enumerate(zip(names, prepared["functions"], strict=True)):
        calls = [call for call in prepared["calls"] if call["function"] == number]
        function_groups = _groups(name, calls, answers, least_changed)
        problem = _problem(function, calls, answers, function_groups, least_changed)
        if problem is None:
            groups += [group for group in function_groups if group.counts]
        else:
            problems[name] = problem
    numbers = {number for group in groups for number in group.calls}
    request = {
        "paths": prepared["paths"],
        "functions": prepared["functions"],
        "calls": [
            {"id": call["id"], "function": call["function"], "call": call["call"]}
            for call in sorted(prepared["calls"], key=lambda call: call["call"])
            if call["id"] in numbers
        ],
    }
    return FreshCalls(groups, request, problems)


def _groups(
    name: str, calls: Sequence[Mapping[str, Any]], answers: Mapping[int, Any], least_changed: int
) -> list[FreshGroup]:
    """The groups of one function; objects in other states only where nothing else gives other answers."""
    recorded = {
        call["id"]: answers[call["id"]] for call in calls if call["base"] is None and call["id"] in answers
    }
    raised = {_error(answer) for answer in recorded.values()}
    for stage in (0, 1):
        sides: dict[GroupKind, dict[int, Any]] = {"changed": {}, "unchanged": {}}
        for call in calls:
            answer = answers.get(call["id"])
            if answer is None or call["base"] not in answers or call["stage"] > stage:
                continue
            if _error(answer) in raised | {None}:
                is_same = agrees(answer, answers[call["base"]])
                sides["unchanged" if is_same else "changed"][call["id"]] = answer
        groups = [FreshGroup(name, kind, _balanced(side)) for kind, side in sides.items()]
        if len(groups[0].calls) >= least_changed:
            break
    return [*groups, FreshGroup(name, "tests", recorded)]


def _error(answer: Mapping[str, Any]) -> str | None:
    """The class of the error that a call raises."""
    return answer["raised"][0] if answer.get("raised") else None


def _balanced(answers: Mapping[int, Any]) -> dict[int, Any]:
    """Some of the answers, as different as they can be: no single one has much more than half of them.

    Errors and arguments handed back are given without computing, so they are a part only.
    """
    by_answer: dict[str, list[int]] = {}
    for number, answer in answers.items():
        changed = {name: answer["after"][name] for name in answer["changed"]}
        key = key_of([answer.get("value"), changed, answer.get("raised")])
        by_answer.setdefault(key, []).append(number)
    weak = {number for number, answer in answers.items() if answer.get("raised") or answer["handed_back"]}
    most_weak = MOST_IN_GROUP if len(weak) == len(answers) else round(WEAK_SHARE * MOST_IN_GROUP)
    selection: list[int] = []
    while by_answer and len(selection) < MOST_IN_GROUP:
        if len(by_answer) == 1 and len(selection) >= LEAST_CHANGED:
            break
        for key, numbers in list(by_answer.items()):
            number = numbers.pop()
            if number not in weak or len(weak.intersection(selection)) < most_weak:
                selection.append(number)
            if not numbers:
                del by_answer[key]
    return {number: answers[number] for number in selection[:MOST_IN_GROUP]}


def _problem(
    function: Mapping[str, Any],
    calls: Sequence[Mapping[str, Any]],
    answers: Mapping[int, Any],
    groups: Sequence[FreshGroup],
    least_changed: int,
) -> str | None:
    """Why the fresh calls of a function show nothing; None if they do."""
    recorded = [call["id"] for call in calls if call["base"] is None]
    if not recorded:
        reason = function["unkept"] or "the tests do not call it in their own process"
        return f"no call can be kept ({reason[:150]})"
    if sum(call["id"] in answers for call in calls) < STEADY_SHARE * len(calls):
        return "its answers are not the same twice, or cannot be written as plain data"
    count = len(groups[0].calls)
    if count < least_changed:
        minimum = f"at least {least_changed} are needed"
        return f"only {count} fresh calls give other answers than the tests' calls, {minimum}"
    if trivial := _trivial_answer([group for group in groups if group.counts and group.kind != "tests"]):
        return f"{trivial} agrees with too many fresh calls"
    return None


def _trivial_answer(groups: Sequence[FreshGroup]) -> str | None:
    """An answer that needs no computing and would be enough in every group."""
    constants: dict[str, list[set[int]]] = {}
    arguments: dict[str, list[set[int]]] = {}
    for place, group in enumerate(groups):
        for number, answer in group.calls.items():
            if "value" in answer and not answer["changed"]:
                key = key_of(answer["value"])
                constants.setdefault(key, [set() for _ in groups])[place].add(number)
                for name in answer["handed_back"]:
                    arguments.setdefault(name, [set() for _ in groups])[place].add(number)
    for kind, strategies in (("a constant", constants), ("an argument handed back", arguments)):
        for agreeing in strategies.values():
            pairs = zip(agreeing, groups, strict=True)
            if all(len(numbers) >= TRIVIAL_SHARE * len(group.calls) for numbers, group in pairs):
                return kind
    return None


def unknown(problems: Mapping[str, str]) -> Ruling:
    """The item where the solution itself gives no fresh calls."""
    name, problem = next(iter(problems.items()))
    return Ruling(ITEM, "unknown", f"calls of {name} cannot be repeated with other inputs: {problem}", "task")


_MEANING = {
    "changed": "fresh calls of {} are answered right where the tests' call has another answer",
    "unchanged": "fresh calls of {} are answered right where the tests' call has the same answer",
    "tests": "calls that the tests make of {} are answered right",
}


def grade_fresh_calls(fresh: FreshCalls, data: bytes | None) -> Ruling:
    """What it says how many of the submission's answers are those of the solution."""
    answers = read_answers(data or b"", {number for group in fresh.groups for number in group.calls})
    counts: dict[str, tuple[int, int]] = {}
    for group in fresh.groups:
        size = len(group.calls)
        count = sum(agrees(answers.get(number), right) for number, right in group.calls.items())
        if count < group.least_right:
            meaning = _MEANING[group.kind].format(group.function)
            return unmet(ITEM, f"{count} of {size} {meaning}; at least {group.least_right} are needed")
        agreeing, total = counts.get(group.function, (0, 0))
        counts[group.function] = (agreeing + count, total + size)
    evidence = (f"{count} of {total} calls of {name}" for name, (count, total) in counts.items())
    return met(ITEM, f"{', '.join(evidence)} give the solution's answer")


def function_names(masks: Iterable[MaskedFunction]) -> list[str]:
    """The names of masked functions as verdicts show them."""
    return [mask.function for mask in masks]
