"""Finds benchmarks by the entry-point group `assay.benchmarks`, Assay's own in the same way as any other.

The name of an entry point is the name of its suite, so a benchmark is imported only when it is used.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Callable
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from assay.benchmarks.description import PaperSource
from assay.errors import UsageError
from assay.protocols import Benchmark

GROUP = "assay.benchmarks"
OWN_PACKAGE = "assay"
DEFAULT_SUITE = "demo"
"""The suite of a task id without a suite name, and of `assay demo`."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def benchmark_names() -> list[str]:
    """Return the names of all installed benchmarks, the default and Assay's own first; import nothing."""
    return list(_entries())


def names_in_words() -> str:
    """Every installed benchmark in one line; without any, what fixes that."""
    missing = f"none, because the entry points of the package {OWN_PACKAGE!r} are missing: install it again"
    return ", ".join(benchmark_names()) or missing


def is_benchmark(name: str) -> bool:
    """Whether an installed package has a benchmark with this name."""
    return name in _entries()


def find_benchmark(name: str) -> Benchmark:
    """Return the benchmark with this name; import no other."""
    entries = _entries().get(name)
    if entries is None:
        raise UsageError(f"there is no benchmark {name!r}", hint=f"installed benchmarks: {names_in_words()}")
    return _load(name, entries)


def all_benchmarks(warn: Callable[[str], None]) -> list[Benchmark]:
    """Import every benchmark that works; `warn` receives one line for each that does not."""
    benchmarks = []
    for name, entries in _entries().items():
        try:
            benchmarks.append(_load(name, entries))
        except UsageError as error:
            warn(error.message)
    return benchmarks


def offering(method: str) -> list[str]:
    """Return the names of the benchmarks that implement a method of the protocol."""
    # The module is compared by name, because the defaults in `base` call this function.
    benchmarks = all_benchmarks(lambda line: None)
    return [
        benchmark.name
        for benchmark in benchmarks
        if getattr(type(benchmark), method).__module__ != "assay.benchmarks.base"
    ]


def find_paper(name: str) -> PaperSource:
    """Return the code of a paper, from the first benchmark that has this paper."""
    for benchmark in all_benchmarks(lambda line: None):
        paper = benchmark.paper(name)
        if paper is not None:
            return paper
    raise UsageError(
        f"no benchmark has a paper {name!r}",
        hint=f"papers are named CONFERENCE/PAPER; benchmarks with papers: {', '.join(offering('paper'))}",
    )


def _entries() -> dict[str, list[EntryPoint]]:
    """Name → the entry points with this name: one, unless two packages use the same name."""
    by_name: dict[str, list[EntryPoint]] = defaultdict(list)
    for entry in _installed(tuple((folder, _changed(folder)) for folder in sys.path)):
        by_name[entry.name].append(entry)
    return dict(by_name)


@lru_cache(maxsize=1)
def _installed(folders: tuple[tuple[str, int | None], ...]) -> list[EntryPoint]:
    """Read the entry points of all packages; once for each state of the folders that hold packages."""
    return sorted(entry_points(group=GROUP), key=_rank)


def _changed(folder: str) -> int | None:
    """When a folder got or lost a package."""
    try:
        return Path(folder).stat().st_mtime_ns
    except OSError:
        return None


def _rank(entry: EntryPoint) -> tuple[bool, bool, str]:
    return entry.name != DEFAULT_SUITE, _package(entry) != OWN_PACKAGE, entry.name


def _package(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist else "unknown package"


def _load(name: str, entries: list[EntryPoint]) -> Benchmark:
    """Import a benchmark and check it; the error names the package."""
    packages = [_package(entry) for entry in entries]
    if len(entries) > 1:
        raise UsageError(
            f"two packages have a benchmark {name!r}: {' and '.join(packages)}",
            hint="uninstall one of them",
        )
    (package,) = packages
    label = f"benchmark {name!r} of package {package!r}"
    hint = f"ask the authors of {package!r}, or uninstall it"
    if not _NAME.fullmatch(name):
        raise UsageError(f"{label}: the name may have letters, digits, '.', '_' and '-' only", hint=hint)
    try:
        target = entries[0].load()
        benchmark = target() if isinstance(target, type) else target
    except Exception as error:
        # Any package may be broken in any way; the others must still work.
        raise UsageError(f"{label} cannot be imported: {_describe(error)}", hint=hint) from error
    if not isinstance(benchmark, Benchmark):
        missing = [member for member in _MEMBERS if not hasattr(benchmark, member)]
        raise UsageError(f"{label} is not a Benchmark: it lacks {', '.join(missing)}", hint=hint)
    if benchmark.name != name:
        raise UsageError(f"{label} calls itself {benchmark.name!r}; both names must be equal", hint=hint)
    return benchmark


_MEMBERS = ("name", "describe", "load", "listing", "fetch", "audit", "published", "paper")


def _describe(error: Exception) -> str:
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0]}" if text else type(error).__name__
