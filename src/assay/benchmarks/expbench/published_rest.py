"""Checks EXP-Bench's published ladder, failure prevalence and cost table, as far as the rows allow it.

No rows of single tasks were published. The last two rungs of the ladder are the agents' All✓ and All·E✓ of
Table 1, weighted by their tasks; the first two cannot be computed. Table 2 of the failures must be part of
Table 8. A mean of Table 9 must lie between the bounds that its quartiles set.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from importlib.resources import files

from assay.benchmarks.expbench.published import PublishedTables
from assay.scoring.published.totals import Published, published
from assay.tasks.metric import Strict

NEAR = 0.001
_TASKS = 461


class PublishedRung(Strict):
    """One rung of the published ladder, next to what Table 1 gives."""

    rung: str
    """The phases that must all be met, joined by `·`."""
    published: float
    """As a share."""
    recomputed: float | None
    """None where the published rows do not allow it."""
    agrees: bool | None
    """Whether both agree; None if it is not recomputed."""
    why: str
    """How it is computed, or why it cannot be."""


class PublishedFailure(Strict):
    """One kind of failure, in both tables of failures."""

    phase: str
    """The phase of the failure."""
    failure: str
    """Its name in Table 2."""
    table_2: float
    """In percent, as the other."""
    table_8: float | None
    """None if Table 8 has no row with this name."""


class PublishedMean(Strict):
    """A mean of the cost table, and the bounds that the quartiles of the same row set."""

    agent: str
    """The agent, as Table 9 shortens it."""
    model: str
    """Its model."""
    unit: str
    """`minutes` or `dollars`, for each task."""
    mean: float
    """As published."""
    lowest: float
    """The lowest mean that the quartiles allow."""
    highest: float
    """The highest mean that the quartiles allow."""
    possible: bool
    """Whether the mean lies within the bounds."""
    total: float
    """The mean times all tasks: what a whole run takes, one task after the other."""


class PublishedChecks(PublishedTables):
    """What `assay published expbench --json` prints."""

    suite: str
    """`expbench`."""
    ladder: list[PublishedRung]
    """The published ladder."""
    failures: list[PublishedFailure]
    """The failures of Table 2."""
    costs: list[PublishedMean]
    """The means of Table 9."""


def check_published(tables: PublishedTables) -> PublishedChecks:
    """Return both tables with all that else can be checked."""
    return PublishedChecks(
        suite="expbench",
        ladder=published_ladder(),
        failures=published_failures(),
        costs=published_means(),
        **dict(tables),
    )


def published_ladder() -> list[PublishedRung]:
    """Return every published rung."""
    rows = [row for row in published("expbench") if row.agent == "all"]
    numbers = [row for row in published("expbench") if row.agent != "all"]
    sources = {
        "M·C·D·I": _weighted([row for row in numbers if row.measure == "All✓"], equal=True),
        "M·C·D·I·E": _weighted([row for row in numbers if row.measure == "All·E✓"], equal=False),
    }
    why = {
        "M": "the monitor's verdicts were not published",
        "M·C·D": "how often design and conclusion are right together was not published",
        "M·C·D·I": "the mean of All✓; the number of tasks of each agent is unknown, so all count alike",
        "M·C·D·I·E": "the mean of All·E✓, weighted by the executed tasks of Table 1",
    }
    return [_rung(row, sources.get(row.measure), why.get(row.measure, "")) for row in rows]


def _rung(row: Published, recomputed: float | None, why: str) -> PublishedRung:
    agrees = None if recomputed is None else abs(recomputed - row.value) <= NEAR
    rounded = None if recomputed is None else round(recomputed, 5)
    return PublishedRung(rung=row.measure, published=row.value, recomputed=rounded, agrees=agrees, why=why)


def _weighted(rows: Sequence[Published], *, equal: bool) -> float | None:
    weights = [1 if equal else row.denominator or 0 for row in rows]
    if not sum(weights):
        return None
    return sum(weight * row.value for weight, row in zip(weights, rows, strict=True)) / sum(weights)


def published_failures() -> list[PublishedFailure]:
    """Return the failures of Table 2 beside those of Table 8."""
    rows = _table("expbench_failures.csv")
    in_table_8 = {
        (row["phase"], _name(row["failure"])): float(row["percent"]) for row in rows if row["table"] == "8"
    }
    return [
        PublishedFailure(
            phase=row["phase"],
            failure=row["failure"],
            table_2=float(row["percent"]),
            table_8=in_table_8.get((row["phase"], _name(row["failure"]))),
        )
        for row in rows
        if row["table"] == "2"
    ]


def published_means() -> list[PublishedMean]:
    """Return every mean of the cost table."""
    means = []
    for row in _table("expbench_costs.csv"):
        for unit, suffix in (("minutes", "min"), ("dollars", "usd")):
            mean, middle, first, third, least, most = (
                float(row[f"{part}_{suffix}"]) for part in ("avg", "med", "q1", "q3", "min", "max")
            )
            lowest = (least + first + middle + third) / 4
            highest = (first + middle + third + most) / 4
            means.append(
                PublishedMean(
                    agent=row["agent"],
                    model=row["model"],
                    unit=unit,
                    mean=mean,
                    lowest=round(lowest, 4),
                    highest=round(highest, 4),
                    possible=lowest - 0.01 <= mean <= highest + 0.01,
                    total=round(mean * _TASKS, 2),
                )
            )
    return means


def _name(failure: str) -> str:
    """Return a failure's name in one spelling: Table 8 shortens some words and endings."""
    text = failure.casefold().replace("implementation", "impl.").replace("experimental", "exp.")
    return text.removesuffix(" in conclusion").removesuffix(" in design")


def _table(name: str) -> list[dict[str, str]]:
    text = (files("assay.scoring") / "published" / name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))
