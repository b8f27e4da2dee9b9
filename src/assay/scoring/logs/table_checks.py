"""Checks of result tables: rows copied between agents, phantom or repeated tasks, blank and missing rows.

A coincidence is reported only where chance does not explain it. Agents rightly agree on outcomes, since tasks
are easy or hard for all; so what counts is how often rows of the same outcome agree in everything else, set
against how often they would by the values that stand in each table. A column of zeros proves nothing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from assay.scoring.logs.attempts import Attempt
from assay.scoring.logs.findings import Finding

CHANCE = 1e-6
"""How improbable a coincidence must be to be reported."""

_BLANKS = {"", "null", "none", "nan", "n/a", "na", "-"}


@dataclass(frozen=True)
class TableRow:
    """One line of a result table, as text."""

    agent: str
    task: str
    values: tuple[str, ...]
    """The outcome and whatever else was measured: steps, seconds, scores."""
    attempt: int = 1

    @property
    def key(self) -> str:
        """What is tried once: the task, and which attempt at it."""
        return self.task if self.attempt == 1 else f"{self.task}, attempt {self.attempt}"


def suspicions(rows: Iterable[TableRow], task_names: Iterable[str] | None = None) -> list[Finding]:
    """What is odd about a result table, in the order of its rows; `known` names the tasks that exist."""
    tables: dict[str, list[TableRow]] = defaultdict(list)
    for row in rows:
        tables[row.agent].append(row)
    findings = [
        finding for agent, table in tables.items() for finding in _within(agent, table, task_names)
    ] + _missing(tables)
    for (first, first_rows), (second, second_rows) in combinations(tables.items(), 2):
        findings += _copied(first, first_rows, second, second_rows)
    return findings


def suspicions_of(attempts: Sequence[Attempt]) -> list[Finding]:
    """What is odd about the attempts of the agents that are measured, and about the tasks of all."""
    measured = [attempt for attempt in attempts if attempt.role == "agent"]
    findings = [*_same_sample(attempts), *_same_digest(attempts)]
    for suite in sorted({attempt.suite for attempt in measured}):
        rows = [_row(attempt) for attempt in measured if attempt.suite == suite]
        findings += suspicions(rows)
    return findings


def _row(attempt: Attempt) -> TableRow:
    agent_name = attempt.agent if attempt.model == "none" else f"{attempt.agent} ({attempt.model})"
    graded = attempt.verdicts or attempt.error
    outcome = attempt.outcome if graded else ""
    spent = (str(attempt.tokens), str(attempt.seconds), str(attempt.score))
    return TableRow(agent_name, attempt.task, (outcome, *spent), attempt.epoch)


def _is_blank(text: str) -> bool:
    return text.strip().lower() in _BLANKS


def _within(agent: str, rows: Sequence[TableRow], task_names: Iterable[str] | None) -> list[Finding]:
    tasks = Counter(row.key for row in rows)
    names = None if task_names is None else set(task_names)
    phantom = [
        task
        for task in dict.fromkeys(row.task for row in rows)
        if _is_blank(task) or (names is not None and task not in names)
    ]
    repeated = [f"{task} ({count} times)" for task, count in tasks.items() if count > 1]
    blank = [row.key for row in rows if row.values and _is_blank(row.values[0])]
    reports = (
        ("phantom tasks, which no suite has", phantom),
        ("tasks counted more than once", repeated),
        ("rows without an outcome", blank),
    )
    return [Finding(log=agent, what=f"{message}: {_some(names)}") for message, names in reports if names]


def _missing(tables: Mapping[str, Sequence[TableRow]]) -> list[Finding]:
    tasks_by_agent = {agent: {row.task for row in rows} for agent, rows in tables.items()}
    all_tasks = set().union(*tasks_by_agent.values())
    missing = {agent: sorted(all_tasks - tasks) for agent, tasks in tasks_by_agent.items()}
    return [
        Finding(log=agent, what=f"no row for {len(tasks)} tasks that others have: {_some(tasks)}")
        for agent, tasks in missing.items()
        if tasks
    ]


def _copied(
    first: str, first_rows: Sequence[TableRow], second: str, second_rows: Sequence[TableRow]
) -> list[Finding]:
    """Rows that agree in every value more often, or in a longer block, than chance allows."""
    by_key = {row.key: row for row in second_rows}
    shared = [(row, by_key[row.key]) for row in first_rows if row.key in by_key and row.values]
    agreeing = [
        (first_row, second_row)
        for first_row, second_row in shared
        if first_row.values[:1] == second_row.values[:1]
    ]
    equal_keys = [
        first_row.key for first_row, second_row in agreeing if first_row.values == second_row.values
    ]
    if len(equal_keys) < 3:
        return []
    from scipy.stats import binom

    alike = _agreement(agreeing)
    findings = []
    if binom.sf(len(equal_keys) - 1, len(agreeing), alike) < CHANCE:
        findings.append(
            f"{len(equal_keys)} of {len(shared)} rows are those of {second}, value for value, where"
            f" chance gives {alike * len(agreeing):.1f}: {_some(equal_keys)}"
        )
    block = _longest_block(first_rows, second_rows)
    if block and len(first_rows) * len(second_rows) * alike ** len(block) < CHANCE:
        ends = f"{block[0].task} to {block[-1].task}"
        findings.append(f"{len(block)} rows in a row are a copied block of {second}: {ends}")
    return [Finding(log=first, what=message) for message in findings]


def _agreement(pairs: Sequence[tuple[TableRow, TableRow]]) -> float:
    """The chance that rows of the same outcome, one of each table taken at random, agree in all values."""
    chances = []
    for outcome in {first_row.values[0] for first_row, _ in pairs}:
        group = [
            (first_row.values, second_row.values)
            for first_row, second_row in pairs
            if first_row.values[0] == outcome
        ]
        first, second = (
            Counter(first_row for first_row, _ in group),
            Counter(second_row for _, second_row in group),
        )
        matches = sum(count * second[values] for values, count in first.items())
        chances += [matches / len(group) ** 2] * len(group)
    return sum(chances) / len(chances)


def _longest_block(first_rows: Sequence[TableRow], second_rows: Sequence[TableRow]) -> list[TableRow]:
    """The longest run of lines, task and values, that stands in both tables."""
    places: dict[tuple[str, tuple[str, ...]], list[int]] = defaultdict(list)
    for place, row in enumerate(second_rows):
        places[row.key, row.values].append(place)
    longest, end = 0, 0
    lengths: dict[int, int] = {}
    for number, row in enumerate(first_rows):
        lengths = {place: lengths.get(place - 1, 0) + 1 for place in places[row.key, row.values]}
        best = max(lengths.values(), default=0)
        if best > longest:
            longest, end = best, number + 1
    return list(first_rows[end - longest : end])


def _same_sample(attempts: Iterable[Attempt]) -> list[Finding]:
    """One sample of Inspect that stands as the attempt of several agents or tasks."""
    owners: dict[str, list[Attempt]] = defaultdict(list)
    for attempt in attempts:
        if attempt.sample:
            owners[attempt.sample].append(attempt)
    copies: dict[str, list[str]] = defaultdict(list)
    for group in owners.values():
        for copy in group[1:]:
            copies[copy.log].append(f"{copy.task} by {copy.agent} is {group[0].task} by {group[0].agent}")
    return [Finding(log=log, what=f"copied samples: {_some(names)}") for log, names in copies.items()]


def _same_digest(attempts: Iterable[Attempt]) -> list[Finding]:
    """A task under two names, or two tasks under one."""
    names: dict[tuple[str, str], set[str]] = defaultdict(set)
    contents: dict[tuple[str, str], set[str]] = defaultdict(set)
    for attempt in attempts:
        if attempt.digest:
            names[attempt.suite, attempt.digest].add(attempt.task)
            contents[attempt.suite, attempt.task].add(attempt.digest)
    twins = [
        Finding(log=suite, what=f"the same task under several names: {_some(sorted(tasks))}")
        for (suite, _), tasks in names.items()
        if len(tasks) > 1
    ]
    changed = [task for (_, task), digests in contents.items() if len(digests) > 1]
    if changed:
        twins.append(
            Finding(
                log=min(suite for suite, _ in contents),
                what=f"tasks whose contents changed between attempts: {_some(sorted(changed))}",
            )
        )
    return twins


def _some(names: Sequence[str], most: int = 4) -> str:
    listed = ", ".join(name.strip() or "(blank)" for name in names[:most])
    return listed if len(names) <= most else f"{listed} and {len(names) - most} more"
