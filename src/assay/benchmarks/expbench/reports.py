"""The output of listing, fetching, auditing and recomputing EXP-Bench."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from assay.benchmarks.expbench.audit import CLAIMED, RecordsFinding, gradable
from assay.benchmarks.expbench.fetching import Origin, environment_command
from assay.benchmarks.expbench.leakage import TaskLeakage
from assay.benchmarks.expbench.leakage_report import leakage_json, leakage_lines
from assay.benchmarks.expbench.listing import ListedTask
from assay.benchmarks.expbench.papers import pin_of
from assay.benchmarks.expbench.published import PublishedTables, Recomputed
from assay.benchmarks.expbench.published_rest import (
    check_published,
    published_failures,
    published_ladder,
    published_means,
)
from assay.benchmarks.expbench.records import Records
from assay.benchmarks.report_text import count_kinds, findings_json, pinned
from assay.tasks.kinds import EXPERIMENT

NAME = "expbench"
PLACES = 4
"""At most this many findings of each kind are printed, because there may be hundreds; --json lists all."""


@dataclass(frozen=True)
class RecordTable:
    """One line for each published task."""

    rows: Sequence[ListedTask]
    left_out: Sequence[str] = ()
    """Tasks that are left out because they contain another paper's text."""
    manifest: None = None

    def lines(self) -> Iterator[str]:
        """Yield the tasks, then the totals."""
        width = max((len(row.id) for row in self.rows), default=0)
        for row in self.rows:
            splits = ",".join(split for split in row.splits if split not in ("clean", "full"))
            needs = f" (needs {row.needs})" if row.needs else ""
            facts = f"{row.category}, difficulty {row.difficulty or 'unknown'}, {row.gradable['all']} items"
            gold = f", {row.gold}" if row.gold else ""
            yield f"{row.id:<{width}}  {row.type}  {splits:<8}  {facts}{gold}{needs}"
        items = sum(row.gradable["all"] for row in self.rows)
        yield f"{len(self.rows)} tasks, {items:,} gradable items"
        if self.left_out:
            yield (
                f"left out, because they contain another paper's text: {len(self.left_out)} tasks"
                f" ({', '.join(self.left_out)}); ?split=full and ?ids=… include them"
            )

    def to_json(self) -> dict[str, Any]:
        """Return a row for each task; fields that only a task made from its repository has are null."""
        unknown = dict.fromkeys(("certified", "seconds", "gpus", "digest"))
        rows = [{"kind": EXPERIMENT, "n": 0, "flow": None, **unknown, **asdict(row)} for row in self.rows]
        return {"suite": NAME, "tasks": rows, "left_out": list(self.left_out)}


@dataclass(frozen=True)
class RecordsFetched:
    """Where the task files and the repositories came from."""

    tasks: Origin | None
    folder: Path | None
    repositories: Mapping[str, Origin]

    def lines(self) -> Iterator[str]:
        """Yield the task files, then each repository with the command that builds its environment."""
        if self.tasks:
            yield f"{NAME}: {self.tasks.address} ({pinned(self.tasks.commit)}), in {self.folder}"
        for name, origin in self.repositories.items():
            yield f"{name}: {origin.address} ({pinned(origin.commit)})"
            yield from (f"  left out {path}" for path in origin.left_out)
            yield f"  its environment: {environment_command(pin_of(name))}"

    def to_json(self) -> dict[str, Any]:
        """Return the same; fields of the task files are null if they are not fetched."""
        return {
            "suite": NAME,
            "folder": str(self.folder) if self.folder else None,
            "address": self.tasks.address if self.tasks else None,
            "commit": self.tasks.commit if self.tasks else None,
            "papers": {
                name: {**origin.model_dump(), "environment": environment_command(pin_of(name))}
                for name, origin in self.repositories.items()
            },
        }


