"""The output of fetching, auditing and recomputing AutoExperiment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.benchmarks.autoexperiment.audit import RowsFinding
from assay.benchmarks.autoexperiment.copies import Copy
from assay.benchmarks.autoexperiment.fetching import CopyOrigin
from assay.benchmarks.autoexperiment.published import PassRate, PublishedRows, RepeatedRuns
from assay.benchmarks.autoexperiment.rows import Rows
from assay.benchmarks.report_text import count_kinds, findings_json, pinned

NAME = "autoexperiment"


@dataclass(frozen=True)
class RowsFetched:
    """Where the cached copy came from, and its folder."""

    origin: CopyOrigin
    folder: Path

    def lines(self) -> Iterator[str]:
        """Yield one line."""
        yield f"{NAME}: {self.origin.address} ({pinned(self.origin.commit)}), in {self.folder}"

    def to_json(self) -> dict[str, Any]:
        """Return the folder, the address and the commit."""
        return {"suite": NAME, "folder": str(self.folder), **self.origin.model_dump()}


@dataclass(frozen=True)
class RowsAudit:
    """What is wrong with the published rows."""

    rows: Rows
    findings: Sequence[RowsFinding | Copy]

    def lines(self) -> Iterator[str]:
        """Yield every finding, then the totals."""
        for finding in self.findings:
            yield f"{finding.kind:<10} {finding.place}: {finding.text}"
        functions = sum(len(self.rows.usable(paper)) for paper in self.rows.functions)
        totals = f"{len(self.rows.tasks)} rows, {functions} functions that some experiment depends on"
        yield f"{totals}: {count_kinds(self.findings)}"

    def to_json(self) -> dict[str, Any]:
        """Return the number of rows and every finding."""
        return {"suite": NAME, "tasks": len(self.rows.tasks), "findings": findings_json(self.findings)}


@dataclass(frozen=True)
class RowsComparison:
    """Published numbers next to recomputed numbers."""

    recomputed: PublishedRows

    def to_json(self) -> dict[str, Any]:
        """Return every number."""
        return {"suite": NAME, **self.recomputed.model_dump(mode="json")}

    def lines(self) -> Iterator[str]:
        """Yield pass@1, repeated runs, pairs of models, and what is odd about the rows."""
        yield "Pass@1 of AutoExperiment: published, recomputed with its 95% Wilson interval"
        yield from map(_rate_line, self.recomputed.rates)
        for runs in self.recomputed.repeated:
            yield from _repeated_lines(runs)
        for pair in self.recomputed.pairs:
            yield (
                f"n={pair.n}  {pair.first} {pair.first_only} : {pair.second_only} {pair.second} on"
                f" {pair.tasks} tasks, McNemar p = {pair.p:.3g} (Holm {pair.holm:.3g})"
            )
        for finding in self.recomputed.findings:
            yield f"{finding.log}: {finding.what}"


def _rate_line(row: PassRate) -> str:
    rate = row.rate
    text = "no rows and no total"
    if rate is not None and rate.rate is not None and rate.low is not None and rate.high is not None:
        text = f"{100 * rate.rate:.1f}% [{100 * rate.low:.1f}, {100 * rate.high:.1f}]"
        text += f", {rate.passed} of {rate.attempts}{'' if row.from_rows else ', from the total: no rows'}"
        text += f", {rate.unknown} without an outcome" if rate.unknown else ""
    verdict = "" if row.agrees is not False else "  differs"
    return f"n={row.n}  {row.model:<18} {_percent(row.published):>6}  {text}{verdict}"


def _repeated_lines(runs: RepeatedRuns) -> Iterator[str]:
    yield f"{runs.model}, {runs.tasks} tasks with several runs, {runs.attempts} attempts:"
    for repeats in runs.repeats:
        k = repeats.k
        stated = runs.published.get(f"pass@{k}")
        published = "" if stated is None else f" (published {100 * stated:.1f}% over all tasks)"
        yield f"  pass@{k} {_percent(repeats.pass_at)}{published}, pass^{k} {_percent(repeats.pass_all)}"


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}%"
