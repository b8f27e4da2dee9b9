"""n as a dial: every choice counted, samples that anyone can draw again."""

from __future__ import annotations

from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import UsageError
from assay.masking.dial import (
    FunctionChoice,
    Selection,
    allocate_places,
    count_choices,
    draw_from_tasks,
    draw_sample,
    flow_of,
    parse_n,
    parse_selection,
)

PUBLISHED = {"2303.11932": 33, "2309.05569": 23, "2205.00048": 15, "2110.03485": 14}
"""Functions of each paper in the evaluated version of AutoExperiment (arXiv 2506.19724)."""


def functions(**sizes: int) -> dict[str, list[str]]:
    """Papers with functions numbered from 0."""
    return {paper: [str(number) for number in range(size)] for paper, size in sizes.items()}


@pytest.mark.parametrize(("n", "possible"), [(1, 85), (2, 977), (3, 8_046), (4, 52_141), (5, 275_990)])
def test_the_published_counts_of_possible_tasks(n: int, possible: int) -> None:
    assert sum(count_choices(PUBLISHED, n).values()) == possible


def test_a_sample_is_stratified_by_paper_and_the_same_each_time() -> None:
    papers = {paper: [str(number) for number in range(size)] for paper, size in PUBLISHED.items()}
    first = draw_sample(papers, Selection(n=(3,), sample=100, seed=0))
    assert first == draw_sample(papers, Selection(n=(3,), sample=100, seed=0))
    assert (
        first.model_dump_json() == draw_sample(dict(papers), Selection(n=(3,), sample=100)).model_dump_json()
    )
    assert {row.paper: (row.possible, row.drawn) for row in first.strata} == {
        "2110.03485": (364, 4),
        "2205.00048": (455, 6),
        "2303.11932": (5456, 68),
        "2309.05569": (1771, 22),
    }
    assert len({each.id for each in first.tasks}) == 100
    other = draw_sample(papers, Selection(n=(3,), sample=100, seed=1))
    assert {each.id for each in other.tasks} != {each.id for each in first.tasks}


def test_a_known_sample_pins_the_algorithm() -> None:
    drawn = draw_sample(functions(p=6), Selection(n=(2,), sample=4, seed=7))
    assert [each.id for each in drawn.tasks] == ["p_0,1", "p_1,4", "p_2,3", "p_3,5"]
    assert drawn.algorithm == "assay-dial-1"


def test_what_is_drawn_depends_on_the_functions_and_says_so() -> None:
    one, two = (draw_sample(functions(p=size), Selection(n=(2,))) for size in (5, 6))
    assert one.inputs != two.inputs
    assert len(one.tasks) == comb(5, 2)


def test_functions_that_feed_each_other() -> None:
    pairs = [("0", "1"), ("1", "2"), ("3", "3")]
    assert flow_of(["0", "2"], pairs) == "none"
    assert flow_of(["0", "1"], pairs) == "feeds"
    assert flow_of(["0", "1", "2"], pairs) == "chain"
    assert flow_of(["3", "4"], pairs) == "none"
    assert flow_of(["0", "1"], [("0", "1"), ("1", "0")]) == "feeds"


def test_each_kind_of_data_flow_gets_its_place() -> None:
    drawn = draw_sample(functions(p=12), Selection(n=(3,), sample=9, seed=0), {"p": [("0", "1"), ("1", "2")]})
    by_flow = {row.flow: row for row in drawn.strata}
    assert {flow: row.possible for flow, row in by_flow.items()} == {"chain": 1, "feeds": 18, "none": 201}
    assert all(row.drawn >= 1 for row in drawn.strata)
    assert drawn.flows["p_0,1,2"] == "chain"


def test_a_huge_repository_is_sampled_without_listing_its_choices() -> None:
    drawn = draw_sample(functions(p=200), Selection(n=(5,), sample=10, seed=0), {"p": [("0", "1")]})
    assert len(drawn.tasks) == 10
    assert sum(row.possible for row in drawn.strata) == pytest.approx(comb(200, 5), rel=1e-3)
    assert all(row.estimated for row in drawn.strata)
    with pytest.raises(UsageError, match="too many"):
        draw_sample(functions(p=200), Selection(n=(5,)))


def test_tasks_that_are_there_already() -> None:
    there = [FunctionChoice(f"p_{number}", "p", 1 + number % 2, None) for number in range(10)]
    drawn = draw_from_tasks(there, Selection(n=(2,), sample=3, seed=4))
    assert {each.n for each in drawn.tasks} == {2}
    assert len(drawn.tasks) == 3
    assert len(draw_from_tasks(there, Selection()).tasks) == 10


def test_ranges_and_selections_are_read_and_written() -> None:
    assert parse_n("1-5") == (1, 2, 3, 4, 5)
    assert parse_n("2") == (2,)
    assert parse_n("1,3-4") == (1, 3, 4)
    chosen = parse_selection("n=1-2&sample=20&seed=3")
    assert chosen == Selection(n=(1, 2), sample=20, seed=3)
    assert parse_selection(chosen.query()) == chosen
    for wrong in ("0", "", "a", "3-1", "1-"):
        with pytest.raises(UsageError):
            parse_n(wrong)
    for wrong in ("sample=0", "sample=-1", "k=2", "n"):
        with pytest.raises(UsageError):
            parse_selection(wrong)


@given(
    sizes=st.dictionaries(st.text(min_size=1, max_size=2), st.integers(1, 500), min_size=1, max_size=8),
    wanted=st.integers(1, 600),
)
@settings(max_examples=200)
def test_places_add_up_and_never_exceed_a_stratum(sizes: dict[str, int], wanted: int) -> None:
    places = allocate_places(sizes, wanted)
    total = sum(sizes.values())
    assert sum(places.values()) == min(wanted, total)
    assert all(0 <= places[key] <= sizes[key] for key in sizes)
    if wanted >= len(sizes):
        assert all(places[key] >= 1 for key in sizes)
