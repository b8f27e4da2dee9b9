"""Suites and the benchmarks behind them: list, choose, fetch, audit, recompute."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from assay.api.event_loop import outside_event_loop
from assay.api.listening import ignore_line
from assay.benchmarks import Description, FetchRequest, Suite, all_benchmarks, find_benchmark, load_suite
from assay.protocols import BenchmarkReport
from assay.tasks.selection import Selection


@outside_event_loop
def list_suites(*, on_warning: Callable[[str], None] | None = None) -> list[Description]:
    """Return what every installed benchmark says about itself; one that breaks is a warning."""
    warn = on_warning or ignore_line
    descriptions = []
    for benchmark in all_benchmarks(warn):
        try:
            descriptions.append(benchmark.describe())
        except Exception as error:
            warn(f"benchmark {benchmark.name!r} cannot describe itself: {type(error).__name__}: {error}")
    return descriptions


@outside_event_loop
def fetch(
    suite: str,
    *,
    source: str | None = None,
    commit: str | None = None,
    papers: Sequence[str] = (),
    challenge: str | None = None,
    on_step: Callable[[str], None] | None = None,
) -> BenchmarkReport:
    """Bring a published benchmark into the cache, at its pinned commit.

    `source` is a checkout, a folder or an address of git; `papers` are `PAPER` or `PAPER=FOLDER`;
    `challenge` fetches the inputs of one challenge. The report has `lines()` and `to_json()`.
    """
    request = FetchRequest(
        source=source, commit=commit, papers=papers, challenge=challenge, tell=on_step or ignore_line
    )
    return find_benchmark(suite).fetch(request)


@outside_event_loop
def audit(
    suite: str, *, source: str | Path | None = None, on_step: Callable[[str], None] | None = None
) -> BenchmarkReport:
    """Report what is wrong with a published benchmark; `source` is a folder with the data.

    `on_step` receives one line at the start of each long step.
    """
    return find_benchmark(suite).audit(Path(source) if source is not None else None, on_step or ignore_line)


@outside_event_loop
def published(suite: str, *, source: str | Path | None = None) -> BenchmarkReport:
    """Compute published numbers again, and report where they differ from the paper."""
    return find_benchmark(suite).published(Path(source) if source is not None else None)


def choose_tasks(suite: str | Path | Suite, tasks: Sequence[str], limit: int | None = None) -> Suite:
    """Return a suite with only the named tasks, or the first ones; other tasks are not made."""
    if isinstance(suite, Suite):
        return suite.only(tasks, limit)
    selection = Selection(ids=tuple(tasks)) if tasks else None
    return load_suite(suite, selection).only(limit=limit)
