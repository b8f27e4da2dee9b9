"""Scores by what tasks are labelled with (type, category, …), or by the machine that made the attempts."""

from __future__ import annotations

from collections.abc import Iterator

from assay.errors import UsageError
from assay.reporting.printed_table import PrintedTable
from assay.reporting.tables import labels_in
from assay.reporting.wording import rate_text
from assay.scoring import LogRecord, Scorecard

SANDBOX = "sandbox"
MACHINE = ("node", "processor", "gpu", SANDBOX)
"""What a log says of the machine and the sandbox of an attempt."""


def labelled_by(record: LogRecord, by: str) -> LogRecord:
    """Return the attempts with the machine that made each as a label, if that is what splits the scores."""
    if by not in MACHINE:
        return record
    values = [
        attempt.sandbox if by == SANDBOX else attempt.machine.get(by, "") for attempt in record.attempts
    ]
    attempts = [
        attempt.model_copy(update={"labels": {by: value} if value else {}})
        for attempt, value in zip(record.attempts, values, strict=True)
    ]
    return record.model_copy(update={"attempts": attempts})


def label_listing(card: Scorecard, by: str) -> PrintedTable:
    """One row for each agent, suite and value of the label."""
    known_labels = labels_in(card)
    if by not in known_labels:
        hint = (
            f"expected one of: {', '.join(known_labels)}"
            if known_labels
            else "the tasks in these logs have no labels"
        )
        raise UsageError(f"no task is labelled with {by!r}", hint=hint)
    numbers = list(_numbers(card, by))
    rows = [
        [agent.agent, "–" if agent.model == "none" else agent.model, suite.suite, value, rate_text(rate)]
        for agent in card.agents
        for suite in agent.suites
        for value, rate in suite.labels.get(by, {}).items()
    ]
    shape = {"table": "scores", "by": by, "interval": card.interval, "rows": numbers}
    return PrintedTable(
        headings=("agent", "model", "suite", by, "passed, [95%]"),
        rows=rows,
        numbers=numbers,
        shape=shape,
        notes=(f"tasks without the label {by!r} are left out; intervals: {card.interval}.",),
    )


def _numbers(card: Scorecard, by: str) -> Iterator[dict[str, object]]:
    for agent in card.agents:
        for suite in agent.suites:
            for value, rate in suite.labels.get(by, {}).items():
                lead = {"suite": suite.suite, "agent": agent.agent, "model": agent.model, "role": agent.role}
                yield {**lead, "label": by, "value": value, **rate.model_dump(mode="json")}
