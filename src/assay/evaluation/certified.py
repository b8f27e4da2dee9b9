"""A shipped task that is not what its certificate proves runs only if the caller accepts that."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from assay.benchmarks import Suite, is_benchmark
from assay.errors import UsageError
from assay.tasks import Task


def uncertified(suite: Suite, ids: Collection[str]) -> list[Task]:
    """The tasks of these ids whose contents differ from what their shipped certificate proves.

    Tasks without a certificate and a user's own folders are not meant: nobody promised anything for them.
    """
    if not is_benchmark(suite.source.partition("?")[0]):
        return []
    return [task for task in suite.tasks if task.id in ids and task.certificate_is_outdated]


def check_certificates(suite: Suite, ids: Collection[str], *, how: str) -> None:
    """Refuse a run with such tasks; `how` says how the caller can accept them."""
    tasks = uncertified(suite, ids)
    if not tasks:
        return
    raise UsageError(
        describe_uncertified(suite, tasks),
        hint=f"install its package again, prove the tasks with `assay certify {suite.source}`, or {how}",
    )


def describe_uncertified(suite: Suite, tasks: Sequence[Task]) -> str:
    """Say in one line which tasks differ, and what the first was expected to contain."""
    first = tasks[0]
    assert first.certificate is not None
    and_more = f" and {len(tasks) - 1} more tasks" if len(tasks) > 1 else ""
    return (
        f"task {first.id!r}{and_more} of suite {suite.name!r} is not what its certificate proves: expected "
        f"contents {first.certificate.digest[:12]}…, found {first.digest[:12]}…"
    )
