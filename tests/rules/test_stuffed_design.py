"""A design that states everything states nothing; one that needs a reader still gets one."""

from __future__ import annotations

import json

from assay.rules.design import extra_variables, grade_design
from assay.tasks import Design

DESIGN = Design.model_validate(
    {
        "variable": [
            {"name": "number of draws", "role": "constant", "values": [1000]},
            {"name": "dice count", "role": "independent", "values": [1, 2]},
        ]
    }
)
TOLD = "Find out whether more dice are better."


def statuses(design: dict[str, object]) -> dict[str, str]:
    found = grade_design(DESIGN, json.dumps(design).encode(), TOLD)
    return {each.item: each.status for each in found}


def test_the_same_variable_in_every_role_is_a_contradiction() -> None:
    stuffed = {
        role: {f"draws number option {value} ({role})": value for value in (10, 100, 1000, 10_000)}
        | {f"dice count option {count} ({role})": [count, count + 1] for count in (1, 2)}
        for role in ("constant", "independent", "dependent")
    }
    assert set(statuses(stuffed).values()) == {"unmet"}


def test_every_value_under_its_own_name_is_a_contradiction() -> None:
    stuffed = {"constant": {f"number of draws, {name}": 10**n for n, name in enumerate("abcd", 1)}}
    assert statuses(stuffed)["design.number of draws"] == "unmet"


def test_other_words_are_left_to_a_reader() -> None:
    honest = {
        "constant": {"draws in total, a number": "one thousand", "number of draws to warm up": 10},
        "independent": {"count of dice thrown": "one or two"},
    }
    assert set(statuses(honest).values()) == {"unknown"}


def test_variables_that_share_a_word_in_two_roles_are_no_contradiction() -> None:
    honest = {
        "constant": {"dice count of the first player": 1},
        "independent": {"dice count of the second player": [1, 2]},
    }
    assert statuses(honest)["design.dice count"] == "unknown"


NAMED = Design.model_validate(
    {
        "variable": [
            {"name": "optimiser", "role": "independent", "synonyms": ["optimizer", "method"]},
            {
                "name": "base_rate",
                "role": "constant",
                "values": [0.05],
                "synonyms": ["learning_rate", "rate"],
            },
            {"name": "momentum_coefficient", "role": "constant", "values": [0.9], "synonyms": ["momentum"]},
            {"name": "steps", "role": "constant", "values": [300], "synonyms": ["updates"]},
            {"name": "train_loss", "role": "dependent", "synonyms": ["final_loss"]},
        ]
    }
)
RIGHT: dict[str, dict[str, object]] = {
    "independent": {"optimiser": ["plain", "momentum"]},
    "constant": {"base_rate": 0.05, "momentum_coefficient": 0.9, "steps": 300},
    "dependent": {"train_loss": []},
}


def named_statuses(changes: dict[str, dict[str, object]]) -> set[str]:
    handed_in = {role: {**entries, **changes.get(role, {})} for role, entries in RIGHT.items()}
    return {each.status for each in grade_design(NAMED, json.dumps(handed_in).encode())}


def test_every_variable_under_a_known_second_name_in_another_role_is_a_contradiction() -> None:
    again = {
        "independent": {
            "learning_rate": [0.05, 0.5],
            "momentum": [0, 0.9],
            "updates": [1, 2],
            "final_loss": 1,
        },
        "dependent": {"method": [], "rate": []},
    }
    assert "unmet" in named_statuses(again)
    data = json.dumps({role: {**RIGHT[role], **again.get(role, {})} for role in RIGHT}).encode()
    shown = extra_variables(NAMED, data)
    assert {"learning_rate (independent)", "method (dependent)"} <= {*shown}


def test_one_known_second_name_in_another_role_may_be_a_variable_of_its_own() -> None:
    assert named_statuses({"independent": {"momentum": ["off", "on"]}}) == {"met"}
    assert named_statuses({"constant": {"learning_rate": 0.05, "updates": 300}}) == {"met"}
