"""Scores over many runs: one point for each run, agent and suite, and what changed since the first run.

A run is one folder of logs. Runs are read apart: together, an attempt of a later run would replace the same
attempt of an earlier one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from assay.reporting.comparison_table import p_text, points
from assay.reporting.headline import SIGNIFICANT, agent_name
from assay.reporting.printed_table import PrintedTable
from assay.reporting.tables import surprises
from assay.reporting.wording import count, percent, rate_text
from assay.scoring import (
    Attempt,
    Comparison,
    LogRecord,
    Method,
    PairedRow,
    Rate,
    Role,
    compare,
    read_record,
    scorecard,
)
from assay.scoring.statistics.multiple_comparisons import correct
from assay.tasks.metric import Strict

HEADINGS = ("suite", "agent", "date", "run", "passed, [95%]")

AgentKey = tuple[str, str, str]
"""A suite, an agent and its model."""


class TrendPoint(Strict):
    """One agent on one suite in one run."""

    run: str
    date: str
    suite: str
    agent: str
    model: str
    role: Role
    rate: Rate


class TrendRun(Strict):
    """One folder of logs."""

    name: str
    started: str
    """When its first log began, as an ISO date and time; empty where no log says."""
    attempts: int
    surprises: list[str]
    """Calibrators that did not score what they must."""

    @property
    def date(self) -> str:
        """The day on which it started."""
        return self.started[:10]


class TrendChange(Strict):
    """The last run of an agent against its first, on the tasks that both hold unchanged."""

    suite: str
    agent: str
    model: str
    first: TrendPoint
    last: TrendPoint
    paired: PairedRow | None
    """None where the two runs have no task in common."""

    def __str__(self) -> str:
        """What changed, in one sentence."""
        start, end = self.first, self.last
        text = f"{agent_name(self.agent, self.model)} on {self.suite}: {percent(start.rate.rate)}% on"
        text += f" {start.date}, {percent(end.rate.rate)}% on {end.date}"
        row = self.paired
        if row is None or row.difference is None or not row.tasks:
            return f"{text}; no task is in both runs, so the two are not compared."
        bounds = "" if row.low is None else f" [{points(row.low)}, {points(row.high)}]"
        change = f"{points(row.difference)} points{bounds} on the {count(row.tasks, 'task')} of both"
        verdict = "a clear change" if self.corrected_p < SIGNIFICANT else "this may be chance"
        test = f", p {p_text(row.mcnemar)}" if row.mcnemar else ""
        return f"{text}; {change}{test}: {verdict}."

    @property
    def corrected_p(self) -> float:
        """The p-value after Holm's correction for the number of changes; 1 where nothing was tested."""
        test = self.paired.mcnemar if self.paired else None
        return test.holm if test else 1.0


class Trend(Strict):
    """Everything that is known about the runs together."""

    interval: Method
    runs: list[TrendRun]
    """In the order of time."""
    points: list[TrendPoint]
    """By suite, agent, model and time."""
    changes: list[TrendChange]

    @property
    def visible_points(self) -> list[TrendPoint]:
        """The points of measured agents; of all agents where none is measured."""
        measured = [point for point in self.points if point.role == "agent"]
        return measured or self.points

    def series(self, suite: str) -> dict[tuple[str, str], list[TrendPoint]]:
        """Agent and model → the points of a suite in the order of time."""
        lines: dict[tuple[str, str], list[TrendPoint]] = defaultdict(list)
        for point in self.visible_points:
            if point.suite == suite:
                lines[point.agent, point.model].append(point)
        return dict(lines)

    @property
    def suites(self) -> list[str]:
        """The suites in the runs."""
        return sorted({point.suite for point in self.visible_points})


def read_runs(paths: Iterable[Path | str]) -> dict[str, LogRecord]:
    """Name → what was read of each run, in the order of time."""
    folders = [Path(path) for path in paths]
    records = {name: read_record(path) for name, path in zip(run_names(folders), folders, strict=True)}
    return dict(sorted(records.items(), key=lambda item: (item[1].started, item[0])))


