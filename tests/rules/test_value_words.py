"""A value that is taken back is not met; words that only name what a value counts cost nothing."""

from __future__ import annotations

import json
import time

import pytest

from assay.rules.design import grade_design
from assay.tasks import Design

DESIGN = Design.model_validate(
    {
        "variable": [
            {"name": "noise_features", "role": "constant", "values": [500]},
            {"name": "selected_features", "role": "constant", "values": [10]},
            {"name": "folds", "role": "constant", "values": [5]},
            {"name": "selection", "role": "independent", "values": ["outside", "inside"]},
            {"name": "labels", "role": "independent", "values": ["real", "permuted"]},
        ]
    }
)
TASK = """Rows: the table. If labels are less or more wrong, they are excluded in at most 30 seconds.

- Append 500 columns of noise (`streams.noise_features`), and divide the rows into 5 folds. Noise and folds
  are shared by all four conditions of each of the 5 repeats, and 7 others are dropped.
- The chosen features are the 10 columns with the largest `scores.anova_f`.

Give `noise_features`, `selected_features`, `folds`, `selection` and `labels`.
"""


def status(name: str, value: object) -> str:
    """The status of one variable, where the others are not stated."""
    design = {"constant": {name: value}, "independent": {name: value}, "dependent": []}
    role = next(variable.role for variable in DESIGN.variable if variable.name == name)
    handed_in = json.dumps({key: part if key == role else {} for key, part in design.items()}).encode()
    rulings = grade_design(DESIGN, handed_in, TASK)
    return next(ruling.status for ruling in rulings if ruling.item == f"design.{name}")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("noise_features", "500 (we used 400)"),
        ("noise_features", "500 (we used fewer)"),
        ("noise_features", {"value": 500, "alternative": 50}),
        ("noise_features", {"value": 500, "note": "we used 400"}),
        ("noise_features", {"value": 500, "used": "fewer"}),
        ("noise_features", {"value": 500, "description": "dropped"}),
        ("noise_features", "~500 ± 100"),
        ("noise_features", "half of 500"),
        ("selected_features", "10 is wrong"),
        ("folds", "5 excluded"),
        ("folds", "5 isn't so"),
        ("folds", "5 false"),
        ("folds", "5 dropped"),
        ("folds", "5 fewer"),
        ("folds", "5 too many"),
        ("folds", "5 at most"),
        ("folds", "5 off"),
        ("folds", "5 (excluded)"),
        ("folds", "5 (left out)"),
        ("folds", "5 (fewer)"),
        ("folds", "5 (ten)"),
        ("folds", "5 (twice)"),
        ("folds", "5 (plus 5)"),
        ("folds", "5 (from 10)"),
        ("folds", "5 in the first, 10 in the others"),
        ("folds", "<5"),
        ("folds", "> 5"),
        ("folds", "≤5"),
        ("folds", "≠5"),
        ("folds", "=/=5"),
        ("folds", "!=5"),
        ("folds", "√5"),
        ("folds", "more than 5"),
        ("folds", "5, dropped"),
        ("selection", {"outside": "not run", "inside": "not run"}),
        ("selection", {"outside": "once on all rows", "inside": "never tried"}),
        ("selection", {"outside": "once on all rows", "inside": "was dropped"}),
        ("selection", {"outside": "not used", "inside": "for each fold"}),
        ("selection", ["not outside", "inside"]),
        ("labels", ["real labels", "real labels"]),
        ("labels", ["real", "permuted (no labels)"]),
    ],
)
def test_a_value_that_is_taken_back_is_unmet(name: str, value: object) -> None:
    assert status(name, value) == "unmet"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("noise_features", "500 i.i.d. Gaussian columns"),
        ("noise_features", "500 standard normal columns"),
        ("noise_features", "500 noise columns per repeat"),
        ("noise_features", "500 (appended to the right)"),
        ("noise_features", "500 (standard normal, drawn over again for each repeat)"),
        ("noise_features", {"value": 500, "unit": "columns of N(0,1) noise"}),
        ("noise_features", {"value": 500, "distribution": "normal"}),
        ("noise_features", {"value": 500, "description": "noise columns in each of the 5 repeats"}),
        ("noise_features", "500 columns in each of the 5 repeats"),
        ("noise_features", "noise_features = 500"),
        ("selected_features", "top 10 by ANOVA F"),
        ("selected_features", "10 columns with the largest scores.anova_f"),
        ("selected_features", "k=10"),
        ("selected_features", "10 (best F statistic)"),
        ("selected_features", "10 (drawn without replacement)"),
        ("noise_features", "500 bootstrap resamples"),
        ("folds", "5 wugs"),
        ("folds", "k=5"),
        ("folds", "K = 5"),
        ("folds", "folds: 5"),
        ("folds", "5-fold cross-validation"),
        ("folds", "5-fold cross-validation, shared by the 4 conditions"),
        ("folds", "5 (numbered 0 to 4)"),
        ("folds", {"value": 5, "description": "5-fold cross-validation"}),
        ("folds", {"value": 5, "count": 5, "note": "not tuned, the same for all conditions"}),
        ("selection", {"outside": "once on all rows", "inside": "per fold; held-out rows are not used"}),
        ("selection", {"values": ["outside", "inside"], "unit": "none"}),
        ("selection", ["outside selection", "inside selection"]),
        ("labels", ["real labels", "permuted labels"]),
        ("labels", ["real", "permuted (no information)"]),
        ("labels", {"real": "as in the table, not permuted", "permuted": "shuffled"}),
        ("labels", {"levels": ["real", "permuted"], "real": "as in the table"}),
    ],
)
def test_words_that_name_what_a_value_counts_cost_nothing(name: str, value: object) -> None:
    assert status(name, value) == "met"


def test_a_level_that_is_a_lack_is_truly_not_used() -> None:
    design = Design.model_validate(
        {"variable": [{"name": "dropout", "role": "independent", "values": ["off", "on"]}]}
    )
    handed_in = json.dumps({"independent": {"dropout": {"off": "not used", "on": "in each layer"}}}).encode()
    assert grade_design(design, handed_in)[0].status == "met"


def test_a_level_that_contains_the_name_of_its_variable_is_no_other_level() -> None:
    design = Design.model_validate(
        {"variable": [{"name": "label", "role": "independent", "values": ["noise", "label noise"]}]}
    )
    for levels, expected in ((["label noise", "noise"], "met"), (["label noise", "label noise"], "unmet")):
        handed_in = json.dumps({"independent": {"label": levels}}).encode()
        assert grade_design(design, handed_in)[0].status == expected


@pytest.mark.parametrize(
    "piece",
    ["a", "a ", "a-", "5 ", "in the 5 repeats", "not ", "was ", "seeds 1, 2, ", "falls to ", "(", "i."],
)
def test_no_value_makes_the_search_slow(piece: str) -> None:
    started = time.process_time()
    for text in (piece * 1_000, f"5 {piece * 500}", f"5 ({piece * 500})", f"{piece * 500} 5"):
        status("folds", text)
        status("folds", {"value": 5, "note": text})
        status("selection", {"outside": text, "inside": text})
    assert time.process_time() - started < 5.0
