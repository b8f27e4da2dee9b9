"""The output of the leakage: totals before and after the redaction, and the tasks that still show most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from assay.benchmarks.expbench.leakage import LONG_RUN, TaskLeakage, total_leaks

WORST = 8


def leakage_lines(leakage: Sequence[TaskLeakage]) -> Iterator[str]:
    """Yield the totals, then the worst tasks."""
    before = total_leaks([task.published for task in leakage])
    after = total_leaks([task.redacted for task in leakage])
    cuts = sum(task.cuts for task in leakage)
    changed = sum(bool(task.cuts) for task in leakage)
    yield f"what prompts contain of the outcome, as published → redacted ({cuts} cuts in {changed} prompts):"
    yield f"  a run of {LONG_RUN} or more of its words: {before.long_runs} → {after.long_runs} prompts"
    yield f"  such a run that states a direction: {before.claimed} → {after.claimed} prompts"
    yield f"  half of its groups of three words: {before.half_covered} → {after.half_covered} prompts"
    yield (
        f"  a number of it that is no setting: {before.with_numbers} → {after.with_numbers} prompts"
        f" ({before.numbers} → {after.numbers} numbers)"
    )
    yield f"  mean share of its groups of three words: {before.mean_cover:.1%} → {after.mean_cover:.1%}"
    yield "  most after the redaction (runs that are named or asked stay on purpose, see docs/expbench.md):"
    for task in worst(leakage)[:WORST]:
        leak = task.redacted
        yield f"    {task.id}: {leak.cover:.0%}, {leak.kind}, {leak.longest_run} words: {leak.run}"


def worst(leakage: Sequence[TaskLeakage]) -> list[TaskLeakage]:
    """Sort tasks by what they still reveal: claims first, then by the share that the prompt covers."""
    return sorted(
        leakage,
        key=lambda task: (task.redacted.kind != "claimed", -len(task.redacted.numbers), -task.redacted.cover),
    )


def leakage_json(leakage: Sequence[TaskLeakage]) -> dict[str, Any]:
    """Return the totals, and every task."""
    return {
        "published": asdict(total_leaks([task.published for task in leakage])),
        "redacted": asdict(total_leaks([task.redacted for task in leakage])),
        "cuts": sum(task.cuts for task in leakage),
        "tasks": [asdict(task) for task in leakage],
    }
