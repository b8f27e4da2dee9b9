"""EXP-Bench's Table 1 from its Table 6: the categories' values, weighted by the tasks in each.

The aggregation was never released, nor how many tasks of a category were judged. The shares tell it: of the
numbers up to the tasks of the category, the one of which most published shares of C and All✓ are whole
parts (the largest of several). D, I, C and All✓ are over these; E, I·E and All·E✓ are over the executed ones
only, whose number in each category is not known, so that tasks weigh them here and the result may differ.
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
    tasks: int
    judged: int
    """Recovered from the shares."""


class Recomputed(Strict):
    """One number of Table 1, beside what Table 6 gives."""

    agent: str
    model: str
    measure: str
    published: float
    recomputed: float
    difference: float
    agrees: bool
    categories: int
    """Categories in which Table 6 has this agent."""
    judged: int
    """Tasks that weigh in all."""
    why: str | None
    """Where they differ, as far as it is known."""


class PublishedTables(Strict):
    """Both tables side by side."""

    categories: list[CategorySize]
    judged: int
    rows: list[Recomputed]


def recompute_expbench() -> PublishedTables:
    """Every number of Table 1 that Table 6 can give."""
    sizes = _sizes()
    judged = {each.category: each.judged for each in sizes}
    whole = sum(judged.values())
    rows = [
        _recomputed(row.agent, row.model, row.measure, row.value, judged)
        for row in published("expbench")
        if row.agent in _AGENTS and row.measure in MEASURES
    ]
    return PublishedTables(categories=sizes, judged=whole, rows=rows)


def _recomputed(agent: str, model: str, measure: str, stated: float, judged: dict[str, int]) -> Recomputed:
    who = (_AGENTS[agent], _MODELS.get(model, model))
    cells = {
        row["category"]: float(row[MEASURES[measure]]) / 100
        for row in _table("expbench_by_category.csv")
        if (row["agent"], row["model"]) == who
    }
    weight = sum(judged[category] for category in cells)
    value = sum(judged[category] * cell for category, cell in cells.items()) / weight
    agrees = abs(value - stated) <= NEAR
    why = None
    if not agrees and measure in EXECUTED:
        why = "it is over executed tasks only, and how many each category has was not published"
    elif not agrees:
        why = "not every task of a category was judged for this agent, and how many was not published"
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
    found = []
    for row in _table("expbench_categories.csv"):
        shares = [
            float(cell[measure]) / 100
            for cell in _table("expbench_by_category.csv")
            if cell["category"] == row["table_6"]
            for measure in ("C", "All")
        ]
        tasks = int(row["tasks"])
        found.append(CategorySize(category=row["table_6"], tasks=tasks, judged=judged_tasks(shares, tasks)))
    return found


def judged_tasks(shares: Sequence[float], most: int) -> int:
    """The number of tasks of which most shares, rounded to 0.1%, are whole parts; the largest of several."""
    return max(range(1, most + 1), key=lambda n: (sum(_is_part(share, n) for share in shares), n))


def _is_part(share: float, n: int) -> bool:
    return abs(round(share * n) / n - share) <= 0.000501


@cache
def _table(name: str) -> list[dict[str, str]]:
    text = (files("assay.scoring") / "published" / name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))
