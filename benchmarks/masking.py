"""How long masking takes: `python benchmarks/masking.py [--lines 200000]`, one core.

A tree of real code (the standard library and installed packages) is read into memory. Finding its functions
is timed beside bare `ast.parse` of the same bytes, in turns within the same run, and the ratio is given; then
one function of each file is masked, by itself and right after its functions were found. Times are processor
time, since the machine may be busy.
"""

from __future__ import annotations

import argparse
import ast
import sysconfig
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table

from assay.masking.engine import Unparsable, find_functions, mask

FIND_LIMIT_SECONDS = 10.0
MASK_LIMIT_SECONDS = 0.020
SHARES = {"median": 0.5, "95% of files": 0.95, "99% of files": 0.99, "slowest file": 1.0}


def main() -> None:
    parser = argparse.ArgumentParser(description="Time the masking engine over real code.")
    parser.add_argument("--lines", type=int, default=200_000, help="how many lines of real code to take")
    parser.add_argument("--repeats", type=int, default=3, help="how often to time each, the best counts")
    settings = parser.parse_args()
    warnings.simplefilter("ignore")

    sources = take(settings.lines)
    lines = sum(source.count(b"\n") for source in sources.values())
    found, skipped = survey(sources)
    bare, finding = timed_in_turns(settings.repeats, lambda: parse_all(sources), lambda: survey(sources))
    masks = {
        "one mask": sorted(time_masks(sources, found)),
        "after finding": sorted(time_masks(sources, found, after_finding=True)),
    }

    title = f"masking: {len(sources)} files, {lines:,} lines, one core"
    table = Table("measure", "value", "limit", title=title)
    table.add_row("bare ast.parse", f"{bare:.2f} s", "")
    table.add_row("find_functions", f"{finding:.2f} s", verdict(finding, FIND_LIMIT_SECONDS))
    table.add_row("ratio to ast.parse", f"{finding / bare:.2f}", "")
    table.add_row("functions found", f"{sum(map(len, found.values())):,}", "")
    for name, times in masks.items():
        for label, share in SHARES.items():
            took = times[min(len(times) - 1, int(share * len(times)))]
            table.add_row(f"{name}, {label}", f"{took * 1000:.1f} ms", verdict(took, MASK_LIMIT_SECONDS))
    table.add_row("files that cannot be read", str(len(skipped)), "")
    console = Console(width=110)
    console.print(table)
    for path, reason in skipped.items():
        console.print(f"  {path}: {reason}", highlight=False)


def take(lines: int) -> dict[str, bytes]:
    """Files by their path, until there are enough lines."""
    sources: dict[str, bytes] = {}
    for path in candidates():
        source = path.read_bytes()
        sources[str(path)] = source
        lines -= source.count(b"\n")
        if lines <= 0:
            break
    return sources


def candidates() -> Iterator[Path]:
    """A file of the standard library and one of an installed package in turns."""
    standard = Path(sysconfig.get_path("stdlib"))
    left_out = {"site-packages", "test"}
    library = [
        path for path in standard.rglob("*.py") if not left_out & set(path.relative_to(standard).parts)
    ]
    packages = iter(sorted(Path(sysconfig.get_path("purelib")).rglob("*.py")))
    for path in sorted(library):
        yield path
        if (other := next(packages, None)) is not None:
            yield other
    yield from packages


def parse_all(sources: dict[str, bytes]) -> None:
    for source in sources.values():
        try:
            ast.parse(source)
        except (SyntaxError, ValueError):
            continue


def survey(sources: dict[str, bytes]) -> tuple[dict[str, list[str]], dict[str, str]]:
    """The functions of each file, and why the others could not be read."""
    found: dict[str, list[str]] = {}
    skipped: dict[str, str] = {}
    for path, source in sources.items():
        try:
            found[path] = [function.name for function in find_functions(source)]
        except Unparsable as error:
            skipped[path] = error.reason
    return found, skipped


def timed_in_turns(
    repeats: int, first: Callable[[], object], second: Callable[[], object]
) -> tuple[float, float]:
    """The best time of each, taken in turns so that a busy machine slows both alike."""
    best = [float("inf"), float("inf")]
    for _ in range(repeats):
        for index, work in enumerate((first, second)):
            start = time.process_time()
            work()
            best[index] = min(best[index], time.process_time() - start)
    return best[0], best[1]


def time_masks(
    sources: dict[str, bytes], found: dict[str, list[str]], *, after_finding: bool = False
) -> Iterator[float]:
    """How long one mask of each file takes; the engine remembers a few files that it has just read."""
    for path, names in found.items():
        if names:
            if after_finding:
                find_functions(sources[path])
            start = time.process_time()
            mask(sources[path], [names[len(names) // 2]])
            yield time.process_time() - start


def verdict(seconds: float, limit: float) -> str:
    written = f"{limit:g} s" if limit >= 1 else f"{limit * 1000:g} ms"
    return f"{'within' if seconds <= limit else 'over'} {written}"


if __name__ == "__main__":
    main()
