"""Finds a run of a package: one of its own programs that prints numbers, else its unit tests."""

from __future__ import annotations

import asyncio
import re
import shlex
from collections.abc import Sequence
from pathlib import PurePosixPath

from assay.errors import Unmaskable
from assay.harvesting.package_list import PackageRequest
from assay.masking.pipeline.bench import RepositoryRunner, failure_reason
from assay.masking.pipeline.repository import Repository, pin
from assay.masking.pipeline.unit_tests import find_test_files, is_test_file

_FOLDERS = {"examples", "example", "benchmarks", "benchmark", "demo", "demos", "scripts", "samples"}
NUMBER = r"(?<![\w.])[-+]?\d+\.\d+(?:[eE][-+]?\d+)?(?![\w.])"
"""A number with a decimal point: others are often dates, sizes and versions."""
MIN_NUMBERS = 3
MAX_PROGRAMS = 3
"""Programs that are tried."""
PROGRAM_SECONDS = 10.0


def find_run(
    request: PackageRequest, repository: Repository, requirements: Sequence[str], seconds: float
) -> PackageRequest:
    """Return the request with a run: the one of the list, a program of the package, or its tests."""
    if request.run or request.tests:
        return request
    command = asyncio.run(_find_program(repository, requirements, min(seconds, PROGRAM_SECONDS)))
    if command is not None:
        return request.model_copy(update={"run": command, "metrics": [f"printed=stdout:{NUMBER}"]})
    try:
        find_test_files(repository.files, ["."])
    except Unmaskable:
        raise Unmaskable("it has neither a program that prints numbers nor a test file") from None
    return request.model_copy(update={"tests": ["."]})


async def _find_program(repository: Repository, requirements: Sequence[str], seconds: float) -> str | None:
    """Return the command of the first program that ends well and prints the same numbers twice."""
    programs = _programs(repository)
    if not programs:
        return None
    pins = await asyncio.to_thread(pin, list(requirements))
    for path in programs[:MAX_PROGRAMS]:
        command = f"PYTHONPATH=. python {shlex.quote(path)}"
        bench = RepositoryRunner(repository.files, command, pins, seconds)
        first, second = await bench.run(), await bench.run()
        if failure_reason(first) is not None or failure_reason(second) is not None:
            continue
        numbers = [re.findall(NUMBER, outcome.stdout.decode(errors="replace")) for outcome in (first, second)]
        if len(numbers[0]) >= MIN_NUMBERS and numbers[0] == numbers[1]:
            return command
    return None


def _programs(repository: Repository) -> list[str]:
    """Return the files that look like programs with numbers, small ones first."""
    paths = [
        path
        for path, data in repository.python_files.items()
        if not _FOLDERS.isdisjoint(PurePosixPath(path).parent.parts)
        and not is_test_file(path)
        and b"print" in data
        and b"input(" not in data
    ]
    return sorted(paths, key=lambda path: (len(repository.files[path]), path))
