"""Toy tasks, and what the logs of a folder contain without counting anything once."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import assay
from assay.files import place
from assay.scoring import read_attempts
from assay.tasks import save_task
from tests.tasks.examples import GOLD, masked_task

if TYPE_CHECKING:
    from assay.protocols import RunEngine

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


def check_two_passes(
    suite: Path, logs: str, folder: Path, on: str | RunEngine, grade_on: str | RunEngine
) -> None:
    """Check that attempts on one engine and grading on another give what one local pass gives."""
    selected = assay.load_suite(suite).only(limit=2)
    agents = [f"command:{SLOW_AND_RIGHT.removeprefix('sleep 3; ')}", "idle"]
    ended: list[tuple[str, str]] = []
    results = assay.run(
        selected,
        agent=agents,
        logs=logs,
        on=on,
        grade_on=grade_on,
        progress=False,
        on_finish=lambda finished: ended.append((finished.agent, finished.task)),
    )
    assert results.not_made == []
    assert sorted(ended) == [("cat", "toy_0"), ("cat", "toy_1"), ("idle", "toy_0"), ("idle", "toy_1")]
    assert not (place(logs) / "ungraded").is_dir()
    assert results.findings == []
    assay.run(selected, agent=agents, logs=folder / "one-pass", progress=False)
    assert verdicts(place(logs)) == verdicts(folder / "one-pass")
    made = {attempt.key: attempt.sample for attempt in results.attempts}
    again = assay.run(selected, agent=agents, logs=logs, on=on, grade_on=grade_on, progress=False)
    assert {attempt.key: attempt.sample for attempt in again.attempts} == made
