"""Amounts of memory and ratios of times: compared in their units, and never by a convenient one."""

from __future__ import annotations

import json

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from assay.rules.cited import cited_numbers
from assay.rules.conclusion import grade_conclusion
from assay.rules.remade import Numbers
from assay.rules.ruling import Ruling
from assay.tasks import Conclusion
from tests.example_counts import examples
from tests.rules.placing import looked_up, not_placed

STATEMENT = Conclusion.model_validate(
    {"claim": [{"id": "outcome", "question": "Which wins?", "kind": "statement", "answer": "A wins."}]}
)
KEPT = {"unrolled": {"kept_bytes": 156_960, "nodes": 4168}, "implicit": {"kept_bytes": 3760, "nodes": 73}}
UNITS = {"kB": (1000, 1024), "KB": (1000, 1024), "MB": (1000**2, 1024**2), "GB": (1000**3, 1024**3)}
EXACT_UNITS = {"KiB": 1024, "MiB": 1024**2, "GiB": 1024**3}


def faithful(text: str, results: object) -> Ruling:
    handed_in = json.dumps({"summary": "", "claims": {"outcome": text}}).encode()
    return grade_conclusion(STATEMENT, handed_in, results)[-1]


@pytest.mark.parametrize(
    "text",
    [
        "Unrolling keeps 157.0 kB.",
        "Unrolling keeps 157.0kB and the other 3.8 kB.",
        "They keep 157.0 and 3.76 kB.",
        "Unrolling keeps 153.3 KiB, which is 0.157 MB.",
        "Unrolling keeps 153.3 kB, counted as powers of two.",
        "Unrolling keeps 156,960 bytes and 4168 nodes.",
    ],
)
def test_an_amount_is_compared_in_the_unit_that_the_result_states(text: str) -> None:
    assert faithful(text, KEPT).status == "met", faithful(text, KEPT).evidence


def test_a_difference_of_amounts_needs_a_reader() -> None:
    text = "Unrolling keeps 153.2 kB more than the other."
    assert faithful(text, KEPT).status == "unknown"
    assert not_placed(looked_up(STATEMENT, text, KEPT), KEPT) == []


@pytest.mark.parametrize(
    "text",
    [
        "Unrolling keeps 158.0 kB.",
        "Unrolling keeps 157.0 MB.",
        "Unrolling keeps 156,960 kB.",
        "Unrolling keeps 157.0 KiB.",
        "Unrolling keeps 3760 MB.",
        "Unrolling keeps 42.0kB.",
    ],
)
def test_another_amount_is_invented_although_its_digits_are_among_the_results(text: str) -> None:
    assert faithful(text, KEPT).status == "unknown", faithful(text, KEPT).evidence
    assert not_placed(looked_up(STATEMENT, text, KEPT), KEPT)


@pytest.mark.parametrize(
    "text", ["A wins on a machine with 16 GB, with a limit of 64 MB.", "It has 512 GB of RAM."]
)
def test_amounts_of_the_machine_are_undecided(text: str) -> None:
    assert faithful(text, KEPT).status == "unknown"


@pytest.mark.parametrize("results", [{"kept": 156_960, "other": 12.5}, {"accuracy": 0.91, "loss": 0.3}])
def test_an_amount_without_a_result_that_states_a_unit_is_unknown(results: object) -> None:
    found = faithful("Unrolling keeps 157.0 kB.", results)
    assert (found.status, found.owner) == ("unknown", "grader")
    assert "cites 157.0" in found.evidence


def test_a_result_without_a_unit_may_be_in_the_unit_of_the_text() -> None:
    assert faithful("Unrolling keeps 157.0 kB.", {"kept": 157.02, "other": 12.5}).status == "met"


def found(amount: float, unit: str, digits: int, results: object) -> bool:
    [cited] = cited_numbers(f"It keeps {amount:.{digits}f} {unit} in the end.")
    return Numbers(results).has(cited)


amounts = st.floats(1.5, 900, allow_nan=False)


@given(amounts, st.sampled_from(sorted(UNITS)), st.sampled_from([0, 1]), st.integers(1, 3))
def test_an_amount_in_bytes_is_found_in_any_unit(amount: float, unit: str, base: int, digits: int) -> None:
    results = {"peak_bytes": round(amount, digits) * UNITS[unit][base], "accuracy": 0.5}
    assert found(amount, unit, digits, results)


@given(amounts, st.sampled_from(sorted(EXACT_UNITS)), st.integers(1, 3))
def test_a_binary_unit_has_one_meaning(amount: float, unit: str, digits: int) -> None:
    exact = round(amount, digits) * EXACT_UNITS[unit]
    assert found(amount, unit, digits, {"peak_bytes": exact})
    assume(round(amount, digits) * 0.02 > 10**-digits)
    assert not found(amount, unit, digits, {"peak_bytes": exact * 1000 / 1024})


@settings(max_examples=examples(100))
@given(st.integers(2_000, 10**12), st.floats(1.5, 900), st.integers(1, 2))
def test_no_unit_makes_another_amount_true(kept: int, amount: float, digits: int) -> None:
    sizes = {
        **UNITS,
        **{unit: (size,) for unit, size in EXACT_UNITS.items()},
    }
    for unit, meanings in sizes.items():
        half = 0.5001 * 10**-digits
        near = any(abs(round(amount, digits) * size - kept) <= half * size for size in meanings)
        assume(not near)
        assert not found(amount, unit, digits, {"peak_bytes": kept, "accuracy": 0.5})


TIMED = {"a": {"cpu_seconds": 0.44, "shd": 4}, "b": {"cpu_seconds": 3.7, "shd": 3}}


@pytest.mark.parametrize("text", ["B takes 16 times the time.", "A is 16.5x faster.", "A speedup of 16.5."])
def test_a_ratio_of_times_of_the_same_size_is_unknown(text: str) -> None:
    assert faithful(text, TIMED).status == "unknown", faithful(text, TIMED).evidence


def test_a_ratio_of_times_counts_where_it_was_re_made_or_is_of_another_size() -> None:
    for text, is_placed in (
        ("B takes 8.4 times the time.", True),
        ("A is 950x faster.", False),
        ("A is 16x better.", False),
    ):
        assert faithful(text, TIMED).status == "unknown"
        assert (not_placed(looked_up(STATEMENT, text, TIMED), TIMED) == []) == is_placed


@given(st.floats(0.02, 500), st.sampled_from(["s", "ms", "min"]))
def test_a_time_means_the_same_in_each_unit(seconds: float, unit: str) -> None:
    stated = seconds / {"s": 1.0, "ms": 0.001, "min": 60.0}[unit]
    assume(unit != "min" or stated >= 1)
    assert faithful(f"A wins in {stated:.6f} {unit}.", {"seconds": seconds, "score": 0.5}).status == "met"
    elsewhere = {"runtime_ms": seconds * 1000 * 200, "score": 0.5}
    assert faithful(f"A wins in {stated:.6f} {unit}.", elsewhere).status == "unmet"
