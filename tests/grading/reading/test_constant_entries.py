"""Entries of the results that a program writes as constants support no conclusion."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.grading.reading.constant_entries import without_constants

RESULTS = {"order": [0, 1, 2], "weight": 3.5, "inner": {"found": True}}


def left_out(source: str, results: object = RESULTS) -> list[str]:
    kept, paths = without_constants(results, {"run.py": source.encode()})
    assert paths or kept == results
    return sorted(paths)


@pytest.mark.parametrize(
    "source",
    [
        'json.dump({"order": [0, 1, 2], "weight": compute()}, file)',
        'results = {}\nresults["order"] = [0, 1, 2]',
        "results = dict(order=(0, 1, 2))",
        'ORDER = [0, 1, 2]\nresults = {"order": ORDER}',
        'def main():\n    with open("r.json", "w") as file:\n        json.dump({"order": [0, 1, 2]}, file)',
    ],
)
def test_an_entry_that_stands_in_the_program_does_not_count(source: str) -> None:
    assert left_out(source) == ["order"]


def test_an_entry_inside_another_is_found_too() -> None:
    assert left_out('results = {"inner": {"found": True, "other": fit()}}') == ["inner.found"]


@pytest.mark.parametrize(
    "source",
    [
        'results = {"order": list(model.order)}',
        'results = {"order": [0, 1, 2]}\nresults["order"] = model.order',
        'results = {}\nif model.order[0] == 0:\n    results["order"] = [0, 1, 2]',
        'results = {"order": [0, 1, 2] if good else [2, 1, 0]}',
        'results = {"weight": 0.0}\nfor part in parts:\n    results["weight"] += part',
        'order = [0, 1, 2]\norder = model.order\nresults = {"order": order}',
        'results = {"order": [2, 1, 0]}',
        'results = {"found": False}\nif good:\n    results["found"] = True',
        "this is no Python (",
        "",
    ],
)
def test_what_a_run_may_have_computed_counts(source: str) -> None:
    assert left_out(source) == []


values = st.recursive(
    st.booleans() | st.integers(-9, 9) | st.text("ab", max_size=3),
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3)
        | st.dictionaries(st.text("xyz", min_size=1), inner, min_size=1)
    ),
    max_leaves=6,
)


@given(st.dictionaries(st.text("kmn", min_size=1, max_size=4), values, min_size=1, max_size=4))
def test_a_dump_of_one_literal_leaves_nothing(results: dict[str, object]) -> None:
    kept, paths = without_constants(results, {"run.py": f"json.dump({results!r}, file)".encode()})
    assert kept == {}
    assert sorted(paths) == sorted(results)
    assert without_constants(json.loads(json.dumps(results)), {}) == (results, [])
