"""Computes EXP-Bench's Table 1 from its Table 6: the categories' values, weighted by their tasks.

Neither the aggregation nor the number of judged tasks per category was published. The shares reveal the
number: it is the n, up to the tasks of the category, for which most published shares of C and All✓ are whole
multiples of 1/n (the largest such n). D, I, C and All✓ are averaged over these tasks. E, I·E and All·E✓ are
averaged over the executed tasks only. Their number per category is not known, so all judged tasks are the
weights here, and the result may differ.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from assay.scoring.published.totals import published
from assay.tasks.metric import Strict

NEAR = 0.002
"""Within the rounding of both tables, as a share."""
MEASURES = {"D": "D", "I": "I", "C": "C", "All✓": "All", "E": "E", "I·E": "IE", "All·E✓": "AllE"}
EXECUTED = ("E", "I·E", "All·E✓")
_AGENTS = {"OpenHands": "OH", "IterativeAgent": "IA"}
_MODELS = {
    "Claude-3.7 Sonnet": "3.7 Sonnet",
    "Claude-3.5 Haiku": "3.5 Haiku",
    "Amazon Nova Pro": "Nova Pro",
}


class CategorySize(Strict):
    """How many tasks a category has, and how many of them were judged."""

    category: str
    """The category, as Table 6 names it."""
    tasks: int
    """All its tasks."""
    judged: int
    """Computed from the shares."""


class Recomputed(Strict):
    """One number of Table 1, next to what Table 6 gives."""

    agent: str
    """The agent, as Table 1 names it."""
    model: str
    """Its model."""
    measure: str
    """D, I, E, I·E, C, All✓ or All·E✓."""
    published: float
    """As a share."""
    recomputed: float
    """From Table 6."""
    difference: float
    """Recomputed − published."""
    agrees: bool
    """Whether they differ by no more than rounding explains."""
    categories: int
    """The number of categories for which Table 6 contains this agent."""
    judged: int
    """The number of judged tasks in these categories."""
    why: str | None
    """Why they differ, as far as it is known; None if they agree."""


class PublishedTables(Strict):
    """Both tables side by side."""

    categories: list[CategorySize]
    """The categories with their sizes."""
    judged: int
    """The judged tasks of all categories."""
    rows: list[Recomputed]
    """Every number of Table 1 that Table 6 can give."""


def recompute_expbench() -> PublishedTables:
    """Compute every number of Table 1 that Table 6 can give."""
    sizes = _sizes()
    judged = {size.category: size.judged for size in sizes}
    total = sum(judged.values())
    rows = [
        _recomputed(row.agent, row.model, row.measure, row.value, judged)
        for row in published("expbench")
        if row.agent in _AGENTS and row.measure in MEASURES
    ]
    return PublishedTables(categories=sizes, judged=total, rows=rows)


def _recomputed(agent: str, model: str, measure: str, stated: float, judged: dict[str, int]) -> Recomputed:
    agent_and_model = (_AGENTS[agent], _MODELS.get(model, model))
    cells = {
        row["category"]: float(row[MEASURES[measure]]) / 100
        for row in _table("expbench_by_category.csv")
        if (row["agent"], row["model"]) == agent_and_model
    }
    weight = sum(judged[category] for category in cells)
    value = sum(judged[category] * cell for category, cell in cells.items()) / weight
    agrees = abs(value - stated) <= NEAR
    why = None
    if not agrees and measure in EXECUTED:
        why = "it counts executed tasks only, and their number per category was not published"
    elif not agrees:
        why = "not all tasks of a category were judged for this agent, and their number was not published"
    return Recomputed(
        agent=agent,
        model=model,
        measure=measure,
        published=stated,
        recomputed=round(value, 5),
        difference=round(value - stated, 5),
        agrees=agrees,
        categories=len(cells),
        judged=weight,
        why=why,
    )


def _sizes() -> list[CategorySize]:
    sizes = []
    for row in _table("expbench_categories.csv"):
        shares = [
            float(cell[measure]) / 100
            for cell in _table("expbench_by_category.csv")
            if cell["category"] == row["table_6"]
            for measure in ("C", "All")
        ]
        tasks = int(row["tasks"])
        sizes.append(CategorySize(category=row["table_6"], tasks=tasks, judged=judged_tasks(shares, tasks)))
    return sizes


def judged_tasks(shares: Sequence[float], most: int) -> int:
    """Return the largest n for which most shares, rounded to 0.1%, are whole multiples of 1/n."""
    return max(range(1, most + 1), key=lambda n: (sum(_is_part(share, n) for share in shares), n))


def _is_part(share: float, n: int) -> bool:
    return abs(round(share * n) / n - share) <= 0.000501


@cache
def _table(name: str) -> list[dict[str, str]]:
    text = (files("assay.scoring") / "published" / name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))
