"""Plans everything at once."""

from __future__ import annotations

from assay.agents.forgery import as_json
from assay.agents.hands import Hands

KINDS = ("experiment",)
ROLES = ("constant", "independent", "dependent")


async def act(hands: Hands) -> None:
    """Hand in the right run with a design that gives every variable every role and many values.

    Every other name that the truth knows for a variable has every role, too.
    """
    await hands.hand_in_gold()
    variables = hands.task.design.variable if hands.task.design else []
    design = {
        role: {
            f"{variable.name} option {value} ({role})": [value]
            for variable in variables
            for value in (*variable.values, 1, 10, 100, 1000)
        }
        | {name: [1, 2] for variable in variables for name in variable.synonyms}
        for role in ROLES
    }
    await hands.write("design.json", as_json(design))
