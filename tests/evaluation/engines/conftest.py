"""Toy tasks, and what the logs of a folder contain without counting anything once."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from assay.scoring import read_attempts
from assay.tasks import save_task
from tests.tasks.examples import GOLD, masked_task

SLOW_AND_RIGHT = "sleep 3; cat > steps.py <<'END'\n" + GOLD.decode() + "END\n"
"""A program that fills in the function after a while."""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A folder of six masked tasks that run in milliseconds."""
    folder = tmp_path / "toys"
    for number in range(6):
        save_task(masked_task(id=f"toy_{number}"), folder / f"toy-{number}")
    return folder


def graded_samples(logs: Path) -> Counter[tuple[str, str, int]]:
    """Agent, task and number of every graded sample of every log, as often as it is there."""
    from inspect_ai.log import read_eval_log, read_eval_log_sample_summaries

    counts: Counter[tuple[str, str, int]] = Counter()
    for path in logs.glob("*.eval"):
        agent = (read_eval_log(str(path), header_only=True).eval.metadata or {})["assay"]["agent"]
        for summary in read_eval_log_sample_summaries(str(path)):
            if summary.error is None and "assay" in (summary.scores or {}):
                number = summary.metadata["assay"]["attempts"][summary.epoch - 1]
                counts[agent, str(summary.id), number] += 1
    return counts


def verdicts(logs: Path) -> dict[tuple[str, str, int], Any]:
    """Agent, task and number of each attempt → its verdicts."""
    return {
        (attempt.agent, attempt.task, attempt.epoch): [
            (verdict.item, verdict.status) for verdict in attempt.verdicts
        ]
        for attempt in read_attempts(logs)
    }
