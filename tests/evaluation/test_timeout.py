"""An attempt that runs out of time is graded on what is there, item by item."""

from __future__ import annotations

import shlex
from collections import Counter
from pathlib import Path

from assay.agents import Budget
from tests.agents.attempts import CHEAPEST, attempts, demo_task

TASK = CHEAPEST["experiment"]


def test_what_was_written_before_the_end_counts_and_nothing_is_lost(tmp_path: Path) -> None:
    task = demo_task(TASK)
    design = shlex.quote(task.gold_files["design.json"].decode())
    [seen] = attempts(
        tmp_path, [f"command:printf %s {design} > design.json; sleep 600"], [TASK], budget=Budget(seconds=6)
    )
    assert seen.notes["limit"] == "time"
    statuses = {each.item: each.status for each in seen.grade.verdicts}
    phases = Counter((item.partition(".")[0], status) for item, status in statuses.items())
    assert phases["design", "met"] == 8
    assert phases["execution", "met"] == 0
    assert statuses["execution.default"] == "unmet"
    assert phases["requirement", "unmet"] == 8
    assert phases["conclusion", "unmet"] == 5
    assert statuses["handed-in.design.json"] == "met"
    assert "unknown" not in statuses.values()
    assert seen.grade.passed is False
    assert (tmp_path / "submissions" / f"{seen.grade.submission}.tar").is_file()
