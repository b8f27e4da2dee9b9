"""Experiments phase by phase: strict rates, both denominators, bounds, partial credit, labels."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inspect_ai.log import EvalSampleLimit

from assay.grading.verdict import Verdict, share_met
from assay.scoring import Attempt, read_attempts, scorecard
from assay.scoring.published.totals import published
from assay.scoring.scorecards.partial_credit import Credit, mean_interval
from assay.scoring.scorecards.phase_items import items_asked, with_items
from assay.scoring.scorecards.phases import EXECUTED, JUDGED, MEASURES, PhaseCard, phase_cards
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
    assert (credit.attempts, credit.known, credit.items, credit.unknown) == (3, 2, 8, 1)
    assert credit.mean == pytest.approx((3 / 4 + 1 / 4 + 0) / 3), "an unknown item stays in the denominator"
    assert credit.bound_low == credit.mean
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


def test_what_was_judged_is_a_denominator_of_its_own(tmp_path: Path) -> None:
    """EXP-Bench leaves out what ran out of time or was not judged, and sets what is flagged to zero."""
    in_time = EvalSampleLimit(type="message", limit=9)
    late = EvalSampleLimit(type="time", limit=60)
    card = card_of(
        tmp_path,
        experiment("label-noise", limit=in_time),
        experiment("label-noise", limit=late, epoch=2),
        experiment("bagging-depth", unknown="conclusion.direction"),
        experiment("ridge-leakage", unmet="integrity.canary requirement.seeds"),
        attempt("active-learning", "error"),
    )

    everything = card.measures["All✓"]
    assert everything.judged is not None
    assert counts(card, "All✓") == (2, 5), "ours: every attempt is in the denominator"
    assert (everything.judged.passed, everything.judged.attempts, everything.judged.unknown) == (1, 2, 0)
    assert {name for name, one in card.measures.items() if one.judged} == set(JUDGED)
    share = card.credit["I"]
    assert (share.judged, share.mean_judged) == (3, pytest.approx((1 + 1 + 0) / 3)), "flagged counts as zero"
    executed = card.measures["All·E✓"].executed
    assert executed is not None
    assert (executed.passed, executed.attempts) == (2, 4)


def test_scores_stand_with_and_without_tasks_that_nobody_confirmed(tmp_path: Path) -> None:
    truths = {"label-noise": "verified", "bagging-depth": "contradicted", "ridge-leakage": "unverified"}
    samples = [experiment("label-noise", unmet="design"), *map(experiment, list(truths)[1:])]
    for sample in samples:
        sample.metadata["assay"]["labels"] = {"truth": truths[str(sample.id)]}
    card = card_of(tmp_path, *samples)

    assert card.truth == {"contradicted": 1, "unverified": 1, "verified": 1}
    verified = card.measures["All✓"].verified
    assert verified is not None
    assert (counts(card, "All✓"), (verified.passed, verified.attempts)) == ((2, 3), (0, 1))


def test_tasks_that_say_nothing_about_their_truth_have_one_score(tmp_path: Path) -> None:
    card = card_of(tmp_path, experiment("label-noise"))

    assert card.truth == {}
    assert card.measures["All✓"].verified is None


def test_the_oracle_and_the_idle_agent_stand_below_the_measured_ones(tmp_path: Path) -> None:
    everything = "design requirement execution result conclusion"
    Run("idle", [experiment("label-noise", unmet=everything)]).write(tmp_path)
    Run("oracle", [experiment("label-noise")]).write(tmp_path)
    Run("react", [experiment("label-noise")], model="m").write(tmp_path)

    cards = phase_cards(read_attempts(tmp_path))

    assert [(card.agent, card.role) for card in cards] == [
        ("react", "agent"),
        ("oracle", "calibrator"),
        ("idle", "calibrator"),
    ]
    assert [card.ladder["M·C·D·I·E"].passed for card in cards] == [1, 1, 0]


def test_what_a_task_does_not_ask_for_is_not_below_the_line(tmp_path: Path) -> None:
    """EXP-Bench's third type has no requirements; the lost attempt at it is not asked for them either."""
    without = "integrity design execution result conclusion"
    Run("oracle", [experiment("active-learning", asked=without)]).write(tmp_path)
    Run("react", [attempt("active-learning", "error"), experiment("label-noise")], model="m").write(tmp_path)
    attempts = read_attempts(tmp_path)

    measured = [one for one in attempts if one.role == "agent"]
    (card,) = phase_cards(measured, asked_items=items_asked(attempts))

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
PHASE_ITEMS = st.lists(STATUSES, min_size=1, max_size=4)
ATTEMPTS = st.lists(
    st.fixed_dictionaries(
        dict.fromkeys(("design", "requirement", "execution", "conclusion", "integrity"), PHASE_ITEMS)
    ),
    min_size=1,
    max_size=5,
)
Drawn = list[dict[str, list[str]]]


