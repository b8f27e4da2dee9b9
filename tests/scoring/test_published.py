"""The published numbers that ship are sums that anyone can check."""

from __future__ import annotations

import csv
from importlib.resources import files


def test_every_published_share_is_a_count_of_tasks() -> None:
    text = files("assay.scoring").joinpath("published/autoexperiment.csv").read_text()
    rows = list(csv.DictReader(line for line in text.splitlines() if not line.startswith("#")))
    assert all(
        float(row["percent"]) == round(100 * int(row["passed"]) / int(row["tasks"]), 1) for row in rows
    )
    main = {(row["model"], row["n"]): row["percent"] for row in rows if row["table"] == "main results"}
    assert main["gpt-4o", "1"] == "35.3"
    assert main["claude-3.7-sonnet", "5"] == "4.0"
    assert len(main) == 20
