"""Experiments phase by phase: strict rates, both denominators, bounds, partial credit, labels."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.grading.verdict import Verdict
from assay.scoring import Attempt, read_attempts, scorecard
from assay.scoring.published.totals import published
from assay.scoring.scorecards.partial_credit import mean_interval
from assay.scoring.scorecards.phases import EXECUTED, MEASURES, PhaseCard, all_met, phase_cards, phases_asked
from tests.synthetic_logs import Run, attempt, experiment


def card_of(folder: Path, *samples: object) -> PhaseCard:
    Run("react", list(samples), model="m").write(folder)  # type: ignore[arg-type]
    (card,) = phase_cards(read_attempts(folder))
    return card


def counts(card: PhaseCard, name: str) -> tuple[int, int]:
    rate = card.measures[name].rate
    return rate.passed, rate.attempts


def test_a_conjunction_is_of_one_attempt_and_no_product_of_means(tmp_path: Path) -> None:
    card = card_of(
        tmp_path,
        experiment("label-noise", unmet="requirement.seeds"),
        experiment("bagging-depth", unmet="execution"),
        experiment("ridge-leakage"),
        experiment("active-learning", unmet="design conclusion.direction"),
    )

    assert [counts(card, name) for name in ("I", "E", "I·E")] == [(3, 4), (3, 4), (2, 4)]
    assert [counts(card, name) for name in ("D", "C", "C·D")] == [(3, 4), (3, 4), (3, 4)]
    assert [counts(card, name) for name in ("All✓", "All·E✓", "M", "R")] == [(2, 4), (1, 4), (4, 4), (4, 4)]


def test_partial_credit_shows_what_the_strict_rule_hides(tmp_path: Path) -> None:
    card = card_of(
        tmp_path,
        experiment("label-noise", unmet="requirement.seeds"),
        experiment("bagging-depth", unmet="requirement.seeds requirement.split", unknown="requirement.sweep"),
        attempt("ridge-leakage", "error"),
    )

    assert counts(card, "I") == (0, 3)
    credit = card.credit["I"]
    assert (credit.attempts, credit.known, credit.items) == (3, 2, 7)
    assert credit.mean == pytest.approx((3 / 4 + 1 / 3) / 2)
    assert credit.bound_low == pytest.approx((3 / 4 + 1 / 4 + 0) / 3)
    assert credit.bound_high == pytest.approx((3 / 4 + 2 / 4 + 1) / 3)
    assert credit.low is not None
    assert credit.low <= credit.mean <= (credit.high or 0)


def test_execution_has_both_denominators(tmp_path: Path) -> None:
    card = card_of(
        tmp_path,
        experiment("label-noise"),
        experiment("bagging-depth", unmet="execution"),
        experiment("ridge-leakage", unknown="execution"),
        attempt("active-learning", "error"),
    )

    execution = card.measures["E"]
    assert execution.executed is not None
    assert (execution.rate.passed, execution.rate.attempts, execution.rate.missing) == (1, 4, {"sandbox": 2})
    assert (execution.rate.bound_low, execution.rate.bound_high) == (0.25, 0.75)
    assert (execution.executed.passed, execution.executed.attempts) == (1, 2)
    assert {name for name, one in card.measures.items() if one.executed} == set(EXECUTED)


def test_what_a_task_does_not_ask_for_is_not_below_the_line(tmp_path: Path) -> None:
    """EXP-Bench's third type has no requirements; the lost attempt at it is not asked for them either."""
    without = "integrity design execution result conclusion"
    Run("oracle", [experiment("active-learning", asked=without)]).write(tmp_path)
    Run("react", [attempt("active-learning", "error"), experiment("label-noise")], model="m").write(tmp_path)
    attempts = read_attempts(tmp_path)

    measured = [one for one in attempts if one.role == "agent"]
    (card,) = phase_cards(measured, asked_phases=phases_asked(attempts))

    assert (counts(card, "I"), counts(card, "D"), counts(card, "All✓")) == ((1, 1), (1, 2), (1, 1))


def test_tasks_are_counted_by_any_label(tmp_path: Path) -> None:
    Run("react", [experiment("label-noise"), experiment("bagging-depth", unmet="design")]).write(tmp_path)
    attempts = read_attempts(tmp_path)

    by_category = {card.value: counts(card, "D") for card in phase_cards(attempts, by="category")}

    assert by_category == {"vision": (1, 1), "trees": (0, 1)}
    assert [card.value for card in phase_cards(attempts, by="venue")] == ["–"]
    (suite,) = scorecard(attempts).agents[0].suites
    assert {label: sorted(rates) for label, rates in suite.labels.items()} == {
        "category": ["trees", "vision"],
        "difficulty": ["easy", "hard"],
        "type": ["T1"],
    }
    assert suite.labels["type"]["T1"].passed == 1


def test_every_published_measure_is_measured_here() -> None:
    named = {one.measure for one in published("expbench") if one.unit == "share" and one.agent != "all"}

    assert named <= set(MEASURES)
    stated = {one.measure for one in published("expbench") if one.denominator is not None}
    assert stated == set(EXECUTED)


STATUSES = st.sampled_from(["met", "unmet", "unknown"])
ATTEMPTS = st.lists(
    st.fixed_dictionaries(
        dict.fromkeys(("design", "requirement", "execution", "conclusion", "integrity"), STATUSES)
    ),
    min_size=1,
    max_size=12,
)


@settings(deadline=None)
@given(ATTEMPTS)
def test_bounds_hold_whatever_the_unknown_turn_out_to_be(drawn: list[dict[str, str]]) -> None:
    def made(place: int, unknown: str) -> Attempt:
        verdicts = [
            Verdict.model_validate(
                {"item": f"{phase}.x", "status": unknown if status == "unknown" else status, "evidence": ""}
            )
            for phase, status in drawn[place].items()
        ]
        return Attempt(
            suite="s", agent="a", model="m", task=f"t{place}", epoch=1, kind="experiment", verdicts=verdicts
        )

    (card,) = phase_cards([made(place, "unknown") for place in range(len(drawn))])

    for name in ("D", "I·E", "All✓", "All·E✓"):
        rate = card.measures[name].rate
        for status, bound in (("unmet", rate.bound_low), ("met", rate.bound_high)):
            settled = [all_met(MEASURES[name], made(place, status)) for place in range(len(drawn))]
            assert sum(one is True for one in settled) / len(settled) == pytest.approx(bound)
    credit = card.credit["D"]
    assert credit.mean is None or 0 <= credit.mean <= 1
    assert credit.bound_low is not None
    assert credit.bound_high is not None
    assert credit.bound_low <= credit.bound_high


def test_the_interval_of_a_mean_is_that_of_a_bootstrap_over_tasks() -> None:
    """With each value its own task it is the plain percentile bootstrap, as scipy has it."""
    from scipy.stats import bootstrap

    values = [0.1, 0.4, 0.4, 0.5, 0.9, 1.0, 0.2, 0.7]
    reference = bootstrap((values,), lambda sample, axis: sample.mean(axis), method="percentile", rng=1)

    low, high = mean_interval(values, [str(place) for place in range(len(values))])

    assert low == pytest.approx(reference.confidence_interval.low, abs=0.03)
    assert high == pytest.approx(reference.confidence_interval.high, abs=0.03)
    assert mean_interval(values, ["one"] * len(values)) == (None, None)
