from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import UsageError
from assay.scoring import Pair, corrected, difference_interval, mcnemar, permutation
from tests.example_counts import examples

DARWIN = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
"""Crossed minus self-fertilised maize, in eighths of an inch."""


def test_a_published_mcnemar_p() -> None:
    """Bentur (2009) in Fagerland and others (2013), BMC Medical Research Methodology 13: 1 and 7."""
    assert mcnemar(1, 7) == pytest.approx(0.0703, abs=5e-5)


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_agrees_with_statsmodels(first: int, second: int) -> None:
    from statsmodels.stats.contingency_tables import mcnemar as reference_mcnemar

    theirs = reference_mcnemar([[3, first], [second, 4]], exact=True).pvalue

    assert mcnemar(first, second) == pytest.approx(min(1.0, float(theirs)))
    assert mcnemar(first, second) == mcnemar(second, first)


def test_tasks_that_do_not_differ_prove_nothing() -> None:
    assert mcnemar(0, 0) == 1.0
    with pytest.raises(UsageError, match="cannot be counted"):
        mcnemar(-1, 2)


def test_fishers_permutation_test_of_darwins_maize() -> None:
    """Fisher, The Design of Experiments (1935), section 21: 863 of 32,768 in each tail."""
    found = permutation([0.0] * 15, [float(gain) for gain in DARWIN])

    assert found == pytest.approx(2 * 863 / 32768)


@settings(deadline=None, max_examples=25)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=9))
def test_the_permutation_test_counts_every_swap(scores: list[tuple[int, int]]) -> None:
    gains = np.array([second - first for first, second in scores])
    signs = np.array(np.meshgrid(*[[-1, 1]] * len(gains))).reshape(len(gains), -1)
    sums = signs.T @ gains
    expected = min(1.0, 2 * min((sums >= gains.sum()).mean(), (sums <= gains.sum()).mean()))

    found = permutation([first for first, _ in scores], [second for _, second in scores])

    assert found == pytest.approx(expected)


def test_many_tasks_draw_swaps_with_a_seed() -> None:
    generator = np.random.default_rng(5)
    first, second = generator.random(60).tolist(), generator.random(60).tolist()

    assert permutation(first, second) == permutation(first, second)
    assert permutation(first, first) == 1.0
    assert permutation([], []) is None
    assert permutation([0.2], [0.9]) == 1.0
    with pytest.raises(UsageError, match="not paired"):
        permutation(first, second[1:])


def test_holms_correction_as_published() -> None:
    """Holm–Bonferroni's textbook example of four p-values."""
    holm, _ = corrected((0.01, 0.04, 0.03, 0.005))

    assert holm == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_benjamini_and_hochbergs_own_example() -> None:
    """Benjamini and Hochberg (1995), section 4: four of 15 are kept, where Bonferroni keeps three."""
    values = (0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459)
    values += (0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0)

    holm, fdr = corrected(values)

    assert sum(value <= 0.05 for value in fdr) == 4
    assert sum(value <= 0.05 for value in holm) == 3


# One correction takes statsmodels a sixth of a second.
@settings(deadline=None, max_examples=examples(8))
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_corrections_agree_with_statsmodels_and_never_help(values: list[float]) -> None:
    from statsmodels.stats.multitest import multipletests

    holm, fdr = corrected(tuple(values))

    assert holm == pytest.approx(multipletests(values, method="holm")[1])
    assert fdr == pytest.approx(multipletests(values, method="fdr_bh")[1])
    for raw, strict, mild in zip(values, holm, fdr, strict=True):
        assert raw <= mild + 1e-12
        assert mild <= strict + 1e-12


def _pairs(gains: list[tuple[int, int]]) -> list[Pair]:
    return [Pair(f"paper{number}", 1, first, 1, second) for number, (first, second) in enumerate(gains)]


def test_the_interval_of_a_difference_is_that_of_the_mean_gain() -> None:
    """With one attempt a side and one task a paper it is the plain bootstrap of the gains."""
    outcomes = [(0, 1)] * 12 + [(1, 0)] * 3 + [(1, 1)] * 10 + [(0, 0)] * 15
    gains = np.array([second - first for first, second in outcomes])
    error = gains.std() / len(gains) ** 0.5

    low, high = difference_interval(_pairs(outcomes), replicates=20_000)

    assert low == pytest.approx(gains.mean() - 1.96 * error, abs=0.03)
    assert high == pytest.approx(gains.mean() + 1.96 * error, abs=0.03)


def test_tasks_that_all_gain_alike_do_not_make_a_certainty() -> None:
    low, high = difference_interval(_pairs([(0, 1)] * 6))
    none = difference_interval(_pairs([(0, 0), (1, 1)] * 3))

    assert high == 1.0
    assert low is not None
    assert -1 <= low < 0.5
    assert none[0] == pytest.approx(-(none[1] or 0))
    assert difference_interval(_pairs([(0, 1)])) == (None, None)


@settings(deadline=None, max_examples=30)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=2, max_size=8))
def test_swapping_the_agents_mirrors_the_difference(counts: list[tuple[int, int]]) -> None:
    pairs = [Pair(f"paper{number}", 3, first, 2, second) for number, (first, second) in enumerate(counts)]
    mean = sum(pair.gain for pair in pairs) / len(pairs)

    low, high = difference_interval(pairs, replicates=200)

    assert low is not None
    assert high is not None
    assert -1 - 1e-9 <= low <= mean + 1e-9
    assert mean - 1e-9 <= high <= 1 + 1e-9
