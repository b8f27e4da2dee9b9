"""Makes a repository's unit tests the run: the numbers are how many cases of each test pass.

A change that fails a test changes a number and so is rejected; it is no crash, because the program that runs
the tests ends well.
"""

from __future__ import annotations

import dataclasses
import json
import re
import shlex
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import PurePosixPath

from assay.errors import Unmaskable
from assay.masking.pipeline.bench import INJECTED, RepositoryRunner, failure_reason
from assay.masking.pipeline.gold import GoldRuns
from assay.rules.fresh_calls import TEST_PROGRAM

RESULTS = "test_results.json"
METRIC = f"tests={RESULTS}:passed"
REQUIREMENT = "pytest"
_TEST_FILE = re.compile(r"(?:test_\w+|\w+_tests?|tests?|conftest)\.py")
_TEST_FOLDERS = {"test", "tests", "testing", "testsuite", "unittests", "unit_tests"}


def is_test_file(path: str) -> bool:
    """True if a path is code of tests by its name or by a folder above it."""
    parts = PurePosixPath(path)
    return bool(_TEST_FILE.fullmatch(parts.name)) or not _TEST_FOLDERS.isdisjoint(parts.parent.parts)


def find_test_files(paths: Collection[str], requested: Sequence[str]) -> list[str]:
    """Return the test files at or below the requested paths; `.` means all of the repository."""
    test_files = [
        path
        for path in sorted(paths)
        if _TEST_FILE.fullmatch(PurePosixPath(path).name) and not path.endswith("conftest.py")
    ]
    folders = [place.strip("/").removeprefix("./") for place in requested]
    selected_files = [
        path
        for path in sorted({*test_files, *(path for path in paths if path in folders)})
        if any(place in (".", "", path) or path.startswith(f"{place}/") for place in folders)
    ]
    if not selected_files:
        raise Unmaskable(
            f"no test file at {', '.join(requested)}",
            hint=f"test files are at: {', '.join(test_files[:5]) or 'no place'}",
        )
    return selected_files


def test_command(test_files: Sequence[str]) -> str:
    """Return the command that runs these files."""
    return shlex.join(["python", TEST_PROGRAM, *test_files])


def with_test_program(bench: RepositoryRunner) -> RepositoryRunner:
    """Return the runner with the program that runs the tests."""
    program = INJECTED.joinpath(TEST_PROGRAM).read_bytes()
    return dataclasses.replace(bench, files={**bench.files, TEST_PROGRAM: program})


async def choose_tests(
    bench: RepositoryRunner, test_files: Sequence[str], seconds: float, report: Callable[[str], None]
) -> RepositoryRunner:
    """Run all test files once, and return the runner of those that pass and fit into the time together."""
    bench = dataclasses.replace(with_test_program(bench), command=test_command(test_files))
    report(f"tests: running {len(test_files)} files once")
    outcome = await bench.run(collect=[RESULTS])
    data = outcome.files.get(RESULTS)
    if data is None:
        problem = failure_reason(outcome) or "wrote no results"
        raise Unmaskable(f"the tests do not run: `{bench.command[:120]}` {problem}"[:600])
    results = json.loads(data)
    passed = _passed_by_file(results["passed"], test_files)
    durations = {path: float(results["seconds"].get(path, 0.0)) for path in test_files}
    selected_files: list[str] = []
    for path in sorted(passed, key=lambda path: (durations[path], path)):
        if (
            not selected_files
            or sum(durations[selected] for selected in selected_files) + durations[path] <= seconds
        ):
            selected_files.append(path)
    if not selected_files:
        raise Unmaskable(
            "no test passes in the unchanged repository",
            hint=_first_error((outcome.stderr + outcome.stdout).decode(errors="replace")),
        )
    selected_files = [path for path in test_files if path in selected_files]
    report(
        f"tests: {sum(passed.values())} cases of {len(passed)} files pass; the run has {len(selected_files)} "
        f"files, which take {sum(durations[path] for path in selected_files):.1f} s"
    )
    return dataclasses.replace(bench, command=test_command(selected_files))


def _first_error(printed: str) -> str | None:
    """Return the most informative line of what pytest printed."""
    errors = re.findall(r"^(?:E\s+)?(?:.*: )?(\w*(?:Error|Exception|Warning): .*)$", printed, re.MULTILINE)
    return errors[0][:200] if errors else printed[-200:].strip() or None


def _passed_by_file(passed: Mapping[str, int], test_files: Sequence[str]) -> dict[str, int]:
    """Count the passed cases of each file; a file without one is left out."""
    counts = {}
    for path in test_files:
        key = path.removesuffix(".py").replace(".", "-") + "::"
        count = sum(cases for test, cases in passed.items() if test.startswith(key))
        if count:
            counts[path] = count
    return counts


def steady_tests(gold: GoldRuns) -> GoldRuns:
    """Return the gold runs without tests that pass in some runs only, or in none."""
    numbers = next(iter(gold.numbers.values()))
    metrics = [
        metric for metric in gold.metrics if len(set(numbers[metric.name])) == 1 and numbers[metric.name][0]
    ]
    if not metrics:
        raise Unmaskable("no test passes equally often in every run", hint="fix the seeds of the tests")
    names = {metric.name for metric in metrics}
    columns = {
        variation: {name: runs for name, runs in table.items() if name in names}
        for variation, table in gold.numbers.items()
    }
    return dataclasses.replace(gold, metrics=metrics, numbers=columns)