def run_names(folders: Sequence[Path]) -> list[str]:
    """A short name for each run: its folder's, with the folders above where two are alike."""
    resolved = [folder.resolve() for folder in folders]
    for depth in range(1, 8):
        names = ["/".join(folder.parts[-depth:]) for folder in resolved]
        if len(set(names)) == len(set(resolved)):
            return names
    return [str(folder) for folder in resolved]


def make_trend(records: dict[str, LogRecord], *, method: Method = "wilson") -> Trend:
    """Puts runs in a row."""
    points: list[TrendPoint] = []
    runs: list[TrendRun] = []
    for name, record in records.items():
        card = scorecard(record, method=method)
        run = TrendRun(
            name=name,
            started=record.started,
            attempts=len(record.attempts),
            surprises=surprises(card),
        )
        runs.append(run)
        points += [
            TrendPoint(
                run=name,
                date=run.date,
                suite=suite.suite,
                agent=agent.agent,
                model=agent.model,
                role=agent.role,
                rate=Rate.model_validate({field: getattr(suite, field) for field in Rate.model_fields}),
            )
            for agent in card.agents
            for suite in agent.suites
        ]
    order = {run.name: place for place, run in enumerate(runs)}
    points.sort(key=lambda point: (point.suite, point.agent, point.model, order[point.run]))
    return Trend(interval=method, runs=runs, points=points, changes=_changes(points, records))


def _changes(points: Sequence[TrendPoint], records: dict[str, LogRecord]) -> list[TrendChange]:
    """What changed for each measured agent, the best supported change first."""
    by_agent: dict[AgentKey, list[TrendPoint]] = defaultdict(list)
    for point in points:
        if point.role == "agent":
            by_agent[point.suite, point.agent, point.model].append(point)
    lines = {key: line for key, line in by_agent.items() if len(line) > 1}
    pairs = {
        key: _paired(records[line[0].run].attempts, records[line[-1].run].attempts, key)
        for key, line in lines.items()
    }
    tested = [pair for pair in pairs.values() if pair is not None]
    rows = iter(correct(tested).comparisons if tested else [])
    changes = [
        TrendChange(
            suite=key[0],
            agent=key[1],
            model=key[2],
            first=line[0],
            last=line[-1],
            paired=None if pairs[key] is None else next(rows).rows[0],
        )
        for key, line in lines.items()
    ]
    return sorted(changes, key=lambda change: change.corrected_p)


def _paired(earlier: Iterable[Attempt], later: Iterable[Attempt], key: AgentKey) -> Comparison | None:
    """The comparison of two agents, with the two runs in the place of the agents; all kinds together."""
    renamed = [
        attempt.model_copy(update={"agent": name})
        for name, attempts in (("1", earlier), ("2", later))
        for attempt in attempts
        if (attempt.suite, attempt.agent, attempt.model) == key
    ]
    comparisons = compare(LogRecord(attempts=renamed)).comparisons
    return comparisons[0].model_copy(update={"rows": comparisons[0].rows[:1]}) if comparisons else None


def trend_table(trend: Trend) -> PrintedTable:
    """The points as a table for a terminal, as Markdown, CSV and JSON."""
    return PrintedTable(
        headings=HEADINGS,
        rows=[
            [
                point.suite,
                agent_name(point.agent, point.model) if place == 0 else "",
                point.date,
                point.run,
                rate_text(point.rate),
            ]
            for suite in trend.suites
            for line in trend.series(suite).values()
            for place, point in enumerate(line)
        ],
        numbers=[
            {**point.model_dump(exclude={"rate"}), **point.rate.model_dump(mode="json")}
            for point in trend.points
        ],
        shape={"table": "trend", **trend.model_dump(mode="json")},
        notes=[
            *(f"change: {change}" for change in trend.changes),
            *(f"NOT AS EXPECTED in {run.name}: {line}" for run in trend.runs for line in run.surprises),
            "change: an agent's last run against its first on the tasks of both, in points [95% interval];"
            " p is McNemar's, in brackets after Holm's correction for the number of changes.",
            f"{count(len(trend.runs), 'run')}; each folder is one run. `--table scores` counts all of them"
            " together instead.",
        ],
    )
