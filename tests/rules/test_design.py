"""Design variables: role and values, forgiving in spelling and never in substance."""

from __future__ import annotations

import json

import pytest

from assay.rules.design import extra_variables, grade_design
from assay.tasks import Design

DESIGN = Design.model_validate(
    {
        "variable": [
            {"name": "learning_rate", "role": "constant", "values": [0.1], "synonyms": ["step size"]},
            {"name": "optimizer", "role": "independent", "values": ["sgd", "Adam"]},
            {"name": "accuracy", "role": "dependent", "synonyms": ["test accuracy"]},
        ]
    }
)
RIGHT = {
    "constant": {"learning_rate": 0.1},
    "independent": {"optimizer": ["sgd", "Adam"]},
    "dependent": ["accuracy"],
}


def graded(design: object) -> dict[str, str]:
    """Variable → status."""
    handed_in = design if isinstance(design, bytes) else json.dumps(design).encode()
    return {each.item.removeprefix("design."): each.status for each in grade_design(DESIGN, handed_in)}


def test_the_right_design_is_met() -> None:
    assert set(graded(RIGHT).values()) == {"met"}


def test_synonyms_spelling_order_and_number_forms_are_forgiven() -> None:
    odd = {
        "constant": {"Step-Size": "10%", "extra": 3},
        "independent": {"OPTIMIZER": ["adam", "SGD"]},
        "dependent": {"Test Accuracy": []},
    }
    assert set(graded(odd).values()) == {"met"}


def test_a_synonym_that_names_something_else_does_no_harm() -> None:
    first = {**RIGHT, "constant": {"step size": "decays", "learning_rate": 0.1}}
    other_role = {**RIGHT, "independent": {"test accuracy": ["top 1"], "optimizer": ["sgd", "Adam"]}}
    assert set(graded(first).values()) == {"met"}
    assert set(graded(other_role).values()) == {"met"}


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({"constant": {"learning_rate": 0.2}}, "learning_rate"),
        ({"independent": {"optimizer": ["sgd"]}}, "optimizer"),
        ({"independent": {"optimizer": ["sgd", "adam", "lion"]}}, "optimizer"),
        ({"independent": {}, "constant": {"learning_rate": 0.1, "optimizer": ["sgd", "adam"]}}, "optimizer"),
        ({"constant": {"learning_rate": 0.1, "Learning Rate": 0.2}}, "learning_rate"),
        ({"dependent": []}, "accuracy"),
        ({"dependent": ["accuracy", "optimizer"]}, "optimizer"),
    ],
)
def test_each_mistake_costs_its_own_variable(change: dict[str, object], wrong: str) -> None:
    found = graded({**RIGHT, **change})
    assert [name for name, status in found.items() if status == "unmet"] == [wrong]


@pytest.mark.parametrize("hostile", [b"", b"{", b"[]", b"3", b'{"constant": 3}', b"[" * 200_000, b"\xff\xfe"])
def test_malformed_designs_are_unmet_with_a_reason(hostile: bytes) -> None:
    assert set(graded(hostile).values()) == {"unmet"}


def test_extra_variables_are_shown_and_cost_nothing() -> None:
    more = {**RIGHT, "constant": {"learning_rate": 0.1, "seed": 0, "device": "cpu"}}
    assert set(graded(more).values()) == {"met"}
    assert extra_variables(DESIGN, json.dumps(more).encode()) == ["seed (constant)", "device (constant)"]
    assert extra_variables(DESIGN, json.dumps(RIGHT).encode()) == []


def test_other_names_and_prose_wait_for_a_judge_where_the_task_gave_no_names() -> None:
    told = "Vary the `optimizer`."
    other = {
        "constant": {"how fast it learns": 0.1},
        "independent": {"optimizer": ["plain descent", "the adaptive one of Kingma"]},
        "dependent": ["accuracy"],
    }
    found = grade_design(DESIGN, json.dumps(other).encode(), told)
    assert [(each.status, each.by) for each in found] == [
        ("unknown", "judge"),
        ("unmet", "run"),
        ("met", "run"),
    ]
    assert "--judge-model" in found[0].evidence


def test_an_empty_design_needs_no_judge() -> None:
    empty = {"constant": {}, "independent": {}, "dependent": []}
    assert {each.status for each in grade_design(DESIGN, json.dumps(empty).encode(), "")} == {"unmet"}
