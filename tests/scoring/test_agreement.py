"""Agreement of a judge with labels, against values worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.grading.judge.calibration import Judged
from assay.grading.verdict import Judging, Vote
from assay.scoring.statistics.agreement import calibrate, kappa

WORDS = st.sampled_from(["met", "unmet", "unknown"])


def rows(label: str, verdict: str, count: int, phase: str = "design", fault: str = "none") -> list[Judged]:
    votes = [Vote(verdict=verdict)]  # type: ignore[arg-type]
    row = {"id": "a", "phase": phase, "fault": fault, "label": label, "verdict": verdict, "votes": votes}
    return [Judged.model_validate(row)] * count


def test_kappa_of_a_known_table() -> None:
    pairs = (
        [("met", "met")] * 20 + [("met", "unmet")] * 5 + [("unmet", "met")] * 10 + [("unmet", "unmet")] * 15
    )
    assert kappa(pairs) == pytest.approx(0.4)
    assert kappa([("met", "met")] * 3) is None
    assert kappa([]) is None


@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=30))
def test_kappa_is_one_only_for_full_agreement(pairs: list[tuple[str, str]]) -> None:
    found = kappa(pairs)
    if found is not None:
        assert found <= 1 + 1e-12
        assert (found == pytest.approx(1)) == all(label == verdict for label, verdict in pairs)


def test_counts_have_their_own_denominators() -> None:
    told = [
        *rows("met", "met", 6),
        *rows("met", "unmet", 2),
        *rows("met", "unknown", 2),
        *rows("unmet", "met", 1, fault="wrong-role"),
        *rows("unmet", "unmet", 9, fault="wrong-role"),
    ]
    found = calibrate(told, Judging(model="m", repeats=1, calls=20))
    design, everything = found.phases
    assert design.model_copy(update={"phase": "all"}) == everything
    assert (design.agreed.count, design.agreed.of) == (15, 20)
    assert (design.false_passes.count, design.false_passes.of) == (1, 10)
    assert (design.false_fails.count, design.false_fails.of) == (2, 10)
    assert design.unknown.count == 2
    assert design.kappa_low is not None
    assert design.kappa is not None
    assert design.kappa_low < design.kappa
    (fault,) = found.faults
    assert (fault.fault, fault.passed.count, fault.passed.of) == ("wrong-role", 1, 10)


def test_nothing_judged_has_no_rates() -> None:
    found = calibrate([], Judging(model="m", repeats=1))
    assert [(row.agreed.rate, row.kappa) for row in found.phases] == [(None, None)]
