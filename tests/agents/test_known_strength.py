"""Agents of known strength: one mistake of each kind, a share of the truth, and no thought at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

import assay as public
from assay.agents import find_agent
from assay.agents.known_strength import is_drawn, with_first_arguments
from assay.errors import UsageError


def test_each_family_fails_or_passes_as_it_must(tmp_path: Path) -> None:
    public.new("masked", tmp_path / "scale")
    agents = ["oracle-minus-one-step", "broken:adds", "oracle-share:100", "heuristic"]
    results = public.run(
        tmp_path / "scale", agent=agents, epochs=2, logs=tmp_path / "logs", progress=False, preflight=False
    )
    outcomes = sorted({(attempt.agent, attempt.epoch): attempt.passed for attempt in results}.items())
    assert outcomes == [
        (("broken:adds", 1), False),
        (("broken:adds", 2), False),
        (("heuristic", 1), False),
        (("heuristic", 2), False),
        (("oracle-minus-one-step", 1), False),  # the task has one broken variant
        (("oracle-share:100", 1), True),
        (("oracle-share:100", 2), True),
    ]
    assert {attempt.role for attempt in results} == {"calibrator"}
    cards = {card.agent: card.as_expected for card in results.scorecard.agents}
    assert cards["oracle-minus-one-step"] is True
    assert cards["oracle-share:100"] is None


@given(some.integers(0, 999), some.integers(1, 9), some.integers(0, 99))
def test_a_larger_share_contains_every_smaller_one(task_number: int, number: int, percent: int) -> None:
    task = f"task-{task_number}"
    assert not is_drawn(task, number, 0)
    assert is_drawn(task, number, 100)
    assert is_drawn(task, number, percent) <= is_drawn(task, number, percent + 1)


def test_a_share_is_near_what_it_says() -> None:
    drawn = sum(is_drawn(f"task-{number}", 1, 30) for number in range(2000))
    assert 540 < drawn < 660
    with pytest.raises(UsageError, match="has no share from 0 to 100"):
        find_agent("oracle-share:200")


def test_only_the_masked_functions_are_filled() -> None:
    source = (
        b"class Model:\n    def fit(self, rows):\n        raise\n    def other(self):\n        return 2\n"
    )
    filled = with_first_arguments(source, {"Model.fit"}).decode()
    assert "return rows" in filled
    assert "return 2" in filled