@dataclass(frozen=True)
class RecordsAudit:
    """What is wrong with the published tasks, and what can be graded."""

    records: Records
    findings: Sequence[RecordsFinding]
    leakage: Sequence[TaskLeakage]

    def lines(self) -> Iterator[str]:
        """Yield the first findings of each kind, then the totals."""
        for kind in dict.fromkeys(finding.kind for finding in self.findings):
            alike = [finding for finding in self.findings if finding.kind == kind]
            yield from (f"{finding.kind:<10} {finding.place}: {finding.text}" for finding in alike[:PLACES])
            if len(alike) > PLACES:
                yield f"{kind:<10} and {len(alike) - PLACES} more (--json lists all)"
        yield from leakage_lines(self.leakage)
        by_task = sorted(sum(task.gradable.values()) for task in self.records.tasks)
        phases = ", ".join(f"{count:,} of {phase}" for phase, count in gradable(self.records).items())
        yield f"gradable items: {sum(by_task):,} ({phases}); the paper claims {CLAIMED}"
        median = by_task[len(by_task) // 2]
        yield f"a task has {by_task[0]} to {by_task[-1]} of them; half of the tasks have {median} or more"
        totals = f"{len(self.records.tasks)} tasks of {len(self.records.papers)} papers"
        yield f"{totals}: {count_kinds(self.findings)}"

    def to_json(self) -> dict[str, Any]:
        """Return every finding, and the gradable items by phase and by task."""
        tasks, items = self.records.tasks, gradable(self.records)
        return {
            "suite": NAME,
            "tasks": len(tasks),
            "papers": len(self.records.papers),
            "types": dict(sorted(Counter(task.type for task in tasks).items())),
            "findings": findings_json(self.findings),
            "counts": dict(sorted(Counter(finding.kind for finding in self.findings).items())),
            "gradable": {**items, "all": sum(items.values()), "claimed": CLAIMED},
            "gradable_by_task": {task.id: sum(task.gradable.values()) for task in tasks},
            "leakage": leakage_json(self.leakage),
        }


@dataclass(frozen=True)
class TablesComparison:
    """Table 1 as published, next to what Table 6 gives."""

    tables: PublishedTables

    def to_json(self) -> dict[str, Any]:
        """Return every number."""
        return check_published(self.tables).model_dump(mode="json")

    def lines(self) -> Iterator[str]:
        """Yield the table, then why numbers differ."""
        rows = self.tables.rows
        yield "Table 1 of EXP-Bench from its Table 6, in %: published → recomputed"
        measures = dict.fromkeys(row.measure for row in rows)
        yield f"{'':<34}" + "".join(f"{measure:>16}" for measure in measures)
        for agent, model in dict.fromkeys((row.agent, row.model) for row in rows):
            cells = [_cell(row) for row in rows if (row.agent, row.model) == (agent, model)]
            yield f"{f'{agent} {model}':<34}" + "".join(f"{cell:>16}" for cell in cells)
        differing = [row for row in rows if not row.agrees]
        judged = self.tables.judged
        yield f"{judged} judged tasks, computed from the shares of each category; * differs by more than 0.2:"
        for why in dict.fromkeys(row.why for row in differing):
            numbers = ", ".join(
                f"{row.agent} {row.model} {row.measure}" for row in differing if row.why == why
            )
            yield f"- {numbers}: {why}"
        yield from _rest_lines()


def _rest_lines() -> Iterator[str]:
    """Yield the ladder, the failures and the costs, with what the published rows allow to check."""
    yield "the ladder, in %: published → recomputed"
    for rung in published_ladder():
        found = "not possible" if rung.recomputed is None else f"{100 * rung.recomputed:.1f}"
        sign = " *" if rung.agrees is False else ""
        yield f"  {rung.rung:<12} {100 * rung.published:.1f} → {found}{sign}: {rung.why}"
    failures = published_failures()
    equal = sum(failure.table_2 == failure.table_8 for failure in failures)
    yield (
        f"failures: {equal} of {len(failures)} shares of Table 2 stand in Table 8 too; none can be"
        " recomputed, because failures of single tasks were not published"
    )
    for failure in failures:
        if failure.table_2 != failure.table_8:
            yield f"  {failure.phase}: {failure.failure}: {failure.table_2}%, Table 8: {failure.table_8}"
    means = published_means()
    yield (
        f"costs: {sum(mean.possible for mean in means)} of {len(means)} means of Table 9 lie within the"
        " bounds that their quartiles set; costs of single tasks were not published"
    )
    for mean in means:
        if not mean.possible:
            bounds = f"{mean.lowest:g} to {mean.highest:g}"
            yield f"  {mean.agent} {mean.model}: a mean of {mean.mean:g} {mean.unit}, possible is {bounds}"


def _cell(row: Recomputed) -> str:
    sign = "" if row.agrees else " *"
    return f"{100 * row.published:.1f} → {100 * row.recomputed:.1f}{sign}"
