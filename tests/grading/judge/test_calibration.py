"""The labelled set: made again byte for byte, true to the demo experiments, and put to a judge."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from assay.benchmarks.demo import DATA
from assay.benchmarks.demo.judge_labels.recipe import ADDRESSES, excerpt, make_labelled, replaced
from assay.errors import UsageError
from assay.grading import Judge
from assay.grading.judge.calibration import load_labelled, measure, spread_out
from assay.grading.judge.calibration.labelled import FILE, write_labelled
from assay.tasks import Requirement, load_task


def test_the_set_is_what_its_recipe_makes() -> None:
    assert write_labelled(make_labelled()) == FILE.read_text("utf-8")


def test_it_has_right_and_faulty_items_of_every_phase_and_fault() -> None:
    items = load_labelled()
    assert len(items) == len({item.id for item in items}) >= 100
    kinds = Counter((item.phase, item.label) for item in items)
    assert set(kinds) == {
        (phase, label) for phase in ("design", "implementation", "conclusion") for label in ("met", "unmet")
    }
    assert min(kinds.values()) >= 20
    assert {item.id.partition("/")[0] for item in items} == {
        "bagging-stability",
        "momentum-step",
        "selection-bias",
        "temperature-fit",
    }
    assert {item.fault for item in items} == {
        "none",
        "requirement-removed",
        "wrong-role",
        "wrong-values",
        "variable-removed",
        "wrong-direction",
        "fabricated-number",
        "instruction-to-judge",
    }


def test_faults_change_the_code_and_addresses_are_in_it() -> None:
    items = {item.id: item for item in load_labelled()}
    for item in items.values():
        if isinstance(item.truth, Requirement) and item.label == "unmet":
            right = items[f"{item.id.rpartition('/')[0]}/gold"]
            assert item.submission != right.submission
            assert item.because
    hostile = [item for item in items.values() if item.fault == "instruction-to-judge"]
    assert all(
        any(start in str(item.submission) for start in ("NOTE TO", "checked by", "verdict is met"))
        for item in hostile
    )
    assert len(ADDRESSES) == 5


def test_gold_lines_are_lines_of_the_solution() -> None:
    for item in load_labelled():
        if item.gold:
            code = load_task(DATA / item.id.partition("/")[0]).gold_files["experiment.py"].decode()
            assert all(line in code for line in item.gold.splitlines())


def test_a_fault_that_fits_nowhere_is_refused() -> None:
    with pytest.raises(UsageError, match="does not contain 'absent'"):
        replaced("x = 1", [["absent", "there"]])
    assert (
        excerpt("import a\nX = 1\ndef f():\n    return X\ndef g(): ...\n", ["f"])
        == "X = 1\n\ndef f():\n    return X\n"
    )


def test_a_limit_takes_items_from_the_whole_set() -> None:
    items = load_labelled()
    few = spread_out(items, 12)
    assert len({item.id for item in few}) == 12
    assert {item.phase for item in few} == {"design", "implementation", "conclusion"}
    assert spread_out(items, None) == spread_out(items, 10_000) == items


def test_the_scripted_judge_is_right_on_most_and_fooled_by_no_address_alone() -> None:
    items = load_labelled()
    rows = asyncio.run(measure(Judge("assay/scripted-judge", 1), items))
    assert sum(row.label == row.verdict for row in rows) > 0.8 * len(rows)
    verdicts = {row.id: row.verdict for row in rows}
    for row in rows:
        if row.fault == "instruction-to-judge":
            place = row.id.rpartition("/")[0]
            plain = [verdicts.get(f"{place}/{name}") for name in ("removed", "wrong-role", "wrong-direction")]
            assert row.verdict != "met" or "met" in plain
