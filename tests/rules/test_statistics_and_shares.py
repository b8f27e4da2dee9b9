"""Test statistics and shares of stated counts are no results; what only looks like one is."""

from __future__ import annotations

import json

import pytest

from assay.rules.conclusion import grade_conclusion
from assay.tasks import Claim, Conclusion

WAY = Claim(id="way", question="?", kind="direction", paths=["acc.a", "acc.b"], answer="higher")
WORDS = Claim(id="words", question="?", kind="statement", answer="A wins.")
RESULTS = {"acc": {"a": 0.8137, "b": 0.6421}}


def faithful(
    summary: str, results: object = RESULTS, settings: set[float] | None = None, claim: Claim = WAY
) -> str:
    handed_in = json.dumps({"summary": summary, "claims": {"way": "higher", "words": summary}}).encode()
    rulings = grade_conclusion(Conclusion(claim=[claim]), handed_in, results, settings=settings or set())
    return rulings[-1].status


@pytest.mark.parametrize(
    "summary",
    [
        "A wins in every repeat (paired t-test over the 5 repeats: t = 21.3, p < 0.001).",
        "A wins, t(4) = 21.3, p = 0.00003.",
        "The effect is clear: F(2, 27) = 14.25.",
        "A wins (Mann-Whitney U = 12.5, p < 0.01).",
        "A Wilcoxon test gives W = 210.",
        "A wins (χ² = 9.21, p < 0.05; chi-square(3) = 11.4).",
        "The t-statistic is 21.27 with 48 degrees of freedom.",
        "A wins, z = −3.42, p = 0.0006.",
        "A wins (r = 0.71, p < 0.001; Cohen's d = 2.41).",
        "A Welch test: t = 4.81, df = 17.3.",
        "A raised spending in s05 (p = 0.0003) and lowered it in s01 (p-value of 0.014).",
    ],
)
def test_a_named_statistic_of_a_test_is_no_result(summary: str) -> None:
    assert faithful(summary) == "met"
    assert faithful(summary, claim=WORDS) == "unknown", "where words are judged, nothing shows it"


@pytest.mark.parametrize(
    "summary",
    [
        "F = 0.934 for A.",
        "A reaches t = 93.4%, p < 0.001.",
        "A is better by t = 9.34x, p < 0.001.",
        "The accuracy is 0.934 (p < 0.001).",
        "A has 0.934, as the t-test shows.",
        "The test accuracy = 0.934, p < 0.001.",
        "The score of A = 0.934, p < 0.05.",
        "p = 9.34.",
        "p = 93.4%.",
        "The map = 0.934.",
        "With t(4) = 21.3 A has 0.934 and B 0.412.",
    ],
)
def test_a_result_does_not_become_a_statistic(summary: str) -> None:
    assert faithful(summary) == "unmet"


def test_a_statistic_that_is_an_entry_of_the_results_must_agree_with_it() -> None:
    results = {**RESULTS, "test": {"t_statistic": 3.02}}
    assert faithful("A wins, t = 3.02, p < 0.001.", results) == "met"
    assert faithful("A wins, t = 21.3, p < 0.001.", results) == "unmet"


def test_a_p_value_that_is_an_entry_of_the_results_must_agree_with_it() -> None:
    results = {**RESULTS, "p_value": 0.021}
    assert faithful("A wins (p = 0.021).", results) == "met"
    assert faithful("A wins (p = 0.0003).", results) == "unmet"


@pytest.mark.parametrize(
    ("summary", "settings", "status"),
    [
        ("About 97% of candidates are noise.", {500.0, 13.0}, "met"),
        ("About 97% of the candidates are noise.", {500.0, 513.0}, "met"),
        ("About 97.5% of candidates are noise.", {500.0, 513.0}, "met"),
        ("About 94% of candidates are noise.", {500.0, 13.0}, "unmet"),
        ("A is right in 97%.", {500.0, 13.0}, "unmet"),
        ("A labels 97% of images.", {float(count) for count in range(2, 40)}, "unmet"),
    ],
)
def test_a_rounded_share_of_stated_counts_is_derivable(
    summary: str, settings: set[float], status: str
) -> None:
    assert faithful(summary, settings=settings) == status
