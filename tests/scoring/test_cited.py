from __future__ import annotations

import csv
from pathlib import Path

import pytest

from assay.scoring.published.totals import published


def test_every_number_is_cited_and_possible() -> None:
    rows = published()

    assert {row.benchmark for row in rows} == {"autoexperiment", "expbench", "mlrb"}
    for row in rows:
        assert row.source.startswith("arXiv ")
        assert row.value >= 0
        assert row.unit == "dollars" or row.value <= 1
    assert len({(row.benchmark, row.agent, row.model, row.measure, row.setting) for row in rows}) == len(rows)


def test_the_famous_ones_are_there() -> None:
    auto = {
        (row.model, row.measure, row.setting): row.value
        for row in published("autoexperiment")
        if row.agent == "agentic"
    }
    ladder = [row.value for row in published("expbench") if row.measure.startswith("M")]

    assert auto["GPT-4o", "pass@1", "n=1"] == 0.353
    assert auto["Claude 3.7 Sonnet", "pass@1", "n=5"] == 0.04
    assert (auto["all", "first-run crash rate", ""], auto["all", "recovery rate", ""]) == (0.694, 0.291)
    assert ladder == [0.206, 0.037, 0.004, 0.002]


def test_they_are_the_published_tables(data: Path) -> None:
    lines = csv.DictReader((data / "autoexperiment/published_results/main_results.csv").open())
    names = {
        "gpt-4o": "GPT-4o",
        "gpt-4o-mini": "GPT-4o mini",
        "claude-3.5-sonnet": "Claude 3.5 Sonnet",
        "claude-3.7-sonnet": "Claude 3.7 Sonnet",
    }
    ours = {
        (row.model, row.setting): row.value
        for row in published("autoexperiment")
        if (row.agent, row.measure) == ("agentic", "pass@1")
    }
    theirs = {(names[model], f"n={line['N']}"): float(line[model]) for line in lines for model in names}
    assert ours == pytest.approx(theirs, abs=5.1e-4)

    table = list(csv.DictReader((data / "expbench/facts/paper_table1.csv").open()))
    ours = {(row.agent, row.model): row.value for row in published("expbench") if row.measure == "All·E✓"}
    assert ours == {(line["agent"], line["model"]): float(line["AllE"]) / 100 for line in table}
