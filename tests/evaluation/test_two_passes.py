"""Grading as a second pass: the same verdicts, and both passes go on where they stopped."""

from __future__ import annotations

from pathlib import Path

import pytest

import assay
from assay.evaluation import Settings
from assay.evaluation.engines import LocalEngine
from assay.evaluation.progress_file import read_progress
from assay.tasks import save_task
from assay.tasks.template import template
from tests.evaluation.engines.conftest import graded_samples, verdicts
from tests.tasks.examples import masked_task


@pytest.fixture
def toys(tmp_path: Path) -> Path:
    for number in range(2):
        save_task(masked_task(id=f"toy_{number}"), tmp_path / "toys" / f"toy-{number}")
    return tmp_path / "toys"


@pytest.mark.long
def test_a_second_pass_grades_what_the_first_left_and_no_attempt_is_made_again(
    toys: Path, tmp_path: Path
) -> None:
    agents, whole, divided = ["oracle", "idle"], tmp_path / "whole", tmp_path / "divided"
    assay.run(toys, agent=agents, logs=whole, progress=False, preflight=False)

    first = assay.run(
        toys,
        agent=agents,
        logs=divided,
        settings=Settings(stage="attempt"),
        progress=False,
        preflight=False,
    )
    made = {attempt.key: attempt.sample for attempt in first.attempts}
    assert [attempt.outcome for attempt in first.attempts] == ["unknown"] * 4
    assert all("still to be graded" in (attempt.error or "") for attempt in first.attempts)
    assert not list(divided.glob("*.eval"))
    ended: list[tuple[str, bool | None]] = []
    second = assay.run(
        toys,
        agent=agents,
        logs=divided,
        grade_on="local",
        progress=False,
        preflight=False,
        on_finish=lambda finished: ended.append((finished.agent, finished.passed)),
    )

    assert read_progress(divided).ended
    assert sorted(ended) == [("idle", False), ("idle", False), ("oracle", True), ("oracle", True)]
    assert {attempt.key: attempt.sample for attempt in second.attempts} == made
    assert verdicts(divided) == verdicts(whole)
    assert set(graded_samples(divided).values()) == {1}
    assert not (divided / "ungraded").exists()
    assert second.findings == []
    again = assay.run(toys, agent=agents, logs=divided, grade_on="local", progress=False, preflight=False)
    assert {attempt.key: attempt.sample for attempt in again.attempts} == made


def test_what_cannot_be_graded_waits_and_the_rest_is_kept(toys: Path, tmp_path: Path) -> None:
    logs, agents = tmp_path / "logs", ["oracle", "idle"]
    first = Settings(stage="attempt")
    assay.run(toys, agent=agents, logs=logs, settings=first, progress=False, preflight=False)
    archived = next((logs / "submissions").glob("*.tar"))
    kept = archived.read_bytes()
    archived.write_bytes(b"")

    broken = assay.run(toys, agent=agents, logs=logs, grade_on="local", progress=False, preflight=False)
    waiting = [attempt.outcome for attempt in broken.attempts].count("unknown")
    archived.write_bytes(kept)
    whole = assay.run(toys, agent=agents, logs=logs, grade_on="local", progress=False, preflight=False)

    assert (waiting, len(broken.not_made)) == (2, 2), "one agent's submissions, which are the same"
    assert [attempt.outcome for attempt in whole.attempts] == ["failed"] * 2 + ["passed"] * 2
    assert set(graded_samples(logs).values()) == {1}
    assert not (logs / "ungraded").exists()


def test_the_live_view_does_not_end_between_the_passes(toys: Path, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    seen: list[bool] = []

    class NamedBetween(LocalEngine):
        @property
        def name(self) -> str:  # type: ignore[override]
            """The engine is asked for its name after the first pass and before the second."""
            seen.append(read_progress(logs).ended)
            return "local"

    assay.run(toys, agent="idle", logs=logs, grade_on=NamedBetween(), progress=False, preflight=False)
    assert seen == [False]
    assert read_progress(logs).ended


def test_half_a_character_in_what_a_run_did_does_not_keep_it_from_being_graded(tmp_path: Path) -> None:
    save_task(template("experiment", "halves"), tmp_path / "suite" / "halves")
    done = assay.run(
        tmp_path / "suite",
        agent=["honest-odd-bytes"],
        logs=tmp_path / "logs",
        grade_on="local",
        progress=False,
        preflight=False,
    )
    assert [attempt.outcome for attempt in done.attempts] == ["passed"]
