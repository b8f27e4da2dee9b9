"""Writes the data card of a harvest: sources, licences, dates, yield by stage with reasons, and minutes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from assay.harvesting.records import HARVEST_STAGES, HarvestedTask, PackageRecord
from assay.version import __version__

_STAGE_WORDS = {
    "fetch": "its source distribution was fetched",
    "licence": "its licence allows it",
    "environment": "its environment was built",
    "run": "its run gives the same numbers again",
    "functions": "it has functions that can be masked",
    "proof": "a function was proved by mutants",
    "certificate": "a task was certified",
}
_NUMBERS = re.compile(r"\d[\d.,:%]*")


def data_card(
    tasks: Sequence[HarvestedTask], records: Sequence[PackageRecord], pending: Sequence[str]
) -> str:
    """Return the README.md of the suite."""
    return (
        "\n".join(
            [
                *_summary(tasks, records, pending),
                *_yield_table(records),
                *_losses(records),
                *_sources(records),
            ]
        )
        + "\n"
    )


def _summary(
    tasks: Sequence[HarvestedTask], records: Sequence[PackageRecord], pending: Sequence[str]
) -> Iterator[str]:
    suite_tasks = [task for task in tasks if not task.duplicate_of]
    packages = {task.package for task in suite_tasks}
    minutes = sum(record.seconds for record in records) / 60
    yield "# Harvested masked tasks"
    yield ""
    yield (
        f"{len(suite_tasks)} certified masked tasks from {len(packages)} packages, made by Assay "
        f"{__version__} on {datetime.now(UTC):%Y-%m-%d}. Each task masks functions of a package, and a "
        "solution must make its run give the same numbers."
    )
    yield ""
    yield f"- packages tried: {len(records)}" + (f"; not finished: {', '.join(pending)}" if pending else "")
    yield f"- near-duplicates of other packages that were removed: {len(tasks) - len(suite_tasks)}"
    per_task = f", {minutes / len(suite_tasks):.1f} a task" if suite_tasks else ""
    yield f"- machine time: {minutes:.0f} minutes{per_task}"
    for name, values in (
        ("split (by package)", [task.split for task in suite_tasks]),
        ("difficulty", [task.difficulty or "unknown" for task in suite_tasks]),
        ("data flow", [task.flow or "unknown" for task in suite_tasks]),
        ("functions masked together (n)", [str(task.n) for task in suite_tasks]),
    ):
        counts = Counter(values)
        yield f"- {name}: " + ", ".join(f"{value} {counts[value]}" for value in sorted(counts))
    yield ""
    yield "A model may have seen every package that was published before its training data ended."
    yield ""


def _yield_table(records: Sequence[PackageRecord]) -> Iterator[str]:
    yield "## Yield by stage"
    yield ""
    yield "| stage | packages that passed | lost here |"
    yield "|---|---|---|"
    remaining = len(records)
    for stage, words in _STAGE_WORDS.items():
        lost_count = sum(record.stage == stage and not record.tasks for record in records)
        remaining -= lost_count
        yield f"| {words} | {remaining} | {lost_count} |"
    executed = sum(record.executed for record in records)
    candidates = sum(record.candidates for record in records)
    proved = sum(record.proved for record in records)
    task_count = sum(len(record.tasks) for record in records)
    yield ""
    yield (
        f"Functions: the runs execute {executed}; {candidates} were candidates, {proved} were proved, and "
        f"{task_count} tasks were certified."
    )
    yield ""


def _losses(records: Sequence[PackageRecord]) -> Iterator[str]:
    yield "## Why packages and functions were lost"
    yield ""
    for stage in HARVEST_STAGES:
        lost_records = [record for record in records if record.stage == stage and not record.tasks]
        for record in lost_records:
            yield f"- {record.name} {record.version} ({stage}): {record.reason[:200]}"
    reasons: Counter[str] = Counter()
    for record in records:
        for reason, count in record.left_out.items():
            reasons[_NUMBERS.sub("N", reason)[:80]] += count
    yield ""
    yield "| why a function was left out | functions |"
    yield "|---|---|"
    for reason, count in reasons.most_common(20):
        yield f"| {reason.replace('|', '/')} | {count} |"
    yield ""


def _sources(records: Sequence[PackageRecord]) -> Iterator[str]:
    yield "## Sources"
    yield ""
    yield "| package | version | licence | uploaded | tasks | minutes | SHA-256 of the source distribution |"
    yield "|---|---|---|---|---|---|---|"
    for record in sorted(records, key=lambda record: record.name):
        yield (
            f"| {record.name} | {record.version} | {record.licence.replace('|', '/')[:40]} "
            f"| {record.uploaded or 'unknown'} | {len(record.tasks)} | {record.seconds / 60:.1f} "
            f"| {record.sha256} |"
        )