def drawn_attempts(drawn: Drawn, unknown: str = "unknown") -> list[Attempt]:
    """An attempt at a task of its own for each draw, with every unknown item settled as stated."""
    return [
        Attempt(
            suite="s",
            agent="a",
            model="m",
            task=f"t{place}",
            epoch=1,
            kind="experiment",
            verdicts=[
                Verdict.model_validate(
                    {
                        "item": f"{phase}.x{number}",
                        "status": unknown if status == "unknown" else status,
                        "evidence": "",
                    }
                )
                for phase, statuses in phases.items()
                for number, status in enumerate(statuses)
            ],
        )
        for place, phases in enumerate(drawn)
    ]


def drawn_card(drawn: Drawn, unknown: str = "unknown") -> PhaseCard:
    (card,) = phase_cards(drawn_attempts(drawn, unknown))
    return card


@settings(deadline=None, max_examples=40)
@given(ATTEMPTS)
def test_bounds_hold_whatever_the_unknown_turn_out_to_be(drawn: Drawn) -> None:
    card = drawn_card(drawn)

    for name in ("D", "I·E", "All✓", "All·E✓"):
        rate = card.measures[name].rate
        for status, bound in (("unmet", rate.bound_low), ("met", rate.bound_high)):
            settled = drawn_attempts(drawn, status)
            met = [with_items(one, items_asked(settled)).is_met(MEASURES[name]) for one in settled]
            assert sum(one is True for one in met) / len(met) == pytest.approx(bound)


@settings(deadline=None, max_examples=40)
@given(ATTEMPTS)
def test_partial_credit_never_drops_an_unknown_item(drawn: Drawn) -> None:
    """Whatever the unknown items turn out to be, the share of items met lies within the stated range."""
    phase = "requirement"
    credit, worst, best = (drawn_card(drawn, status).credit["I"] for status in ("unknown", "unmet", "met"))

    assert credit.items == sum(len(one[phase]) for one in drawn) == worst.items == best.items
    assert credit.unknown == sum(one[phase].count("unknown") for one in drawn)
    assert (credit.bound_low, credit.bound_high) == (
        pytest.approx(worst.mean),
        pytest.approx(best.mean),
    )
    assert credit.mean == credit.bound_low
    assert (credit.bound_low == credit.bound_high) == (credit.unknown == 0)
    assert credit.judged <= credit.attempts == len(drawn)


@settings(deadline=None, max_examples=40)
@given(ATTEMPTS)
def test_no_share_of_items_is_above_what_is_known(drawn: Drawn) -> None:
    for unsettled, worst in zip(drawn_attempts(drawn), drawn_attempts(drawn, "unmet"), strict=True):
        share = share_met(unsettled.verdicts)
        assert share in (None, pytest.approx(share_met(worst.verdicts)))
        is_known = any(one.status != "unknown" for one in unsettled.verdicts if one.phase != "integrity")
        assert (share is not None) == is_known


@settings(deadline=None, max_examples=40)
@given(ATTEMPTS)
def test_every_item_has_one_way_in_which_it_was_decided(drawn: Drawn) -> None:
    card = drawn_card(drawn)

    for letter, decided in card.decided.items():
        credit: Credit = card.credit[letter]
        assert decided.total == credit.items
        assert decided.none == credit.unknown == sum(decided.reasons.values())


def test_the_interval_of_a_mean_is_that_of_a_bootstrap_over_tasks() -> None:
    """With each value its own task it is the plain percentile bootstrap, as scipy has it."""
    from scipy.stats import bootstrap

    values = [0.1, 0.4, 0.4, 0.5, 0.9, 1.0, 0.2, 0.7]
    reference = bootstrap((values,), lambda sample, axis: sample.mean(axis), method="percentile", rng=1)

    low, high = mean_interval(values, [str(place) for place in range(len(values))])

    assert low == pytest.approx(reference.confidence_interval.low, abs=0.03)
    assert high == pytest.approx(reference.confidence_interval.high, abs=0.03)
    assert mean_interval(values, ["one"] * len(values)) == (None, None)
